//! Is it an accelerator? No single sign decides: not the priority, which AES-NI has too; not ASYNC, which wrappers such
//! as cryptd have; not KERN_DRIVER_ONLY, which virtio, sun8i-ce, rockchip, qat and others never set. Known family,
//! module, bound devices, interrupts, flags and the form of the name are weighed together, and every sign is told.

use crate::families::{self, Completion, Family, Nature};
use crate::flags::Flags;
use crate::module::Hardware;
use crate::proc_crypto::Driver;
use crate::template;

/// What a driver is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Hardware beside the CPU.
    Accelerator,
    /// The CPU's own instructions.
    CpuInstructions,
    /// Plain code.
    Software,
    /// A template around other drivers.
    Wrapper,
    /// The signs contradict each other or are too few.
    Unknown,
}

impl Verdict {
    /// A word for people and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accelerator => "accelerator",
            Self::CpuInstructions => "cpu-instructions",
            Self::Software => "software",
            Self::Wrapper => "wrapper",
            Self::Unknown => "unknown",
        }
    }
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// A short sentence.
    pub text: String,
    /// Where it was read.
    pub source: &'static str,
}

/// What is known about a driver besides its entry in /proc/crypto.
#[derive(Debug, Default)]
pub struct Facts<'a> {
    /// The flags, when NETLINK_CRYPTO could be asked.
    pub flags: Option<Flags>,
    /// Device drivers and devices behind its module.
    pub hardware: Hardware,
    /// Lines of /proc/interrupts that belong to these devices; `None` when they were not read.
    pub interrupt_lines: Option<usize>,
    /// Names of all drivers in /proc/crypto: what a template wraps must be among them.
    pub registered: &'a [Driver],
}

/// The verdict and its reasons.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The family whose name and module fit.
    pub family: Option<&'static Family>,
    /// The reasons, strongest first.
    pub evidence: Vec<Evidence>,
    /// For a wrapper: the drivers inside.
    pub inner: Vec<String>,
}

/// Weighs the signs.
pub fn judge(driver: &Driver, facts: &Facts) -> Judgement {
    let mut signs = Signs::default();
    if let Some(inner) = wrapped(driver, facts, &mut signs) {
        return Judgement { verdict: Verdict::Wrapper, family: None, evidence: signs.0, inner };
    }
    let named = families::of(&driver.name, &driver.module);
    let family = named.filter(|f| f.has_module(&driver.module));
    if let (Some(named), None) = (named, family) {
        signs.add(
            format!(
                "the name looks like {}, but that lives in another module than {}",
                named.chip, driver.module
            ),
            "/proc/crypto",
        );
    }
    let verdict = match family {
        Some(family) => known(driver, family, facts, &mut signs),
        None => stranger(driver, facts, &mut signs),
    };
    Judgement { verdict, family, evidence: signs.0, inner: Vec::new() }
}

#[derive(Default)]
struct Signs(Vec<Evidence>);

impl Signs {
    fn add(&mut self, text: impl Into<String>, source: &'static str) {
        self.0.push(Evidence { text: text.into(), source });
    }

    /// Bound devices and interrupts; `None` when nothing can be known about devices.
    fn devices(&mut self, facts: &Facts) -> Option<bool> {
        let devices: Vec<String> = facts
            .hardware
            .devices()
            .map(|(d, name)| format!("{name} ({} driver {})", d.bus, d.name))
            .collect();
        if let Some(first) = devices.first() {
            let more =
                if devices.len() > 1 { format!(" and {} more", devices.len() - 1) } else { String::new() };
            self.add(format!("its driver is bound to the device {first}{more}"), "sysfs");
            match facts.interrupt_lines {
                Some(0) | None => {}
                Some(1) => self.add("the device has an interrupt line of its own", "/proc/interrupts"),
                Some(n) => {
                    self.add(format!("the devices have {n} interrupt lines of their own"), "/proc/interrupts")
                }
            }
            return Some(true);
        }
        if !facts.hardware.sysfs {
            return None;
        }
        if !facts.hardware.drivers.is_empty() {
            self.add("its device driver is loaded, but no device is bound to it", "sysfs");
            return Some(false);
        }
        None
    }

    fn flags(&mut self, flags: Option<Flags>) {
        let Some(flags) = flags else { return };
        if flags.any(Flags::KERN_DRIVER_ONLY) {
            self.add(
                "it declares hardware that no instruction reaches (flag KERN_DRIVER_ONLY)",
                "NETLINK_CRYPTO",
            );
        }
        if flags.any(Flags::ASYNC) {
            self.add("it completes requests later (flag ASYNC)", "NETLINK_CRYPTO");
        }
        if flags.any(Flags::NEED_FALLBACK) {
            self.add(
                "it leaves some sizes or alignments to a software fallback (flag NEED_FALLBACK)",
                "NETLINK_CRYPTO",
            );
        }
    }
}

/// The drivers inside a template instance.
fn wrapped(driver: &Driver, facts: &Facts, signs: &mut Signs) -> Option<Vec<String>> {
    let instance = facts.flags.map(|f| f.any(Flags::INSTANCE));
    let Some((outer, parts)) = template::split(&driver.name) else {
        if instance == Some(true) {
            signs.add("the kernel made it from a template (flag INSTANCE)", "NETLINK_CRYPTO");
            return Some(Vec::new());
        }
        return None;
    };
    match instance {
        Some(false) => return None, // the driver calls itself so
        Some(true) => signs
            .add(format!("the kernel made it from the template {outer} (flag INSTANCE)"), "NETLINK_CRYPTO"),
        None if calls_itself_so(driver, outer, &parts, facts.registered) => return None,
        None => signs.add(format!("the name is that of the template {outer}"), "/proc/crypto"),
    }
    let leaves: Vec<String> = template::leaves(&driver.name).into_iter().map(String::from).collect();
    signs.add(format!("inside: {}", leaves.join(", ")), "/proc/crypto");
    Some(leaves)
}

/// Templates whose form EIP93, NITROX and HiSilicon's drivers give to the names of drivers of their own.
const FORMS: &[&str] = &["cbc", "ecb", "ctr", "rfc3686", "hmac", "authenc"];

/// Without flags: some families give their drivers names such as `cbc(aes-eip93)`. A name from the family's own module is
/// the driver's own; built in, it is when its form is usual for that, or when its parts are no registered drivers, which
/// is what a template wraps.
fn calls_itself_so(driver: &Driver, outer: &str, parts: &[&str], registered: &[Driver]) -> bool {
    let Some(family) = families::of(&driver.name, &driver.module) else { return false };
    let is_registered = |part: &&str| registered.iter().any(|d| d.name == *part);
    family.nature == Nature::Accelerator
        && family.has_module(&driver.module)
        && (driver.module != "kernel" || FORMS.contains(&outer) || !parts.iter().all(is_registered))
}

fn known(driver: &Driver, family: &'static Family, facts: &Facts, signs: &mut Signs) -> Verdict {
    match family.nature {
        Nature::Software => {
            signs.add(format!("the name is that of {}", family.chip), "/proc/crypto");
            Verdict::Software
        }
        Nature::Instructions => {
            signs.add(format!("the name is that of code for {}", family.chip), "/proc/crypto");
            Verdict::CpuInstructions
        }
        Nature::Accelerator => {
            let module = match driver.module.as_str() {
                "kernel" => "built into the kernel".to_string(),
                module => format!("module {module}"),
            };
            signs.add(format!("it belongs to {}, {module}", family.chip), "/proc/crypto");
            let devices = signs.devices(facts);
            signs.flags(facts.flags);
            match family.completion {
                Completion::OwnInterrupt => {}
                Completion::Through(what) => {
                    signs.add(format!("its requests complete through {what}"), "the driver's source");
                }
                Completion::Polled => {
                    signs.add("its driver waits for the engine without interrupts", "the driver's source");
                }
            }
            if devices == Some(false) { Verdict::Unknown } else { Verdict::Accelerator }
        }
    }
}

/// A driver that is in no table: several independent signs must agree.
fn stranger(driver: &Driver, facts: &Facts, signs: &mut Signs) -> Verdict {
    signs.add("it belongs to no family that this version knows", "/proc/crypto");
    let device = signs.devices(facts);
    signs.flags(facts.flags);
    let is_async = facts.flags.map(|f| f.any(Flags::ASYNC)).or(driver.is_async);
    if facts.flags.is_none() && is_async == Some(true) {
        signs.add("it completes requests later (async: yes)", "/proc/crypto");
    }
    let declared = facts.flags.map(|f| f.any(Flags::KERN_DRIVER_ONLY));
    let interrupts = facts.interrupt_lines.is_some_and(|n| n > 0);
    match (device, declared, is_async) {
        (Some(true), Some(true), _) => Verdict::Accelerator,
        (Some(true), _, Some(true)) if interrupts => Verdict::Accelerator,
        (_, Some(true), Some(true)) if device != Some(false) => Verdict::Accelerator,
        (None, Some(false), Some(false)) => {
            signs.add(
                "it drives no device, computes at once and declares no hardware: it runs on the CPU",
                "all of these",
            );
            Verdict::Software
        }
        _ => {
            signs.add(
                "these signs are too few, or contradict each other, to call it an accelerator",
                "all of these",
            );
            Verdict::Unknown
        }
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
