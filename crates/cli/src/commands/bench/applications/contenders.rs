//! OpenSSL as it is and with outboard, for servers: configurations, and the directory in which all lies that they need.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;

use anyhow::{Context as _, Result, anyhow, bail};
use outboard_counters::{Decision, Table};
use outboard_measure::evp::{Context, Library};

use super::measure::{AS_IT_IS, Claim, Side, WITH};
use crate::enabled::Scratch;

/// Ends what a killed program left. Whoever still writes there may make the first attempt fail.
const SWEEP: &str = "trap '' HUP INT TERM
read -r _
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -d \"$1\" ] || exit 0
    rm -rf \"$1\" 2>/dev/null && exit 0
    sleep 1
done";

/// A directory that is gone when this process is, even if it was killed: keys lie in it, and files of many megabytes.
pub struct Ground {
    scratch: Scratch,
    _sweeper: Sweeper,
}

impl Ground {
    pub fn new() -> Result<Ground> {
        let scratch = Scratch::new()?;
        let sweeper = Sweeper::start(&scratch.file(""))?;
        let ground = Ground { scratch, _sweeper: sweeper };
        fs::write(ground.plain(), "").with_context(|| format!("{}", ground.plain().display()))?;
        Ok(ground)
    }

    /// A file of this name in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.scratch.file(name)
    }

    /// An openssl.cnf that says nothing.
    pub fn plain(&self) -> PathBuf {
        self.scratch.file("plain.cnf")
    }

    /// Fails if only its owner can get here: servers that root starts give up root.
    pub fn lets_in(&self) -> Result<()> {
        let place = self.scratch.file("");
        let is_shut =
            |folder: &&Path| folder.metadata().is_ok_and(|found| found.permissions().mode() & 0o001 == 0);
        match place.ancestors().find(is_shut).filter(|_| rustix::process::geteuid().is_root()) {
            Some(folder) => bail!(
                "{} can be entered by its owner alone, and the server's processes run as nobody: point TMPDIR elsewhere",
                folder.display()
            ),
            None => Ok(()),
        }
    }

    /// A directory of this name in it, that everybody may enter.
    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.scratch.file(name);
        fs::create_dir(&folder).with_context(|| format!("{}", folder.display()))?;
        Ok(folder)
    }
}

/// A process that removes a directory when its standard input ends.
struct Sweeper(Child);

impl Sweeper {
    fn start(folder: &Path) -> Result<Sweeper> {
        let mut shell = Command::new("sh");
        shell.args(["-c", SWEEP, "outboard-sweeper"]).arg(folder).current_dir("/");
        shell.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Sweeper(shell.spawn().context("sh cannot be run")?))
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It finds nothing left to do.
        let _ = self.0.wait();
    }
}

/// An OpenSSL that takes part.
pub struct Contender {
    pub who: &'static str,
    /// What OPENSSL_CONF says.
    pub configuration: PathBuf,
    with: Option<Provided>,
}

/// What a provider counts, and what it offers.
struct Provided {
    table: Rc<Table>,
    decisions: Vec<(String, Decision)>,
    _scratch: Scratch,
}

impl Contender {
    /// OpenSSL as it is.
    pub fn plain(ground: &Ground) -> Contender {
        Contender { who: AS_IT_IS, configuration: ground.plain(), with: None }
    }

    /// With outboard, by the policy of this machine.
    pub fn with_outboard(ground: &Ground, module: &Path) -> Result<Contender> {
        Self::with(WITH, ground, module, &[])
    }

    /// With outboard and more settings. The provider is asked what it offers.
    pub fn with(
        who: &'static str,
        ground: &Ground,
        module: &Path,
        keys: &[(&str, &str)],
    ) -> Result<Contender> {
        let scratch = Scratch::within(&ground.file(""))?;
        let table = Rc::new(Table::create(&scratch.counters())?);
        let keys = keys.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        scratch.configure(None, module.to_owned(), keys)?;
        let configuration = scratch.configuration();
        let library = Library::open()?;
        let asked = Context::configured(&library, &configuration)
            .and_then(|context| context.have_decided(c"outboard"));
        asked.map_err(|error| {
            let said: Vec<String> = table.notes().into_iter().chain(library.errors()).collect();
            anyhow!("{}: the provider cannot be asked: {error} {}", module.display(), said.join("; "))
        })?;
        let decisions = table.decisions();
        Ok(Contender { who, configuration, with: Some(Provided { table, decisions, _scratch: scratch }) })
    }

    /// The kernel driver that requests of an algorithm go to, if they do.
    pub fn driver(&self, algorithm: &str) -> Option<String> {
        self.with.as_ref()?.decisions.iter().find_map(|(name, decision)| match decision {
            Decision::Offered { driver, .. } if name == algorithm => Some(driver.clone()),
            _ => None,
        })
    }

    /// Bytes that hardware made HMACs of so far.
    pub fn authenticated(&self) -> u64 {
        let counts = self.with.as_ref().map(|with| with.table.snapshot()).unwrap_or_default();
        counts.iter().filter(|(name, _)| name.starts_with("HMAC-")).map(|(_, counts)| counts.hw_bytes).sum()
    }

    /// Its side, where applications use a cipher that the provider calls so, or one that it knows nothing of.
    pub fn side(&self, cipher: Option<&str>) -> Result<Side> {
        let Some(with) = &self.with else { return Side::new(self.who, None, Claim::Software) };
        let driver = cipher.and_then(|cipher| self.driver(cipher));
        let side = Side::new(self.who, driver, Claim::Counted(Rc::clone(&with.table)))?;
        // A name that no row has: nothing that the provider does is this cipher.
        Ok(side.by(cipher.unwrap_or("no cipher of the provider's")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn the_ground_is_swept_when_its_owner_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join("left");
        fs::create_dir_all(left.join("deep/down")).unwrap();
        let mut sweeper = Sweeper::start(&left).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert!(left.exists());
        // As the kernel does for a process that was killed.
        drop(sweeper.0.stdin.take());
        let start = Instant::now();
        while left.exists() {
            assert!(start.elapsed() < Duration::from_secs(300));
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn the_ground_is_gone_when_dropped() {
        let ground = Ground::new().unwrap();
        let place = ground.file("");
        ground.folder("www").unwrap();
        assert_eq!(fs::read(ground.plain()).unwrap(), b"");
        drop(ground);
        assert!(!place.exists());
    }
}
