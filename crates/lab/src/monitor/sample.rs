//! All that is observed, at one moment.

use std::time::Instant;

use outboard_drivers::interrupts::Snapshot;
use outboard_drivers::root::Root;
use outboard_measure::driver_devices::DriverDevices;
use outboard_measure::meter;

use super::KernelTime;
use super::processes::Processes;
use outboard_monitor::{ModuleSample, ServiceSample};

#[derive(Debug)]
pub struct Sample {
    pub at: Instant,
    pub module: Option<ModuleSample>,
    /// Interrupts of the accelerators' devices, or why they cannot be read.
    pub interrupts: Result<Snapshot, String>,
    /// CPU time for devices; `None` without /proc/stat.
    pub kernel_time: Option<KernelTime>,
    pub processes: Processes,
    pub services: Vec<ServiceSample>,
}

impl Sample {
    #[must_use]
    pub fn take(root: &Root) -> Self {
        let behind = DriverDevices::now(root);
        let interrupts = meter::snapshot(root, &behind).map_err(|e| format!("/proc/interrupts: {e}"));
        Self {
            at: Instant::now(),
            module: ModuleSample::read(root),
            interrupts,
            kernel_time: KernelTime::read(root),
            processes: Processes::with_provider(root),
            services: ServiceSample::all(root),
        }
    }
}
