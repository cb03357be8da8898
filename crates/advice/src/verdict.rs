//! The answer in one sentence: whether hardware does, or could do, the cryptography of programs.

use outboard_catalog::families;
use outboard_documents::decision::{Decision, ServiceDecision};
use outboard_documents::status::{Accelerator, Answer, Conclusion, Status};
use outboard_drivers::proc_crypto::Selftest;

use crate::SETUP;

/// Draws the conclusion from a status whose problems are known.
pub fn conclude(status: &Status) -> Conclusion {
    let other = status.pasted.as_ref().and_then(|pasted| pasted.other_system.as_deref());
    if let Some(system) = other {
        return other_system(status, system);
    }
    match status.accelerators.iter().find(|a| a.is_reachable_by_programs()).or(status.accelerators.first()) {
        Some(accelerator) => with_accelerator(status, accelerator),
        None if status.drivers.is_empty() => from_remarks(status),
        None => without_accelerator(status),
    }
}

fn with_accelerator(status: &Status, accelerator: &Accelerator) -> Conclusion {
    let chip = &accelerator.chip;
    let has = |id: &str| status.problems.iter().find(|problem| problem.id == id);
    let wrong = has("wrong-results-when-checked").filter(|_| !accelerator.is_reachable_by_programs());
    let failed =
        has("selftest-failed").filter(|_| !accelerator.drivers.iter().any(|name| status.is_usable(name)));
    if let Some(problem) = wrong.or(failed) {
        let what =
            if wrong.is_some() { "computes wrong results" } else { "has not passed the kernel's self-test" };
        let text = format!("{chip} is here, but its driver {what}: it is not used.");
        return Conclusion { answer: Answer::Unusable, text, next: Some(problem.next.clone()) };
    }
    let is_pending =
        |name: &String| status.drivers.iter().any(|d| d.name == *name && d.selftest == Selftest::Pending);
    if let Some(problem) = has("selftest-pending").filter(|_| accelerator.drivers.iter().all(is_pending)) {
        let text = format!("{chip} is here, and the kernel still tests its driver.");
        return Conclusion { answer: Answer::Unknown, text, next: Some(problem.next.clone()) };
    }
    if !accelerator.is_reachable_by_programs() {
        let problem = ["driver-not-allowed", "tags-unchecked", "accelerator-unreached", "no-permission"]
            .into_iter()
            .find_map(has);
        let answer =
            if problem.is_some_and(|problem| problem.is_note) { Answer::Unknown } else { Answer::Unreached };
        let text = match answer {
            Answer::Unknown => {
                format!("{chip} is here; whether programs reach it is not known.")
            }
            _ => format!("{chip} is here, but programs do not reach it."),
        };
        let next = problem.map(|problem| match problem.id.as_str() {
            "driver-not-allowed" | "tags-unchecked" => on_that_machine(status, SETUP.to_owned()),
            _ => problem.next.clone(),
        });
        return Conclusion { answer, text, next };
    }
    let interface = accelerator.preferred.as_deref().unwrap_or("an interface");
    let text = match status.cpu_has_aes() {
        Some(true) => format!(
            "Programs can reach {chip} through {interface}, but this CPU has AES instructions, and OpenSSL's own code \
             is probably faster: measure first."
        ),
        _ => format!("Programs can reach {chip} through {interface}."),
    };
    Conclusion {
        answer: Answer::Reached,
        text,
        next: next_of_reached(status).map(|next| on_that_machine(status, next)),
    }
}

/// A command for the machine of a saved tree.
fn on_that_machine(status: &Status, command: String) -> String {
    if status.saved_tree.is_some() { format!("on that machine: {command}") } else { command }
}

/// What harms, then a proof, a service to enable, and what is not measured. `None` where nothing is to be
/// done.
fn next_of_reached(status: &Status) -> Option<String> {
    let step = |is_it: &dyn Fn(&ServiceDecision) -> bool| {
        status.decisions.iter().filter(|one| is_it(one)).find_map(|one| one.next.clone())
    };
    let is_use = |one: &ServiceDecision| matches!(one.decision, Decision::Use { .. });
    if !status.policy.as_ref().is_some_and(|policy| policy.in_force) {
        return Some(SETUP.to_owned());
    }
    step(&|one| one.enabled && one.decision == Decision::Leave)
        .or_else(|| step(&|one| one.enabled && is_use(one)))
        .or_else(|| step(&|one| is_use(one)))
        .or_else(|| step(&|one| one.decision == Decision::Unknown))
}

fn without_accelerator(status: &Status) -> Conclusion {
    let missing = ["device-without-driver", "chip-without-driver"];
    if let Some(problem) = status.problems.iter().find(|problem| missing.contains(&problem.id.as_str())) {
        let text = match status.unbound_devices.first() {
            Some(device) => format!("There is a crypto engine, {}, and no driver for it.", device.chip),
            None => format!("{}.", upper_first(&problem.text)),
        };
        return Conclusion { answer: Answer::NoDriver, text, next: Some(problem.next.clone()) };
    }
    let remark = status.machine.platform.as_ref().and_then(|platform| platform.remark.as_deref());
    let (answer, text, next) = match (status.cpu_has_aes(), remark) {
        (Some(true), _) => (
            Answer::CpuInstructions,
            "There is no accelerator, and programs need none: OpenSSL uses this CPU's AES instructions by itself, which are \
             faster than most accelerators."
                .to_owned(),
            None,
        ),
        (_, Some(remark)) => (Answer::Nothing, format!("There is no accelerator: {remark}."), None),
        (Some(false), None) => (
            Answer::Nothing,
            "There is no accelerator, and the CPU has no AES instructions.".to_owned(),
            Some("for TLS and SSH prefer ChaCha20-Poly1305, which is fast in plain code"),
        ),
        (None, None) => (
            Answer::Unknown,
            "The kernel has no accelerator; whether the CPU has AES instructions is not known.".to_owned(),
            Some("give the output of cat /proc/cpuinfo too, or a bundle"),
        ),
    };
    Conclusion { answer, text, next: next.map(str::to_owned) }
}

/// A text without /proc/crypto.
fn from_remarks(status: &Status) -> Conclusion {
    let remarks = || status.pasted.iter().flat_map(|pasted| &pasted.remarks);
    let text = match (remarks().find(|remark| remark.accelerator), of_platform(status)) {
        (Some(remark), _) => format!("{}.", upper_first(&remark.text)),
        (None, Some(text)) => text,
        (None, None) if remarks().next().is_some() => {
            "This does not show whether there is an accelerator.".to_owned()
        }
        (None, None) => "Which drivers the kernel has is not known.".to_owned(),
    };
    let next = Some("give the output of cat /proc/crypto too, or a bundle (outboard bundle)".to_owned());
    Conclusion { answer: Answer::Unknown, text, next }
}

/// What the catalogue knows about the chip of the machine.
fn of_platform(status: &Status) -> Option<String> {
    let platform = status.machine.platform.as_ref()?;
    match (&platform.engine, &platform.remark) {
        (Some(engine), _) => {
            let family = families::accelerators().find(|family| family.id == *engine)?;
            let (name, chip) = (&platform.name, family.chip);
            Some(format!("{name} has a crypto engine, {chip}; whether its driver is there is not known."))
        }
        (None, Some(remark)) => Some(format!("{}: {remark}.", platform.name)),
        (None, None) => None,
    }
}

fn other_system(status: &Status, system: &str) -> Conclusion {
    let remarks = || status.pasted.iter().flat_map(|pasted| &pasted.remarks);
    let seen = remarks().find(|remark| remark.accelerator).or(remarks().next());
    let seen = seen.map(|remark| format!(": {}", remark.text)).unwrap_or_default();
    let text = format!("This is {system}, where outboard does not run{seen}.");
    Conclusion { answer: Answer::OtherSystem, text, next: None }
}

/// As a sentence. The name of a device or driver, such as `f1090000.crypto`, keeps its spelling.
fn upper_first(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    if !first.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
