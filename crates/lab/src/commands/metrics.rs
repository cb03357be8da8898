//! `outboard metrics`: the counters for Prometheus.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::monitor::{FindingState, Sample, metrics};
use anyhow::Context as _;
use clap::Args;
use outboard_console::{answer_whole, ended};
use outboard_documents::config::Findings;
use outboard_drivers::root::Root;
use outboard_policy::FINDINGS_FILE;

use outboard::findings;
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
    let checked = states(findings(Path::new(FINDINGS_FILE), Path::new("/")));
    let text = metrics(&sample, &checked, env!("CARGO_PKG_VERSION"));
    let written = match &options.output {
        None => answer_whole(&text).context("standard output"),
        // node_exporter reads names that end in .prom only, so not the temporary file.
        Some(path) => Output::new("--output", path).and_then(|output| output.write(text.as_bytes())),
    };
    ended("metrics", written)
}

fn states(found: Findings) -> Vec<(String, FindingState)> {
    let lists = [
        (found.exact, FindingState::Exact),
        (found.wrong, FindingState::Wrong),
        (found.unanswered, FindingState::Unanswered),
        (found.outdated, FindingState::Outdated),
    ];
    lists.into_iter().flat_map(|(list, state)| list.into_iter().map(move |driver| (driver, state))).collect()
}
