//! What the suites of a service cost on this machine, and which to prefer: a part of several documents.

use serde::{Deserialize, Serialize};

/// A suite that was measured, or computed of the figures of its cipher and its MAC.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Entrant {
    pub suite: String,
    /// The MAC next to it; null if it has one of its own.
    pub mac: Option<String>,
    pub cipher: String,
    /// The accelerator's driver; null in software.
    pub driver: Option<String>,
    pub megabytes_per_second: f64,
    /// Spread of the throughput, relative to it.
    pub spread: f64,
    /// CPU time of the whole system; null if it is not known.
    pub cpu_ms_per_megabyte: Option<f64>,
    /// It uses CBC, or an older TLS than the service has: to prefer it lowers security.
    pub is_legacy: bool,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ServiceChoice {
    pub service: String,
    /// Size of the requests in bytes.
    pub bytes: usize,
    pub sentence: String,
    /// Lines of its configuration with which the best one is negotiated; empty if it is already.
    pub settings: Vec<String>,
    pub entrants: Vec<Entrant>,
}
