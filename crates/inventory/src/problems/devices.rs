//! Devices and drivers that the kernel does not use.

use outboard_catalog::families::{self, values};

use super::{Found, ProblemId};
use crate::status::Status;

pub(super) fn find(status: &Status, found: &mut Found) {
    for device in &status.unbound_devices {
        found.problem(
            ProblemId::DeviceWithoutDriver,
            format!("no driver is bound to the device {} ({})", device.device, device.chip),
            device.evidence.clone(),
            device.next.clone(),
        );
    }
    selftests(status, found);
    without_driver(status, found);
}

/// R16: after a failed self-test a driver stays listed and is not used, without a message.
fn selftests(status: &Status, found: &mut Found) {
    let is_failed =
        |d: &&crate::DriverView| d.selftest != "passed" && d.kind != "larval" && d.verdict == "accelerator";
    let failed: Vec<&str> = status.drivers.iter().filter(is_failed).map(|d| d.name.as_str()).collect();
    let Some(first) = failed.first() else { return };
    found.problem(
        ProblemId::SelftestFailed,
        format!("the self-test of {} has not passed, so the kernel does not use it", failed.join(", ")),
        format!(
            "/proc/crypto: {first}, selftest: {}",
            status.drivers.iter().find(|d| d.name == *first).map_or("", |d| &d.selftest)
        ),
        "`dmesg | grep alg:` shows which test failed; report it to the driver's maintainers",
    );
}

/// The machine's chip has an engine whose driver is not registered.
fn without_driver(status: &Status, found: &mut Found) {
    if !status.accelerators.is_empty() || !status.unbound_devices.is_empty() || status.drivers.is_empty() {
        return;
    }
    let Some(platform) = status.machine.platform else { return };
    let family = platform.engine.and_then(|id| families::all().find(|family| family.id == id));
    let Some(family) = family.filter(|_| !status.cpu.has_aes()) else { return };
    found.problem(
        ProblemId::ChipWithoutDriver,
        format!(
            "this chip ({}) has an engine, {}, but no driver for it is registered",
            platform.name, family.chip
        ),
        "/proc/crypto: none of its drivers",
        format!(
            "modprobe {}, and see whether the device tree enables its node",
            values(family.modules).next().unwrap_or("(its module is not known)")
        ),
    );
}
