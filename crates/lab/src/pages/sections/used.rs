//! Do applications use it?

use crate::documents::Report;
use outboard_documents::prove::{AlgorithmWork, ProofVerdict, Prove};

use super::not_given;
use crate::pages::page::{Cell, Section, Tone, figure, judged, number, words};
use outboard_console::{amount, percent};

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("used", "Do applications use it?");
    if report.proofs.is_empty() {
        not_given(&mut section, "a proof");
        return section;
    }
    section.text("Each of these commands was run with the provider. Bytes count as hardware's only with interrupts of its devices.");
    let head = vec![
        words("command"),
        words("verdict"),
        number("exit code"),
        number("seconds"),
        number("seconds without the provider"),
        number("CPU seconds"),
        number("CPU seconds without the provider"),
        number("interrupts"),
    ];
    let caption = "Proofs; CPU time is that of the whole system";
    section.table(caption, head, report.proofs.iter().map(row).collect());
    if report.proofs.iter().any(|proof| proof.software.is_none()) {
        section
            .text("outboard prove --compare also runs the command without the provider and shows that time.");
    }
    for proof in &report.proofs {
        one(&mut section, proof);
    }
    section
}

fn row(proof: &Prove) -> Vec<Cell> {
    let tone = match proof.verdict {
        ProofVerdict::Hardware => Tone::Good,
        ProofVerdict::Software => Tone::Plain,
        ProofVerdict::Partly | ProofVerdict::NotLoaded | ProofVerdict::Unverified => Tone::Doubt,
        ProofVerdict::Wrong | ProofVerdict::Contradicted => Tone::Bad,
    };
    let or_none = |value: Option<String>| Cell::from(value.unwrap_or_else(|| "-".to_owned()));
    let software = proof.software.as_ref();
    vec![
        proof.command_line().into(),
        judged(proof.verdict.words(), tone),
        proof.exit_code.to_string().into(),
        figure(proof.wall_seconds).into(),
        or_none(software.map(|run| figure(run.wall_seconds))),
        or_none(proof.cpu_seconds.map(figure)),
        or_none(software.and_then(|run| run.cpu_seconds).map(figure)),
        or_none(proof.interrupts().map(|count| count.to_string())),
    ]
}

fn one(section: &mut Section, proof: &Prove) {
    match proof.verdict {
        ProofVerdict::Wrong => {
            section.note(format!("Wrong result in {}: {}", proof.command_line(), proof.summary))
        }
        _ => section.text(format!("{}: {}", proof.command_line(), proof.summary)),
    }
    let head = vec![
        words("algorithm"),
        number("by hardware"),
        number("hardware"),
        number("requests"),
        number("software"),
        number("requests"),
        number("failed"),
        number("wrong"),
    ];
    section.table("Work by algorithm", head, proof.algorithms.iter().map(share).collect());
    if let Some(source) = &proof.seed_source {
        section.text(format!(
            "The seed source OUTBOARD-HWRNG delivered {} bytes in {} seeds. Health tests failed {} times, {} requests got no bytes for \
             another reason, and the source was not available {} times.",
            source.bytes, source.seeds, source.health_failures, source.failures, source.unavailable
        ));
    }
    if proof.algorithms.iter().any(|algorithm| algorithm.work.has_ahead()) {
        let head = vec![
            words("algorithm"),
            number("with key stream"),
            number("requests"),
            number("directly"),
            number("requests"),
            number("misses"),
            number("key stream computed"),
            number("discarded"),
        ];
        let with_ahead = proof.algorithms.iter().filter(|algorithm| algorithm.work.has_ahead());
        section.table("Look-ahead: how hardware was used", head, with_ahead.map(ahead).collect());
    }
    section.list(proof.notes.clone());
}

fn share(algorithm: &AlgorithmWork) -> Vec<Cell> {
    let one = &algorithm.work;
    let bad = |count: u64| judged(count.to_string(), if count > 0 { Tone::Bad } else { Tone::Plain });
    vec![
        algorithm.name.as_str().into(),
        one.hardware_percent.map_or_else(|| "-".to_owned(), percent).into(),
        amount(one.hardware_bytes).into(),
        one.hardware_requests.to_string().into(),
        amount(one.software_bytes).into(),
        one.software_requests.to_string().into(),
        bad(one.failures),
        bad(one.mismatches),
    ]
}

fn ahead(algorithm: &AlgorithmWork) -> Vec<Cell> {
    let (one, (requests, bytes)) = (&algorithm.work.ahead, algorithm.work.direct());
    vec![
        algorithm.name.as_str().into(),
        amount(one.ahead_bytes).into(),
        one.ahead_requests.to_string().into(),
        amount(bytes).into(),
        requests.to_string().into(),
        one.ahead_misses.to_string().into(),
        amount(one.key_stream_generated).into(),
        amount(one.key_stream_discarded).into(),
    ]
}
