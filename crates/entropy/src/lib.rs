//! Estimates of the entropy of recorded samples, and tests of them.
//!
//! - [`Fips`]: the withdrawn block tests of FIPS 140-2
//! - [`Estimator`]: the min-entropy estimators of SP 800-90B, 6.3
//! - [`assess`]: all estimators in parallel; [`test_restarts`]: the restart tests
//! - [`permutation_tests`], [`iid_tests`]: whether samples appear independent

mod assessment;
mod estimators;
mod fips;
mod iid;
mod restart;

pub use assessment::{Assessment, Estimate, LEAST_SAMPLES, assess, attainable, continuous_health, width_of};
pub use estimators::{Estimator, Symbols};
pub use fips::{BLOCK, EXPECTED_FAILURES, Fips, FipsFailures};
pub use iid::{CompressedLength, IidTest, PermutationRank, iid_tests, permutation_tests};
pub use restart::{RESTARTS, RestartResult, test_restarts};
