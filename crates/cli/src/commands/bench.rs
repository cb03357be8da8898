//! `outboard bench`: measures software, accelerators and their interfaces, interleaved, in several
//! consecutive processes.

mod ahead;
mod applications;
mod cell;
mod contestants;
mod cover;
mod down;
mod kernel;
mod lists;
mod messages;
mod pass;
mod plain;
mod plan;
mod process;
mod protocol;
mod row;
mod run;
mod serve;
mod software;
mod tally;
mod text;
mod worker;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use outboard_documents::bench::Bench;
use outboard_documents::{Document as _, Part, json, read};
use outboard_measure::stop;

use self::applications::Application;
use self::contestants::Interface;
use self::lists::Directions;
use crate::console::{self, INTERRUPTED, duration, say};

/// Compare the speed and the CPU cost of software, accelerators and the interfaces to them.
///
/// OpenSSL's software, each accelerator through each interface that reaches it, and the kernel's own software are measured
/// interleaved in one run. For each size and number of requests in flight: throughput by wall time, latency, CPU time of the whole
/// system per megabyte, interrupts and context switches per request. There are up to 15 passes, each in a process of its own, because
/// the addresses of a process's memory shift its figures. A figure is the median; ± is the distance of the farthest sample, within
/// which the median of another run is to be expected. Results are compared with OpenSSL's before anything is timed, and a figure of
/// an accelerator without interrupts is an error.
///
/// Without arguments this takes at most about two minutes: three kinds of ciphers that accelerators support, both directions, and a
/// digest if /dev/outboard allows a driver of one; 16 bytes to 1 MiB, 1 to 64 in flight, one thread. ^C shows the measurements so
/// far.
///
/// Exit code 0 if all figures are valid, 1 if one is not or there is nothing to measure, 130 after an interruption.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Options {
    #[command(subcommand)]
    application: Option<Application>,
    /// OpenSSL's names (AES-128-CBC, SHA2-256, HMAC-SHA2-256) or the kernel's (cbc(aes), sha256, hmac(sha256)) [default: some
    /// that accelerators support]
    #[arg(value_name = "ALGORITHM", value_parser = lists::names)]
    algorithms: Vec<lists::Names>,
    /// Bytes of a request, separated by commas: 16 to 1M, multiples of 16
    #[arg(long = "size", value_name = "LIST", default_value = "16,256,1K,4K,16K,64K,1M", value_parser = lists::sizes)]
    sizes: lists::Numbers,
    /// Requests in flight, separated by commas: 1 to 64; more than one over /dev/outboard
    #[arg(long = "depth", value_name = "LIST", default_value = "1,4,16,64", value_parser = lists::depths)]
    depths: lists::Numbers,
    /// Threads that make requests at the same time, separated by commas: 1 to the CPUs
    #[arg(long, value_name = "LIST", default_value = "1", value_parser = lists::threads)]
    threads: lists::Numbers,
    /// Encryption, decryption or both; digests and HMACs have no direction
    #[arg(long, value_enum, default_value_t)]
    direction: Directions,
    /// Limit of the time for all figures: 90s, 10m, 2h; what does not fit is left out. 0: no limit, and the fewest samples
    #[arg(long = "for", value_name = "TIME", default_value = "90s", value_parser = duration)]
    time: Duration,
    /// Only OpenSSL and this kernel driver, of any kind, by its exact name in /proc/crypto; may be repeated
    #[arg(long = "driver", value_name = "NAME")]
    drivers: Vec<String>,
    /// Only this interface to drivers; may be repeated
    #[arg(long = "interface", value_name = "NAME", value_enum)]
    interfaces: Vec<Interface>,
    /// Measure OpenSSL without the CPU's instructions for cryptography too
    #[arg(long)]
    no_cpu_instructions: bool,
    /// Also run the kernel's own benchmark (tcrypt, as root) of the driver that the kernel prefers
    #[arg(long)]
    kernel: bool,
    /// Measure nothing: show the JSON of an earlier run of any kind
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "algorithms", "sizes", "depths", "threads", "direction", "time", "drivers", "interfaces", "no_cpu_instructions", "kernel"
    ])]
    show: Option<PathBuf>,
    /// Every figure of every size
    #[arg(long, short)]
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

/// Runs `outboard bench`.
pub fn run(options: &Options) -> ExitCode {
    if let Some(words) = &options.worker {
        return plain::serve(words);
    }
    if let Some(cycles) = &options.pass {
        return serve::serve(cycles);
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
    match &options.application {
        Some(application) => application.run(),
        None => {
            stop::limit(options.time);
            let mut bench = run::all(options)?;
            end_by_limit(&mut bench)?;
            finish(&bench, options.json, options.verbose)
        }
    }
}

/// Distinguishes the end of the --for limit from an interruption: what was measured until then is
/// valid.
fn end_by_limit(bench: &mut Bench) -> Result<()> {
    if !bench.interrupted || stop::by_signal() {
        return Ok(());
    }
    if bench.rows.is_empty() && bench.applications.iter().all(|one| one.runs.is_empty()) {
        bail!("the time of --for ended before anything was measured: give it more, or 0 for no limit");
    }
    bench.interrupted = false;
    bench.warnings.push(
        "the time of --for ended before all was measured: figures are missing, or have few samples"
            .to_owned(),
    );
    Ok(())
}

/// Reads the document that an earlier run printed.
fn earlier(file: &Path) -> Result<Bench> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    match read(&bytes).with_context(|| file.display().to_string())? {
        Part::Bench(bench) => Ok(bench),
        _ => bail!("{}: it is no answer of outboard bench (schema {})", file.display(), Bench::SCHEMA),
    }
}

/// Prints the result and returns the exit code.
fn finish(bench: &Bench, as_json: bool, verbose: bool) -> Result<ExitCode> {
    let text = if as_json { json(bench)? } else { text::report(bench, verbose) };
    console::answer(&text)?;
    Ok(match (bench.is_sound(), bench.interrupted) {
        (false, _) => ExitCode::FAILURE,
        (true, true) => ExitCode::from(INTERRUPTED),
        (true, false) => ExitCode::SUCCESS,
    })
}
