//! The report for people.

use super::proof::{Proof, Verdict, Work};
use crate::columns::aligned;
use std::fmt::Write;

/// The whole report, ending in the verdict.
pub fn render(proof: &Proof) -> String {
    let mut out = format!("\noutboard prove: {}\n\n", proof.command.join(" "));
    if !proof.algorithms.is_empty() {
        out.push_str(&table(proof));
        out.push('\n');
    }
    line(&mut out, "time", &time(proof));
    for text in devices(proof) {
        line(&mut out, "interrupts", &text);
    }
    if let Some(signal) = proof.signal {
        line(&mut out, "command", &format!("ended by signal {signal}"));
    } else if proof.exit_code != 0 {
        line(&mut out, "command", &format!("ended with exit code {}", proof.exit_code));
    }
    // What the verdict says is not said twice.
    for note in proof.notes.iter().filter(|n| !proof.summary.contains(n.as_str())) {
        line(&mut out, "note", note);
    }
    let verdict = match (proof.signal, proof.verdict) {
        // A command that crashed may not have come to its requests: that is no verdict on what
        // hardware would do.
        (Some(signal), Verdict::Software | Verdict::NotLoaded) => format!("ENDED BY SIGNAL {signal}"),
        (_, verdict) => word(verdict).to_owned(),
    };
    let _ = writeln!(out, "\n{verdict}: {}", proof.summary);
    if let (Some(required), false) = (proof.required_percent, proof.requirement_met) {
        let _ = writeln!(out, "FAILED: --require-hardware {required} asked for a proven {required} %.");
    }
    out
}

/// A share, cut and not rounded: 100 % means all of it.
pub fn percent(share: f64) -> String {
    let cut = (share * 10.0).floor() / 10.0;
    if cut == cut.trunc() { format!("{cut:.0} %") } else { format!("{cut:.1} %") }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Hardware => "PROVEN",
        Verdict::Software => "SOFTWARE ONLY",
        Verdict::NotLoaded => "NOT LOADED",
        Verdict::Unverified => "UNVERIFIED",
        Verdict::Contradicted => "CONTRADICTED",
    }
}

fn line(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "  {name:<12}{text}");
}

fn time(proof: &Proof) -> String {
    let mut text = format!("{:.2} s", proof.wall_seconds);
    match proof.cpu_seconds {
        Some(cpu) => {
            let _ = write!(text, ", {cpu:.2} s of CPU time in the whole system");
        }
        None => text.push_str(", CPU time unknown: /proc/stat cannot be read"),
    }
    if let Some(steal) = proof.steal_seconds.filter(|s| *s >= 0.01) {
        let _ = write!(text, ", {steal:.2} s taken by the hypervisor");
    }
    text
}

fn devices(proof: &Proof) -> Vec<String> {
    match &proof.devices {
        None => vec!["unknown: /proc/interrupts cannot be read".to_owned()],
        Some(devices) if devices.is_empty() => vec!["none: no accelerator has a device here".to_owned()],
        Some(devices) => devices
            .iter()
            .map(|d| {
                let used = if d.used { "" } else { ", not used by the command" };
                let gone = if d.gone { ", and it is gone now" } else { "" };
                format!("{} by {} ({}){used}{gone}", d.interrupts, d.name, d.chip.unwrap_or(&d.driver))
            })
            .collect(),
    }
}

fn table(proof: &Proof) -> String {
    let headings =
        ["algorithm", "hardware", "requests", "software", "requests", "by hardware", "failed", "wrong"];
    let mut rows = vec![headings.map(str::to_owned)];
    rows.extend(proof.algorithms.iter().map(|a| row(&a.name, &a.work)));
    if proof.algorithms.len() > 1 {
        rows.push(row("total", &proof.total));
    }
    aligned(&rows, 1..headings.len(), "  ")
}

fn row(name: &str, work: &Work) -> [String; 8] {
    [
        name.to_owned(),
        bytes(work.hardware_bytes),
        work.hardware_requests.to_string(),
        bytes(work.software_bytes),
        work.software_requests.to_string(),
        work.hardware_percent.map_or_else(|| "-".to_owned(), percent),
        work.failures.to_string(),
        work.mismatches.to_string(),
    ]
}

fn bytes(count: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut scaled = count as f64;
    let mut unit = "B";
    for next in units {
        if scaled < 1024.0 {
            break;
        }
        scaled /= 1024.0;
        unit = next;
    }
    if unit == "B" { format!("{count} B") } else { format!("{scaled:.1} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_percent_is_all_of_it() {
        assert_eq!(percent(100.0), "100 %");
        assert_eq!(percent(99.999), "99.9 %");
        assert_eq!(percent(0.04), "0 %");
        assert_eq!(percent(12.34), "12.3 %");
    }

    #[test]
    fn sizes_are_readable() {
        for (count, text) in [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (64 << 20, "64.0 MiB")] {
            assert_eq!(bytes(count), text);
        }
        assert_eq!(bytes(u64::MAX), "16.0 EiB");
    }
}
