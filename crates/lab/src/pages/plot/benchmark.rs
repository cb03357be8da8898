//! The curves of a benchmark: throughput and CPU time by size, and throughput by the number of
//! requests in flight.

use crate::documents::bench::{Bench, Contestant, ContestantKind, Evidence, Row, Subject};
use outboard_documents::Figure;

use super::{Axis, Curve, Plot, Sample, described, speed_of};
use crate::pages::page::{Cell, Table, Tone, figure, judged, number, with_spread, words};
use outboard_console::size as bytes;

/// The size in bytes at which depths are compared, or the nearest to it.
const MIDDLE: u64 = 4096;

type Value = fn(&Row, &Figure) -> Option<(f64, f64)>;

#[derive(Clone)]
struct CurveLabel<'a> {
    contestant: &'a str,
    short: String,
    class: &'static str,
}

pub fn of(bench: &Bench, subject: Subject<'_>) -> Vec<Plot> {
    let all = bench.rows.iter().filter(|row| row.subject() == subject);
    let least = all.clone().map(|row| row.threads).min().unwrap_or(1);
    let rows: Vec<&Row> = all.filter(|row| row.threads == least).collect();
    let looks = looks(&bench.contestants);
    let what = match least {
        1 => subject.to_string(),
        threads => format!("{subject} by {threads} threads"),
    };
    [
        by_size(&what, &rows, &looks, false),
        by_size(&what, &rows, &looks, true),
        by_depth(&what, &rows, &looks),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn looks(contestants: &[Contestant]) -> Vec<CurveLabel<'_>> {
    const ACCELERATORS: [&str; 3] = ["hardware", "deep", "third"];
    let mut looks: Vec<CurveLabel<'_>> = Vec::new();
    for one in contestants {
        let word = match (one.kind, one.interface.as_deref()) {
            (ContestantKind::Openssl, _) => "software",
            (ContestantKind::OpensslWithout, _) => "plain CPU",
            (ContestantKind::Accelerator, Some("/dev/outboard")) => "outboard",
            (ContestantKind::Accelerator, Some("/dev/crypto")) => "cryptodev",
            (ContestantKind::Accelerator, _) => "AF_ALG",
            (ContestantKind::Lookahead, _) => "look-ahead",
            (ContestantKind::KernelSoftware, _) => "kernel",
            (ContestantKind::Tcrypt, _) => "tcrypt",
        };
        let before = looks.iter().filter(|look| look.short.starts_with(word)).count();
        let of_accelerators =
            looks.iter().filter(|look| ACCELERATORS.contains(&look.class)).count() % ACCELERATORS.len();
        let class = match one.kind {
            ContestantKind::Openssl => "software",
            ContestantKind::OpensslWithout => "without",
            ContestantKind::Accelerator | ContestantKind::Lookahead => ACCELERATORS[of_accelerators],
            ContestantKind::KernelSoftware | ContestantKind::Tcrypt => "kernel",
        };
        let short = if before == 0 { word.to_owned() } else { format!("{word} {}", before + 1) };
        looks.push(CurveLabel { contestant: &one.name, short, class });
    }
    looks
}

fn figure_of(row: &Row) -> Option<&Figure> {
    row.figure.as_ref().filter(|_| row.fault.is_none())
}

fn curves(
    rows: &[&Row],
    looks: &[CurveLabel<'_>],
    x: fn(&Row) -> u64,
    is_meant: impl Fn(&Row) -> bool,
    value: Value,
) -> Vec<Curve> {
    let curve = |look: &CurveLabel<'_>| {
        let own = rows.iter().filter(|row| row.contestant == look.contestant && is_meant(row));
        let mut points: Vec<Sample> =
            own.filter_map(|row| Sample::new(x(row) as f64, value(row, figure_of(row)?)?)).collect();
        points.sort_by(|a, b| a.at.total_cmp(&b.at));
        Curve { name: look.short.clone(), class: look.class, points }
    };
    looks.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect()
}

fn names(curves: &[Curve], looks: &[CurveLabel<'_>]) -> String {
    let of = |curve: &Curve| {
        let look = looks.iter().find(|look| look.short == curve.name)?;
        Some(format!("{}: {}", curve.name, look.contestant))
    };
    curves.iter().filter_map(of).collect::<Vec<_>>().join("; ")
}

fn by_size(what: &str, rows: &[&Row], looks: &[CurveLabel<'_>], of_cpu: bool) -> Option<Plot> {
    let depth = rows.iter().map(|row| row.depth).min()?;
    let (kind, unit, value): (_, _, Value) = if of_cpu {
        ("CPU time of the whole system", "ms of CPU time per MB", |row, one| {
            Some((one.cpu_ms_per_megabyte?, row.cpu_off_ms_per_megabyte.unwrap_or(0.0)))
        })
    } else {
        ("throughput", "MB/s", |_, one| speed_of(one))
    };
    let is_alone = |row: &Row| row.depth == depth;
    let curves = curves(rows, looks, |row| row.bytes, is_alone, value);
    let caption = match of_cpu {
        false => format!("{what}: throughput by size, {depth} at once. {}.", names(&curves, looks)),
        true => format!("{what}: {kind} for a megabyte (10^6 bytes), {depth} at once; less is better."),
    };
    (!curves.is_empty()).then(|| Plot {
        title: format!("{what}, {kind} by size"),
        description: described(&curves, unit, Axis::Bytes),
        caption,
        unit,
        axis: Axis::Bytes,
        curves,
        crossover: None,
        figures: if of_cpu { costs(what, rows) } else { speeds(what, rows) },
    })
}

fn by_depth(what: &str, rows: &[&Row], looks: &[CurveLabel<'_>]) -> Option<Plot> {
    let deepest = rows.iter().map(|row| row.depth).max().filter(|&depth| depth > 1)?;
    let sizes = rows.iter().filter(|row| row.depth == deepest).map(|row| row.bytes);
    let size = sizes.min_by_key(|bytes| bytes.abs_diff(MIDDLE))?;
    let mut curves = curves(rows, looks, |row| row.depth, |row| row.bytes == size, |_, one| speed_of(one));
    // A contestant that was measured with one request in flight only gets a horizontal line.
    for curve in &mut curves {
        if let [only @ Sample { at: 1.0, .. }] = curve.points[..] {
            curve.points.push(Sample { at: deepest as f64, ..only });
        }
    }
    let (unit, what) = ("MB/s", format!("{what} of {}", bytes(size)));
    (!curves.is_empty()).then(|| Plot {
        title: format!("{what}, throughput by requests in flight"),
        description: described(&curves, unit, Axis::Requests),
        caption: format!("{what}: throughput by requests in flight."),
        unit,
        axis: Axis::Requests,
        curves,
        crossover: None,
        figures: speeds(&what, &rows.iter().copied().filter(|row| row.bytes == size).collect::<Vec<_>>()),
    })
}

fn table(
    caption: String,
    rows: &[&Row],
    head: Vec<crate::pages::page::Column>,
    more: impl Fn(&Row) -> Vec<Cell>,
) -> Table {
    let first = [words("contestant"), number("size"), number("at once")];
    let row = |row: &&Row| {
        let mut cells =
            vec![Cell::from(row.contestant.as_str()), bytes(row.bytes).into(), row.depth.to_string().into()];
        cells.extend(more(row));
        cells
    };
    let rows = rows.iter().map(row).collect();
    Table { caption, head: first.into_iter().chain(head).collect(), rows }
}

fn or_none(value: Option<f64>) -> Cell {
    value.map_or_else(|| "-".to_owned(), figure).into()
}

fn speeds(what: &str, rows: &[&Row]) -> Table {
    let head = vec![
        number("MB/s"),
        number("p50 µs"),
        number("p99 µs"),
        number("interrupts per request"),
        number("samples"),
        number("outliers"),
        words("hardware?"),
    ];
    table(format!("{what}: medians, and how far the samples lie from them"), rows, head, |row| {
        let one = row.figure.as_ref();
        let speed = figure_of(row).map(|one| with_spread(one.megabytes_per_second, one));
        vec![
            speed.unwrap_or_else(|| "none".to_owned()).into(),
            or_none(row.latency_p50_us),
            or_none(row.latency_p99_us),
            or_none(one.map(|one| one.interrupts_per_request)),
            one.map_or_else(|| "-".to_owned(), |one| one.samples.to_string()).into(),
            one.map_or_else(|| "-".to_owned(), |one| one.outliers.to_string()).into(),
            proof(row.fault.as_deref(), row.evidence),
        ]
    })
}

fn costs(what: &str, rows: &[&Row]) -> Table {
    let head = vec![number("ms/MB"), number("±"), number("context switches per request")];
    table(format!("{what}: CPU time of the whole system for a megabyte"), rows, head, |row| {
        vec![
            or_none(figure_of(row).and_then(|one| one.cpu_ms_per_megabyte)),
            or_none(row.cpu_off_ms_per_megabyte),
            or_none(row.context_switches_per_request),
        ]
    })
}

pub fn proof(fault: Option<&str>, evidence: Option<Evidence>) -> Cell {
    match (fault, evidence) {
        (Some(why), _) => judged(format!("no: {why}"), Tone::Bad),
        (None, None) => "no".into(),
        (None, Some(Evidence::Interrupts)) => judged("yes, by its interrupts", Tone::Good),
        (None, Some(Evidence::Unverified | Evidence::Contradicted)) => judged("unverified", Tone::Doubt),
    }
}
