//! What the documents of `outboard tune`, `bench` and `check` have in common.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Machine {
    /// uname -r
    pub kernel: String,
    pub cpu: String,
    /// CPUs online.
    pub cpus: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Figure {
    /// Throughput in megabytes (10^6 bytes) per second of wall time, the median of the samples.
    pub megabytes_per_second: f64,
    /// The largest deviation of a sample from the median, as a fraction of it.
    pub spread: f64,
    pub samples: u64,
    /// Number of outliers: samples that something else must have disturbed.
    pub outliers: u64,
    /// CPU time of the whole system per megabyte, in milliseconds; null without /proc/stat.
    pub cpu_ms_per_megabyte: Option<f64>,
    pub interrupts_per_request: f64,
}

impl Figure {
    /// The spread in percent. A single sample has none.
    #[must_use]
    pub fn spread_percent(&self) -> Option<f64> {
        (self.samples > 1).then_some(self.spread * 100.0)
    }
}

outboard_catalog::texts! { name:
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Goal {
        /// Less wall time.
        Throughput = "throughput",
        /// Less CPU time of the whole system, whatever the wall time.
        Cpu = "cpu",
        /// A smaller product of both, with a limit on the wall time.
        #[default]
        Balanced = "balanced",
    }
}

/// The maximum ratio of a contestant's wall time to that of the fastest for the goal `balanced`.
pub const LONGEST_WALL_TIME: f64 = 1.5;

impl Goal {
    #[must_use]
    pub fn by_name(name: &str) -> Option<Goal> {
        [Goal::Throughput, Goal::Cpu, Goal::Balanced].into_iter().find(|goal| goal.name() == name)
    }

    pub fn criterion(self) -> &'static str {
        match self {
            Goal::Throughput => "less wall time",
            Goal::Cpu => "less CPU time of the whole system",
            Goal::Balanced => "the smaller product of wall time and CPU time of the whole system",
        }
    }
}

outboard_catalog::texts! { words:
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum SpeedVerdict {
        Wins = "hardware wins",
        /// The difference is within the error.
        Even = "even",
        Loses = "software wins",
        /// The samples vary so much that even a large difference would not be significant.
        Unclear = "samples vary too much",
    }
}
