//! Devices and drivers that the kernel does not use.

use outboard_catalog::families::{self, Family, values};
use outboard_documents::status::DriverView;
use outboard_drivers::judge::Verdict;
use outboard_drivers::proc_crypto::{DriverType, Selftest};

use super::{Found, ProblemId, Status};
use crate::installing::Installing;

pub(super) fn find(status: &Status, installing: &Installing<'_>, found: &mut Found) {
    for device in &status.unbound_devices {
        found.problem(
            ProblemId::DeviceWithoutDriver,
            format!("no driver is bound to the device {} ({})", device.device, device.chip),
            device.evidence.clone(),
            device.next.clone(),
        );
    }
    selftests(status, found);
    without_driver(status, installing, found);
}

/// After a failed self-test a driver stays listed and is not used, without a message.
fn selftests(status: &Status, found: &mut Found) {
    let is_tested = |d: &&DriverView| d.kind != DriverType::Larval && d.verdict == Verdict::Accelerator;
    let with = |is_wanted: &dyn Fn(&Selftest) -> bool| -> Vec<&str> {
        let drivers = status.drivers.iter().filter(is_tested).filter(|d| is_wanted(&d.selftest));
        drivers.map(|d| d.name.as_str()).collect()
    };
    let pending = with(&|state| *state == Selftest::Pending);
    if !pending.is_empty() {
        found.note(
            ProblemId::SelftestPending,
            format!("the kernel still tests {}, and does not use it before", pending.join(", ")),
            format!("/proc/crypto: {}, selftest: unknown, and a larval with its name", pending[0]),
            "outboard status shows the result in some seconds",
        );
    }
    let failed = with(&|state| !matches!(state, Selftest::Passed | Selftest::Pending));
    let Some(first) = failed.first() else { return };
    found.problem(
        ProblemId::SelftestFailed,
        format!("the self-test of {} has not passed, so the kernel does not use it", failed.join(", ")),
        format!(
            "/proc/crypto: {first}, selftest: {}",
            status.drivers.iter().find(|d| d.name == *first).map_or("", |d| d.selftest.word())
        ),
        "`dmesg | grep alg:` shows which test failed; report it to the driver's maintainers",
    );
}

/// The machine's chip has an engine whose driver is not registered.
fn without_driver(status: &Status, installing: &Installing<'_>, found: &mut Found) {
    if !status.accelerators.is_empty() || !status.unbound_devices.is_empty() || status.drivers.is_empty() {
        return;
    }
    let Some(platform) = &status.machine.platform else { return };
    let family = platform.engine.as_ref().and_then(|id| families::all().find(|family| family.id == *id));
    let Some(family) = family.filter(|_| !status.cpu.has_aes()) else { return };
    found.problem(
        ProblemId::ChipWithoutDriver,
        format!(
            "this chip ({}) has an engine, {}, but no driver for it is registered",
            platform.name, family.chip
        ),
        "/proc/crypto: none of its drivers",
        format!("{}, and see whether the device tree enables its node", load(family, installing)),
    );
}

/// The line that loads the driver of an engine. OpenWrt has a package for each driver, and pasted text
/// does not show whether it is from OpenWrt.
fn load(family: &Family, installing: &Installing<'_>) -> String {
    let load = values(family.modules).next().map(|module| format!("modprobe {module}"));
    let load = load.unwrap_or_else(|| "load its module".to_owned());
    match family.openwrt {
        "" => load,
        package if installing.is_openwrt() => installing.openwrt_package(package),
        package if installing.is_unknown() => {
            format!("{load} (on OpenWrt first: {})", installing.openwrt_package(package))
        }
        _ => load,
    }
}
