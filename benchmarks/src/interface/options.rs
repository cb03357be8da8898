//! The command-line options.

use std::path::PathBuf;

use clap::Parser;

/// Compares /dev/outboard with tcrypt in the kernel, AF_ALG and /dev/crypto: AES-128-CBC encryption in MB/s of wall
/// time, all in turns. Needs root, outboard.ko, and the driver in its list (outboard allow DRIVER).
#[derive(Parser)]
#[command(name = "outboard-benchmark-interface", version)]
pub struct Options {
    /// The driver, as /proc/crypto names it
    #[arg(long, default_value = "virtio_crypto_aes_cbc")]
    pub driver: String,

    /// How long to measure; ^C ends it earlier, with what there is
    #[arg(long, default_value_t = 200)]
    pub seconds: u64,

    /// Write the results as JSON (schema outboard-benchmark-interface/1), anew after each turn
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Measure nothing: show the results that an earlier run wrote
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "seconds", "driver"])]
    pub show: Option<PathBuf>,

    /// Print this note with the results; with --show it is kept in their file
    #[arg(long, value_name = "TEXT")]
    pub warning: Vec<String>,

    /// Print no table
    #[arg(long, conflicts_with = "show")]
    pub quiet: bool,

    /// Exit with 1 unless every bar is met
    #[arg(long)]
    pub strict: bool,
}
