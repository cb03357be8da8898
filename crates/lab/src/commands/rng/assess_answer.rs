//! The result of `outboard rng assess`, as JSON and as text.

use crate::documents::rng::{RngAssessment, RngEstimate};
use outboard_console::aligned;
use outboard_entropy::{Estimate, LEAST_SAMPLES};

/// Returns whether the estimate is compatible with the credited entropy. Samples cannot show full
/// entropy, so an estimate that chance explains for full entropy contradicts no credit.
fn has_what_is_credited(answer: &RngAssessment) -> bool {
    answer.quality.is_none_or(|quality| quality <= answer.advised_quality)
        || answer.is_below_full_entropy == Some(false)
}

pub fn is_good(answer: &RngAssessment) -> bool {
    has_what_is_credited(answer) && answer.health_fault.is_none()
}

pub fn row(estimate: &Estimate) -> RngEstimate {
    RngEstimate {
        estimator: estimate.estimator.name().to_owned(),
        of: if estimate.of_bits { "bits" } else { "samples" }.to_owned(),
        min_entropy: estimate.min_entropy,
    }
}

pub fn histogram(samples: &[u8], bits: u32) -> Vec<u64> {
    let mut counts = vec![0; 1 << bits];
    samples.iter().for_each(|&sample| counts[usize::from(sample)] += 1);
    counts
}

/// Bits for the image in a report: a square of 128 by 128.
const IMAGE_BITS: usize = 128 * 128;

pub fn first_bits(samples: &[u8], width: u32) -> String {
    let bits = samples.iter().flat_map(|&sample| (0..width).rev().map(move |bit| sample >> bit & 1));
    let bits: Vec<u8> = bits.take(IMAGE_BITS).collect();
    let digit = |four: &[u8]| four.iter().fold(0, |digit, bit| digit << 1 | u32::from(*bit));
    bits.chunks_exact(4).filter_map(|four| char::from_digit(digit(four), 16)).collect()
}

pub fn notes(answer: &RngAssessment, used: u32) -> Vec<String> {
    let mut notes = Vec::new();
    if answer.samples < LEAST_SAMPLES as u64 {
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
        Some(quality) if quality > answer.advised_quality && has_what_is_credited(answer) => notes.push(format!(
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

pub fn text(answer: &RngAssessment) -> String {
    let mut rows = vec![["estimator", "of", "min-entropy"].map(str::to_owned)];
    let figures = answer.estimates.iter();
    rows.extend(
        figures.map(|one| [one.estimator.clone(), one.of.clone(), format!("{:.6}", one.min_entropy)]),
    );
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
    for note in &answer.notes {
        text += &format!("\n{note}\n");
    }
    text
}
