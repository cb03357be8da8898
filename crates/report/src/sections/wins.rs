//! Where does it win?

use outboard_documents::Report;
use outboard_documents::tune::{DirectionResult, Lookahead, Tune, TunedCipher};

use super::not_given;
use crate::page::{Block, Cell, Section, Tone, bytes, count, judged, number, percent, words};
use crate::plot;

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("wins", "Where does it win?");
    if report.tunes.is_empty() {
        not_given(&mut section, "a measurement");
    }
    report.tunes.iter().for_each(|tune| one(&mut section, tune));
    section
}

fn one(section: &mut Section, tune: &Tune) {
    section.text(format!(
        "Measured {} on Linux {}; winning is {}.",
        tune.made,
        tune.machine.kernel,
        tune.goal.criterion()
    ));
    if tune.interrupted {
        section.note("The measurement was interrupted: ciphers may be missing, and nothing was written.");
    }
    if !tune.warnings.is_empty() {
        section.note(format!(
            "The figures may be unreliable: see {} under How it was measured.",
            count(tune.warnings.len() as u64, "warning")
        ));
    }
    let head = vec![
        words("cipher"),
        words("encryption"),
        words("decryption"),
        words("encryption, 16 at once"),
        words("driver"),
        words("over"),
    ];
    section.table("Decisions", head, tune.ciphers.iter().map(row).collect());
    section.list(tune.ciphers.iter().map(|cipher| cipher.sentence.clone()).collect());
    if !tune.lookahead.is_empty() {
        look_ahead(section, tune);
    }
    if !tune.reasons.is_empty() {
        section.text("Why ciphers are missing:");
        section.list(tune.reasons.clone());
    }
    let plots: Vec<_> = tune
        .ciphers
        .iter()
        .flat_map(|cipher| cipher.ways().map(|(verb, result)| plot::of(cipher, verb, result)))
        .chain(tune.lookahead.iter().map(plot::of_lookahead))
        .flatten()
        .collect();
    if !plots.is_empty() {
        section.text(
            "Both scales are logarithmic. Circles are software, squares hardware, triangles hardware with 16 requests in one \
             batch; the dotted line is the size from which hardware wins. A bar reaches from the median to the farthest \
             sample, to both sides.",
        );
        section.blocks.push(Block::Plots(plots));
    }
}

fn look_ahead(section: &mut Section, tune: &Tune) {
    let head = vec![
        words("cipher"),
        words("look-ahead"),
        number("starts after"),
        number("found key stream"),
        words("key stream by"),
        words("else"),
    ];
    let row = |one: &Lookahead| {
        let start = one.connections.as_ref().filter(|all| !all.undecided).and_then(|all| all.from);
        let direct = one
            .direct_from
            .map_or_else(|| "software".to_owned(), |from| format!("hardware from {from} bytes on"));
        vec![
            one.name.as_str().into(),
            decision(&one.requests),
            start.map_or_else(|| "-".to_owned(), |start| bytes(start as u64)).into(),
            percent(one.ahead_percent).into(),
            one.driver.as_str().into(),
            direct.into(),
        ]
    };
    let caption = "Look-ahead: the provider with it and without it, with the same thresholds";
    section.table(caption, head, tune.lookahead.iter().map(row).collect());
    section.list(tune.lookahead.iter().map(|one| one.sentence.clone()).collect());
}

fn row(cipher: &TunedCipher) -> Vec<Cell> {
    let deep = cipher.sixteen_at_once.as_ref();
    vec![
        cipher.name.as_str().into(),
        decision(&cipher.encrypt),
        decision(&cipher.decrypt),
        deep.map_or_else(|| "not measured".into(), decision),
        cipher.driver.as_str().into(),
        cipher.interface.as_str().into(),
    ]
}

fn decision(result: &DirectionResult) -> Cell {
    let tone = match (result.undecided, result.from) {
        (true, _) => Tone::Doubt,
        (false, Some(_)) => Tone::Good,
        (false, None) => Tone::Plain,
    };
    judged(result.threshold(), tone)
}
