//! Configurations of OpenSSL without and with outboard for servers, and the directory for their
//! files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;

use anyhow::{Context as _, Result, anyhow, bail};
use outboard_counters::{Decision, Table};
use outboard_measure::evp::{Context, Library};
use outboard_openssl_conf::Scratch;

use super::measure::{AS_IT_IS, HardwareClaim, MeasuredSide, WITH};

/// Removes the directory after this process was killed. The first attempt can fail while another
/// process still writes there.
const SWEEP: &str = "trap '' HUP INT TERM
read -r _
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -d \"$1\" ] || exit 0
    rm -rf \"$1\" 2>/dev/null && exit 0
    sleep 1
done";

/// A temporary directory for keys and large files. It is removed even if this process is killed.
pub struct WorkFolder {
    scratch: Scratch,
    _sweeper: DirectoryRemover,
}

impl WorkFolder {
    pub fn new() -> Result<WorkFolder> {
        let scratch = Scratch::new()?;
        let sweeper = DirectoryRemover::start(&scratch.file(""))?;
        let work = WorkFolder { scratch, _sweeper: sweeper };
        fs::write(work.plain(), "").with_context(|| format!("{}", work.plain().display()))?;
        Ok(work)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.scratch.file(name)
    }

    pub fn plain(&self) -> PathBuf {
        self.scratch.file("plain.cnf")
    }

    /// Fails if other users cannot enter the directory: servers started by root drop their
    /// privileges.
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

    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.scratch.file(name);
        fs::create_dir(&folder).with_context(|| format!("{}", folder.display()))?;
        Ok(folder)
    }
}

struct DirectoryRemover(Child);

impl DirectoryRemover {
    fn start(folder: &Path) -> Result<DirectoryRemover> {
        let mut shell = Command::new("sh");
        shell.args(["-c", SWEEP, "outboard-sweeper"]).arg(folder).current_dir("/");
        shell.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(DirectoryRemover(shell.spawn().context("sh cannot be run")?))
    }
}

impl Drop for DirectoryRemover {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // The shell finds nothing left to remove.
        let _ = self.0.wait();
    }
}

pub struct OpensslConfiguration {
    pub contestant: &'static str,
    pub openssl_cnf: PathBuf,
    with: Option<Provided>,
}

/// The provider's counters, and its decisions for each algorithm.
struct Provided {
    table: Rc<Table>,
    decisions: Vec<(String, Decision)>,
    _scratch: Scratch,
}

impl OpensslConfiguration {
    /// OpenSSL without outboard.
    pub fn plain(work: &WorkFolder) -> OpensslConfiguration {
        OpensslConfiguration { contestant: AS_IT_IS, openssl_cnf: work.plain(), with: None }
    }

    pub fn with_outboard(work: &WorkFolder, module: &Path) -> Result<OpensslConfiguration> {
        Self::with(WITH, work, module, &[])
    }

    /// OpenSSL with outboard and additional settings. Loads the provider to read its decisions.
    pub fn with(
        contestant: &'static str,
        work: &WorkFolder,
        module: &Path,
        keys: &[(&str, &str)],
    ) -> Result<OpensslConfiguration> {
        let scratch = Scratch::within(&work.file(""))?;
        let table = Rc::new(Table::create(&scratch.counters())?);
        let keys = keys.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        scratch.configure(None, module.to_owned(), keys)?;
        let openssl_cnf = scratch.configuration();
        let library = Library::open()?;
        let asked =
            Context::configured(&library, &openssl_cnf).and_then(|context| context.have_decided(c"outboard"));
        asked.map_err(|error| {
            let messages: Vec<String> = table.notes().into_iter().chain(library.errors()).collect();
            anyhow!("{}: the provider cannot be loaded: {error} {}", module.display(), messages.join("; "))
        })?;
        let decisions = table.decisions();
        Ok(OpensslConfiguration {
            contestant,
            openssl_cnf,
            with: Some(Provided { table, decisions, _scratch: scratch }),
        })
    }

    /// Returns the kernel driver that the provider selected for an algorithm, if it offers the
    /// algorithm.
    pub fn driver(&self, algorithm: &str) -> Option<String> {
        self.with.as_ref()?.decisions.iter().find_map(|(name, decision)| match decision {
            Decision::Offered { driver, .. } if name == algorithm => Some(driver.clone()),
            _ => None,
        })
    }

    /// Returns the number of bytes that hardware has processed for HMACs.
    pub fn authenticated(&self) -> u64 {
        let counts = self.with.as_ref().map(|with| with.table.snapshot()).unwrap_or_default();
        counts.iter().filter(|(name, _)| name.starts_with("HMAC-")).map(|(_, counts)| counts.hw_bytes).sum()
    }

    /// Returns the contestant for a cipher by the provider's name; `None` is a cipher that the
    /// provider does not implement.
    pub fn side(&self, cipher: Option<&str>) -> Result<MeasuredSide> {
        let Some(with) = &self.with else {
            return MeasuredSide::new(self.contestant, None, HardwareClaim::Software);
        };
        let driver = cipher.and_then(|cipher| self.driver(cipher));
        let side =
            MeasuredSide::new(self.contestant, driver, HardwareClaim::Counted(Rc::clone(&with.table)))?;
        // No counter has this name, so no work of the provider is counted for this cipher.
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
        let mut sweeper = DirectoryRemover::start(&left).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert!(left.exists());
        // The kernel closes standard input in the same way when a process is killed.
        drop(sweeper.0.stdin.take());
        let start = Instant::now();
        while left.exists() {
            assert!(start.elapsed() < Duration::from_secs(300));
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn the_ground_is_gone_when_dropped() {
        let work = WorkFolder::new().unwrap();
        let place = work.file("");
        work.folder("www").unwrap();
        assert_eq!(fs::read(work.plain()).unwrap(), b"");
        drop(work);
        assert!(!place.exists());
    }
}
