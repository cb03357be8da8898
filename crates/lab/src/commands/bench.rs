//! `outboard bench`: measures software, accelerators and their interfaces, interleaved, in several
//! consecutive processes.

mod text;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::applications::Application;
use crate::documents::bench::Bench;
use crate::documents::{Part, contents, read};
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use outboard_console as console;
use outboard_console::{INTERRUPTED, say};
use outboard_documents::{Document as _, json};
use outboard_measure::Measuring;
use outboard_measure::stop;

/// Compare the speed and the CPU cost of software and accelerators.
///
/// OpenSSL's software, each accelerator through each interface that reaches it, and the kernel's own software are
/// measured interleaved in one run. For each size and number of requests in flight: throughput by wall time, latency,
/// CPU time of the whole system per megabyte, interrupts and context switches per request. There are up to 15 passes,
/// each in a process of its own. A figure is the median; ± is the distance of the farthest sample. Results are compared
/// with OpenSSL's first, and a figure of an accelerator without interrupts is an error.
///
/// Without arguments this takes at most about two minutes: three kinds of ciphers that accelerators support, and a
/// digest if /dev/outboard allows a driver of one. ^C shows the measurements so far.
///
/// Exit code 0 if all figures are valid, 1 if one is not or there is nothing to measure, 130 after an interruption.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Options {
    #[command(subcommand)]
    application: Option<Subject>,
    #[command(flatten)]
    request: crate::requests::MeasurementOptions,
    /// Measure nothing: show the JSON of an earlier run of any kind
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "algorithms", "sizes", "depths", "threads", "direction", "time", "drivers", "interfaces", "no_cpu_instructions", "kernel"
    ])]
    show: Option<PathBuf>,
    /// Every figure of every size, every note and every warning
    #[arg(long, short, global = true)]
    verbose: bool,
    /// Print JSON (schema outboard-bench/1)
    #[arg(long)]
    json: bool,
    /// What the command starts for --no-cpu-instructions
    #[arg(long, hide = true, num_args = 4, allow_hyphen_values = true, value_names = ["NAME", "WAY", "BYTES", "CYCLES"])]
    worker: Option<Vec<String>>,
    /// What the command starts for each pass over all that is measured
    #[arg(long, hide = true, value_name = "CYCLES", conflicts_with = "worker")]
    pass: Option<String>,
}

/// What is measured instead of requests.
#[derive(Subcommand)]
enum Subject {
    #[command(flatten)]
    Application(Application),
    /// The cleanup process, which the command starts
    #[command(hide = true)]
    CleanUp,
}

pub fn run(options: &Options) -> ExitCode {
    if let Some(words) = &options.worker {
        return crate::requests::serve_plain(words);
    }
    if let Some(cycles) = &options.pass {
        return crate::requests::serve_pass(cycles);
    }
    bench(options).unwrap_or_else(|error| {
        say(&format!("outboard bench: {error:#}"));
        if stop::by_signal() { ExitCode::from(INTERRUPTED) } else { ExitCode::FAILURE }
    })
}

fn bench(options: &Options) -> Result<ExitCode> {
    if let Some(file) = &options.show {
        return finish(&earlier(file)?, options.json, options.verbose);
    }
    stop::listen();
    if let Some(Subject::CleanUp) = &options.application {
        return Ok(outboard_measure::kernel_users::cleaner::serve());
    }
    let _measuring = Measuring::begin()?;
    match &options.application {
        Some(Subject::Application(application)) => {
            finish(&application.measure()?, application.is_json(), options.verbose)
        }
        _ => finish(&crate::requests::measure(&options.request)?, options.json, options.verbose),
    }
}

fn earlier(file: &Path) -> Result<Bench> {
    let bytes = contents(file).with_context(|| file.display().to_string())?;
    match read(&bytes).with_context(|| file.display().to_string())? {
        Part::Bench(bench) => Ok(bench),
        _ => bail!("{}: it is no answer of outboard bench (schema {})", file.display(), Bench::SCHEMA),
    }
}

fn finish(bench: &Bench, as_json: bool, verbose: bool) -> Result<ExitCode> {
    let text = if as_json { json(bench)? } else { text::report(bench, verbose) };
    console::answer(&text)?;
    Ok(match (bench.is_sound(), bench.interrupted) {
        (false, _) => ExitCode::FAILURE,
        (true, true) => ExitCode::from(INTERRUPTED),
        (true, false) => ExitCode::SUCCESS,
    })
}
