//! Throughput: iperf3, and tables of HTTPS downloads as guides have them.

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

/// Maximum number of lines of a table of downloads.
const MOST_LINES: usize = 60;

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    iperf3(lines, pasted);
    downloads(lines, pasted);
}

/// `[  5]   0.00-1.00   sec  45.6 MBytes   382 Mbits/sec …`; the line with `receiver` is the result.
fn iperf3(lines: &[Line], pasted: &mut Pasted) {
    let rates: Vec<(Line, f64)> =
        lines.iter().filter_map(|&line| Some((line, megabits_of(line.text)?))).collect();
    let Some(&(first, _)) = rates.first() else { return };
    pasted.recognise("iperf3", rates.len(), "interval");
    let total = rates.iter().find(|(line, _)| line.text.ends_with("receiver")).copied();
    let mean = rates.iter().map(|(_, rate)| rate).sum::<f64>() / rates.len() as f64;
    let (line, rate) = total.unwrap_or((first, mean));
    let limit = lines.iter().find_map(|line| {
        let (_, rest) = line.text.split_once("iperf3 ")?;
        rest.split_once("-b ").map(|(_, limit)| limit.split(' ').next().unwrap_or(limit))
    });
    let limited = match limit {
        Some(limit) => {
            format!(
                "; the sender was limited to {limit} by -b, so it is not the most that the machine can do"
            )
        }
        None => String::new(),
    };
    pasted.remark(
        line,
        format!(
            "iperf3 measured {rate:.0} Mbit/s ({:.1} MB/s){limited}; throughput alone does not show whether hardware \
             encrypted: outboard bench ipsec measures each driver, with its interrupts and the CPU time",
            rate / 8.0
        ),
    );
}

fn megabits_of(text: &str) -> Option<f64> {
    let rest = text.strip_prefix('[')?;
    let mut words = rest.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let factor = match words.peek() {
            Some(&"Kbits/sec") => 1e-3,
            Some(&"Mbits/sec") => 1.0,
            Some(&"Gbits/sec") => 1e3,
            _ => continue,
        };
        return word.parse().ok().filter(|rate: &f64| rate.is_finite()).map(|rate| rate * factor);
    }
    None
}

/// A row of a table of downloads: `HW encryption without hashing (cryptodev) 19.9 16.4 47.8`.
struct Download<'a> {
    line: Line<'a>,
    label: &'a str,
    /// CPU use by the program and the kernel, in percent of all CPUs.
    busy: f64,
    /// In MB/s.
    speed: f64,
}

impl Download<'_> {
    fn is_software(&self) -> bool {
        self.label.to_ascii_lowercase().contains("software")
    }
}

/// `Cipher CPU User% CPU Sys% Throughput (MB/s)`, then a line with a cipher before rows of it.
fn downloads(lines: &[Line], pasted: &mut Pasted) {
    let is_head = |line: &Line| {
        let lower = line.text.to_ascii_lowercase();
        ["cpu user", "cpu sys", "throughput"].iter().all(|words| lower.contains(words))
    };
    let mut found = 0;
    for start in (0..lines.len()).filter(|&index| is_head(&lines[index])) {
        let end = lines.len().min(start + 1 + MOST_LINES);
        let part = &lines[start + 1..end];
        let part = &part[..part.iter().position(is_head).unwrap_or(part.len())];
        let mut cipher = "";
        let mut group: Vec<Download> = Vec::new();
        for &line in part {
            match download(line) {
                Some(row) => group.push(row),
                None if line.text.is_empty() => {}
                None => {
                    found += group.len();
                    compare(cipher, &group, pasted);
                    group.clear();
                    cipher = line.text;
                }
            }
        }
        found += group.len();
        compare(cipher, &group, pasted);
    }
    if found > 0 {
        pasted.recognise("a table of HTTPS downloads", found, "row");
    }
}

fn download(line: Line) -> Option<Download> {
    let mut rest = line.text.trim_end_matches([' ', '|']);
    let mut numbers = [0.0; 3];
    for number in numbers.iter_mut().rev() {
        let (before, word) = rest.rsplit_once([' ', '\t', '|']).unwrap_or(("", rest));
        *number = word.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)?;
        rest = before.trim_end_matches([' ', '\t', '|']);
    }
    Some(Download { line, label: rest, busy: numbers[0] + numbers[1], speed: numbers[2] })
}

fn compare(cipher: &str, group: &[Download], pasted: &mut Pasted) {
    let Some(software) = group.iter().find(|row| row.is_software()) else { return };
    for row in group.iter().filter(|row| !row.is_software() && !row.label.is_empty()) {
        if software.speed <= 0.0 || row.speed <= 0.0 || software.busy <= 0.0 {
            continue;
        }
        let speed = row.speed / software.speed;
        let cost = (row.busy / row.speed) / (software.busy / software.speed);
        let verdict = match (speed > 1.0, cost < 1.0) {
            (true, true) => "it wins",
            (true, false) => "it is faster, and costs more CPU time",
            (false, true) => "it is slower, and relieves the CPU",
            (false, false) => "it loses",
        };
        pasted.remark(
            row.line,
            format!(
                "{cipher}, {}: {speed:.2} times the throughput of software, {cost:.2} times its CPU time for each byte: {verdict}",
                row.label
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::recognise;
    use super::super::tests::remarks;

    #[test]
    fn the_receiver_has_the_result_of_iperf3() {
        let text = "[ ID] Interval           Transfer     Bitrate         Retr\n\
                    [  5]   0.00-10.00  sec   560 MBytes   470 Mbits/sec    0             sender\n\
                    [  5]   0.00-10.04  sec   556 MBytes   465 Mbits/sec                  receiver\n";
        assert_eq!(recognise(text).text.recognised, ["iperf3, 2 intervals"]);
        assert!(remarks(text).contains("iperf3 measured 465 Mbit/s (58.1 MB/s);"), "{}", remarks(text));
        assert!(remarks("[SUM]  0.00-1.00  sec  1 GBytes  9.4 Gbits/sec").contains("9400 Mbit/s"));
    }

    #[test]
    fn rows_of_downloads_are_compared_with_software() {
        let text = "Cipher CPU User% CPU Sys% Throughput (MB/s)\nAES128-SHA\nSoftware encryption 40 10 25.0\n\
                    HW encryption 10 10 40.0\nHW with hashing 5 25 20.0\n";
        let all = remarks(text);
        assert!(
            all.contains("AES128-SHA, HW encryption: 1.60 times the throughput of software, 0.25 times"),
            "{all}"
        );
        assert!(all.contains("HW with hashing: 0.80 times") && all.contains("relieves the CPU"), "{all}");
    }
}
