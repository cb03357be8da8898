//! What reaches it?

use super::not_given;
use crate::document::Report;
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
    section
}
