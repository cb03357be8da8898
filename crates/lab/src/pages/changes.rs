//! Differences between two reports, by topic.

mod benchmarks;
mod figures;
mod system;

use crate::documents::Report;
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct Change {
    pub topic: Topic,
    pub what: String,
    pub kind: Kind,
    /// The earlier value; null for a new subject.
    pub was: Option<String>,
    /// The later value; null for a subject that is gone.
    pub now: Option<String>,
    pub by: Option<String>,
    /// Whether the change is an improvement; null if that is unknown.
    pub better: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Added,
    Removed,
    Changed,
}

outboard_catalog::texts! { title:
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Topic {
        System = "Kernel, CPU, OpenSSL and policy",
        Accelerators = "Accelerators and their drivers",
        Reach = "What reaches them, and what the kernel picks",
        Correct = "Verdicts of the check",
        Thresholds = "Thresholds",
        Figures = "Throughput and CPU time",
        Benchmarks = "Benchmarks",
        Proofs = "Proofs",
    }
}

impl Topic {
    pub fn id(self) -> &'static str {
        match self {
            Topic::System => "system",
            Topic::Accelerators => "accelerators",
            Topic::Reach => "reach",
            Topic::Correct => "correct",
            Topic::Thresholds => "thresholds",
            Topic::Figures => "figures",
            Topic::Benchmarks => "benchmarks",
            Topic::Proofs => "proofs",
        }
    }
}

pub fn all(old: &Report, new: &Report) -> Vec<Change> {
    [
        system::of(old, new),
        system::accelerators(old, new),
        system::reach(old, new),
        system::checks(old, new),
        figures::thresholds(old, new),
        figures::throughput(old, new),
        benchmarks::of(old, new),
        system::proofs(old, new),
    ]
    .concat()
}

/// The name of a part, whether a report has it, and the topics that need it.
type Needs = (&'static str, fn(&Report) -> bool, &'static [Topic]);

const NEEDS: [Needs; 5] = [
    ("status", |report| report.status.is_some(), &[Topic::System, Topic::Accelerators, Topic::Reach]),
    ("check", |report| !report.checks.is_empty(), &[Topic::Correct]),
    ("measurement", |report| !report.tunes.is_empty(), &[Topic::Thresholds, Topic::Figures]),
    ("benchmark", |report| !report.benches.is_empty(), &[Topic::Benchmarks]),
    ("proof", |report| !report.proofs.is_empty(), &[Topic::Proofs]),
];

pub fn compared(old: &Report, new: &Report) -> Vec<Topic> {
    let both = NEEDS.iter().filter(|(_, has, _)| has(old) && has(new));
    both.flat_map(|(_, _, topics)| topics.iter().copied()).collect()
}

pub fn remarks(old: &Report, new: &Report) -> Vec<String> {
    let mut remarks = Vec::new();
    for (what, has, _) in NEEDS {
        match (has(old), has(new)) {
            (true, true) => {}
            (true, false) => remarks.push(format!("The later report holds no {what}: it was not compared.")),
            (false, true) => {
                remarks.push(format!("The earlier report holds no {what}: it was not compared."));
            }
            (false, false) => {
                remarks.push(format!("Neither report holds a {what}: nothing of it was compared."));
            }
        }
    }
    if let (Some(was), Some(now)) = (old.tunes.last(), new.tunes.last()) {
        if was.goal != now.goal {
            remarks.push(format!(
                "The goal was {} and is {}: thresholds changed for that reason too.",
                was.goal.name(),
                now.goal.name()
            ));
        }
        if was.machine.cpu != now.machine.cpu {
            remarks.push(format!(
                "The CPU was {} and is {}: figures of different machines do not compare.",
                was.machine.cpu, now.machine.cpu
            ));
        }
        remarks.push(figures::RULE.to_owned());
    }
    remarks
}

/// Compares two lists of names and values. If a name occurs several times, the last value counts.
fn lists(
    topic: Topic,
    old: &[(String, String)],
    new: &[(String, String)],
    better: impl Fn(Option<&str>, Option<&str>) -> Option<bool>,
) -> Vec<Change> {
    let value = |list: &[(String, String)], name: &str| {
        list.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value.clone())
    };
    let mut changes: Vec<Change> = Vec::new();
    for (name, _) in old.iter().chain(new) {
        let (was, now) = (value(old, name), value(new, name));
        if was == now || changes.iter().any(|change| change.what == *name) {
            continue;
        }
        let kind = match (&was, &now) {
            (None, _) => Kind::Added,
            (_, None) => Kind::Removed,
            _ => Kind::Changed,
        };
        let better = better(was.as_deref(), now.as_deref());
        changes.push(Change { topic, what: name.clone(), kind, was, now, by: None, better });
    }
    changes
}
