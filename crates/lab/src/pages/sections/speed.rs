//! How fast is it, and at what cost?

use crate::documents::Report;
use crate::documents::bench::{Application, Bench, ContestantKind, Row, Run, Subject};
use outboard_documents::Figure;

use super::not_given;
use crate::pages::page::{Block, Section, count, figure, number, with_spread, words};
use crate::pages::plot;
use outboard_console::size as bytes;

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("speed", "How fast is it, and at what cost?");
    if report.benches.is_empty() {
        not_given(&mut section, "a benchmark");
    }
    report.benches.iter().for_each(|bench| one(&mut section, bench));
    section
}

fn one(section: &mut Section, bench: &Bench) {
    section.text(format!(
        "Measured {} on Linux {}, the contestants interleaved.",
        bench.made, bench.machine.kernel
    ));
    if bench.interrupted {
        section.note("The benchmark was interrupted: figures are missing, and some have few samples.");
    }
    if !bench.warnings.is_empty() {
        section.note(format!(
            "The figures may be unreliable: see {} under How it was measured.",
            count(bench.warnings.len() as u64, "warning")
        ));
    }
    for row in bench.rows.iter().filter(|row| row.fault.is_some()) {
        section.note(format!(
            "Not a figure: {}, {}, {} at once, {}: {}.",
            row.subject(),
            bytes(row.bytes),
            row.depth,
            row.contestant,
            row.fault.as_deref().unwrap_or_default()
        ));
    }
    bench.applications.iter().for_each(|one| application(section, one));
    let subjects = bench.subjects();
    section.list(subjects.iter().filter_map(|&subject| sentence(bench, subject)).collect());
    let plots: Vec<_> = subjects.iter().flat_map(|&subject| plot::benchmark::of(bench, subject)).collect();
    if !plots.is_empty() {
        section.text("All scales are logarithmic. A bar reaches from the median to the farthest sample, to both sides.");
        section.blocks.push(Block::Plots(plots));
    }
}

fn application(section: &mut Section, one: &Application) {
    let megabytes = one.bytes as f64 / 1e6;
    let head = vec![
        words("with"),
        words("driver"),
        number("MB/s"),
        number("user %"),
        number("system %"),
        number("CPU ms/MB"),
        number("interrupts/MB"),
        number("% by hardware"),
        words("hardware?"),
    ];
    let or_none = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), figure);
    let row = |run: &Run| {
        vec![
            run.contestant.as_str().into(),
            run.driver.as_deref().unwrap_or("-").into(),
            with_spread(run.figure.megabytes_per_second, &run.figure).into(),
            figure(run.user_percent).into(),
            figure(run.system_percent).into(),
            or_none(run.figure.cpu_ms_per_megabyte).into(),
            figure(run.figure.interrupts_per_request / megabytes).into(),
            or_none(run.hardware_percent).into(),
            plot::benchmark::proof(run.fault.as_deref(), run.evidence),
        ]
    };
    let caption = format!("{}, {}, {}, {} at once", one.name, one.cipher, bytes(one.bytes), one.at_once);
    section.table(caption, head, one.runs.iter().map(row).collect());
}

/// Compares the best figure of an accelerator with OpenSSL, at the largest size that both measured.
fn sentence(bench: &Bench, subject: Subject<'_>) -> Option<String> {
    let kind =
        |row: &Row| bench.contestants.iter().find(|one| one.name == row.contestant).map(|one| one.kind);
    let of = |wanted: ContestantKind| {
        let rows = bench
            .rows
            .iter()
            .filter(move |row| row.subject() == subject && row.threads == 1 && row.fault.is_none());
        rows.filter(move |row| kind(row) == Some(wanted)).filter_map(|row| Some((row, row.figure.as_ref()?)))
    };
    let speed = |(_, one): &(&Row, &Figure)| one.megabytes_per_second;
    let (soft_row, soft) = of(ContestantKind::Openssl)
        .filter(|(row, _)| of(ContestantKind::Accelerator).any(|(hard, _)| hard.bytes == row.bytes))
        .max_by_key(|(row, _)| row.bytes)?;
    let (row, hard) = of(ContestantKind::Accelerator)
        .filter(|(row, _)| row.bytes == soft_row.bytes)
        .max_by(|a, b| speed(a).total_cmp(&speed(b)))?;
    let cpu = hard.cpu_ms_per_megabyte.zip(soft.cpu_ms_per_megabyte).filter(|(_, soft)| *soft > 0.0);
    let cpu = cpu.map(|(hard, soft)| format!(", with {} % of its CPU time", figure(hard / soft * 100.0)));
    Some(format!(
        "{subject}, {}: OpenSSL {} MB/s; {}, {} at once, {} MB/s{}.",
        bytes(row.bytes),
        figure(soft.megabytes_per_second),
        row.contestant,
        row.depth,
        figure(hard.megabytes_per_second),
        cpu.unwrap_or_default()
    ))
}
