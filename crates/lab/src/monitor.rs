//! All that is observed at one moment, its rates and its metrics for Prometheus, for `outboard watch`
//! and `outboard metrics`.

mod exposition;
mod installed;
mod metrics;
mod processes;
mod processors;
mod rates;
mod sample;

pub use metrics::{FindingState, metrics};
pub use processors::KernelTime;
pub use rates::rates;
pub use sample::Sample;
