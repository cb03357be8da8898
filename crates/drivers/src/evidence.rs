//! The signs that a verdict is based on, as sentences for the user. `judge` combines them.

use outboard_catalog::families::{self, Completion, Family, Nature};

use crate::find::Judged;
use crate::flags::Flags;
use crate::judge::Verdict;
use crate::template;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    pub text: String,
    pub source: &'static str,
}

impl Judged {
    pub fn inner(&self) -> Vec<&str> {
        let is_wrapper =
            self.judgement.verdict == Verdict::Wrapper && template::split(&self.driver.name).is_some();
        if is_wrapper { template::leaves(&self.driver.name) } else { Vec::new() }
    }

    /// The reasons for the verdict, strongest first.
    pub fn evidence(&self) -> Vec<Evidence> {
        let mut signs = Signs { of: self, told: Vec::new() };
        match (self.judgement.verdict, self.judgement.family()) {
            (Verdict::Wrapper, _) => signs.wrapper(),
            (_, Some(family)) => signs.known(family),
            (_, None) => signs.stranger(),
        }
        signs.told
    }
}

struct Signs<'a> {
    of: &'a Judged,
    told: Vec<Evidence>,
}

impl Signs<'_> {
    fn add(&mut self, text: impl Into<String>, source: &'static str) {
        self.told.push(Evidence { text: text.into(), source });
    }

    fn wrapper(&mut self) {
        let Some((outer, _)) = template::split(&self.of.driver.name) else {
            return self.add("the kernel made it from a template (flag INSTANCE)", "NETLINK_CRYPTO");
        };
        match self.of.flags {
            Some(_) => self.add(
                format!("the kernel made it from the template {outer} (flag INSTANCE)"),
                "NETLINK_CRYPTO",
            ),
            None => self.add(format!("the name is an instance of the template {outer}"), "/proc/crypto"),
        }
        self.add(format!("inside: {}", self.of.inner().join(", ")), "/proc/crypto");
    }

    fn known(&mut self, family: &Family) {
        match family.nature {
            Nature::Software => self.add(format!("a driver of this name is {}", family.chip), "/proc/crypto"),
            Nature::Instructions => {
                self.add(format!("a driver of this name uses {}", family.chip), "/proc/crypto")
            }
            Nature::Accelerator => {
                let module = match self.of.driver.module.as_str() {
                    "kernel" => "built into the kernel".to_string(),
                    module => format!("module {module}"),
                };
                self.add(format!("it belongs to {}, {module}", family.chip), "/proc/crypto");
                self.devices();
                self.flags();
                match family.completion {
                    Completion::OwnInterrupt => {}
                    Completion::Through(what) => {
                        self.add(format!("its requests complete through {what}"), "the driver's source")
                    }
                    Completion::Polled => {
                        self.add("its driver waits for the engine without interrupts", "the driver's source")
                    }
                }
            }
        }
    }

    fn stranger(&mut self) {
        let driver = &self.of.driver;
        if let Some(named) = families::by_name_and_module(&driver.name, &driver.module) {
            let (chip, module) = (named.family().chip, &driver.module);
            self.add(
                format!("the name looks like {chip}, but that lives in another module than {module}"),
                "/proc/crypto",
            );
        }
        self.add("it belongs to no family that this version knows", "/proc/crypto");
        self.devices();
        self.flags();
        if self.of.flags.is_none() && driver.is_async == Some(true) {
            self.add("it completes requests later (async: yes)", "/proc/crypto");
        }
        match self.of.judgement.verdict {
            Verdict::Software => self.add(
                "it drives no device, computes at once and declares no hardware: it runs on the CPU",
                "all of these",
            ),
            Verdict::Unknown => self.add(
                "these signs are too few, or contradict each other, to call it an accelerator",
                "all of these",
            ),
            _ => {}
        }
    }

    fn devices(&mut self) {
        let hardware = &self.of.hardware;
        let devices: Vec<String> =
            hardware.devices().map(|(d, name)| format!("{name} ({} driver {})", d.bus, d.name)).collect();
        let Some(first) = devices.first() else {
            if hardware.is_bound() == Some(false) {
                self.add("its device driver is loaded, but no device is bound to it", "sysfs");
            }
            return;
        };
        let more = if devices.len() > 1 { format!(" and {} more", devices.len() - 1) } else { String::new() };
        self.add(format!("its driver is bound to the device {first}{more}"), "sysfs");
        match self.of.interrupt_lines {
            Some(0) | None => {}
            Some(1) => self.add("the device has an interrupt line of its own", "/proc/interrupts"),
            Some(n) => {
                self.add(format!("the devices have {n} interrupt lines of their own"), "/proc/interrupts")
            }
        }
    }

    fn flags(&mut self) {
        let Some(flags) = self.of.flags else { return };
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
