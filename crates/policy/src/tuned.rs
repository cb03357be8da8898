//! The policy file: what `outboard tune` measured on this machine. Text, a line for each cipher; what it belongs to stands
//! above. A file that belongs to another kernel, CPU or driver is not obeyed.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Where the provider looks for it.
pub const POLICY_FILE: &str = "/etc/outboard/policy";

/// The first word of the first line that is no comment, and the format's version.
const MAGIC: [&str; 2] = ["outboard-policy", "1"];

/// The most that is read of a file.
const LONGEST: u64 = 64 * 1024;

/// Stands where software always wins.
const NEVER: &str = "never";

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tuned {
    /// When it was made.
    pub made: String,
    /// For which goal.
    pub goal: String,
    /// The kernel's release then.
    pub kernel: String,
    /// What [`cpu_identity`] said then.
    pub cpu: String,
    /// The drivers then.
    pub drivers: Vec<DriverVersion>,
    /// One for each cipher that was measured.
    pub ciphers: Vec<CipherRow>,
}

/// A driver that was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverVersion {
    /// Its name in /proc/crypto.
    pub driver: String,
    /// Its module, or `kernel`.
    pub module: String,
    /// What [`module_version`] said.
    pub version: String,
}

/// A cipher that was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CipherRow {
    /// OpenSSL's name.
    pub cipher: String,
    /// The smallest request in bytes that goes to the accelerator when encrypting, and when decrypting; `None`: none does.
    pub from: [Option<usize>; 2],
    /// The driver that was measured.
    pub driver: String,
}

/// Why a file is not obeyed.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// The kernel does not hand it out.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Anybody could have written it.
    #[error("it must be a file that belongs to root (or to who runs this) and that nobody else may write")]
    Owner,
    /// It is damaged.
    #[error("line {0} is not understood: run `outboard tune` again")]
    Line(usize),
    /// It belongs to another time or machine.
    #[error("it was made for {was}, and here is {here}: run `outboard tune` again")]
    Stale {
        /// What was measured.
        was: String,
        /// What is here.
        here: String,
    },
}

impl Tuned {
    /// Reads a file that only root, or the user of this process, may write. `None` when there is none.
    pub fn read(path: &Path) -> Result<Option<Tuned>, Unfit> {
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let about = file.metadata()?;
        // Who owns our own files is who we are.
        let ours = || fs::metadata("/proc/self").is_ok_and(|own| own.uid() == about.uid());
        if !about.is_file() || about.mode() & 0o022 != 0 || (about.uid() != 0 && !ours()) {
            return Err(Unfit::Owner);
        }
        let mut text = String::new();
        file.take(LONGEST).read_to_string(&mut text)?;
        Tuned::parse(&text).map(Some).map_err(Unfit::Line)
    }

    /// The error is the number of the line that is wrong.
    pub fn parse(text: &str) -> Result<Tuned, usize> {
        let mut tuned = Tuned::default();
        let mut begun = false;
        for (number, line) in (1_usize..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if begun { tuned.line(line) } else { line.split_ascii_whitespace().eq(MAGIC).then_some(()) }
                .ok_or(number)?;
            begun = true;
        }
        if begun { Ok(tuned) } else { Err(1) }
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let (word, rest) = line.split_once(' ')?;
        let rest = rest.trim();
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let own = |text: &str| text.to_owned();
        match (word, &words[..]) {
            ("made", _) => self.made = own(rest),
            ("goal", _) => self.goal = own(rest),
            ("kernel", _) => self.kernel = own(rest),
            ("cpu", [identity, ..]) => self.cpu = own(identity),
            ("driver", [driver, module, version]) => self.drivers.push(DriverVersion {
                driver: own(driver),
                module: own(module),
                version: own(version),
            }),
            (cipher, [encrypt, decrypt, driver]) => {
                self.ciphers.retain(|row| row.cipher != cipher);
                let from = [from(encrypt)?, from(decrypt)?];
                self.ciphers.push(CipherRow { cipher: own(cipher), from, driver: own(driver) });
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether it was made here. `root` is `/`, or where a system's files were copied to.
    pub fn is_of(&self, root: &Path) -> Result<(), Unfit> {
        let text = |file: &str| fs::read_to_string(root.join(file)).unwrap_or_default();
        let same = |what: &str, was: &str, here: &str| {
            let stale = |text: &str| format!("{what} {text}");
            if was == here { Ok(()) } else { Err(Unfit::Stale { was: stale(was), here: stale(here) }) }
        };
        same("kernel", &self.kernel, text("proc/sys/kernel/osrelease").trim())?;
        same("CPU", &self.cpu, &cpu_identity(&text("proc/cpuinfo")))?;
        self.drivers
            .iter()
            .try_for_each(|then| same(&then.driver, &then.version, &module_version(root, &then.module)))
    }

    /// What it says of a cipher.
    pub fn of(&self, cipher: &str) -> Option<&CipherRow> {
        self.ciphers.iter().find(|row| row.cipher.eq_ignore_ascii_case(cipher))
    }
}

impl CipherRow {
    /// Whether the accelerator is not worth it at any size, in neither direction.
    pub fn is_never(&self) -> bool {
        self.from == [None, None]
    }
}

fn from(word: &str) -> Option<Option<usize>> {
    if word == NEVER { Some(None) } else { word.parse().ok().map(Some) }
}

/// A threshold as the file has it.
pub fn from_text(from: Option<usize>) -> String {
    from.map_or_else(|| NEVER.to_owned(), |bytes| bytes.to_string())
}

/// Lines of /proc/cpuinfo that say which CPU it is and what it can do; the others vary from boot to boot.
const IDENTITY: [&str; 17] = [
    "vendor_id",
    "cpu family",
    "model",
    "model name",
    "stepping",
    "flags",
    "Features",
    "CPU implementer",
    "CPU variant",
    "CPU part",
    "CPU revision",
    "system type",
    "cpu model",
    "ASEs implemented",
    "isa",
    "uarch",
    "cpu",
];

/// A CPU in sixteen digits, by the first one of /proc/cpuinfo: FNV-1a of its lines.
pub fn cpu_identity(cpuinfo: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let first = cpuinfo.lines().skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    for line in first.filter(|line| line.split(':').next().is_some_and(|key| IDENTITY.contains(&key.trim())))
    {
        for byte in line.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

/// The version of a kernel module, by which a rebuilt one is told: its `srcversion`; `-` where there is none.
pub fn module_version(root: &Path, module: &str) -> String {
    let file = root.join("sys/module").join(module).join("srcversion");
    let text = fs::read_to_string(file).unwrap_or_default();
    if text.trim().is_empty() { "-".to_owned() } else { text.trim().to_owned() }
}

#[cfg(test)]
#[path = "tuned_tests.rs"]
mod tests;
