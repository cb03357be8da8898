//! Determines the driver that the kernel selects for an algorithm, and the other drivers that it
//! could use.

use anyhow::{Result, bail};
use outboard_drivers::find::Judged;
use outboard_drivers::flags::Flags;
use outboard_drivers::judge::Verdict;
use outboard_drivers::netlink::change;
use outboard_drivers::root::Root;
use outboard_drivers::{survey, template};

/// Flags that no software driver has.
const OF_HARDWARE: u32 = Flags::ASYNC | Flags::KERN_DRIVER_ONLY | Flags::ALLOCATES_MEMORY;

pub struct Drivers(Vec<Judged>);

/// Reads the drivers with their flags, which only NETLINK_CRYPTO reports.
pub fn now() -> Result<Vec<Judged>> {
    let found = survey(&Root::live())?;
    match found.no_flags {
        None => Ok(found.drivers),
        Some(error) => bail!(error),
    }
}

/// Has the kernel instantiate its software templates for an algorithm. If it has no such software, there
/// is none afterwards.
pub fn make_software(algorithm: &str) {
    let _ = change::make_any(algorithm, OF_HARDWARE);
}

impl Drivers {
    pub fn now() -> Result<Drivers> {
        now().map(Drivers)
    }

    /// As `now`, after the kernel was requested to instantiate software templates for these
    /// algorithms.
    pub fn with_software(algorithms: &[&str]) -> Result<Drivers> {
        algorithms.iter().for_each(|algorithm| make_software(algorithm));
        Drivers::now()
    }

    fn of(&self, algorithm: &str) -> Vec<&Judged> {
        self.0.iter().filter(|one| one.driver.algorithm == algorithm && one.driver.is_usable()).collect()
    }

    /// Returns the driver that the kernel selects for an algorithm when none of the flags in
    /// `without` may be set: the first of those with the highest priority (__crypto_alg_lookup in
    /// crypto/api.c).
    pub fn preferred(&self, algorithm: &str, without: u32) -> Option<&Judged> {
        let may = |one: &&Judged| one.flags.is_some_and(|flags| !flags.any(without));
        first_of_highest(self.of(algorithm).into_iter().filter(may))
    }

    /// Returns the driver with the highest priority that computes on the CPU.
    pub fn software(&self, algorithm: &str) -> Option<&Judged> {
        first_of_highest(self.of(algorithm).into_iter().filter(|one| !self.may_be_hardware(one)))
    }

    pub fn accelerators(&self, algorithm: &str) -> Vec<&Judged> {
        let is_one = |one: &&Judged| one.judgement.verdict == Verdict::Accelerator;
        let mut all = self.of(algorithm);
        all.retain(is_one);
        all.sort_by_key(|one| -i64::from(one.driver.priority));
        all
    }

    /// Returns the accelerator in a driver's name, such as `essiv(sim-cbc-aes,sha256-lib)`.
    pub fn accelerator_in<'n>(&self, name: &'n str) -> Option<&'n str> {
        let is_one = |name: &&str| self.verdict(name) == Some(Verdict::Accelerator);
        template::nested(name).into_iter().find(is_one)
    }

    pub fn named(&self, name: &str) -> Option<&Judged> {
        self.0.iter().find(|one| one.driver.name == name)
    }

    fn verdict(&self, name: &str) -> Option<Verdict> {
        self.named(name).map(|one| one.judgement.verdict)
    }

    fn may_be_hardware(&self, one: &Judged) -> bool {
        let hardware = |verdict| matches!(verdict, Some(Verdict::Accelerator | Verdict::Unknown));
        template::nested(&one.driver.name).into_iter().any(|name| hardware(self.verdict(name)))
    }
}

fn first_of_highest<'a>(all: impl Iterator<Item = &'a Judged>) -> Option<&'a Judged> {
    all.reduce(|best, one| if one.driver.priority > best.driver.priority { one } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_drivers::judge::Judgement;
    use outboard_drivers::module::Hardware;
    use outboard_drivers::proc_crypto::parse;

    /// Algorithm, name, priority, flags, verdict.
    type Row<'a> = (&'a str, &'a str, i32, u32, Verdict);

    fn drivers(all: &[Row<'_>]) -> Drivers {
        let of = |&(algorithm, name, priority, flags, verdict): &Row<'_>| {
            let text = format!(
                "name : {algorithm}\ndriver : {name}\nmodule : m\npriority : {priority}\nselftest : passed\ntype : skcipher\n\n"
            );
            let driver = parse(text.as_bytes()).0.remove(0);
            let judgement = Judgement { verdict, signature: None };
            let hardware = Hardware::default().into();
            Judged { driver, flags: Some(Flags(flags)), hardware, interrupt_lines: None, judgement }
        };
        Drivers(all.iter().map(of).collect())
    }

    fn machine() -> Drivers {
        drivers(&[
            ("cbc(aes)", "virtio", 400, Flags::ALLOCATES_MEMORY | Flags::ASYNC, Verdict::Accelerator),
            ("cbc(aes)", "sim", 300, Flags::ASYNC, Verdict::Accelerator),
            ("cbc(aes)", "odd", 300, 0, Verdict::Unknown),
            ("cbc(aes)", "cbc(plain)", 100, 0, Verdict::Wrapper),
            ("cbc(aes)", "cts(virtio)", 200, 0, Verdict::Wrapper),
            ("cbc(aes)", "cbc(aes-eip93)", 50, 0, Verdict::Accelerator),
            ("aes", "plain", 100, 0, Verdict::Software),
        ])
    }

    #[test]
    fn the_kernel_takes_the_first_of_those_with_the_highest_priority() {
        let machine = machine();
        let name = |one: Option<&Judged>| one.map(|one| one.driver.name.clone()).unwrap_or_default();
        assert_eq!(name(machine.preferred("cbc(aes)", 0)), "virtio");
        assert_eq!(name(machine.preferred("cbc(aes)", Flags::ALLOCATES_MEMORY)), "sim");
        assert_eq!(name(machine.preferred("xts(aes)", 0)), "");
        assert_eq!(name(machine.software("cbc(aes)")), "cbc(plain)");
        let all: Vec<String> =
            machine.accelerators("cbc(aes)").iter().map(|one| one.driver.name.clone()).collect();
        assert_eq!(all, ["virtio", "sim", "cbc(aes-eip93)"]);
    }

    #[test]
    fn an_accelerator_is_found_inside_of_templates() {
        let machine = machine();
        assert_eq!(machine.accelerator_in("essiv(sim,sha256-lib)"), Some("sim"));
        assert_eq!(machine.accelerator_in("authenc(hmac(sha1-lib),virtio)"), Some("virtio"));
        assert_eq!(machine.accelerator_in("sim"), Some("sim"));
        assert_eq!(machine.accelerator_in("essiv(cbc(aes-eip93),sha256-lib)"), Some("cbc(aes-eip93)"));
        assert_eq!(machine.accelerator_in("cbc(plain)"), None);
        assert_eq!(machine.accelerator_in("odd"), None);
    }
}
