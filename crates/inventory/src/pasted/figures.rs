//! Figures of `openssl speed` and rngtest, of which only their validity can be told.

use super::{Line, Pasted};

/// Share of the measuring time below which the process cannot have been computing on the CPU.
const BUSY: f64 = 0.5;

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    speed(lines, pasted);
    rngtest(lines, pasted);
}

/// `Doing aes-128-cbc for 3s on 16 size blocks: 108107 aes-128-cbc's in 0.16s`: without -elapsed the
/// last number is the user CPU time of the process, by which the figures are divided.
fn speed(lines: &[Line], pasted: &mut Pasted) {
    let (mut found, mut told) = (0, false);
    for &line in lines {
        let Some((planned, used)) = times_of(line.text) else { continue };
        found += 1;
        if used < planned * BUSY && !told {
            told = true;
            pasted.remark(
                line,
                format!(
                    "openssl speed counted {used} s of CPU time in {planned} s: the kernel did the work, and the figures, \
                     which are divided by that time, are too high; repeat it with -elapsed, or use outboard bench"
                ),
            );
        }
    }
    let rows = lines.iter().filter(|line| is_row(line.text)).count();
    if found + rows == 0 {
        return;
    }
    pasted.recognise("openssl speed", found.max(rows), if found > 0 { "measurement" } else { "row" });
    if !told {
        let line = *lines
            .iter()
            .find(|line| times_of(line.text).is_some() || is_row(line.text))
            .unwrap_or(&lines[0]);
        pasted.remark(line, "figures alone do not show whether hardware was used: outboard prove shows it");
    }
}

/// `aes-128-cbc     501615.36k   539707.75k …`, a row of the table; a figure may be infinite.
fn is_row(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let has_name = words.next().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
    let is_figure = |word: &str| word.strip_suffix('k').is_some_and(|number| number.parse::<f64>().is_ok());
    has_name && words.clone().count() >= 5 && words.all(is_figure)
}

fn times_of(text: &str) -> Option<(f64, f64)> {
    let rest = text.strip_prefix("Doing ")?;
    let (_, rest) = rest.split_once(" for ")?;
    let (planned, rest) = rest.split_once("s on ")?;
    let (_, used) = rest.rsplit_once(" in ")?;
    let used: f64 = used.strip_suffix('s')?.parse().ok()?;
    let planned: f64 = planned.parse().ok()?;
    (planned.is_finite() && used.is_finite() && planned > 0.0 && used >= 0.0).then_some((planned, used))
}

/// rngtest of rng-tools. Of a good source, 8 of 10,000 blocks fail (docs/rng.md).
fn rngtest(lines: &[Line], pasted: &mut Pasted) {
    let number = |what: &str| {
        let start = format!("rngtest: FIPS 140-2 {what}: ");
        let line = *lines.iter().find(|line| line.text.starts_with(&start))?;
        Some((line, line.text[start.len()..].trim().parse::<u64>().ok()?))
    };
    let (Some((_, passed)), Some((line, failed))) = (number("successes"), number("failures")) else { return };
    pasted.recognised.push(format!("rngtest, {} blocks", passed.saturating_add(failed)));
    // More than 1 % is more than ten times what a good source has.
    let is_failing = failed.saturating_mul(100) > passed.saturating_add(failed);
    let verdict = match is_failing {
        true => "far more than the 8 of 10,000 of a good source: do not use this generator",
        false => "as of a good source, of which 8 of 10,000 blocks fail",
    };
    pasted.remark(line, format!("{failed} blocks failed and {passed} passed, {verdict}"));
    if let Some(remark) = pasted.remarks.iter_mut().find(|remark| remark.number == line.number) {
        remark.is_failing_rng = is_failing;
    }
}
