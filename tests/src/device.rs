//! The accelerator behind /dev/outboard, without the provider.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use outboard_accel::device::Device;
use outboard_accel::{Accelerator, Algorithm, Session};
use outboard_uapi::{DEVICE, SYSFS};

use crate::machine::{ACCELERATOR, is_allowed};
use crate::skip::skip;

/// One test at a time: some read the counters of the module, some close descriptors.
static ALONE: Mutex<()> = Mutex::new(());

/// The accelerator, for one test at a time.
pub struct Reached {
    /// The accelerator.
    pub device: Device,
    _alone: MutexGuard<'static, ()>,
}

/// The accelerator behind /dev/outboard; allows its driver if necessary.
pub fn reached(test: &str) -> Option<Reached> {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if !Path::new(DEVICE).exists() {
        skip(test, format!("{DEVICE} (insmod outboard.ko)"));
        return None;
    }
    if !is_allowed(ACCELERATOR) && fs::write(format!("{SYSFS}/allow"), ACCELERATOR).is_err() {
        skip(test, format!("an accelerator ({ACCELERATOR} for /dev/outboard)"));
        return None;
    }
    match Device::reach(ACCELERATOR, Algorithm::CbcAes) {
        Ok(device) => Some(Reached { device, _alone: alone }),
        Err(error) => panic!("{error}"),
    }
}

impl Reached {
    /// A session with this key.
    #[track_caller]
    pub fn open(&self, key: &[u8]) -> Box<dyn Session> {
        self.device.open(key).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// A number in sysfs: of existing objects (`sessions`), or a counter of the accelerator
/// (`requests`).
#[track_caller]
pub fn count(name: &str) -> u64 {
    let path = format!("{SYSFS}/{name}");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.trim().parse().unwrap_or_else(|_| panic!("{path}: {text}"))
}

/// A counter of the accelerator.
#[track_caller]
pub fn driver_count(name: &str) -> u64 {
    count(&format!("drivers/{ACCELERATOR}/{name}"))
}
