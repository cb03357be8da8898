//! `outboard-benchmark-provider`: compares the provider with OpenSSL without it, as applications use
//! them. See benchmarks/README.md.

mod bars;
mod measure;
mod plan;
mod rows;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser;
use outboard_benchmarks::bar::{self, Verdict};

/// Measures AES-128-CBC encryption by OpenSSL alone, by OpenSSL with the provider as `outboard tune` left it, and by the provider with
/// every request sent to hardware, interleaved; and whether a dense sweep finds the crossover that tune found.
#[derive(Parser)]
#[command(name = "outboard-benchmark-provider", version)]
struct Options {
    /// Output of `outboard tune --json`; its policy is in force
    #[arg(long, value_name = "FILE")]
    tune: PathBuf,

    /// How long check and tune took together, in seconds
    #[arg(long, value_name = "N")]
    took: f64,

    /// The provider's file
    #[arg(long, value_name = "PATH")]
    module: PathBuf,

    /// How long to measure; ^C ends it earlier, with what there is
    #[arg(long, default_value_t = 150)]
    seconds: u64,

    /// Write the rows and the bars as JSON (schema outboard-benchmark-provider/1)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Exit with 1 unless every bar is met
    #[arg(long)]
    strict: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("outboard-benchmark-provider: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let file = options.tune.display();
    let text = fs::read_to_string(&options.tune).with_context(|| file.to_string())?;
    let tune: plan::Tune =
        serde_json::from_str(&text).with_context(|| format!("{file} is no answer of outboard tune"))?;
    let tuned = tune.ciphers.iter().find(|cipher| cipher.name == plan::CIPHER);
    let tuned = tuned.with_context(|| format!("{file} has no row for {}", plan::CIPHER))?;
    let plan = plan::Plan::around(tuned);
    let rows = measure::measure(&plan, &options.module, options.seconds)?;
    let bars = bars::judge(&rows, &plan, options.took);
    if let Some(file) = &options.json {
        let answer = serde_json::json!({
            "schema": "outboard-benchmark-provider/1", "made": tune.made, "machine": tune.machine, "openssl": tune.openssl,
            "rows": rows, "bars": bars,
        });
        fs::write(file, serde_json::to_string_pretty(&answer)? + "\n")
            .with_context(|| file.display().to_string())?;
    }
    print!("{}\n{}", rows::render(&rows), bar::render(&bars));
    let all_met = bars.iter().all(|bar| bar.verdict == Verdict::Met);
    Ok(if options.strict && !all_met { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
