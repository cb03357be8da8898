//! `outboard metrics`: the counters for Prometheus.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::monitor::{FindingState, Sample, metrics};
use anyhow::Context as _;
use clap::Args;
use outboard_console::{answer_whole, ended};
use outboard_drivers::root::Root;
use outboard_policy::{FINDINGS_FILE, FindingVerdict, Findings};

use outboard::output::Output;

/// Print counters in the text format of Prometheus
///
/// Requests, bytes and errors of each driver, interrupts of each accelerator, the requests of enabled services by path
/// (direct, look-ahead, software), processes with the provider, findings of `outboard check`, and the module's memory and limits.
/// docs/metrics.md describes each metric. Without root, what only root may read is left out.
///
/// For the textfile collector of node_exporter: --output replaces the file atomically, so that no reader gets an incomplete one.
///
/// Exit code 1 when the file cannot be written.
#[derive(Args)]
pub struct Options {
    /// Replace this file, such as /var/lib/prometheus/node-exporter/outboard.prom, instead of printing
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(options: &Options) -> ExitCode {
    let sample = Sample::take(&Root::live());
    let checked = states(&Findings::read(Path::new(FINDINGS_FILE)).unwrap_or_default(), Path::new("/"));
    let text = metrics(&sample, &checked, env!("CARGO_PKG_VERSION"));
    let written = match &options.output {
        None => answer_whole(&text).context("standard output"),
        // node_exporter reads names that end in .prom only, so not the temporary file.
        Some(path) => Output::new("--output", path).and_then(|output| output.write(text.as_bytes())),
    };
    ended("metrics", written)
}

/// The findings about the drivers in their current form.
fn states(findings: &Findings, root: &Path) -> Vec<(String, FindingState)> {
    let drivers: BTreeSet<&str> = findings.all().map(|finding| finding.driver).collect();
    let state = |driver: &str| match findings.of(driver, root).map(|finding| finding.verdict) {
        Some(FindingVerdict::Exact) => FindingState::Exact,
        Some(FindingVerdict::Wrong) => FindingState::Wrong,
        Some(FindingVerdict::Unanswered) => FindingState::Unanswered,
        None => FindingState::Outdated,
    };
    drivers.into_iter().map(|driver| (driver.to_owned(), state(driver))).collect()
}
