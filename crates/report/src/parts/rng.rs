//! `outboard-rng-test/1` and `outboard-rng-assess/1`: results for a random number generator.

use serde::{Deserialize, Serialize};

/// The document of `outboard rng test`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RngTest {
    pub made: String,
    pub source: String,
    pub successes: u64,
    pub failures: u64,
    pub expected_failures: f64,
    pub failed_tests: FailureCounts,
    pub verdict: RngVerdict,
    #[serde(default)]
    pub interrupted: bool,
}

/// The number of blocks that failed each test.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct FailureCounts {
    pub monobit: u64,
    pub poker: u64,
    pub runs: u64,
    pub long_run: u64,
    pub continuous_run: u64,
}

/// The verdict of `outboard rng test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RngVerdict {
    Pass,
    Doubtful,
    Fail,
    /// Too few failures.
    Regular,
}

/// The document of `outboard rng assess`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RngAssessment {
    pub made: String,
    pub source: String,
    pub samples: u64,
    /// Bits of a sample.
    pub bits: u32,
    pub estimates: Vec<RngEstimate>,
    /// Bits per sample.
    pub min_entropy: f64,
    pub min_entropy_per_bit: f64,
    pub health_fault: Option<String>,
    pub quality: Option<u32>,
    #[serde(default)]
    pub notes: Vec<String>,
    /// The number of samples of each value.
    #[serde(default)]
    pub histogram: Vec<u64>,
    /// The first bits of the samples in hexadecimal.
    #[serde(default)]
    pub first_bits: String,
}

/// The result of an estimator.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RngEstimate {
    pub estimator: String,
    pub of: String,
    pub min_entropy: f64,
}
