//! `outboard-rng-test/1` and `outboard-rng-assess/1`: the documents of `outboard rng test` and
//! `outboard rng assess`.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RngTest {
    pub made: String,
    pub source: String,
    #[serde(default)]
    pub bits_received: u64,
    pub successes: u64,
    pub failures: u64,
    /// The mean number of blocks of a random source that fail.
    pub expected_failures: f64,
    pub failed_tests: FailureCounts,
    #[serde(default)]
    pub input_speed: BlockSpeed,
    #[serde(default)]
    pub test_speed: BlockSpeed,
    #[serde(default)]
    pub seconds: f64,
    pub verdict: RngVerdict,
    /// A signal ended the run early.
    #[serde(default)]
    pub interrupted: bool,
}

/// The number of blocks that failed each test of FIPS 140-2.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct FailureCounts {
    /// The number of ones.
    pub monobit: u64,
    /// The frequencies of groups of four bits.
    pub poker: u64,
    /// The lengths of runs of equal bits.
    pub runs: u64,
    /// A run of 26 or more equal bits.
    pub long_run: u64,
    /// Two equal consecutive words of 32 bits.
    pub continuous_run: u64,
}

/// Speeds of single blocks in Mbit/s; `average` is that of all blocks together.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct BlockSpeed {
    pub min: f64,
    pub average: f64,
    pub max: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RngVerdict {
    Pass,
    /// A random source has such a number less than once in 1000 runs.
    Doubtful,
    /// A random source has this many failures less than once in a million runs.
    Fail,
    /// A random source has so few failures less than once in a million runs.
    Regular,
}

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
    /// The failure of a continuous health test.
    pub health_fault: Option<String>,
    /// The entropy that the kernel credits, in bits per 1024.
    pub quality: Option<u32>,
    /// The credit that the estimates justify, in bits per 1024.
    #[serde(default)]
    pub advised_quality: u32,
    /// The estimate for full entropy with this number of samples, in bits per sample; `null` unless
    /// the kernel credits more than was found.
    #[serde(default)]
    pub attainable: Option<f64>,
    /// Whether an estimate is lower than chance explains for full entropy; `null` as above.
    #[serde(default)]
    pub is_below_full_entropy: Option<bool>,
    #[serde(default)]
    pub notes: Vec<String>,
    #[serde(default)]
    pub seconds: f64,
    #[serde(default)]
    pub histogram: Vec<u64>,
    /// The first bits of the samples, most significant first, in hexadecimal.
    #[serde(default)]
    pub first_bits: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RngEstimate {
    /// Its name in SP 800-90B.
    pub estimator: String,
    /// `bits` or `samples`.
    pub of: String,
    /// Bits per sample.
    pub min_entropy: f64,
}
