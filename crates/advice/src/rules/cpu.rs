//! CPU instructions that are not used, and a driver that the kernel selects and that is not the best one.

use outboard_catalog::instructions::Architecture;
use outboard_documents::status::{Algorithm, Pick};
use outboard_drivers::judge::Verdict;

use super::Because;
use crate::facts::Facts;

/// A 32-bit kernel lacks most of the code for AES, GCM and SHA instructions.
fn narrow_kernel(facts: &Facts, is_x86: bool) -> Vec<Because> {
    let cpu = &facts.status.cpu;
    let is_it = cpu.kernel_is_narrower && cpu.has_aes() && (cpu.architecture == Architecture::X86) == is_x86;
    is_it.then(|| Because::new([], "/proc/cpuinfo")).into_iter().collect()
}

pub fn narrow_kernel_x86(facts: &Facts) -> Vec<Because> {
    narrow_kernel(facts, true)
}

pub fn narrow_kernel_other(facts: &Facts) -> Vec<Because> {
    narrow_kernel(facts, false)
}

pub fn padlock_unused(facts: &Facts) -> Vec<Because> {
    let status = &facts.status;
    let has_driver = status.drivers.iter().any(|driver| driver.name.contains("padlock"));
    let is_it = status.cpu.has_padlock_aes() && !has_driver && !status.drivers.is_empty();
    let units = status.cpu.padlock.join(" ");
    let evidence = format!("/proc/cpuinfo: {units}; /proc/crypto: no driver *-padlock");
    let step = match facts.system.is_openwrt {
        true => facts.system.openwrt_package("kmod-crypto-hw-padlock"),
        false => "modprobe padlock_aes".to_owned(),
    };
    is_it.then(|| Because::new([&step], evidence)).into_iter().collect()
}

/// Constant-time C code although the CPU has AES instructions.
pub fn slow_aes(facts: &Facts) -> Vec<Because> {
    // Without an accelerator an algorithm is listed only for this.
    let algorithm = facts.status.algorithms.iter().find(|a| a.accelerator.is_none());
    let module = match facts.status.cpu.architecture {
        Architecture::X86 => Some("aesni_intel"),
        Architecture::Arm64 => Some("aes_ce_blk"),
        Architecture::Arm => Some("aes_arm_ce"),
        _ => None,
    };
    let found = algorithm.zip(module).map(|(algorithm, module)| {
        let Pick { driver, priority, .. } = &algorithm.picked;
        let name = &algorithm.name;
        Because::new(
            [module],
            format!("/proc/crypto: for {name} the kernel picks {driver} (priority {priority})"),
        )
    });
    found.into_iter().collect()
}

/// An accelerator that the kernel's own users do not get.
pub fn accelerator_outranked(facts: &Facts) -> Vec<Because> {
    let pairs = facts.status.algorithms.iter().filter_map(|a| Some((a, a.accelerator.as_ref()?)));
    let is_unused = |(a, accelerator): &(&Algorithm, &Pick)| {
        a.picked.verdict != Verdict::Accelerator
            && !a.picked.around_accelerator
            && a.picked.driver != accelerator.driver
    };
    let pairs: Vec<_> = pairs.filter(is_unused).collect();
    let names: Vec<&str> = pairs.iter().map(|(algorithm, _)| algorithm.name.as_str()).collect();
    let found = pairs.first().map(|(first, other)| {
        let Pick { driver, priority, .. } = &first.picked;
        let evidence = format!(
            "/proc/crypto: {driver} has priority {priority}, {} has {}",
            other.driver, other.priority
        );
        Because::new([&names.join(", ")], evidence)
    });
    found.into_iter().collect()
}
