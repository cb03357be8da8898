//! How was it measured?

use crate::documents::Report;
use crate::documents::bench::Bench;
use outboard_documents::Figure;
use outboard_documents::tune::Tune;

use super::not_given;
use crate::pages::page::{Cell, Section, figure, words};

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("measured", "How it was measured");
    if report.tunes.is_empty() && report.benches.is_empty() {
        not_given(&mut section, "a measurement");
        return section;
    }
    section.text(
        "By tune: OpenSSL with the provider against OpenSSL without, interleaved, by wall time; figures are medians of all samples. CPU time \
         is that of the whole system, interrupts and kernel threads included. A size for which no interrupt of the accelerator \
         came counts as lost. docs/measuring.md has the rules.",
    );
    if !report.benches.is_empty() {
        section.text(
            "By bench: OpenSSL, and drivers as the provider uses them, interleaved too; latency is from the submission of a request \
             until its result was copied, and timed apart from the throughput. An accelerator's figure without an interrupt is none.",
        );
    }
    for bench in &report.benches {
        benchmark(&mut section, bench);
    }
    for tune in &report.tunes {
        one(&mut section, tune);
        let status = report.status.as_ref().and_then(|status| status.kernel.release.as_ref());
        if let Some(release) = status.filter(|release| **release != tune.machine.kernel) {
            section.note(format!(
                "This was measured on Linux {}, and the status is of Linux {release}: tune again before you rely on it.",
                tune.machine.kernel
            ));
        }
    }
    section
}

fn one(section: &mut Section, tune: &Tune) {
    let machine = &tune.machine;
    let mut rows: Vec<(&str, String)> = vec![
        ("when", tune.made.clone()),
        ("kernel", format!("Linux {}", machine.kernel)),
        ("CPU", format!("{}, {} online", machine.cpu, machine.cpus)),
        ("OpenSSL", tune.openssl.clone()),
        ("goal", format!("{}: winning is {}", tune.goal.name(), tune.goal.criterion())),
    ];
    for driver in &tune.drivers {
        rows.push((
            "driver",
            format!("{}, module {}, version {}", driver.driver, driver.module, driver.version),
        ));
    }
    rows.extend(noise(tune));
    let rows = rows.into_iter().map(|(what, is)| vec![Cell::from(what), is.into()]).collect();
    section.table(format!("The measurement of {}", tune.made), vec![words("what"), words("it was")], rows);
    tune.warnings.iter().for_each(|warning| section.note(format!("Warning: {warning}.")));
}

fn benchmark(section: &mut Section, bench: &Bench) {
    let machine = &bench.machine;
    let runs = || bench.applications.iter().flat_map(|one| &one.runs);
    let figures =
        bench.rows.iter().filter_map(|row| row.figure.as_ref()).chain(runs().map(|run| &run.figure));
    let faults = bench.rows.iter().map(|row| &row.fault).chain(runs().map(|run| &run.fault));
    let sum = |of: fn(&Figure) -> u64| figures.clone().fold(0_u64, |sum, one| sum.saturating_add(of(one)));
    let rows = vec![
        ("when", bench.made.clone()),
        ("kernel", format!("Linux {}", machine.kernel)),
        ("CPU", format!("{}, {} online", machine.cpu, machine.cpus)),
        ("OpenSSL", bench.openssl.clone()),
        (
            "figures",
            format!(
                "{}, of them none {}",
                bench.rows.len() + runs().count(),
                faults.filter(|fault| fault.is_some()).count()
            ),
        ),
        ("samples", format!("{}, of them outliers {}", sum(|one| one.samples), sum(|one| one.outliers))),
    ];
    let rows = rows.into_iter().map(|(what, is)| vec![Cell::from(what), is.into()]).collect();
    section.table(format!("The benchmark of {}", bench.made), vec![words("what"), words("it was")], rows);
    section.list(bench.notes.clone());
    bench.warnings.iter().for_each(|warning| section.note(format!("Warning: {warning}.")));
}

/// Describes the spread of the samples, and the evidence that hardware did the work.
fn noise(tune: &Tune) -> Vec<(&'static str, String)> {
    let ways = tune.ciphers.iter().flat_map(|cipher| [&cipher.encrypt, &cipher.decrypt]);
    let points: Vec<_> = ways.flat_map(|result| &result.points).collect();
    if points.is_empty() {
        return Vec::new();
    }
    let figures: Vec<&Figure> = points.iter().flat_map(|point| [&point.software, &point.hardware]).collect();
    let mut spreads: Vec<f64> = figures.iter().map(|figure| figure.spread * 100.0).collect();
    spreads.sort_by(f64::total_cmp);
    let [middle, worst] = [spreads.len() / 2, spreads.len() - 1].map(|index| figure(spreads[index]));
    let sum =
        |of: fn(&Figure) -> u64| figures.iter().fold(0_u64, |sum, figure| sum.saturating_add(of(figure)));
    let interrupts = points.iter().map(|point| point.hardware.interrupts_per_request);
    let (least, most) =
        interrupts.fold((f64::MAX, f64::MIN), |(low, high), one| (low.min(one), high.max(one)));
    let refused = points.iter().filter(|point| point.refused.is_some()).count();
    vec![
        ("noise", format!("samples lie within {middle} % of their median in the middle, {worst} % at worst")),
        ("samples", format!("{}, of them outliers {}", sum(|one| one.samples), sum(|one| one.outliers))),
        ("interrupts per request", format!("{} to {}", figure(least), figure(most))),
        ("sizes", format!("{} measured, {refused} refused", points.len())),
    ]
}
