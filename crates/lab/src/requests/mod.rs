//! Measures software, accelerators and their interfaces, interleaved, in several consecutive
//! processes.

mod cell;
pub mod contestants;
mod cover;
mod driver_interface;
mod in_flight;
mod kernel;
pub mod lists;
mod lookahead;
mod messages;
mod pass;
mod plan;
pub mod process;
mod protocol;
pub mod row;
pub mod run;
mod serve;
mod software;
mod tally;
pub mod tcrypt;
mod without_instructions;
mod worker;

use std::time::Duration;

use crate::documents::bench::Bench;
use anyhow::{Result, bail};
use clap::Args;
use outboard_console::duration;
use outboard_measure::stop;
pub use serve::serve as serve_pass;
pub use without_instructions::serve as serve_plain;

use self::contestants::Interface;
use self::lists::Directions;

/// What is measured.
#[derive(Args)]
pub struct MeasurementOptions {
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
}

/// Measures until all is done, the time is over or a signal arrives.
pub fn measure(options: &MeasurementOptions) -> Result<Bench> {
    stop::limit(options.time);
    let mut bench = run::measure_all(options)?;
    end_by_limit(&mut bench)?;
    Ok(bench)
}

/// Distinguishes the end of the --for limit from an interruption: what was measured until then is
/// valid.
pub fn end_by_limit(bench: &mut Bench) -> Result<()> {
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
