//! Formats the results as tables.

use std::fmt::Write;

use outboard_benchmarks::bar;

use crate::bars;
use crate::plan::{Cell, DEPTHS, MeasuredPath, SIZES};
use crate::results::{Figure, Results};

/// Formats one table per interface, then the requirements.
pub fn render(results: &Results) -> String {
    let mut text = format!(
        "Linux {}, {}, {} CPU, {}\nAES-128-CBC encryption in MB/s of wall time: median ± median absolute deviation of {} turns in {:.0} s\n",
        results.kernel, results.cpu, results.cpus, results.driver, results.turns, results.seconds
    );
    for way in
        MeasuredPath::ALL.into_iter().filter(|&way| results.figures.iter().any(|figure| figure.way == way))
    {
        text.push('\n');
        table(&mut text, results, way);
    }
    text.push('\n');
    relative_to_bare(&mut text, results);
    for line in &results.closed {
        let _ = writeln!(text, "not measured: {line}");
    }
    text += &bar::render(&bars::judge(results));
    for warning in &results.warnings {
        let _ = writeln!(text, "WARNING: {warning}");
    }
    text
}

/// Shows the cost of the checks: the speed of /dev/outboard relative to the prototype without
/// checks.
fn relative_to_bare(text: &mut String, results: &Results) {
    for (ours, bare) in
        [(MeasuredPath::InPlace, MeasuredPath::BareInPlace), (MeasuredPath::Copied, MeasuredPath::BareCopied)]
    {
        let ratio = |bytes, depth| {
            bars::ratio(results, Cell { way: ours, bytes, depth }, Cell { way: bare, bytes, depth })
        };
        let is_measured = |&bytes: &usize| DEPTHS.into_iter().any(|depth| ratio(bytes, depth).is_some());
        let sizes: Vec<usize> = SIZES.into_iter().filter(is_measured).collect();
        if sizes.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{}, as a multiple of {}", ours.title(), bare.title());
        grid(text, &sizes, &DEPTHS, |bytes, depth| {
            ratio(bytes, depth).map(|(middle, error)| format!("{middle:.2} ±{error:.2}"))
        });
        text.push('\n');
    }
}

fn table(text: &mut String, results: &Results, way: MeasuredPath) {
    let figures = || results.figures.iter().filter(|figure| figure.way == way);
    let depths: Vec<usize> = DEPTHS.into_iter().filter(|&d| figures().any(|f| f.depth == d)).collect();
    let _ = write!(text, "{:<36}", way.title());
    for depth in &depths {
        let _ = write!(text, "{:>16}", format!("depth {depth}"));
    }
    text.push('\n');
    let is_measured = |&bytes: &usize| figures().any(|figure| figure.bytes == bytes);
    let sizes: Vec<usize> = SIZES.into_iter().filter(is_measured).collect();
    grid(text, &sizes, &depths, |bytes, depth| {
        let figure = results.get(way, bytes, depth)?;
        Some(format!("{} ±{}", number(figure.megabytes_per_second), number(figure.mad)))
    });
    let sum = |of: fn(&Figure) -> u64| figures().map(of).sum::<u64>() as f64;
    let each = sum(|figure| figure.interrupts) / sum(|figure| figure.requests);
    let _ = writeln!(text, "{:>36}{each:>16.2} interrupts for each request", "");
}

/// Formats a line for each size, with a cell for each depth.
fn grid(text: &mut String, sizes: &[usize], depths: &[usize], cell: impl Fn(usize, usize) -> Option<String>) {
    for &bytes in sizes {
        let _ = write!(text, "{bytes:>34} B");
        for &depth in depths {
            let _ = write!(text, "{:>16}", cell(bytes, depth).unwrap_or_default());
        }
        text.push('\n');
    }
}

/// Formats a value with two decimals below 1, with one below 100, otherwise with none.
fn number(value: f64) -> String {
    let digits = if value < 1.0 {
        2
    } else if value < 100.0 {
        1
    } else {
        0
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_what_was_measured_and_every_bar() {
        let mut results = Results::new("a-driver", vec!["AF_ALG: closed".to_owned()]);
        for sample in [27.0, 28.0, 30.0] {
            results.figure(Cell { way: MeasuredPath::Copied, bytes: 1024, depth: 1 }).add(sample, 100, 90);
        }
        for sample in [39.0, 40.0, 42.0] {
            results.figure(Cell { way: MeasuredPath::Tcrypt, bytes: 1024, depth: 1 }).add(sample, 504, 500);
        }
        results.figure(Cell { way: MeasuredPath::BareCopied, bytes: 1024, depth: 1 }).add(30.0, 100, 90);
        results.warnings.push("a noise".to_owned());
        let text = render(&results);
        for part in [
            "a-driver",
            "28.0 ±1.0",
            "0.90 interrupts for each request",
            "not measured: AF_ALG: closed",
            "met      0.70 ±0.01  (at least 0.70)  /dev/outboard, copied in and out: 1024 B, depth 1, part of tcrypt",
            "/dev/outboard, copied in and out, as a multiple of the bare prototype, copied\n",
            "                              1024 B      0.90 ±0.00 ",
            "Bars: 1 met, 0 missed, 3 unknown",
            "WARNING: a noise",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(!text.contains("/dev/crypto") && !text.contains("the bare prototype, in place"));
    }
}
