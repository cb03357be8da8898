//! The decision about a service in words, for all commands.

use outboard_documents::decision::{Decision, ServiceDecision};

#[must_use]
pub fn words(decision: &Decision) -> String {
    match decision {
        Decision::Use { .. } => "use the accelerator".to_owned(),
        Decision::Prefer { other, .. } => format!("prefer {other}"),
        Decision::Leave => "leave".to_owned(),
        Decision::Unknown => "not measured".to_owned(),
    }
}

/// The same with its reason, the settings that it needs, and the next step.
#[must_use]
pub fn details(one: &ServiceDecision) -> String {
    let lines = one.decision.settings().iter().chain(&one.next);
    let lines: String = lines.map(|line| format!("    {line}\n")).collect();
    format!("{}: {}: {}.\n{lines}", one.service, words(&one.decision), one.why)
}

/// What `outboard enable` notes where it enables a service whose peers do not negotiate what it serves.
#[must_use]
pub fn note(one: &ServiceDecision) -> Option<String> {
    let settings: String = one.decision.settings().iter().map(|line| format!("; `{line}`")).collect();
    let is_noted = !one.refused && matches!(one.decision, Decision::Prefer { .. } | Decision::Leave);
    is_noted.then(|| format!("{}: {}{settings}", words(&one.decision), one.why))
}
