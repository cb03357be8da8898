//! Is it used?

use super::not_given;
use crate::document::Report;
use crate::page::{Cell, Section, Tone, figure, judged, number, words};
use crate::parts::prove::{Algorithm, Prove, Verdict};

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("used", "Do applications use it?");
    if report.proofs.is_empty() {
        not_given(&mut section, "a proof");
        return section;
    }
    section.text("Each of these commands was run with the provider; bytes that hardware is said to have done need its interrupts.");
    let head = vec![
        words("command"),
        words("verdict"),
        number("exit code"),
        number("seconds"),
        number("CPU seconds, whole system"),
        number("interrupts"),
    ];
    section.table("Proofs", head, report.proofs.iter().map(row).collect());
    for proof in &report.proofs {
        one(&mut section, proof);
    }
    section
}

fn row(proof: &Prove) -> Vec<Cell> {
    let tone = match proof.verdict {
        Verdict::Hardware => Tone::Good,
        Verdict::Software => Tone::Plain,
        Verdict::NotLoaded | Verdict::Unverified => Tone::Doubt,
        Verdict::Contradicted => Tone::Bad,
    };
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    vec![
        proof.command_line().into(),
        judged(proof.verdict.words(), tone),
        proof.exit_code.to_string().into(),
        figure(proof.wall_seconds).into(),
        or_none(proof.cpu_seconds.map(figure)).into(),
        or_none(proof.interrupts().map(|count| count.to_string())).into(),
    ]
}

fn one(section: &mut Section, proof: &Prove) {
    section.text(format!("{}: {}", proof.command_line(), proof.summary));
    let head = vec![
        words("algorithm"),
        number("hardware, MB"),
        number("hardware, requests"),
        number("software, MB"),
        number("software, requests"),
        number("by hardware"),
        number("failed"),
        number("wrong"),
    ];
    let caption = format!("What was done for {}", proof.command_line());
    section.table(caption, head, proof.algorithms.iter().map(share).collect());
    section.list(proof.notes.clone());
}

fn share(one: &Algorithm) -> Vec<Cell> {
    let bad = |count: u64| judged(count.to_string(), if count > 0 { Tone::Bad } else { Tone::Plain });
    let percent = one.hardware_percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:.1} %"));
    vec![
        one.name.as_str().into(),
        figure(one.hardware_bytes as f64 / 1e6).into(),
        one.hardware_requests.to_string().into(),
        figure(one.software_bytes as f64 / 1e6).into(),
        one.software_requests.to_string().into(),
        percent.into(),
        bad(one.failures),
        bad(one.mismatches),
    ]
}
