//! Compares two reports of a machine: additions, removals and changes. Schema
//! `outboard-comparison/1`.

use crate::documents::Report;
use serde::Serialize;

use crate::pages::changes::{self, Change, Kind, Topic};
use crate::pages::page::{Cell, Section, Tone, count, judged, words};
use crate::pages::{html, markdown};

#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    schema: &'static str,
    old: ComparedReport,
    new: ComparedReport,
    /// The topics that both reports cover.
    compared: Vec<Topic>,
    changes: Vec<Change>,
    remarks: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct ComparedReport {
    made: String,
    kernel: Option<String>,
}

pub fn compare(old: &Report, new: &Report) -> Comparison {
    let side = |report: &Report| ComparedReport {
        made: report.made.clone(),
        kernel: report.kernel().map(str::to_owned),
    };
    Comparison {
        schema: "outboard-comparison/1",
        old: side(old),
        new: side(new),
        compared: changes::compared(old, new),
        changes: changes::all(old, new),
        remarks: changes::remarks(old, new),
    }
}

impl Comparison {
    pub fn html(&self) -> String {
        html::page(TITLE, &self.lead(), &[], &self.sections())
    }

    pub fn markdown(&self) -> String {
        markdown::page(TITLE, &self.lead(), &[], &self.sections())
    }

    pub fn json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    fn lead(&self) -> Vec<String> {
        let of = |side: &ComparedReport| {
            let kernel = side.kernel.as_ref().map(|kernel| format!(", Linux {kernel}")).unwrap_or_default();
            format!("the report of {}{kernel}", side.made)
        };
        let kinds = [(Kind::Added, "added"), (Kind::Removed, "removed"), (Kind::Changed, "changed")];
        let counts = kinds.map(|(kind, word)| {
            let number = self.changes.iter().filter(|change| change.kind == kind).count();
            format!("{number} {word}")
        });
        let summary = match self.changes.len() {
            0 => "Nothing that both reports know of has changed.".to_owned(),
            all => format!("{}: {}.", count(all as u64, "change"), counts.join(", ")),
        };
        vec![summary, format!("Before: {}. After: {}.", of(&self.old), of(&self.new))]
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections: Vec<Section> = Topic::ALL.into_iter().map(|topic| self.of(topic)).collect();
        if !self.remarks.is_empty() {
            let mut section = Section::new("remarks", "Remarks on this comparison");
            section.list(self.remarks.clone());
            sections.push(section);
        }
        sections
    }

    fn of(&self, topic: Topic) -> Section {
        let mut section = Section::new(topic.id(), topic.title());
        let changes: Vec<&Change> = self.changes.iter().filter(|change| change.topic == topic).collect();
        if !self.compared.contains(&topic) {
            section.text("Not compared: not both reports know of it.");
        } else if changes.is_empty() {
            section.text("No change.");
        }
        let head =
            vec![words("what"), words("change"), words("before"), words("after"), words("by how much")];
        section.table("Before and after", head, changes.into_iter().map(row).collect());
        section
    }
}

const TITLE: &str = "What has changed between two reports";

fn row(change: &Change) -> Vec<Cell> {
    let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let tone = match change.better {
        None => Tone::Plain,
        Some(true) => Tone::Good,
        Some(false) => Tone::Bad,
    };
    let kind = match (change.kind, change.better) {
        (Kind::Added, _) => "added",
        (Kind::Removed, _) => "removed",
        (Kind::Changed, None) => "changed",
        (Kind::Changed, Some(true)) => "changed, better",
        (Kind::Changed, Some(false)) => "changed, worse",
    };
    vec![
        change.what.as_str().into(),
        judged(kind, tone),
        or_none(&change.was).into(),
        or_none(&change.now).into(),
        or_none(&change.by).into(),
    ]
}
