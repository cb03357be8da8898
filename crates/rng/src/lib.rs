//! /dev/hwrng as an entropy source: nothing comes out of it untested (NIST SP 800-90B, 4). And what its bytes are worth.
//!
//! - [`Fips`]: the withdrawn block tests of FIPS 140-2
//! - [`Estimator`]: the min-entropy estimators of SP 800-90B, 6.3
//! - [`SeedSource`]: what users share, and its state
//! - [`assess`]: all of them in parallel; [`test_restarts`]: the restart tests
//! - [`permutation_tests`]: whether samples look independent
//! - `source`: the open device with its tests
//! - `health`: the continuous tests, `cutoff`: when they fail
//! - `amount`: how many bytes make so many bits of entropy
//! - `device`: opening and reading without waiting for ever

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
pub use iid::{PermutationRank, permutation_tests};
pub use restart::{RESTARTS, RestartResult, test_restarts};
pub use seed_source::{SeedSource, State};
