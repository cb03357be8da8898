//! What is here?

use crate::documents::Report;
use outboard_documents::status::{Accelerator, Completion, Status};
use outboard_drivers::judge::Verdict;

use super::not_given;
use crate::pages::page::{Section, count, listed, number, words};

const MOST_NAMES: usize = 12;

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("here", "What is here?");
    let Some(status) = &report.status else {
        not_given(&mut section, "the status");
        return section;
    };
    if let Some(tree) = &status.saved_tree {
        section.note(format!("This is a saved tree ({tree}), not the machine that made the report."));
    }
    if let Some(verdict) = &status.verdict {
        let next = verdict.next.as_ref().map(|next| format!(" Next: {next}.")).unwrap_or_default();
        section.text(format!("{}{next}", verdict.text));
    }
    machine(&mut section, status);
    if status.accelerators.is_empty() {
        section.text(none(status));
    }
    for accelerator in &status.accelerators {
        one(&mut section, accelerator);
    }
    for device in &status.unbound_devices {
        let next = if device.next.is_empty() { String::new() } else { format!(" Next: {}.", device.next) };
        section.note(format!(
            "No driver is bound to the {} device {} ({}).{next}",
            device.bus, device.device, device.chip
        ));
    }
    picks(&mut section, status);
    let unknown: Vec<String> =
        status.drivers.iter().filter(|d| d.verdict == Verdict::Unknown).map(|d| d.name.clone()).collect();
    if !unknown.is_empty() {
        section.note(format!("Not judged: {} (outboard status --verbose shows why).", shortened(&unknown)));
    }
    let rows = status.problems.iter().map(|problem| {
        let note = if problem.is_note { " (note)" } else { "" };
        vec![
            format!("{}{note}", problem.id).into(),
            problem.text.as_str().into(),
            problem.evidence.as_str().into(),
            problem.next.as_str().into(),
        ]
    });
    let head = vec![words("id"), words("problem"), words("evidence"), words("next step")];
    section.table("Problems (outboard explain says what an id means)", head, rows.collect());
    if !status.warnings.is_empty() {
        section.text("What could not be read:");
        section.list(status.warnings.clone());
    }
    section
}

fn machine(section: &mut Section, status: &Status) {
    let unknown = || "not known".to_owned();
    let cpu = &status.cpu;
    let model = cpu.model.clone().unwrap_or_else(|| cpu.architecture.name().to_owned());
    let mut rows = vec![
        ("machine", status.machine.model.clone().unwrap_or_else(unknown)),
        ("CPU", format!("{model}, {}", count(cpu.cpus, "CPU"))),
        ("its AES instructions", if cpu.aes.is_empty() { "none".to_owned() } else { cpu.aes.join(", ") }),
    ];
    if let Some(platform) = &status.machine.platform {
        let remark = platform.remark.as_ref().map(|remark| format!(": {remark}")).unwrap_or_default();
        rows.insert(1, ("platform", format!("{}{remark}", platform.name)));
    }
    for (what, found) in [("for GCM", &cpu.gcm), ("for SHA", &cpu.sha), ("PadLock", &cpu.padlock)] {
        if !found.is_empty() {
            rows.push((what, found.join(", ")));
        }
    }
    let fips = if status.kernel.fips { ", FIPS mode" } else { "" };
    rows.push(("kernel", format!("Linux {}{fips}", status.kernel.release.clone().unwrap_or_else(unknown))));
    rows.push(("OpenSSL", status.openssl.version.clone().unwrap_or_else(unknown)));
    if let Some(rng) = &status.hwrng {
        let quality =
            rng.quality.map(|bits| format!(", credited with {bits} of 1024 bits")).unwrap_or_default();
        let current = rng.current.as_deref().unwrap_or("no hardware source in use");
        rows.push(("random numbers", format!("{current}{quality}")));
    }
    let rows = rows.into_iter().map(|(what, is)| vec![what.into(), is.into()]).collect();
    section.table("The machine", vec![words("what"), words("it is")], rows);
}

fn none(status: &Status) -> String {
    let drivers = || status.drivers.iter().filter(|driver| !driver.internal);
    let of = |verdict: Verdict| drivers().filter(|driver| driver.verdict == verdict).count();
    format!(
        "No accelerator: of the kernel's {} drivers {} use CPU instructions, {} are plain code, {} wrap others, {} are not known.",
        drivers().count(),
        of(Verdict::CpuInstructions),
        of(Verdict::Software),
        of(Verdict::Wrapper),
        of(Verdict::Unknown)
    )
}

fn one(section: &mut Section, accelerator: &Accelerator) {
    let module = match accelerator.module.as_str() {
        "kernel" => "built into the kernel".to_owned(),
        module => format!("module {module}"),
    };
    section.text(format!(
        "Accelerator {} ({module}), with {}: {}. It is one because:",
        accelerator.chip,
        count(accelerator.drivers.len() as u64, "driver"),
        shortened(&accelerator.drivers)
    ));
    let reasons = accelerator.evidence.iter().map(|reason| format!("{} [{}]", reason.text, reason.source));
    section.list(reasons.collect());
    let rows = accelerator.devices.iter().map(|device| {
        let lines = match (device.lines.is_empty(), &accelerator.completion) {
            (false, _) => device.lines.join(", "),
            (true, Completion::OwnInterrupt) => "none".to_owned(),
            (true, Completion::Polled) => "polled, so it raises none".to_owned(),
            (true, Completion::Through(what)) => format!("completes through {what}"),
        };
        let bus = format!("{} driver {}", device.bus, device.driver);
        vec![device.name.as_str().into(), bus.into(), lines.into(), device.interrupts.to_string().into()]
    });
    let head =
        vec![words("device"), words("has it"), words("interrupt lines"), number("interrupts since boot")];
    section.table(format!("Devices of {}", accelerator.chip), head, rows.collect());
}

fn picks(section: &mut Section, status: &Status) {
    let rows = status.algorithms.iter().map(|algorithm| {
        let note = algorithm.note.clone().unwrap_or_default();
        let picked = &algorithm.picked;
        vec![
            algorithm.name.as_str().into(),
            picked.driver.as_str().into(),
            picked.verdict.name().into(),
            picked.priority.to_string().into(),
            note.into(),
        ]
    });
    let head =
        vec![words("algorithm"), words("driver"), words("which is"), number("priority"), words("remark")];
    section.table("What the kernel itself picks, for its own users", head, rows.collect());
}

fn shortened(names: &[String]) -> String {
    match names.len().checked_sub(MOST_NAMES) {
        Some(more) if more > 0 => format!("{} and {more} more", names[..MOST_NAMES].join(", ")),
        _ => listed(names),
    }
}
