//! Lists all drivers of a system with verdicts, and the drivers for given algorithms.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use outboard_catalog::families::{self, Nature, Signature};

use crate::flags::Flags;
use crate::interrupts::{self, lines_of};
use crate::judge::{Facts, Judgement, judge};
use crate::module::{DeviceDriver, Hardware, hardware};
use crate::netlink;
use crate::padlock;
use crate::proc_crypto::{self, CryptoDriver, Warning};
use crate::root::Root;
use crate::template;

const LIST: &str = "proc/crypto";

/// The type of the entry that stands next to a driver while it is tested.
const LARVAL: &[u8] = b": larval\n";

/// The most readings of a list with such entries, and the time between them.
const READINGS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

/// Why the drivers could not be listed.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path} cannot be read ({cause}): is proc mounted (or, in a saved tree, copied), and has the kernel CONFIG_CRYPTO?"
)]
pub struct Error {
    pub path: String,
    /// The error of open(2) or read(2).
    #[source]
    pub cause: io::Error,
}

#[derive(Debug, Clone)]
pub struct Judged {
    pub driver: CryptoDriver,
    /// Its flags, if the running kernel reported them.
    pub flags: Option<Flags>,
    pub hardware: Arc<Hardware>,
    /// The number of lines of /proc/interrupts that belong to these devices; `None` without bound
    /// devices.
    pub interrupt_lines: Option<usize>,
    pub judgement: Judgement,
}

#[derive(Debug)]
pub struct Survey {
    /// In the order of /proc/crypto.
    pub drivers: Vec<Judged>,
    /// Those that stand for instructions of the CPU ([`padlock`]), which the kernel does not list.
    pub instructions: Vec<Judged>,
    pub warnings: Vec<Warning>,
    pub no_flags: Option<netlink::Error>,
}

impl Survey {
    pub fn for_programs(&self) -> impl Iterator<Item = &Judged> {
        self.instructions.iter().chain(&self.drivers)
    }
}

pub fn survey(root: &Root) -> Result<Survey, Error> {
    Ok(Survey { instructions: padlock::drivers(root), ..collect(root, true, |_| true)? })
}

/// The usable drivers for some algorithms (as in /proc/crypto, e.g. `cbc(aes)`), with any verdict:
/// those that stand for instructions, which need no /proc/crypto, then the kernel's, highest
/// priority first. Each entry names its algorithm. Reads /proc/crypto once, queries NETLINK_CRYPTO
/// once, and reads sysfs for the few modules concerned.
pub fn find_drivers(root: &Root, algorithms: &[&str]) -> Result<Vec<Judged>, Error> {
    let is_wanted = |d: &CryptoDriver| algorithms.contains(&d.algorithm.as_str());
    let mut instructions = padlock::drivers(root);
    instructions.retain(|one| is_wanted(&one.driver));
    let survey = match collect(root, false, |d| is_wanted(d) && d.is_usable()) {
        Err(_) if !instructions.is_empty() => return Ok(instructions),
        survey => survey?,
    };
    let mut found: Vec<Judged> = Vec::new();
    for one in survey.drivers {
        // There are few, in the order of /proc/crypto: insertion needs less code than sorting.
        let at = found.partition_point(|before| before.driver.priority >= one.driver.priority);
        found.insert(at, one);
    }
    found.splice(0..0, instructions);
    Ok(found)
}

/// Reads the list, again while drivers are tested: the kernel passes it on in parts, between which
/// entries that end move others over the border, so that one is in no part (seq_list_start, c_start in
/// crypto/proc.c). Half a second at most: a self-test may take any time.
fn settled(root: &Root) -> io::Result<Vec<u8>> {
    let mut bytes = root.read(LIST)?;
    for _ in 0..READINGS {
        if !bytes.windows(LARVAL.len()).any(|words| words == LARVAL) {
            break;
        }
        thread::sleep(PAUSE);
        bytes = root.read(LIST)?;
    }
    Ok(bytes)
}

/// Queries the flags if they can change a verdict, or for all drivers.
fn collect(root: &Root, flags_of_all: bool, wanted: impl Fn(&CryptoDriver) -> bool) -> Result<Survey, Error> {
    let bytes = if flags_of_all && root.is_live() { settled(root) } else { root.read(LIST) };
    let bytes = bytes.map_err(|cause| Error { path: root.path().join(LIST).display().to_string(), cause })?;
    let (all, mut warnings) = proc_crypto::parse(&bytes);
    let with_signature = |driver| Wanted { driver, signature: families::known(&driver.name, &driver.module) };
    let wanted: Vec<Wanted> = all.iter().filter(|d| wanted(d)).map(with_signature).collect();
    let need_flags = flags_of_all || wanted.iter().any(|one| !runs_on_the_cpu(&one.driver.name));
    let (records, no_flags) = match (root.is_live(), need_flags) {
        (false, _) => (saved_flags(root), None),
        (true, false) => (Vec::new(), None),
        (true, true) => netlink::dump().map_or_else(|error| (Vec::new(), Some(error)), |found| (found, None)),
    };
    if flags_of_all && root.is_live() && no_flags.is_none() {
        root.answer(netlink::ANSWER, || Some(netlink::to_text(&records)));
    }
    let (modules, bad) = behind(root, &wanted);
    warnings.extend(bad);
    let (flags, names) = (netlink::ByName::new(&records), all.iter().map(|d| d.name.as_str()).collect());
    let judged = |one: Wanted| {
        let (driver, module) = (one.driver, modules.get(&one.module()));
        let facts = Facts {
            flags: flags.flags_of(&driver.name, &driver.module),
            hardware: module.map(|module| Arc::clone(&module.hardware)).unwrap_or_default(),
            interrupt_lines: module.and_then(|module| module.interrupt_lines),
            registered: Some(&names),
        };
        let judgement = judge(driver, &facts);
        let Facts { flags, hardware, interrupt_lines, .. } = facts;
        Judged { driver: driver.clone(), flags, hardware, interrupt_lines, judgement }
    };
    let drivers = wanted.into_iter().map(judged).collect();
    Ok(Survey { drivers, instructions: Vec::new(), warnings, no_flags })
}

/// The flags that a bundle kept.
fn saved_flags(root: &Root) -> Vec<netlink::Record> {
    root.answer(netlink::ANSWER, || None).map(|text| netlink::from_text(&text)).unwrap_or_default()
}

/// A driver that is requested, and the signature of the family that matches its name and module.
struct Wanted<'a> {
    driver: &'a CryptoDriver,
    signature: Option<&'static Signature>,
}

impl<'a> Wanted<'a> {
    /// The kernel module, or the built-in drivers of one family.
    fn module(&self) -> (&'a str, Option<*const Signature>) {
        (&self.driver.module, self.signature.map(std::ptr::from_ref))
    }
}

struct Module {
    signature: Option<&'static Signature>,
    hardware: Arc<Hardware>,
    interrupt_lines: Option<usize>,
}

/// Modules, or the built-in drivers of one family.
type Modules<'a> = BTreeMap<(&'a str, Option<*const Signature>), Module>;

/// The modules of some drivers, each once, and the damage in /proc/interrupts, which is read only
/// if there are devices.
fn behind<'a>(root: &Root, drivers: &[Wanted<'a>]) -> (Modules<'a>, Vec<Warning>) {
    let mut modules = Modules::new();
    for one in drivers {
        let &Wanted { driver, signature } = one;
        modules.entry(one.module()).or_insert_with(|| {
            let hardware = hardware(root, &driver.module, signature.map_or("", |s| s.bound)).into();
            Module { signature, hardware, interrupt_lines: None }
        });
    }
    let has_devices = |module: &Module| module.hardware.is_bound() == Some(true);
    if !modules.values().any(has_devices) {
        return (modules, Vec::new());
    }
    let text = root.read("proc/interrupts").unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let (lines, warnings) = interrupts::parse(&text);
    for module in modules.values_mut().filter(|module| has_devices(module)) {
        let words = module.signature.map_or("", |s| s.irqs);
        let of = |(d, name): (&DeviceDriver, &str)| lines_of(root, &d.bus, name, words, &lines).len();
        module.interrupt_lines = Some(module.hardware.devices().map(of).sum());
    }
    (modules, warnings)
}

/// Whether a driver runs on the CPU, judged by its name; for a template, whether all inner drivers
/// do. No flag could make such a driver an accelerator.
fn runs_on_the_cpu(name: &str) -> bool {
    match template::split(name) {
        None => families::by_name(name).is_some_and(|f| f.nature != Nature::Accelerator),
        Some((_, inside)) => inside.into_iter().all(runs_on_the_cpu),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::judge::Verdict;
    use crate::root::FileSource;

    fn saved(proc_crypto: &str) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("proc")).unwrap();
        fs::write(dir.path().join("proc/crypto"), proc_crypto).unwrap();
        let root = Root::saved(dir.path()).unwrap();
        (dir, root)
    }

    fn entry(algorithm: &str, driver: &str, priority: i32, selftest: &str) -> String {
        format!(
            "name : {algorithm}\ndriver : {driver}\nmodule : kernel\npriority : {priority}\nselftest : {selftest}\n\
             internal : no\ntype : skcipher\nasync : yes\n\n"
        )
    }

    /// The list of a running kernel that has tested its drivers at the third reading.
    #[derive(Debug)]
    struct Testing(AtomicU32);

    impl FileSource for Testing {
        fn is_live(&self) -> bool {
            true
        }
        fn read(&self, relative: &str) -> io::Result<Vec<u8>> {
            let larval =
                "name : cbc(aes)\ndriver : a\nmodule : m\npriority : 1\ntype : larval\nflags : 0x0\n\n";
            match (relative, self.0.fetch_add(1, Ordering::Relaxed)) {
                (LIST, 0 | 1) => Ok(larval.into()),
                (LIST, _) => Ok(entry("cbc(aes)", "mv-cbc-aes", 300, "passed").into()),
                _ => Err(io::ErrorKind::NotFound.into()),
            }
        }
        fn list(&self, _relative: &str) -> Vec<crate::root::Entry> {
            Vec::new()
        }
        fn exists(&self, _relative: &str) -> bool {
            false
        }
        fn answered(&self, _name: &str, _text: &str) {}
    }

    #[test]
    fn a_list_that_changes_is_read_again() {
        let root = Root::of_files(Path::new("/"), Box::new(Testing(AtomicU32::new(0))));
        let (all, _) = proc_crypto::parse(&settled(&root).unwrap());
        assert_eq!(all.iter().map(|driver| driver.name.as_str()).collect::<Vec<_>>(), ["mv-cbc-aes"]);
    }

    #[test]
    fn the_accelerators_of_one_algorithm_come_in_the_kernels_order() {
        let text = [
            entry("cbc(aes)", "cbc-aes-aesni", 400, "passed"),
            entry("cbc(aes)", "virtio_crypto_aes_cbc", 150, "passed"),
            entry("cbc(aes)", "mv-cbc-aes", 300, "passed"),
            entry("cbc(aes)", "cbc-aes-omap", 500, "unknown"),
            entry("ecb(aes)", "mv-ecb-aes", 300, "passed"),
        ]
        .concat();
        let (_keep, root) = saved(&text);
        let names = |found: Vec<Judged>| found.into_iter().map(|one| one.driver.name).collect::<Vec<_>>();
        let mut found = find_drivers(&root, &["cbc(aes)"]).unwrap();
        assert_eq!(found[0].driver.name, "cbc-aes-aesni");
        found.retain(|one| one.judgement.verdict == Verdict::Accelerator);
        assert_eq!(names(found), ["mv-cbc-aes", "virtio_crypto_aes_cbc"]);
        assert!(find_drivers(&root, &["ctr(aes)"]).unwrap().is_empty());
    }

    #[test]
    fn without_proc_crypto_the_error_names_it() {
        let empty = tempfile::tempdir().unwrap();
        let error = find_drivers(&Root::saved(empty.path()).unwrap(), &["cbc(aes)"]).unwrap_err();
        assert!(error.to_string().contains("proc/crypto cannot be read"), "{error}");
    }

    #[test]
    fn cpu_code_is_known_by_its_name() {
        for (name, cpu) in [
            ("cbc-aes-aesni", true),
            ("cbc(ecb(aes-fixed-time))", true),
            ("essiv(mv-cbc-aes,sha256-generic)", false),
            ("virtio_crypto_aes_cbc", false),
            ("acme-cbc-aes", false),
        ] {
            assert_eq!(runs_on_the_cpu(name), cpu, "{name}");
        }
    }
}
