//! /dev/hwrng as an entropy source whose output is always tested (NIST SP 800-90B, 4), and
//! estimates of its entropy.
//!
//! - [`Fips`]: the withdrawn block tests of FIPS 140-2
//! - [`Estimator`]: the min-entropy estimators of SP 800-90B, 6.3
//! - [`SeedSource`]: the source that users share, and its state
//! - [`assess`]: all estimators in parallel; [`test_restarts`]: the restart tests
//! - [`permutation_tests`], [`iid_tests`]: whether samples appear independent
//! - `source`: the open device with its tests
//! - `health`: the continuous tests, `cutoff`: their cutoffs
//! - `amount`: the number of bytes for an amount of entropy
//! - `device`: opening the device, and reading it with a limited number of attempts

mod amount;
mod assessment;
mod cutoff;
mod device;
mod estimators;
mod failure;
mod fips;
mod health;
mod iid;
mod restart;
mod seed_source;
mod source;

pub use assessment::{Assessment, Estimate, LEAST_SAMPLES, assess, attainable, continuous_health, width_of};
pub use estimators::{Estimator, Symbols};
pub use failure::Failure;
pub use fips::{BLOCK, EXPECTED_FAILURES, Fips, FipsFailures};
pub use health::Fault;
pub use iid::{CompressedLength, IidTest, PermutationRank, iid_tests, permutation_tests};
pub use restart::{RESTARTS, RestartResult, test_restarts};
pub use seed_source::{SeedSource, State};
