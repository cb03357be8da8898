//! `outboard-benchmark-interface`: the cost of the interfaces to an accelerator, compared with the
//! kernel's own use of it. See benchmarks/README.md.

mod bars;
mod known_answer;
mod measure;
mod options;
mod plan;
mod results;
mod table;
mod tcrypt;
mod ways;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use options::Options;
use outboard_benchmarks::bar::Verdict;
use results::Results;

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(all_met) if options.strict && !all_met => ExitCode::FAILURE,
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("outboard-benchmark-interface: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Measures or reads results; returns whether every requirement is met.
fn run(options: &Options) -> anyhow::Result<bool> {
    let results = match &options.show {
        Some(file) => annotated(file, &options.warning)?,
        None => measure::measure(options)?,
    };
    if !options.quiet {
        print!("{}", table::render(&results));
    }
    Ok(bars::judge(&results).iter().all(|bar| bar.verdict == Verdict::Met))
}

/// Reads results from a file, and adds warnings to them.
fn annotated(file: &Path, warnings: &[String]) -> anyhow::Result<Results> {
    let mut results = Results::read(file)?;
    if !warnings.is_empty() {
        results.warnings.extend_from_slice(warnings);
        results.write(file)?;
    }
    Ok(results)
}
