//! Formats the proof as text.

use std::fmt::Write;

use outboard_console::{aligned, first_of};
use outboard_console::{amount, percent};
use outboard_documents::prove::Work;
use outboard_documents::prove::{ProofVerdict, Prove};

use crate::commands::rng::seed_source::seed_text;

pub fn render(proof: &Prove, verbose: bool) -> String {
    let subject = match &proof.service {
        Some(service) => format!("service {} ({})", service.name, service.units.join(", ")),
        None => proof.command.join(" "),
    };
    let mut out = format!("\noutboard prove: {subject}\n\n");
    if proof.verdict == ProofVerdict::Wrong {
        let _ = writeln!(out, "{}: {}\n", word(proof.verdict), proof.summary);
    }
    if !proof.algorithms.is_empty() {
        out.push_str(&table(proof));
        out.push('\n');
        if proof.total.has_ahead() {
            out.push_str(&ahead_table(proof));
            out.push('\n');
        }
    }
    line(&mut out, "time", &time(proof));
    if let Some(service) = &proof.service {
        let cpu = service.cpu_seconds.map_or("unknown".to_owned(), |cpu| format!("{cpu:.2} s"));
        line(&mut out, "service", &format!("{cpu} of CPU time"));
    }
    if let Some(software) = &proof.software {
        let cpu = software.cpu_seconds.map(|cpu| format!(", {cpu:.2} s of CPU time")).unwrap_or_default();
        line(&mut out, "software", &format!("{:.2} s{cpu}, without the provider", software.wall_seconds));
        if software.exit_code != proof.exit_code {
            line(&mut out, "", &format!("the command ended with exit code {} there", software.exit_code));
        }
    }
    if let Some(source) = &proof.seed_source {
        line(&mut out, "seed source", &seed_text(source));
    }
    for text in devices(proof) {
        line(&mut out, "interrupts", &text);
    }
    if let Some(signal) = proof.signal {
        line(&mut out, "command", &format!("ended by signal {signal}"));
    } else if proof.exit_code != 0 {
        line(&mut out, "command", &format!("ended with exit code {}", proof.exit_code));
    }
    // Notes that are part of the summary are not repeated.
    let notes: Vec<String> =
        proof.notes.iter().filter(|n| !proof.summary.contains(n.as_str())).cloned().collect();
    let notes = first_of(&if verbose { notes } else { reasons_first(notes) }, "note", "--verbose", verbose);
    notes.shown.iter().for_each(|note| line(&mut out, "note", note));
    notes.more.iter().for_each(|more| line(&mut out, "", more));
    if proof.verdict != ProofVerdict::Wrong {
        let verdict = match (proof.signal, proof.verdict) {
            // A command that crashed may have made no requests yet, so there is no verdict on the
            // hardware.
            (Some(signal), ProofVerdict::Software | ProofVerdict::NotLoaded) => {
                format!("ENDED BY SIGNAL {signal}")
            }
            (_, verdict) => word(verdict).to_owned(),
        };
        let _ = writeln!(out, "\n{verdict}: {}", proof.summary);
    }
    if let (Some(required), false) = (proof.required_percent, proof.requirement_met) {
        let _ = writeln!(
            out,
            "FAILED: --require-hardware {required} requires {required} %, confirmed by interrupts."
        );
    }
    out
}

/// The notes with the drivers that were chosen as the last one: reasons are more important.
fn reasons_first(notes: Vec<String>) -> Vec<String> {
    const CHOSEN: &str = "chosen: ";
    let (chosen, mut others): (Vec<String>, Vec<String>) =
        notes.into_iter().partition(|note| note.starts_with(CHOSEN));
    let drivers: Vec<&str> = chosen.iter().filter_map(|note| note.strip_prefix(CHOSEN)).collect();
    if !drivers.is_empty() {
        others.push(format!("{CHOSEN}{}", drivers.join(", ")));
    }
    others
}

fn word(verdict: ProofVerdict) -> &'static str {
    match verdict {
        ProofVerdict::Wrong => "WRONG RESULT",
        ProofVerdict::Hardware => "PROVEN",
        ProofVerdict::Partly => "PARTLY",
        ProofVerdict::Software => "SOFTWARE ONLY",
        ProofVerdict::NotLoaded => "NOT LOADED",
        ProofVerdict::Unverified => "UNVERIFIED",
        ProofVerdict::Contradicted => "CONTRADICTED",
    }
}

fn line(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "  {name:<12}{text}");
}

fn time(proof: &Prove) -> String {
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

fn devices(proof: &Prove) -> Vec<String> {
    match &proof.devices {
        None => vec!["unknown: /proc/interrupts cannot be read".to_owned()],
        Some(devices) if devices.is_empty() => vec!["none: no accelerator has a device here".to_owned()],
        Some(devices) => devices
            .iter()
            .map(|d| {
                let used = match (d.used, &proof.service) {
                    (true, _) => "",
                    (false, None) => ", not used by the command",
                    (false, Some(_)) => ", not used by the service",
                };
                let gone = if d.gone { ", and it is gone now" } else { "" };
                format!(
                    "{} by {} ({}){used}{gone}",
                    d.interrupts,
                    d.name,
                    d.chip.as_ref().unwrap_or(&d.driver)
                )
            })
            .collect(),
    }
}

fn table(proof: &Prove) -> String {
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
        amount(work.hardware_bytes),
        work.hardware_requests.to_string(),
        amount(work.software_bytes),
        work.software_requests.to_string(),
        work.hardware_percent.map_or_else(|| "-".to_owned(), percent),
        work.failures.to_string(),
        work.mismatches.to_string(),
    ]
}

/// Formats how the bytes of hardware were processed: with key stream from look-ahead or directly.
fn ahead_table(proof: &Prove) -> String {
    let headings =
        ["look-ahead", "ahead", "requests", "direct", "requests", "misses", "key stream", "discarded"];
    let mut rows = vec![headings.map(str::to_owned)];
    let with_ahead = proof.algorithms.iter().filter(|algorithm| algorithm.work.has_ahead());
    rows.extend(with_ahead.map(|algorithm| ahead_row(&algorithm.name, &algorithm.work)));
    aligned(&rows, 1..headings.len(), "  ")
}

fn ahead_row(name: &str, work: &Work) -> [String; 8] {
    let (ahead, (requests, bytes)) = (&work.ahead, work.direct());
    [
        name.to_owned(),
        amount(ahead.ahead_bytes),
        ahead.ahead_requests.to_string(),
        amount(bytes),
        requests.to_string(),
        ahead.ahead_misses.to_string(),
        amount(ahead.key_stream_generated),
        amount(ahead.key_stream_discarded),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drivers_that_were_chosen_do_not_hide_a_reason() {
        let notes =
            ["chosen: driver a over /dev/outboard", "chosen: driver b over /dev/outboard", "a reason"];
        let all = reasons_first(notes.map(str::to_owned).into());
        assert_eq!(all, ["a reason", "chosen: driver a over /dev/outboard, driver b over /dev/outboard"]);
        assert!(reasons_first(Vec::new()).is_empty());
    }
}
