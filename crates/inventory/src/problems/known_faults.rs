//! Drivers with faults that their users have published.

use outboard_catalog::families;
use outboard_documents::status::DriverView;
use outboard_drivers::judge::Verdict;
use outboard_drivers::proc_crypto::Selftest;

use super::{Found, ProblemId, Status};

/// A published fault.
struct KnownFault {
    /// The id of the driver family.
    family: &'static str,
    /// A part of the names of the algorithms concerned; empty for all.
    algorithm: &'static str,
    /// What goes wrong.
    text: &'static str,
    /// Where it was published.
    source: &'static str,
    next: &'static str,
}

const FAULTS: &[KnownFault] = &[
    KnownFault {
        family: "safexcel",
        algorithm: "aes",
        text: "loses or damages IPsec and OpenVPN packets on some chips (MT7986, MT7988)",
        source: "https://github.com/openwrt/openwrt/issues/21310",
        next: "if a tunnel passes no or only small packets, remove the module crypto_safexcel, or use ChaCha20-Poly1305; \
               outboard bench ipsec counts lost packets",
    },
    KnownFault {
        family: "rockchip2",
        algorithm: "sha",
        text: "computes wrong digests of data in several pieces of memory (rk2 driver before its third version)",
        source: "https://github.com/armbian/build/pull/9795",
        next: "outboard check finds out whether this version does; until then do not use its digests",
    },
];

pub(super) fn find(status: &Status, found: &mut Found) {
    for fault in FAULTS {
        let Some(accelerator) = status.accelerators.iter().find(|accelerator| accelerator.id == fault.family)
        else {
            continue;
        };
        // One pass over the drivers: there may be thousands.
        let is_concerned = |driver: &&DriverView| {
            driver.verdict == Verdict::Accelerator
                && driver.selftest == Selftest::Passed
                && driver.algorithm.contains(fault.algorithm)
                && families::known(&driver.name, &driver.module)
                    .is_some_and(|known| known.family().id == fault.family)
        };
        let Some(driver) = status.drivers.iter().find(is_concerned) else { continue };
        let driver = &driver.name;
        found.problem(
            ProblemId::KnownFault,
            format!("the driver of {} {}", accelerator.chip, fault.text),
            format!("/proc/crypto: {driver}; {}", fault.source),
            fault.next,
        );
    }
}
