//! The devices behind a driver of /proc/crypto.

use outboard_catalog::families::Family;
use outboard_drivers::find::Judged;
use outboard_drivers::interrupts::DeviceInterrupts;
use outboard_drivers::judge::Verdict;
use outboard_drivers::module::DeviceDriver;
use outboard_drivers::root::Root;
use outboard_drivers::{survey, template};

/// The drivers of /proc/crypto with the device drivers that they use.
#[derive(Clone, Debug, Default)]
pub struct DriverDevices(Vec<Judged>);

impl DriverDevices {
    /// Reads the current state; empty if /proc/crypto cannot be read.
    pub fn now(root: &Root) -> DriverDevices {
        DriverDevices(survey(root).map(|found| found.drivers).unwrap_or_default())
    }

    /// Adds an earlier state: a driver whose device was unbound meanwhile is no longer in
    /// /proc/crypto.
    pub fn and(mut self, earlier: &DriverDevices) -> DriverDevices {
        self.0.extend_from_slice(&earlier.0);
        self
    }

    /// The device drivers that a driver uses, or the drivers nested in its name:
    /// `essiv(sim-cbc-aes,sha256-lib)`.
    pub fn of(&self, driver: &str) -> impl Iterator<Item = (Option<&'static Family>, &DeviceDriver)> {
        let parts = template::nested(driver);
        devices(self.0.iter().filter(move |one| parts.contains(&one.driver.name.as_str())))
    }

    pub fn has(&self, driver: &str, device: &DeviceInterrupts) -> bool {
        self.of(driver).any(|(_, one)| (&one.bus, &one.name) == (&device.bus, &device.driver))
    }

    /// The device drivers of all drivers that are not judged to be software.
    pub fn hardware(&self) -> impl Iterator<Item = (Option<&'static Family>, &DeviceDriver)> {
        let is_hardware =
            |one: &&Judged| matches!(one.judgement.verdict, Verdict::Accelerator | Verdict::Unknown);
        devices(self.0.iter().filter(is_hardware))
    }
}

fn devices<'a>(
    drivers: impl Iterator<Item = &'a Judged>,
) -> impl Iterator<Item = (Option<&'static Family>, &'a DeviceDriver)> {
    drivers.flat_map(|one| one.hardware.drivers.iter().map(|driver| (one.judgement.family(), driver)))
}
