//! The counters of the kernel module: requests and bytes of all drivers.

use std::fs;
use std::path::Path;

use outboard_uapi::SYSFS;

/// The work that drivers have done for /dev/outboard, docs/uapi.md.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DriverWork {
    pub requests: u64,
    /// Bytes of input.
    pub bytes: u64,
}

impl DriverWork {
    /// Reads the counters; `None` without the module.
    pub fn read() -> Option<Self> {
        let drivers = fs::read_dir(Path::new(SYSFS).join("drivers")).ok()?;
        let mut work = Self::default();
        for driver in drivers.flatten() {
            let count = |name: &str| -> u64 {
                let text = fs::read_to_string(driver.path().join(name)).unwrap_or_default();
                text.trim().parse().unwrap_or(0)
            };
            work.requests = work.requests.saturating_add(count("requests"));
            work.bytes = work.bytes.saturating_add(count("bytes"));
        }
        Some(work)
    }

    pub fn since(self, earlier: Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(earlier.requests),
            bytes: self.bytes.saturating_sub(earlier.bytes),
        }
    }
}
