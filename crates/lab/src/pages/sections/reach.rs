//! What reaches it?

use crate::documents::Report;
use outboard_documents::status::{MatrixRow, Status};
use outboard_drivers::reach::{Consumer, Reachable};

use super::not_given;
use crate::pages::page::{Cell, Section, Tone, judged, words};

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
            Some(interface) => format!("The provider uses {interface} for {}.", accelerator.chip),
            None => {
                format!("No interface for programs is known to reach {} on this kernel.", accelerator.chip)
            }
        });
        let rows = accelerator.reach.iter().map(|row| {
            let user = if row.for_programs { "programs" } else { "the kernel" };
            vec![row.interface.name().into(), user.into(), answered(row.answer), row.why.as_str().into()]
        });
        let head = vec![words("interface or user"), words("for"), words("reaches it"), words("because")];
        let caption =
            format!("Reach of {} (shown for the driver {})", accelerator.chip, accelerator.reach_of);
        section.table(caption, head, rows.collect());
    }
    matrix(&mut section, status);
    section
}

fn answered(answer: Reachable) -> Cell {
    let tone = match answer {
        Reachable::Yes => Tone::Good,
        Reachable::No => Tone::Plain,
        Reachable::Unclear => Tone::Doubt,
    };
    judged(answer.name(), tone)
}

fn matrix(section: &mut Section, status: &Status) {
    let head: Vec<_> =
        std::iter::once("driver").chain(Consumer::ALL.map(Consumer::name)).map(words).collect();
    let cells = |row: &MatrixRow| {
        let answers = Consumer::ALL.into_iter().map(|consumer| {
            let cell = row.consumers.iter().find(|cell| cell.consumer == consumer);
            cell.map_or("".into(), |cell| answered(cell.answer))
        });
        std::iter::once(row.driver.as_str().into()).chain(answers).collect()
    };
    section.table("Which consumers get which driver", head, status.reach.iter().map(cells).collect());
}
