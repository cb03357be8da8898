//! Estimates of the entropy of recorded samples, and tests of them.
//!
//! - [`Fips`]: the withdrawn block tests of FIPS 140-2
//! - [`Estimator`]: the min-entropy estimators of SP 800-90B, 6.3
//! - [`assess`]: all estimators in parallel

mod assessment;
mod estimators;
mod fips;
mod xoshiro;

pub use assessment::{Assessment, Estimate, LEAST_SAMPLES, assess, attainable, continuous_health, width_of};
pub use estimators::{Estimator, Symbols};
pub use fips::{BLOCK, EXPECTED_FAILURES, Fips, FipsFailures};
