//! `outboard-benchmark-look-ahead`: compares OpenSSL with look-ahead and OpenSSL without the
//! provider. See benchmarks/README.md.

mod bars;
mod cases;
mod pass;
mod rows;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use outboard_benchmarks::bar;
use outboard_measure::{noise, stop};

use crate::rows::PassRow;

/// Measures AES-128-CTR and AES-128-GCM encryption by OpenSSL alone and by OpenSSL with the provider under the policy of `outboard
/// tune`, interleaved. Each pass is a process of its own, because the addresses of a process's memory shift its figures.
#[derive(Parser)]
#[command(name = "outboard-benchmark-look-ahead", version)]
struct Options {
    /// The provider's file
    #[arg(long, value_name = "PATH")]
    module: PathBuf,

    /// The number of passes; ^C ends them earlier, with what there is
    #[arg(long, default_value_t = 15)]
    passes: u32,

    /// Write the rows and the bars as JSON (schema outboard-benchmark-look-ahead/1)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Measure one pass and print it as JSON
    #[arg(long, hide = true)]
    one_pass: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("outboard-benchmark-look-ahead: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<()> {
    if options.one_pass {
        println!("{}", serde_json::to_string(&pass::measure(&options.module)?)?);
        return Ok(());
    }
    stop::listen();
    let load = noise::load();
    let mut passes: Vec<Vec<PassRow>> = Vec::new();
    for number in 1..=options.passes {
        let done = Command::new(std::env::current_exe()?)
            .args(["--one-pass", "--module"])
            .arg(&options.module)
            .stderr(std::process::Stdio::inherit())
            .output()?;
        if stop::asked() {
            break;
        }
        ensure!(done.status.success(), "pass {number} failed");
        passes.push(serde_json::from_slice(&done.stdout).context("a pass prints its rows")?);
        eprintln!("outboard-benchmark-look-ahead: {number} of {} passes", options.passes);
    }
    ensure!(!passes.is_empty(), "no pass was completed");
    let rows = rows::merge(&passes);
    let bars = bars::judge(&rows);
    if let Some(file) = &options.json {
        let answer = serde_json::json!({
            "schema": "outboard-benchmark-look-ahead/1", "passes": passes.len(), "rows": rows, "bars": bars,
        });
        fs::write(file, serde_json::to_string_pretty(&answer)? + "\n")
            .with_context(|| file.display().to_string())?;
    }
    print!("{}\n{}", rows::render(&rows), bar::render(&bars));
    if let Some(warning) = load {
        println!("WARNING: {warning}");
    }
    Ok(())
}
