//! Where does it win?

use crate::documents::Report;
use outboard_documents::status::{CipherOffload, DirectRequests, Policy};
use outboard_documents::tune::{DirectionResult, Lookahead, Tune, TunedCipher};

use super::not_given;
use crate::pages::page::{Block, Cell, Section, Tone, count, judged, listed, number, words};
use crate::pages::plot;
use outboard_console::{percent, size as bytes};

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("wins", "Where does it win?");
    match (report.tunes.is_empty(), policy(report)) {
        (true, Some((policy, ciphers))) => thresholds(&mut section, policy, &ciphers),
        (true, None) => not_given(&mut section, "a measurement"),
        (false, _) => {}
    }
    report.tunes.iter().for_each(|tune| one(&mut section, tune));
    section
}

fn policy(report: &Report) -> Option<(&Policy, Vec<&CipherOffload>)> {
    let status = report.status.as_ref()?;
    let policy = status.policy.as_ref().filter(|policy| policy.in_force)?;
    let is_measured = |one: &&CipherOffload| {
        one.lookahead.is_some() || one.direct.as_ref().is_some_and(|direct| direct.is_measured)
    };
    let ciphers: Vec<_> = status.offload.iter().filter(is_measured).collect();
    (!ciphers.is_empty()).then_some((policy, ciphers))
}

pub fn by_policy(report: &Report) -> Option<String> {
    let (_, ciphers) = policy(report)?;
    let wins = |one: &&&CipherOffload| {
        one.lookahead.is_some()
            || one.direct.as_ref().is_some_and(|direct| direct.from.iter().any(Option::is_some))
    };
    let names: Vec<String> = ciphers.iter().filter(wins).map(|one| one.cipher.clone()).collect();
    Some(match names.as_slice() {
        [] => "By the policy software wins for every cipher that was measured.".to_owned(),
        names => format!("By the policy hardware wins for {}, from the sizes below on.", listed(names)),
    })
}

/// What the policy file says; the figures that it was made from are in the document of tune.
fn thresholds(section: &mut Section, policy: &Policy, ciphers: &[&CipherOffload]) {
    section.text(format!(
        "From the policy {}, measured {}. It has sizes and no figures: sudo outboard tune --dry-run --json has both.",
        policy.path,
        policy.made.as_deref().unwrap_or("on an unknown day")
    ));
    let head =
        vec![words("cipher"), words("encryption"), words("decryption"), words("driver"), words("look-ahead")];
    let size = |direct: Option<&DirectRequests>, at: usize| match direct.map(|direct| direct.from[at]) {
        None => "-".to_owned(),
        Some(None) => "software at every size".to_owned(),
        Some(Some(from)) => format!("hardware from {from} bytes on"),
    };
    let row = |one: &&CipherOffload| {
        let direct = one.direct.as_ref().filter(|direct| direct.is_measured);
        let ahead = one.lookahead.as_ref().map_or_else(
            || "-".to_owned(),
            |ahead| match ahead.to {
                None => format!("from {} bytes on, by {}", ahead.from, ahead.driver),
                Some(to) => format!("from {} to {to} bytes, by {}", ahead.from, ahead.driver),
            },
        );
        let driver = direct.map_or("-", |direct| direct.driver.as_str());
        vec![
            one.cipher.as_str().into(),
            size(direct, 0).into(),
            size(direct, 1).into(),
            driver.into(),
            ahead.into(),
        ]
    };
    section.table("Decisions of the policy", head, ciphers.iter().map(row).collect());
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
    let head =
        vec![words("cipher"), words("encryption"), words("decryption"), words("driver"), words("over")];
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
            "Both scales are logarithmic. Circles are software, squares hardware; the dotted line is the size from which hardware wins. A bar reaches from the median to the farthest \
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
    vec![
        cipher.name.as_str().into(),
        decision(&cipher.encrypt),
        decision(&cipher.decrypt),
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
