//! `outboard rng assess`: estimates the min-entropy of the output by SP 800-90B.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use outboard_drivers::root::Root;
use outboard_inventory::Hwrng;
use outboard_measure::stop;
use outboard_policy::MinEntropy;
use outboard_rng::{
    Assessment, Estimate, LEAST_SAMPLES, RESTARTS, RestartResult, continuous_health, permutation_tests,
    test_restarts, width_of,
};
use serde::Serialize;

use super::input::InputOptions;
use crate::columns::aligned;
use crate::commands::tune::now;
use crate::console::{self, INTERRUPTED};

/// Estimate the min-entropy of output with the ten estimators of SP 800-90B for non-IID sources.
///
/// Each byte is a sample, of its low N bits with --bits N. The estimators that the standard defines for any samples run on the
/// samples, and all of them run on their bits. The least figure is the result; it is compared with the credit: the kernel's
/// `quality`, or --quality.
///
/// The standard takes at least 1,000,000 samples: with fewer, confidence intervals are wider and the result is lower. It assesses raw
/// noise. Output that was hashed or encrypted in the chip looks like full entropy, whatever went in.
///
/// Exit code 0 when the output has the credited entropy, 1 when it has less or a health test failed, 11 when the input
/// cannot be read, 130 after ^C.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    input: InputOptions,
    /// Number of samples
    #[arg(long, value_name = "N", default_value_t = LEAST_SAMPLES as u64, value_parser = clap::value_parser!(u64).range(1000..=100_000_000))]
    samples: u64,
    /// Bits of a sample, at the low end of its byte
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=8))]
    bits: u32,
    /// Compare with this credit in bits per 1024 bits, such as that of a data sheet [default: the kernel's, for /dev/hwrng]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1024))]
    quality: Option<u32>,
    /// Also test whether samples look independent and identically distributed (permutation tests); takes minutes if they do not
    #[arg(long)]
    iid: bool,
    /// Also open the device 1000 times and assess 1000 samples of each (restart tests)
    #[arg(long)]
    restart: bool,
    /// Print JSON (schema outboard-rng-assess/1)
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct EstimateRow {
    estimator: &'static str,
    of: &'static str,
    min_entropy: f64,
}

#[derive(Serialize)]
struct RestartRow {
    most_common: usize,
    cutoff: usize,
    rows: f64,
    columns: f64,
    passed: bool,
}

#[derive(Serialize)]
struct PermutationRow {
    statistic: &'static str,
    greater: u32,
    equal: u32,
    less: u32,
    passed: bool,
}

#[derive(Serialize)]
struct AssessAnswer {
    schema: &'static str,
    made: String,
    source: String,
    samples: usize,
    bits: u32,
    estimates: Vec<EstimateRow>,
    /// Bits per sample.
    min_entropy: f64,
    min_entropy_per_bit: f64,
    /// The failure of a continuous health test.
    health_fault: Option<String>,
    restart: Option<RestartRow>,
    /// Statistics of the permutation tests, with --iid.
    permutations: Option<Vec<PermutationRow>>,
    /// The entropy that the kernel credits, in bits per 1024.
    quality: Option<u32>,
    advised_quality: u32,
    /// The estimate for full entropy with this number of samples, in bits per sample; `null` unless
    /// the kernel credits more than was found.
    attainable: Option<f64>,
    /// Whether an estimate is lower than chance explains for full entropy; `null` as above.
    is_below_full_entropy: Option<bool>,
    notes: Vec<String>,
    seconds: f64,
    /// The number of samples of each value.
    histogram: Vec<u64>,
    /// The first bits of the samples, most significant first, in hexadecimal.
    first_bits: String,
}

/// Runs `outboard rng assess`.
pub fn assess(options: &Options) -> Result<ExitCode> {
    stop::listen();
    if options.restart && !options.input.is_device() {
        bail!("--restart opens a device again and again: give --device PATH instead of recorded data");
    }
    let mut input = options.input.open()?;
    let (mut samples, mut shown) = (vec![0; options.samples as usize], Instant::now());
    let mut got = 0;
    while got < samples.len() {
        let end = samples.len().min(got + 4096);
        let count = input.fill(&mut samples[got..end])?;
        got += count;
        if got < end {
            break;
        }
        if shown.elapsed() > Duration::from_millis(500) {
            shown = Instant::now();
            console::progress(&format!("{got} of {} samples read", samples.len()));
        }
    }
    samples.truncate(got);
    console::progress("");
    if stop::asked() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let used = width_of(&samples);
    if used > options.bits {
        bail!("{}: a sample has {used} bits, and --bits says {}", input.name, options.bits);
    }
    let start = Instant::now();
    let progress = |text: &'static str| {
        move |done: usize, all: usize| console::progress(&format!("{text}: {done} of {all} estimates"))
    };
    let assessment = outboard_rng::assess(&samples, options.bits, &progress("assessing"));
    let assessment = assessment.with_context(|| format!("{}: {got} samples are too few", input.name))?;
    let restart = if options.restart {
        let rows = restarts(options)?;
        if stop::asked() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        test_restarts(&rows, options.bits, assessment.min_entropy, &progress("restart tests"))
    } else {
        None
    };
    let permutations = if options.iid { permutations(&samples) } else { None };
    if stop::asked() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    console::progress("");
    // The health tests of the provider's seed source, with its default parameters.
    let fault = (options.bits == 8).then(|| continuous_health(&samples, MinEntropy::default())).flatten();
    let quality_of_kernel = || Hwrng::read(&Root::live()).and_then(|hwrng| hwrng.quality);
    let mut answer = AssessAnswer {
        schema: "outboard-rng-assess/1",
        made: now(),
        source: input.name.clone(),
        samples: got,
        bits: options.bits,
        estimates: assessment.estimates.iter().map(row).collect(),
        min_entropy: assessment.min_entropy,
        min_entropy_per_bit: assessment.min_entropy / f64::from(options.bits),
        health_fault: fault.map(|(at, fault)| format!("{fault}, at byte {at}")),
        restart: restart.map(|result| restart_row(&result, &assessment)),
        permutations,
        quality: options.quality.or_else(|| options.input.is_hwrng().then(quality_of_kernel).flatten()),
        advised_quality: 0,
        attainable: None,
        is_below_full_entropy: None,
        notes: Vec::new(),
        seconds: start.elapsed().as_secs_f64(),
        histogram: histogram(&samples, options.bits),
        first_bits: first_bits(&samples, options.bits),
    };
    answer.advised_quality = (answer.least_per_bit() * 1024.0).floor() as u32;
    if answer.quality.is_some_and(|quality| quality > answer.advised_quality) {
        let full = outboard_rng::attainable(got, options.bits, &progress("comparing with full entropy"));
        console::progress("");
        answer.attainable = full.as_ref().map(|full| full.min_entropy);
        answer.is_below_full_entropy = full.map(|full| assessment.is_below(&full, got));
    }
    answer.notes = notes(&answer, used);
    console::answer(&if options.json {
        serde_json::to_string_pretty(&answer)? + "\n"
    } else {
        text(&answer)
    })?;
    Ok(if answer.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl AssessAnswer {
    /// Returns the least estimate in bits per bit; restarts can reduce it (3.1.4.2).
    fn least_per_bit(&self) -> f64 {
        let restart = self.restart.as_ref().map_or(f64::INFINITY, |one| one.rows.min(one.columns));
        self.min_entropy.min(restart) / f64::from(self.bits)
    }

    /// Returns whether the estimate is compatible with the credited entropy. Samples cannot show
    /// full entropy, so an estimate that chance explains for full entropy contradicts no credit.
    fn has_what_is_credited(&self) -> bool {
        self.quality.is_none_or(|quality| quality <= self.advised_quality)
            || self.is_below_full_entropy == Some(false) && self.restart.as_ref().is_none_or(|one| one.passed)
    }

    fn is_good(&self) -> bool {
        self.has_what_is_credited()
            && self.health_fault.is_none()
            && self.restart.as_ref().is_none_or(|one| one.passed)
    }
}

/// Reads the matrix of the restart tests. In the standard, a restart is a power cycle; a program
/// can only open the device again.
fn restarts(options: &Options) -> Result<Vec<u8>> {
    let mut rows = vec![0; RESTARTS * RESTARTS];
    for (number, row) in rows.chunks_mut(RESTARTS).enumerate() {
        if options.input.open()?.fill(row)? < RESTARTS {
            break;
        }
        if number % 50 == 0 {
            console::progress(&format!("opened {number} of {RESTARTS} times"));
        }
    }
    Ok(rows)
}

fn permutations(samples: &[u8]) -> Option<Vec<PermutationRow>> {
    let seed = crate::primitive::any_seed();
    let ranks = permutation_tests(samples, seed, &|number| {
        if number % 10 == 1 {
            console::progress(&format!("permutation {number} of at most 10000"));
        }
        !stop::asked()
    });
    ranks.map(|ranks| {
        let row = |rank: &outboard_rng::PermutationRank| PermutationRow {
            statistic: rank.statistic,
            greater: rank.greater,
            equal: rank.equal,
            less: rank.less,
            passed: rank.passes(),
        };
        ranks.iter().map(row).collect()
    })
}

fn row(estimate: &Estimate) -> EstimateRow {
    EstimateRow {
        estimator: estimate.estimator.name(),
        of: if estimate.of_bits { "bits" } else { "samples" },
        min_entropy: estimate.min_entropy,
    }
}

fn histogram(samples: &[u8], bits: u32) -> Vec<u64> {
    let mut counts = vec![0; 1 << bits];
    samples.iter().for_each(|&sample| counts[usize::from(sample)] += 1);
    counts
}

/// Bits for the image in a report: a square of 128 by 128.
const IMAGE_BITS: usize = 128 * 128;

fn first_bits(samples: &[u8], width: u32) -> String {
    let bits = samples.iter().flat_map(|&sample| (0..width).rev().map(move |bit| sample >> bit & 1));
    let bits: Vec<u8> = bits.take(IMAGE_BITS).collect();
    let digit = |four: &[u8]| four.iter().fold(0, |digit, bit| digit << 1 | u32::from(*bit));
    bits.chunks_exact(4).filter_map(|four| char::from_digit(digit(four), 16)).collect()
}

/// Restart tests pass if the sanity check passes and neither estimate is below half of the initial
/// one (3.1.4.2).
fn restart_row(result: &RestartResult, assessment: &Assessment) -> RestartRow {
    let half = assessment.min_entropy / 2.0;
    RestartRow {
        most_common: result.most,
        cutoff: result.cutoff,
        rows: result.of_rows,
        columns: result.of_columns,
        passed: result.is_sane() && result.of_rows >= half && result.of_columns >= half,
    }
}

fn notes(answer: &AssessAnswer, used: u32) -> Vec<String> {
    let mut notes = Vec::new();
    if answer.samples < LEAST_SAMPLES {
        notes.push(format!(
            "{} samples: the standard takes at least {LEAST_SAMPLES}. With fewer, confidence intervals are wider and the result is \
             lower than the source's entropy.",
            answer.samples
        ));
    }
    if used < answer.bits {
        notes.push(format!(
            "Only the low {used} bits of the samples are ever set. If a sample has {used} bits: --bits {used}"
        ));
    }
    if let Some(fault) = &answer.health_fault {
        notes.push(format!("A continuous health test fails: {fault}."));
    }
    match answer.quality {
        Some(quality) if quality > answer.advised_quality && answer.has_what_is_credited() => notes.push(format!(
            "Credited are {quality} of 1024 bits. The estimate does not contradict that: full entropy gets {:.6} bits per \
             sample with this number of samples.",
            answer.attainable.unwrap_or_default()
        )),
        Some(quality) if quality > answer.advised_quality => notes.push(format!(
            "Credited are {quality} of 1024 bits, and the output has {}: outboard rng quality {0}",
            answer.advised_quality
        )),
        Some(quality) => notes.push(format!(
            "Credited are {quality} of 1024 bits, which the output has ({}).",
            answer.advised_quality
        )),
        None => {}
    }
    notes
}

fn text(answer: &AssessAnswer) -> String {
    let mut rows = vec![["estimator", "of", "min-entropy"].map(str::to_owned)];
    let figures = answer.estimates.iter();
    rows.extend(figures.map(|one| [one.estimator.into(), one.of.into(), format!("{:.6}", one.min_entropy)]));
    let mut text = format!(
        "SP 800-90B estimates of {} ({} samples of {} bits, {:.1} s)\n\n{}\n  min-entropy  {:.6} bits per sample, {:.6} per bit\n",
        answer.source,
        answer.samples,
        answer.bits,
        answer.seconds,
        aligned(&rows, 2..3, "  "),
        answer.min_entropy,
        answer.min_entropy_per_bit,
    );
    if let Some(restart) = &answer.restart {
        text += &format!(
            "  restarts     {}: {:.6} bits per sample by rows, {:.6} by columns; most common value {} times (cutoff {})\n",
            if restart.passed { "passed" } else { "FAILED" },
            restart.rows,
            restart.columns,
            restart.most_common,
            restart.cutoff
        );
    }
    if let Some(rows) = &answer.permutations {
        let failed: Vec<&str> = rows.iter().filter(|row| !row.passed).map(|row| row.statistic).collect();
        text += &match failed.as_slice() {
            [] => format!("  IID          not rejected: all {} statistics pass\n", rows.len()),
            failed => format!("  IID          rejected: {} fail\n", failed.join(", ")),
        };
    }
    for note in &answer.notes {
        text += &format!("\n{note}\n");
    }
    text
}
