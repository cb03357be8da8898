//! The JSON documents that the laboratory writes, and the report, which reads those of all commands.

pub mod bench;
mod figures;
mod read;
mod report;
pub mod rng;
pub mod watch;

pub use read::{LARGEST, Part, Unfit, contents, read};
pub use report::{Report, Source};

outboard_documents::schemas! {
    bench::Bench: "outboard-bench/1",
    report::Report: "outboard-report/1",
    rng::RngAssessment: "outboard-rng-assess/1",
    rng::RngTest: "outboard-rng-test/1",
    watch::Watch: "outboard-watch/1",
}
