//! VIA PadLock: units of the CPU for AES and SHA with instructions of their own. OpenSSL's own code
//! does not use them, and a program needs no kernel for them. The units are listed as drivers, with
//! names of outboard's own, so that they are selected, checked, measured and reported as these are.

use std::sync::Arc;

use outboard_catalog::families;

use crate::find::Judged;
use crate::judge::{Judgement, Verdict};
use crate::module::Hardware;
use crate::proc_crypto::{CryptoDriver, DriverType, Selftest};
use crate::root::Root;

/// Each driver's name (those of the kernel's drivers for PadLock are such as `cbc-aes-padlock`), kernel algorithm and unit: the bit "enabled" in EDX of CPUID leaf
/// 0xC0000001, after the bit "present", and the flag in /proc/cpuinfo (VIA PadLock Programming
/// Guide; cpufeatures.h of Linux). ACE2 has counter mode.
const DRIVERS: [(&str, &str, Unit); 5] = [
    ("padlock-ecb-aes", "ecb(aes)", ACE),
    ("padlock-cbc-aes", "cbc(aes)", ACE),
    ("padlock-ctr-aes", "ctr(aes)", ACE2),
    ("padlock-sha1", "sha1", PHE),
    ("padlock-sha256", "sha256", PHE),
];

type Unit = (u32, &'static str);
const ACE: Unit = (7, "ace_en");
const ACE2: Unit = (9, "ace2_en");
const PHE: Unit = (11, "phe_en");

/// Whether a driver of this name stands for PadLock's instructions.
pub fn is_padlock(driver: &str) -> bool {
    DRIVERS.iter().any(|(name, ..)| *name == driver)
}

/// Whether this CPU has the instructions that this driver stands for, and they are enabled.
pub fn is_enabled(driver: &str) -> bool {
    let units = enabled_units();
    DRIVERS.iter().any(|(name, _, (bit, _))| *name == driver && units >> bit & 1 == 1)
}

/// The drivers for the units that are enabled: by CPUID on the running system, by /proc/cpuinfo in
/// a saved tree.
pub fn drivers(root: &Root) -> Vec<Judged> {
    let units = if root.is_live() { enabled_units() } else { saved_units(root) };
    let is_there = |(_, _, (bit, _)): &&(&str, &str, Unit)| units >> bit & 1 == 1;
    DRIVERS.iter().filter(is_there).map(|(name, algorithm, _)| judged(name, algorithm)).collect()
}

fn judged(name: &str, algorithm: &str) -> Judged {
    let kind = if algorithm.contains('(') { DriverType::Skcipher } else { DriverType::Shash };
    let driver = CryptoDriver {
        algorithm: algorithm.into(),
        name: name.into(),
        module: String::new(),
        priority: 0,
        refcnt: None,
        selftest: Selftest::Passed,
        internal: false,
        kind,
        is_async: Some(false),
        blocksize: None,
        min_keysize: None,
        max_keysize: None,
        ivsize: None,
        maxauthsize: None,
        digestsize: None,
        line: 0,
    };
    let judgement = Judgement { verdict: Verdict::Accelerator, signature: families::by_name(name) };
    Judged { driver, flags: None, hardware: Arc::new(Hardware::default()), interrupt_lines: None, judgement }
}

/// The bits of the units that the first CPU of a saved /proc/cpuinfo has enabled.
fn saved_units(root: &Root) -> u32 {
    let text = root.text("proc/cpuinfo").unwrap_or_default();
    let flags = text.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    let has = |(_, flag): Unit| flags.split_whitespace().any(|word| word == flag);
    [ACE, ACE2, PHE].into_iter().filter(|unit| has(*unit)).fold(0, |bits, (bit, _)| bits | 1 << bit)
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn enabled_units() -> u32 {
    #[cfg(target_arch = "x86")]
    use std::arch::x86::__cpuid;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::__cpuid;

    // SAFETY: every CPU that Rust's x86 targets require has CPUID.
    #[allow(unused_unsafe, reason = "newer versions of Rust have it as a safe function")]
    let cpuid = |leaf| unsafe { __cpuid(leaf) };
    let vendor = cpuid(0);
    let vendor = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
    let is_centaur =
        [*b"CentaurHauls", *b"  Shanghai  "].iter().any(|known| *known == *vendor.as_flattened());
    // Other CPUs answer an unknown leaf with the data of a known one.
    let has_leaf = || (0xC000_0001..=0xC000_FFFF).contains(&cpuid(0xC000_0000).eax);
    if is_centaur && has_leaf() { enabled(cpuid(0xC000_0001).edx) } else { 0 }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn enabled_units() -> u32 {
    0
}

/// The bits "enabled" whose bits "present" are set too.
#[cfg_attr(not(any(target_arch = "x86", target_arch = "x86_64")), allow(dead_code))]
fn enabled(edx: u32) -> u32 {
    edx & edx << 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_counts_if_it_is_present_and_enabled() {
        let is_on = |edx: u32, (bit, _): Unit| enabled(edx) >> bit & 1 == 1;
        for (edx, on) in
            [(0xFC0, [true; 3]), (0xCCC, [true, false, true]), (0x540, [false; 3]), (0xA80, [false; 3])]
        {
            assert_eq!([ACE, ACE2, PHE].map(|unit| is_on(edx, unit)), on, "{edx:#x}");
        }
    }

    #[test]
    fn the_units_of_a_saved_tree_are_those_of_its_flags() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("proc")).unwrap();
        let names = |flags: &str| {
            std::fs::write(dir.path().join("proc/cpuinfo"), format!("flags\t\t: {flags}\n")).unwrap();
            let found = drivers(&Root::saved(dir.path()).unwrap());
            found.into_iter().map(|one| one.driver.name).collect::<Vec<_>>()
        };
        assert_eq!(
            names("fpu ace ace_en phe_en"),
            ["padlock-ecb-aes", "padlock-cbc-aes", "padlock-sha1", "padlock-sha256"]
        );
        assert_eq!(names("ace2_en"), ["padlock-ctr-aes"]);
        // No /proc/crypto is needed.
        let found =
            crate::find_drivers(&Root::saved(dir.path()).unwrap(), &["ctr(aes)", "cbc(aes)"]).unwrap();
        assert_eq!(found.len(), 1);
        assert!(names("fpu ace ace2 phe rng_en").is_empty());
    }
}
