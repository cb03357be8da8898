//! What reaches it?

use outboard_documents::Report;
use outboard_documents::status::{MatrixRow, Status};
use outboard_inventory::consumers;

use super::not_given;
use crate::page::{Section, Tone, judged, words};

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("reach", "What reaches it?");
    let Some(status) = &report.status else {
        not_given(&mut section, "the status");
        return section;
    };
    if status.accelerators.is_empty() {
        section.text("There is no accelerator to reach.");
    }
    for accelerator in &status.accelerators {
        section.text(match &accelerator.preferred {
            Some(way) => format!("The provider takes {way} to {}.", accelerator.chip),
            None => format!("No way for programs surely leads to {} on this kernel.", accelerator.chip),
        });
        let rows = accelerator.reach.iter().map(|way| {
            let tone = match way.answer.as_str() {
                "yes" => Tone::Good,
                "no" => Tone::Plain,
                _ => Tone::Doubt,
            };
            let who = if way.for_programs { "programs" } else { "the kernel" };
            vec![
                way.interface.as_str().into(),
                who.into(),
                judged(way.answer.as_str(), tone),
                way.why.as_str().into(),
            ]
        });
        let head = vec![words("way"), words("for"), words("leads there"), words("because")];
        let caption = format!("Ways to {} (asked for the driver {})", accelerator.chip, accelerator.reach_of);
        section.table(caption, head, rows.collect());
    }
    matrix(&mut section, status);
    section
}

/// Each driver and the consumers that get it.
fn matrix(section: &mut Section, status: &Status) {
    let head: Vec<_> = std::iter::once("driver").chain(consumers()).map(words).collect();
    let cells = |row: &MatrixRow| {
        let answers = consumers().map(|consumer| {
            match row.consumers.iter().find(|cell| cell.consumer == consumer).map(|cell| cell.answer.as_str())
            {
                Some("yes") => judged("yes", Tone::Good),
                Some("no") => judged("no", Tone::Plain),
                Some(answer) => judged(answer, Tone::Doubt),
                None => "".into(),
            }
        });
        std::iter::once(row.driver.as_str().into()).chain(answers).collect()
    };
    section.table("Which consumers get which driver", head, status.reach.iter().map(cells).collect());
}
