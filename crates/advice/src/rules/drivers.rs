//! Devices and drivers that the kernel does not use, and drivers with wrong or missing results.

use outboard_catalog::families::{self, Family, values};
use outboard_documents::check::CheckVerdict;
use outboard_documents::status::{Checked, DriverView};
use outboard_drivers::judge::Verdict;
use outboard_drivers::proc_crypto::{DriverType, Selftest};

use super::Because;
use crate::facts::Facts;

/// A driver that did not answer a check.
pub fn unanswered(facts: &Facts) -> Vec<Because> {
    let is_it = |checked: &&Checked| checked.verdict == CheckVerdict::Unanswered;
    let found = facts.status.checked.iter().filter(is_it);
    found.map(|it| Because::new([&it.driver], format!("/etc/outboard/checked: {}", it.made))).collect()
}

pub fn stopped(facts: &Facts) -> Vec<Because> {
    let was_checked = |driver: &String| {
        facts.status.checked.iter().any(|it| it.driver == *driver && it.verdict == CheckVerdict::Unanswered)
    };
    let file = |driver: &String| format!("/sys/class/misc/outboard/drivers/{driver}/stopped: 1");
    let found = facts.stopped.iter().filter(|driver| !was_checked(driver));
    found.map(|driver| Because::new([driver], file(driver))).collect()
}

pub fn wrong(facts: &Facts) -> Vec<Because> {
    let of_checked = |checked: &Checked| {
        let fault = checked.fault.as_ref().filter(|_| checked.verdict == CheckVerdict::Wrong)?;
        let evidence = format!("/etc/outboard/checked: {} ({fault})", checked.made);
        Some(Because::new([&checked.driver], evidence))
    };
    facts.status.checked.iter().filter_map(of_checked).collect()
}

/// Measurements belong to a kernel, a CPU and a driver.
pub fn policy_unused(facts: &Facts) -> Vec<Because> {
    let policy = facts.status.policy.iter();
    let of_policy =
        policy.filter_map(|it| Some(Because::new([], format!("{}: {}", it.path, it.problem.as_ref()?))));
    of_policy.collect()
}

pub fn unbound(facts: &Facts) -> Vec<Because> {
    let devices = facts.status.unbound_devices.iter();
    devices.map(|it| Because::new([&it.device, &it.chip, &it.next], &*it.evidence)).collect()
}

/// The accelerators' drivers by the state of their self-test.
fn tested(facts: &Facts, is_wanted: fn(&Selftest) -> bool) -> Vec<&DriverView> {
    let is_tested = |d: &&DriverView| d.kind != DriverType::Larval && d.verdict == Verdict::Accelerator;
    facts.status.drivers.iter().filter(is_tested).filter(|d| is_wanted(&d.selftest)).collect()
}

fn names(drivers: &[&DriverView]) -> String {
    drivers.iter().map(|d| d.name.as_str()).collect::<Vec<_>>().join(", ")
}

pub fn selftest_pending(facts: &Facts) -> Vec<Because> {
    let pending = tested(facts, |state| *state == Selftest::Pending);
    let evidence =
        |d: &DriverView| format!("/proc/crypto: {}, selftest: unknown, and a larval with its name", d.name);
    pending.first().map(|first| Because::new([&names(&pending)], evidence(first))).into_iter().collect()
}

/// After a failed self-test a driver stays listed and is not used, without a message.
pub fn selftest_failed(facts: &Facts) -> Vec<Because> {
    let failed = tested(facts, |state| !matches!(state, Selftest::Passed | Selftest::Pending));
    let evidence = |d: &DriverView| format!("/proc/crypto: {}, selftest: {}", d.name, d.selftest.word());
    failed.first().map(|first| Because::new([&names(&failed)], evidence(first))).into_iter().collect()
}

/// The machine's chip has an engine whose driver is not registered.
pub fn chip_without_driver(facts: &Facts) -> Vec<Because> {
    let status = &facts.status;
    let has_other = !status.accelerators.is_empty() || !status.unbound_devices.is_empty();
    let platform = status.machine.platform.iter().filter(|_| !has_other && !status.drivers.is_empty());
    let found = platform.filter_map(|platform| {
        let family = families::all().find(|family| platform.engine.as_deref() == Some(family.id));
        let family = family.filter(|_| !status.cpu.has_aes())?;
        let values = [platform.name.as_str(), family.chip, &load(family, facts)];
        Some(Because::new(values, "/proc/crypto: none of its drivers"))
    });
    found.collect()
}

/// The line that loads the driver of an engine. OpenWrt has a package for each driver, and pasted text
/// does not show whether it is from OpenWrt.
fn load(family: &Family, facts: &Facts) -> String {
    let load = values(family.modules).next().map(|module| format!("modprobe {module}"));
    let load = load.unwrap_or_else(|| "load its module".to_owned());
    match family.openwrt {
        "" => load,
        package if facts.system.is_openwrt => facts.system.openwrt_package(package),
        package if facts.system.is_unknown => {
            format!("{load} (on OpenWrt first: {})", facts.system.openwrt_package(package))
        }
        _ => load,
    }
}

/// A fault that users of this family of drivers have published.
pub fn rockchip2(facts: &Facts) -> Vec<Because> {
    let (id, source) = ("rockchip2", "https://github.com/armbian/build/pull/9795");
    let status = &facts.status;
    // One pass over the drivers: there may be thousands.
    let is_concerned = |driver: &&DriverView| {
        driver.verdict == Verdict::Accelerator
            && driver.selftest == Selftest::Passed
            && driver.algorithm.contains("sha")
            && families::known(&driver.name, &driver.module).is_some_and(|known| known.family().id == id)
    };
    let accelerator = status.accelerators.iter().find(|accelerator| accelerator.id == id);
    let found = accelerator.and_then(|accelerator| {
        let driver = status.drivers.iter().find(is_concerned)?;
        Some(Because::new([&accelerator.chip], format!("/proc/crypto: {}; {source}", driver.name)))
    });
    found.into_iter().collect()
}
