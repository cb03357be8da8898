//! Curves of a figure against the size of a request, on logarithmic scales, and the same as a
//! table.

pub mod benchmark;

use outboard_documents::tune::{DirectionResult, Lookahead, Point, TunedCipher};
use outboard_documents::{Figure, SpeedVerdict};

use crate::pages::page::{Cell, Column, Table, Tone, figure, judged, number, with_spread, words};
use outboard_console::size as bytes;

pub struct Plot {
    pub title: String,
    pub description: String,
    pub caption: String,
    pub unit: &'static str,
    pub axis: Axis,
    pub curves: Vec<Curve>,
    /// The size from which hardware wins.
    pub crossover: Option<u64>,
    pub figures: Table,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    Bytes,
    Requests,
}

impl Axis {
    pub fn name(self) -> &'static str {
        match self {
            Axis::Bytes => "bytes in a request",
            Axis::Requests => "requests in flight",
        }
    }

    pub fn value(self, value: f64) -> String {
        match self {
            Axis::Bytes => bytes(value as u64),
            Axis::Requests => format!("{value}"),
        }
    }
}

pub struct Curve {
    pub name: String,
    /// CSS class, which selects colour, dashes and marks: `software`, `without`, `hardware`,
    /// `deep`, `third` or `kernel`.
    pub class: &'static str,
    /// The points in ascending order on the axis.
    pub points: Vec<Sample>,
}

#[derive(Clone, Copy)]
pub struct Sample {
    pub at: f64,
    pub value: f64,
    /// Half the length of the error bar; 0 for none.
    pub off: f64,
}

type Value = fn(&Figure) -> Option<(f64, f64)>;

fn speed_of(figure: &Figure) -> Option<(f64, f64)> {
    let speed = figure.megabytes_per_second;
    Some((speed, speed * figure.spread))
}

/// Returns plots of the throughput, and of the CPU time if it is known.
pub fn of(cipher: &TunedCipher, verb: &str, result: &DirectionResult) -> Vec<Plot> {
    let what = match verb {
        "encrypt" => format!("{} encryption", cipher.name),
        _ => format!("{} decryption", cipher.name),
    };
    both_sides(&what, ["software", "hardware"], result)
}

/// Returns plots of the provider with and without look-ahead.
pub fn of_lookahead(one: &Lookahead) -> Vec<Plot> {
    let names = ["without", "look-ahead"];
    let mut plots = both_sides(&format!("{} with look-ahead", one.name), names, &one.requests);
    if let Some(connections) = &one.connections {
        let what = format!("{} with look-ahead, bytes with one key", one.name);
        plots.extend(both_sides(&what, names, connections).into_iter().take(1));
    }
    plots
}

fn both_sides(what: &str, names: [&'static str; 2], result: &DirectionResult) -> Vec<Plot> {
    let kinds: [(&str, &'static str, Value); 2] = [
        ("throughput", "MB/s", speed_of),
        ("CPU time of the whole system", "ms of CPU time per MB", |figure| {
            Some((figure.cpu_ms_per_megabyte?, 0.0))
        }),
    ];
    let plots = kinds.into_iter().map(|(kind, unit, value)| {
        let mut curves = vec![
            curve(names[0], "software", result, |point| value(&point.software)),
            curve(names[1], "hardware", result, |point| value(&point.hardware)),
        ];
        curves.retain(|curve| !curve.points.is_empty());
        let is_throughput = unit == "MB/s";
        let crossover = result.from.filter(|_| is_throughput && !result.undecided);
        let caption = match is_throughput {
            true => format!("{what}: {kind} by size of a request; {}.", result.threshold()),
            false => format!("{what}: {kind} for a megabyte (10^6 bytes); less is better."),
        };
        let figures = if is_throughput { throughput(what, result) } else { cost(what, result) };
        let description =
            format!("{} Decision: {}.", described(&curves, unit, Axis::Bytes), result.threshold());
        Plot {
            title: format!("{what}, {kind} by size"),
            description,
            caption,
            unit,
            axis: Axis::Bytes,
            curves,
            crossover: crossover.map(|from| from as u64),
            figures,
        }
    });
    plots.filter(|plot| !plot.curves.is_empty()).collect()
}

impl Plot {
    pub fn table(&self) -> &Table {
        &self.figures
    }
}

fn curve(
    name: &'static str,
    class: &'static str,
    result: &DirectionResult,
    value: impl Fn(&Point) -> Option<(f64, f64)>,
) -> Curve {
    let points =
        result.by_size().into_iter().filter_map(|point| Sample::new(point.bytes as f64, value(point)?));
    Curve { name: name.to_owned(), class, points: points.collect() }
}

impl Sample {
    /// Returns `None` for values without a logarithm.
    fn new(at: f64, (value, off): (f64, f64)) -> Option<Sample> {
        let off = if off.is_finite() { off.abs() } else { 0.0 };
        let is_shown = at > 0.0 && value > 0.0 && (value + off).is_finite();
        is_shown.then_some(Sample { at, value, off })
    }
}

fn described(curves: &[Curve], unit: &str, axis: Axis) -> String {
    let ends = curves.iter().filter_map(|curve| {
        let (first, last) = (curve.points.first()?, curve.points.last()?);
        Some(format!(
            "{}: {} {unit} at {} to {} {unit} at {}",
            curve.name,
            figure(first.value),
            axis.value(first.at),
            figure(last.value),
            axis.value(last.at)
        ))
    });
    format!("{}.", ends.collect::<Vec<_>>().join("; "))
}

fn rows(result: &DirectionResult, cells: impl Fn(&Point) -> Vec<Cell>) -> Vec<Vec<Cell>> {
    let row = |point: &Point| {
        let mut row = vec![Cell::from(bytes(point.bytes as u64))];
        row.extend(cells(point));
        row
    };
    result.by_size().into_iter().map(row).collect()
}

fn throughput(what: &str, result: &DirectionResult) -> Table {
    let speed = |of: &Figure| Cell::from(with_spread(of.megabytes_per_second, of));
    let head: Vec<Column> = vec![
        number("size"),
        number("software MB/s"),
        number("hardware MB/s"),
        number("interrupts per request"),
        number("samples"),
        number("outliers"),
        words("faster"),
    ];
    let rows = rows(result, |point| {
        vec![
            speed(&point.software),
            speed(&point.hardware),
            figure(point.hardware.interrupts_per_request).into(),
            format!("{} + {}", point.software.samples, point.hardware.samples).into(),
            format!("{} + {}", point.software.outliers, point.hardware.outliers).into(),
            verdict(point),
        ]
    });
    Table { caption: format!("{what}: medians, and how far the samples lie from them"), head, rows }
}

fn cost(what: &str, result: &DirectionResult) -> Table {
    let ms = |of: &Figure| Cell::from(of.cpu_ms_per_megabyte.map_or_else(|| "-".to_owned(), figure));
    let head = vec![number("size"), number("software ms/MB"), number("hardware ms/MB")];
    let rows = rows(result, |point| vec![ms(&point.software), ms(&point.hardware)]);
    Table { caption: format!("{what}: CPU time of the whole system for a megabyte"), head, rows }
}

fn verdict(point: &Point) -> Cell {
    let tone = match point.verdict {
        SpeedVerdict::Wins => Tone::Good,
        SpeedVerdict::Unclear => Tone::Doubt,
        SpeedVerdict::Even | SpeedVerdict::Loses => Tone::Plain,
    };
    match &point.refused {
        Some(why) => judged(format!("refused: {why}"), Tone::Bad),
        None => judged(point.verdict.words(), tone),
    }
}
