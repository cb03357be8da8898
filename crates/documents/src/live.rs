//! `outboard-live/1`: a line of `outboard status --json --every`, the counters at one moment.

use serde::{Deserialize, Serialize};

/// Counters, each since its beginning: they only rise until a device is bound, a driver allowed or a
/// service started anew.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Live {
    /// The devices of accelerators; null if /proc/interrupts cannot be read.
    pub devices: Option<Vec<DeviceCounts>>,
    pub drivers: Vec<DriverCounts>,
    pub services: Vec<ServiceCounts>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DeviceCounts {
    pub name: String,
    pub driver: String,
    /// Interrupts since boot.
    pub interrupts: u64,
}

/// A driver, since it was allowed. Null: not readable for this user.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DriverCounts {
    pub name: String,
    /// Requests over /dev/outboard.
    pub requests: Option<u64>,
    pub bytes: Option<u64>,
    /// Errors and timeouts.
    pub errors: Option<u64>,
}

/// A unit, since it was started.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ServiceCounts {
    /// The service, as `outboard enable --list` names it.
    pub service: String,
    pub unit: String,
    /// The algorithms that it used; null if its counters cannot be read.
    pub algorithms: Option<Vec<AlgorithmCounts>>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AlgorithmCounts {
    pub name: String,
    /// Bytes that a driver processed, directly or with key stream from look-ahead.
    pub hardware_bytes: u64,
    /// Bytes of OpenSSL's own code.
    pub software_bytes: u64,
    /// Requests that failed in a driver and were repeated in software.
    pub failures: u64,
    /// Results of a driver that differed from software's.
    pub mismatches: u64,
}
