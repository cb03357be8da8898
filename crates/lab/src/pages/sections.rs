//! One file for each question. A missing part is mentioned where it is needed; the last section
//! names the command that creates it.

mod answers;
mod correct;
mod here;
mod measured;
mod random;
mod reach;
mod speed;
mod switched_on;
mod undo;
mod unknown;
mod used;
mod wins;

pub use answers::answers;

use crate::documents::Report;
use outboard_documents::check::CheckVerdict;

use crate::pages::page::{Section, count, listed};

pub fn all(report: &Report) -> Vec<Section> {
    let mut sections = vec![
        here::section(report),
        reach::section(report),
        correct::section(report),
        wins::section(report),
        speed::section(report),
        used::section(report),
        switched_on::section(report),
        undo::section(report),
        measured::section(report),
        unknown::section(report),
    ];
    // Between what is measured and what is unknown.
    let place = sections.len() - 1;
    if let Some(section) = random::section(report) {
        sections.insert(place, section);
    }
    sections
}

pub fn lead(report: &Report) -> Vec<String> {
    let sentences = [here(report), correct(report), wins(report)];
    let sources: Vec<String> = report.sources.iter().map(|source| source.name.clone()).collect();
    let origin = match sources.as_slice() {
        [] => format!("Made {} of nothing.", report.made),
        sources => format!("Made {} of {}.", report.made, listed(sources)),
    };
    let sentences = sentences.into_iter().flatten().collect::<Vec<_>>().join(" ");
    [sentences, origin].into_iter().filter(|text| !text.is_empty()).collect()
}

fn here(report: &Report) -> Option<String> {
    let status = report.status.as_ref()?;
    let kernel = status.kernel.release.as_deref().unwrap_or("(release not known)");
    let chips: Vec<String> = status.accelerators.iter().map(|one| one.chip.clone()).collect();
    Some(match chips.as_slice() {
        [] => format!("On Linux {kernel} no crypto accelerator is in use here."),
        chips => {
            let ways: Vec<String> =
                status.accelerators.iter().filter_map(|one| one.preferred.clone()).collect();
            let reached = match ways.as_slice() {
                [] => "no program can be sure to reach it".to_owned(),
                [one] => format!("programs reach it through {one}"),
                ways => format!("programs reach them through {}", listed(ways)),
            };
            format!("On Linux {kernel} there is {}; {reached}.", listed(chips))
        }
    })
}

fn correct(report: &Report) -> Option<String> {
    let all = || report.checks.iter().flat_map(|check| &check.drivers);
    let of = |verdict| all().filter(|driver| driver.verdict == verdict).count() as u64;
    all().next()?;
    let bad = of(CheckVerdict::Wrong) + of(CheckVerdict::Unanswered) + of(CheckVerdict::Refuses);
    Some(match (bad, of(CheckVerdict::Exact)) {
        (0, 0) => "None of its drivers could be reached to be checked.".to_owned(),
        (0, exact) => {
            let in_use = match answers::real_mismatches(report) {
                0 => String::new(),
                wrong => format!(", but in use {} differed from software's", count(wrong, "result")),
            };
            format!("Every result of {} that could be checked was right{in_use}.", count(exact, "driver"))
        }
        (bad, _) => format!(
            "{} gave wrong results or refused requests: do not use what is marked below.",
            count(bad, "driver")
        ),
    })
}

fn wins(report: &Report) -> Option<String> {
    let ciphers: Vec<_> = report.tunes.iter().flat_map(|tune| &tune.ciphers).collect();
    let ahead = report.tunes.iter().flat_map(|tune| &tune.lookahead);
    let ahead = ahead.filter(|one| one.requests.from.is_some() && !one.requests.undecided);
    let ahead: Vec<String> = ahead.map(|one| one.name.clone()).collect();
    if ciphers.is_empty() && ahead.is_empty() {
        return wins::by_policy(report);
    }
    let wins = ciphers
        .iter()
        .filter(|one| one.ways().iter().any(|(_, result)| result.from.is_some() && !result.undecided));
    let names: Vec<String> = wins.map(|cipher| cipher.name.clone()).collect();
    Some(match (names.as_slice(), ahead.as_slice()) {
        ([], []) => format!(
            "For none of {} hardware was found to win: software is the right choice here.",
            count(ciphers.len() as u64, "cipher")
        ),
        (names, []) => format!("Hardware wins for {}, from the sizes below on.", listed(names)),
        ([], ahead) => format!("Hardware wins by look-ahead for {}, from the sizes below on.", listed(ahead)),
        (names, ahead) => format!(
            "Hardware wins for {}, and by look-ahead for {}, from the sizes below on.",
            listed(names),
            listed(ahead)
        ),
    })
}

fn not_given(section: &mut Section, what: &str) {
    section.note(format!("Not known: {what} was not given. The last section says how to get it."));
}
