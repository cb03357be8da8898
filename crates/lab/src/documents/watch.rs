//! `outboard-watch/1`: the document of `outboard watch --once --json`.

use serde::{Deserialize, Serialize};

/// What accelerators and processes did between two samples. Rates are per second.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Watch {
    pub seconds: f64,
    /// The kernel module; null if it is not loaded.
    pub module: Option<ModuleState>,
    pub drivers: Vec<DriverRates>,
    /// The devices of accelerators; null if /proc/interrupts cannot be read.
    pub devices: Option<Vec<DeviceRates>>,
    /// CPU time that the kernel spent for devices; null without /proc/stat.
    pub kernel_cpu: Option<KernelCpu>,
    pub processes: Vec<ProcessGroup>,
    pub unreadable_processes: usize,
}

/// The module at the later sample; null: not readable.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct ModuleState {
    pub sessions: Option<u64>,
    /// Requests, those that wait for a driver included.
    pub requests: Option<u64>,
    pub arena_bytes: Option<u64>,
}

/// A driver. Values that only root may read are null for others.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct DriverRates {
    pub name: String,
    /// The kernel's name of its algorithm; null until it was used.
    pub algorithm: Option<String>,
    pub requests: Option<f64>,
    pub bytes: Option<f64>,
    /// Requests that it has at the later sample.
    pub in_flight: Option<u64>,
    /// Errors and timeouts since it was allowed.
    pub errors: Option<u64>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct DeviceRates {
    pub name: String,
    pub driver: String,
    pub chip: Option<String>,
    pub interrupts: f64,
}

/// CPU time as percent of one CPU.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct KernelCpu {
    pub interrupts: f64,
    pub softirqs: f64,
    pub threads: f64,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct ProcessGroup {
    /// The systemd unit, or the name of the processes if they belong to none.
    pub name: String,
    pub pids: Vec<u32>,
    /// What they did; null if they are not counted.
    pub work: Option<GroupWork>,
}

/// The work of processes. Requests and bytes are per second.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct GroupWork {
    /// Bytes that a driver processed when they were requested.
    pub direct: f64,
    /// Bytes that were processed with key stream from look-ahead.
    pub ahead: f64,
    /// Bytes of OpenSSL's own code.
    pub software: f64,
    pub requests: f64,
    /// Share of the bytes that hardware processed, 0 to 100; null without any byte.
    pub hardware_percent: Option<f64>,
    /// Bytes of key stream that are computed and not used yet.
    pub key_stream: u64,
    /// Failures and wrong results since the service started.
    pub errors: u64,
}
