//! The output of `openssl speed`: what its figures are divided by, the figures by the clock, and
//! the comparison of two rows.

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

/// Share of the measuring time below which the process cannot have been computing on the CPU.
const BUSY: f64 = 0.5;
/// The sizes of the columns of a row without its heading.
const SIZES: [u32; 6] = [16, 64, 256, 1024, 8192, 16384];
/// Relative difference of two figures that says nothing.
const SAME: f64 = 0.05;
const MOST_PAIRS: usize = 4;

/// `Doing aes-128-cbc for 3s on 16 size blocks: 108107 aes-128-cbc's in 0.16s`: without -elapsed the
/// last number is the user CPU time of the process, by which the figures are divided.
struct Measurement {
    size: u32,
    count: f64,
    planned: f64,
    used: f64,
}

impl Measurement {
    /// In MB/s of wall time.
    fn by_the_clock(&self) -> f64 {
        self.count * f64::from(self.size) / self.planned / 1e6
    }
}

struct Figures<'a> {
    line: Line<'a>,
    cipher: &'a str,
    speeds: Vec<(u32, f64)>,
    /// Whether they are of a row, whose divisor is not known.
    is_row: bool,
}

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    let runs = runs(lines);
    let rows: Vec<Figures> = lines.iter().filter_map(|&line| row(line)).collect();
    let measurements: usize = runs.iter().map(|(_, run)| run.len()).sum();
    if measurements + rows.len() == 0 {
        return;
    }
    let (count, unit) = if measurements > 0 { (measurements, "measurement") } else { (rows.len(), "row") };
    pasted.recognise("openssl speed", count, unit);
    let before = pasted.text.remarks.len();
    for (figures, run) in &runs {
        divided_by_cpu_time(figures.line, run, pasted);
    }
    // The first row after a run is its own.
    let is_of_run = |row: &Figures| {
        let run = runs.iter().rev().find(|(run, _)| run.line.number < row.line.number);
        run.is_some_and(|(run, _)| {
            let is_between =
                |other: &&Figures| (run.line.number..row.line.number).contains(&other.line.number);
            run.cipher == row.cipher && !rows.iter().any(|other| is_between(&other))
        })
    };
    let alone: Vec<&Figures> = rows.iter().filter(|row| !is_of_run(row)).collect();
    for row in alone.iter().filter(|row| row.speeds.iter().any(|(_, speed)| speed.is_infinite())) {
        pasted.remark(
            row.line,
            "infk is bytes divided by no CPU time at all: the kernel did the work; repeat it with -elapsed",
        );
    }
    let is_explained = pasted.text.remarks.len() > before;
    let mut compared: Vec<&Figures> = runs.iter().map(|(figures, _)| figures).chain(alone).collect();
    compared.sort_by_key(|figures| figures.line.number);
    compare(&compared, pasted);
    if !is_explained {
        let line = compared.first().map_or(lines[0], |figures| figures.line);
        pasted.remark(line, "figures alone do not show whether hardware was used: outboard prove shows it");
    }
}

fn runs<'a>(lines: &[Line<'a>]) -> Vec<(Figures<'a>, Vec<Measurement>)> {
    let mut runs: Vec<(Figures, Vec<Measurement>)> = Vec::new();
    for &line in lines {
        let Some((cipher, measurement)) = measurement(line.text) else { continue };
        let (size, speed) = (measurement.size, measurement.by_the_clock());
        let last = runs.last_mut().filter(|(figures, run)| {
            figures.cipher == cipher && run.last().is_some_and(|last| last.size < size)
        });
        match last {
            Some((figures, run)) => {
                figures.speeds.push((size, speed));
                run.push(measurement);
            }
            None => {
                let figures = Figures { line, cipher, speeds: vec![(size, speed)], is_row: false };
                runs.push((figures, vec![measurement]));
            }
        }
    }
    runs
}

fn measurement(text: &str) -> Option<(&str, Measurement)> {
    let (cipher, rest) = text.strip_prefix("Doing ")?.split_once(" for ")?;
    let (planned, rest) = rest.split_once("s on ")?;
    let (size, rest) = rest.split_once(" size blocks: ")?;
    let (count, rest) = rest.split_once(' ')?;
    let (_, used) = rest.rsplit_once(" in ")?;
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
    let planned = number(planned).filter(|planned| *planned > 0.0)?;
    let used = number(used.strip_suffix('s')?)?;
    Some((cipher, Measurement { size: size.parse().ok()?, count: number(count)?, planned, used }))
}

/// `aes-128-cbc     501615.36k   539707.75k …`, a row of the table; a figure may be infinite.
fn row(line: Line) -> Option<Figures> {
    let mut words = line.text.split_whitespace();
    let cipher = words.next().filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    let speeds: Vec<f64> = words
        .map(|word| word.strip_suffix('k')?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1e3))
        .collect::<Option<_>>()?;
    let is_row = (5..=SIZES.len()).contains(&speeds.len());
    is_row.then(|| Figures { line, cipher, speeds: SIZES.into_iter().zip(speeds).collect(), is_row: true })
}

fn divided_by_cpu_time(line: Line, run: &[Measurement], pasted: &mut Pasted) {
    let Some(first) = run.iter().find(|one| one.used < one.planned * BUSY) else { return };
    let truth = |one: &Measurement| format!("{} MB/s at {} bytes", rounded(one.by_the_clock()), one.size);
    let truths = match run {
        [one] => truth(one),
        [first, .., last] => format!("{} and {}", truth(first), truth(last)),
        [] => return,
    };
    pasted.remark(
        line,
        format!(
            "openssl speed counted {} s of CPU time in {} s: the kernel did the work, and the figures, which are divided by \
             that time, are too high; by the clock it was {truths}; repeat it with -elapsed, or use outboard bench",
            first.used, first.planned
        ),
    );
}

/// Each figure with the one of the same cipher before it. Rows without counts may be divided by
/// different times.
fn compare(all: &[&Figures], pasted: &mut Pasted) {
    let mut pairs = 0;
    for (index, after) in all.iter().enumerate() {
        let Some(before) = all[..index].iter().rev().find(|other| other.cipher == after.cipher) else {
            continue;
        };
        let ratios: Vec<(u32, f64)> = after
            .speeds
            .iter()
            .filter_map(|(size, speed)| {
                let (_, other) = before.speeds.iter().find(|(other, _)| other == size)?;
                Some((*size, speed / other)).filter(|(_, ratio)| ratio.is_finite() && *ratio > 0.0)
            })
            .collect();
        let ([first, .., last], true) = (&ratios[..], pairs < MOST_PAIRS) else { continue };
        pairs += 1;
        let verdict = verdict(&ratios);
        let both = match before.is_row || after.is_row {
            true => ", if both were measured with -elapsed",
            false => "",
        };
        pasted.remark(
            after.line,
            format!(
                "compared with line {}, {} is {verdict}: {:.2} times at {} bytes, {:.2} times at {}{both}",
                before.line.number, after.cipher, first.1, first.0, last.1, last.0
            ),
        );
    }
}

/// What the ratios at rising sizes show. Differences below [`SAME`] are noise.
fn verdict(ratios: &[(u32, f64)]) -> String {
    let wins = |&(_, ratio): &(u32, f64)| ratio > 1.0 + SAME;
    let loses = |&(_, ratio): &(u32, f64)| ratio < 1.0 - SAME;
    if !ratios.iter().any(wins) {
        let text = match (ratios.iter().any(loses), ratios.iter().all(loses)) {
            (_, true) => "slower at every size",
            (true, false) => "not faster at any size",
            (false, false) => "as fast",
        };
        return text.into();
    }
    if ratios.iter().all(wins) {
        return "faster at every size".into();
    }
    let (first, last) = (ratios.iter().position(wins), ratios.iter().rposition(wins));
    match (first, last) {
        (Some(first), _) if ratios[first..].iter().all(wins) => {
            format!("faster from {} bytes on", ratios[first].0)
        }
        (_, Some(last)) if ratios[..=last].iter().all(wins) => {
            format!("faster up to {} bytes", ratios[last].0)
        }
        _ => "faster at some sizes only".into(),
    }
}

fn rounded(speed: f64) -> String {
    if speed < 10.0 { format!("{speed:.1}") } else { format!("{speed:.0}") }
}

#[cfg(test)]
mod tests {
    use super::super::tests::remarks;

    fn doing(size: u32, count: u32, used: &str) -> String {
        format!("Doing aes-128-cbc for 3s on {size} size blocks: {count} aes-128-cbc's in {used}s\n")
    }

    #[test]
    fn figures_divided_by_cpu_time_are_shown_with_those_by_the_clock() {
        let all = remarks(&(doing(16, 108_107, "0.16") + &doing(8192, 4879, "0.02")));
        assert!(
            all.contains("0.6 MB/s at 16 bytes and 13 MB/s at 8192 bytes; repeat it with -elapsed"),
            "{all}"
        );
        let software = remarks(&doing(16, 1, "2.99"));
        assert!(!software.contains("-elapsed") && software.contains("outboard prove"), "{software}");
    }

    #[test]
    fn two_runs_are_compared_by_the_clock() {
        let software = doing(16, 300, "2.99") + &doing(1024, 300, "3.00") + &doing(8192, 300, "3.00");
        let hardware = doing(16, 30, "0.10") + &doing(1024, 450, "0.10") + &doing(8192, 900, "0.01");
        let all = remarks(&(software.clone() + &hardware));
        assert!(
            all.contains("compared with line 1, aes-128-cbc is faster from 1024 bytes on: 0.10 times at 16 bytes, 3.00 times"),
            "{all}"
        );
        let all = remarks(&(hardware.clone() + &software));
        assert!(all.contains("faster up to 16 bytes"), "{all}");
        let all = remarks(&(hardware.clone() + &hardware));
        assert!(all.contains("aes-128-cbc is as fast: 1.00 times"), "{all}");
    }

    #[test]
    fn two_rows_are_compared_if_their_figures_are_finite() {
        let row = |factor: u32| {
            format!("aes-128-cbc {factor}00.5k {factor}00k {factor}00k {factor}00k {factor}00.00k\n")
        };
        let all = remarks(&(row(4) + &row(2)));
        assert!(all.contains("slower at every size: 0.50 times") && all.contains("-elapsed"), "{all}");
        let all = remarks(&(doing(16, 9, "3.00") + &row(1) + "and then\n" + &row(4) + &row(2)));
        assert!(all.contains("compared with line 4, aes-128-cbc is slower at every size"), "{all}");
        let all = remarks("aes-256-ctr 1.0k 1.0k 1.0k 1.0k infk infk\n");
        assert!(all.contains("divided by no CPU time"), "{all}");
    }
}
