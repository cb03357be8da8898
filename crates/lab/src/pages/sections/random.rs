//! Are random numbers good?

use crate::documents::Report;
use crate::documents::rng::{RngAssessment, RngTest, RngVerdict};

use crate::pages::page::{Block, Cell, Section, Tone, judged, number, words};
use crate::pages::picture::Picture;

/// Returns the section; `None` if nothing about a generator was given.
pub fn section(report: &Report) -> Option<Section> {
    if report.rng_tests.is_empty() && report.rng_assessments.is_empty() {
        return None;
    }
    let mut section = Section::new("random", "Are random numbers good?");
    if !report.rng_tests.is_empty() {
        tests(&mut section, &report.rng_tests);
    }
    report.rng_assessments.iter().for_each(|assessment| one(&mut section, assessment));
    Some(section)
}

fn tests(section: &mut Section, tests: &[RngTest]) {
    section.text(
        "Blocks of 20,000 bits were tested by FIPS 140-2, which was withdrawn in 2002: a stuck or grossly biased generator fails, \
         and a pass proves no entropy.",
    );
    let head = vec![
        words("source"),
        words("verdict"),
        number("blocks"),
        number("failed"),
        number("expected to fail"),
        number("monobit"),
        number("poker"),
        number("runs"),
        number("long run"),
        number("continuous run"),
    ];
    section.table("Block tests", head, tests.iter().map(row).collect());
}

fn row(test: &RngTest) -> Vec<Cell> {
    let (verdict, tone) = match test.verdict {
        RngVerdict::Pass => ("pass", Tone::Good),
        RngVerdict::Doubtful => ("doubtful", Tone::Doubt),
        RngVerdict::Fail => ("fail", Tone::Bad),
        RngVerdict::Regular => ("too regular", Tone::Bad),
    };
    let failed = &test.failed_tests;
    let counts = [failed.monobit, failed.poker, failed.runs, failed.long_run, failed.continuous_run];
    let mut row = vec![
        test.source.as_str().into(),
        judged(verdict, tone),
        test.successes.saturating_add(test.failures).to_string().into(),
        test.failures.to_string().into(),
        format!("{:.1}", test.expected_failures).into(),
    ];
    row.extend(counts.map(|count| count.to_string().into()));
    row
}

fn one(section: &mut Section, assessment: &RngAssessment) {
    section.text(format!(
        "{}: {:.6} bits of min-entropy per sample of {} bits ({:.6} per bit), by SP 800-90B from {} samples on {}.",
        assessment.source,
        assessment.min_entropy,
        assessment.bits,
        assessment.min_entropy_per_bit,
        assessment.samples,
        assessment.made
    ));
    assessment.notes.iter().for_each(|note| section.note(note.as_str()));
    let head = vec![words("estimator"), words("of"), number("min-entropy")];
    let rows = assessment.estimates.iter();
    let rows = rows.map(|row| {
        vec![row.estimator.as_str().into(), row.of.as_str().into(), format!("{:.6}", row.min_entropy).into()]
    });
    section.table(format!("Estimates of {}", assessment.source), head, rows.collect());
    let histogram = Picture::histogram(&assessment.source, &assessment.histogram);
    let bits = Picture::bits(&assessment.source, &assessment.first_bits);
    let pictures: Vec<Picture> = histogram.into_iter().chain(bits).collect();
    if !pictures.is_empty() {
        section.blocks.push(Block::Pictures(pictures));
    }
}
