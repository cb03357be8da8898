//! What to do with a service on this machine, and the figures on which that rests: a part of several
//! documents.

use serde::{Deserialize, Serialize};

/// A suite that was measured, or computed of the figures of its cipher and its MAC.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Entrant {
    /// Its name in the service's configuration.
    pub suite: String,
    /// The MAC next to it; null if it has one of its own.
    pub mac: Option<String>,
    /// OpenSSL's name of the cipher.
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

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(tag = "decision", rename_all = "lowercase")]
pub enum Decision {
    /// The accelerator wins for what its peers negotiate.
    Use {
        /// Lines of its configuration with which a still better suite is negotiated; usually none.
        settings: Vec<String>,
    },
    /// Another suite costs less than what its peers negotiate.
    Prefer {
        other: String,
        /// Lines of the service's configuration with which it is negotiated.
        settings: Vec<String>,
    },
    Leave,
    #[default]
    Unknown,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ServiceDecision {
    pub service: String,
    #[serde(flatten)]
    pub decision: Decision,
    pub why: String,
    /// The command to type; null if nothing is to be done.
    pub next: Option<String>,
    pub enabled: bool,
    /// Whether `outboard enable` refuses it without --force or --aes-required.
    pub refused: bool,
    /// Size of its large requests in bytes; null: any size.
    pub bytes: Option<u32>,
    /// The suites that were compared, with the spread of their figures; empty if none were.
    pub entrants: Vec<Entrant>,
}

impl Decision {
    /// The lines of the service's configuration that it needs.
    #[must_use]
    pub fn settings(&self) -> &[String] {
        match self {
            Self::Use { settings } | Self::Prefer { settings, .. } => settings,
            Self::Leave | Self::Unknown => &[],
        }
    }
}
