//! Decides whether a driver is an accelerator. No single sign is sufficient: not the priority,
//! which AES-NI has too; not ASYNC, which wrappers such as cryptd have; not KERN_DRIVER_ONLY, which
//! virtio, sun8i-ce, rockchip, qat and others never set. The known family, module, bound devices,
//! interrupts, flags and the form of the name are combined. [`crate::evidence`] lists every sign.

use std::collections::HashSet;
use std::sync::Arc;

use outboard_catalog::families::{self, Family, Nature, Signature};

use crate::flags::Flags;
use crate::module::Hardware;
use crate::proc_crypto::{CryptoDriver, DriverType};
use crate::template;

outboard_catalog::texts! { name:
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Verdict {
        /// Hardware that OpenSSL's own code does not use: separate from the CPU, or PadLock.
        Accelerator = "accelerator",
        CpuInstructions = "cpu-instructions",
        Software = "software",
        Wrapper = "wrapper",
        /// The signs contradict each other or are too few.
        #[default]
        Unknown = "unknown",
    }
}

#[derive(Debug, Default)]
pub struct Facts<'a> {
    /// The flags, if NETLINK_CRYPTO reported them.
    pub flags: Option<Flags>,
    pub hardware: Arc<Hardware>,
    /// Lines of /proc/interrupts that belong to these devices; `None` if they were not read.
    pub interrupt_lines: Option<usize>,
    /// The names of all drivers of /proc/crypto: those that a template wraps must be among them.
    pub registered: Option<&'a HashSet<&'a str>>,
}

#[derive(Debug, Clone)]
pub struct Judgement {
    pub verdict: Verdict,
    pub signature: Option<&'static Signature>,
}

impl Judgement {
    pub fn family(&self) -> Option<&'static Family> {
        self.signature.map(Signature::family)
    }
}

pub fn judge(driver: &CryptoDriver, facts: &Facts) -> Judgement {
    if is_wrapper(driver, facts) {
        return Judgement { verdict: Verdict::Wrapper, signature: None };
    }
    let signature = families::known(&driver.name, &driver.module);
    let verdict = match signature.map(|s| s.nature) {
        Some(Nature::Software) => Verdict::Software,
        Some(Nature::Instructions) => Verdict::CpuInstructions,
        Some(Nature::Accelerator) if facts.hardware.is_bound() == Some(false) => Verdict::Unknown,
        Some(Nature::Accelerator) => Verdict::Accelerator,
        // The kernel's placeholder while it tests a driver, which has an entry of its own.
        None if driver.kind == DriverType::Larval => Verdict::Unknown,
        None => stranger(driver, facts),
    };
    Judgement { verdict, signature }
}

fn is_wrapper(driver: &CryptoDriver, facts: &Facts) -> bool {
    match facts.flags {
        Some(flags) => flags.any(Flags::INSTANCE),
        None => template::split(&driver.name)
            .is_some_and(|(outer, parts)| !calls_itself_so(driver, outer, &parts, facts)),
    }
}

/// Templates whose form the EIP93, NITROX and HiSilicon drivers use for their own driver names.
const FORMS: &[&str] = &["cbc", "ecb", "ctr", "rfc3686", "hmac", "authenc"];

/// Whether a name in template form is the driver's own, if there are no flags: some families use
/// names such as `cbc(aes-eip93)`. A name from the family's own module is the driver's own. The
/// name of a built-in driver is its own if its form is one of [`FORMS`], or if its parts are not
/// all registered drivers, which those of a template are.
fn calls_itself_so(driver: &CryptoDriver, outer: &str, parts: &[&str], facts: &Facts) -> bool {
    let Some(family) = families::known(&driver.name, &driver.module) else { return false };
    let is_registered = |part: &&str| facts.registered.is_some_and(|names| names.contains(part));
    family.nature == Nature::Accelerator
        && (driver.module != "kernel" || FORMS.contains(&outer) || !parts.iter().all(is_registered))
}

/// The verdict on a driver of no known family: several independent signs must agree.
fn stranger(driver: &CryptoDriver, facts: &Facts) -> Verdict {
    let device = facts.hardware.is_bound();
    let is_async = facts.flags.map(|f| f.any(Flags::ASYNC)).or(driver.is_async);
    let declared = facts.flags.map(|f| f.any(Flags::KERN_DRIVER_ONLY));
    let interrupts = facts.interrupt_lines.is_some_and(|n| n > 0);
    match (device, declared, is_async) {
        (Some(true), Some(true), _) => Verdict::Accelerator,
        (Some(true), _, Some(true)) if interrupts => Verdict::Accelerator,
        (_, Some(true), Some(true)) if device != Some(false) => Verdict::Accelerator,
        (None, Some(false), Some(false)) => Verdict::Software,
        _ => Verdict::Unknown,
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
