//! `outboard rng assess`: estimates the min-entropy of the output by SP 800-90B.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::documents::rng::RngAssessment;
use anyhow::{Context, Result, bail};
use clap::Args;
use outboard_console as console;
use outboard_console::INTERRUPTED;
use outboard_documents::{json, now};
use outboard_drivers::root::Root;
use outboard_entropy::{LEAST_SAMPLES, continuous_health, width_of};
use outboard_inventory::hwrng;
use outboard_measure::stop;
use outboard_policy::MinEntropy;

use super::assess_answer::{first_bits, histogram, is_good, notes, row, text};
use super::input::InputOptions;

/// Estimate the min-entropy of output with the estimators of SP 800-90B.
///
/// Each byte is a sample, of its low N bits with --bits N. The estimators that the standard defines for any samples run on the
/// samples, and all of them run on their bits. The least figure is the result; it is compared with the credit: the kernel's
/// `quality`, or --quality.
///
/// The standard takes at least 1,000,000 samples: with fewer, confidence intervals are wider and the result is lower. It assesses raw
/// noise. Output that was hashed or encrypted in the chip looks like full entropy, whatever went in.
///
/// Exit code 0 when the output has the credited entropy, 1 when it has less or a health test failed, 2 when the input
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
    /// Print JSON (schema outboard-rng-assess/1)
    #[arg(long)]
    json: bool,
}

pub fn assess(options: &Options) -> Result<ExitCode> {
    stop::listen();
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
        bail!("{}: a sample has {used} bits, but --bits is {}", input.name, options.bits);
    }
    let start = Instant::now();
    let progress = |text: &'static str| {
        move |done: usize, all: usize| console::progress(&format!("{text}: {done} of {all} estimates"))
    };
    let assessment = outboard_entropy::assess(&samples, options.bits, &progress("assessing"));
    let assessment = assessment.with_context(|| format!("{}: {got} samples are too few", input.name))?;
    console::progress("");
    // The health tests of the provider's seed source, with its default parameters.
    let fault = (options.bits == 8).then(|| continuous_health(&samples, MinEntropy::default())).flatten();
    let quality_of_kernel = || hwrng::read(&Root::live()).and_then(|hwrng| hwrng.quality);
    let mut answer = RngAssessment {
        made: now(),
        source: input.name.clone(),
        samples: got as u64,
        bits: options.bits,
        estimates: assessment.estimates.iter().map(row).collect(),
        min_entropy: assessment.min_entropy,
        min_entropy_per_bit: assessment.min_entropy / f64::from(options.bits),
        health_fault: fault.map(|(at, fault)| format!("{fault}, at byte {at}")),
        quality: options.quality.or_else(|| options.input.is_hwrng().then(quality_of_kernel).flatten()),
        advised_quality: 0,
        attainable: None,
        is_below_full_entropy: None,
        notes: Vec::new(),
        seconds: start.elapsed().as_secs_f64(),
        histogram: histogram(&samples, options.bits),
        first_bits: first_bits(&samples, options.bits),
    };
    answer.advised_quality = (answer.min_entropy_per_bit * 1024.0).floor() as u32;
    if answer.quality.is_some_and(|quality| quality > answer.advised_quality) {
        let full = outboard_entropy::attainable(got, options.bits, &progress("comparing with full entropy"));
        console::progress("");
        answer.attainable = full.map(|full| full.min_entropy);
        answer.is_below_full_entropy = Some(assessment.is_below_full_entropy(got));
    }
    answer.notes = notes(&answer, used);
    console::answer(&if options.json { json(&answer)? } else { text(&answer) })?;
    Ok(if is_good(&answer) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
