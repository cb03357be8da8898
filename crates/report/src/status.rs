//! Formats `outboard status` as text.

use outboard_inventory::{Accelerator, Algorithm, DriverView, Pick, Status};

use crate::layout::{Page, Style};

/// Maximum number of driver names that are listed; more are counted.
const MOST_NAMES: usize = 6;

/// Formats a summary of the hardware and of the interfaces that reach it.
pub fn status(status: &Status, style: Style) -> String {
    let mut page = Page::new(style);
    machine(&mut page, status);
    if status.accelerators.is_empty() {
        page.row("Accelerator", &none(status));
    }
    for accelerator in &status.accelerators {
        page.blank();
        one(&mut page, accelerator);
    }
    if !status.accelerators.is_empty() {
        page.blank();
    }
    algorithms(&mut page, &status.algorithms);
    unknown(&mut page, status);
    surroundings(&mut page, status);
    pasted(&mut page, status);
    for advice in &status.advice {
        page.row("Advice", advice);
    }
    page.finish()
}

/// Formats the summary, then every driver of the kernel with its verdict and the reasons.
pub fn verbose(whole: &Status, style: Style) -> String {
    let mut page = Page::new(style);
    page.row("Drivers", &format!("{}, with the verdict on each and its reasons", whole.drivers.len()));
    for driver in &whole.drivers {
        page.sub("", &title(driver));
        for reason in &driver.evidence {
            page.sub("", &format!("- {} [{}]", reason.text, reason.source));
        }
    }
    format!("{}\n{}", status(whole, style), page.finish())
}

fn title(d: &DriverView) -> String {
    let module = if d.module == "kernel" { "built in".to_string() } else { format!("module {}", d.module) };
    let flags = match &d.flags {
        None => String::new(),
        Some(flags) => format!("; flags {}", flags.join(" ")),
    };
    let internal = if d.internal { ", internal" } else { "" };
    format!(
        "{}: {} for {} ({}, {module}, priority {}, self-test {}{internal}{flags})",
        d.name,
        words(d.verdict),
        d.algorithm,
        d.kind,
        d.priority,
        d.selftest,
    )
}

fn machine(page: &mut Page, status: &Status) {
    let model = status.machine.model.as_deref().unwrap_or("model not known");
    match status.machine.platform {
        Some(platform) => page.row("Machine", &format!("{model} ({})", platform.name)),
        None => page.row("Machine", model),
    }
    let cpu = &status.cpu;
    let mut features = Vec::new();
    features.push(match cpu.has_aes() {
        true => format!("AES instructions ({})", cpu.aes.join(", ")),
        false => "no AES instructions".to_string(),
    });
    for (what, found) in [("GCM", &cpu.gcm), ("SHA", &cpu.sha), ("PadLock", &cpu.padlock)] {
        if !found.is_empty() {
            features.push(format!("{what} ({})", found.join(", ")));
        }
    }
    let count = match cpu.cpus {
        0 => String::new(),
        1 => "1 CPU, ".to_string(),
        n => format!("{n} CPUs, "),
    };
    let architecture = if cpu.architecture.is_empty() { "not known" } else { cpu.architecture };
    page.row(
        "CPU",
        &format!("{}: {count}{}", cpu.model.as_deref().unwrap_or(architecture), features.join(", ")),
    );
    let fips = if status.kernel.fips { ", FIPS mode" } else { "" };
    page.row(
        "Kernel",
        &format!("Linux {}{fips}", status.kernel.release.as_deref().unwrap_or("(release not known)")),
    );
}

fn none(status: &Status) -> String {
    let count = |verdict: &str| status.drivers.iter().filter(|d| d.verdict == verdict && !d.internal).count();
    format!(
        "none: of {} drivers {} use CPU instructions, {} are plain code, {} wrap others, {} are not known",
        status.drivers.iter().filter(|d| !d.internal).count(),
        count("cpu-instructions"),
        count("software"),
        count("wrapper"),
        count("unknown"),
    )
}

fn one(page: &mut Page, a: &Accelerator) {
    let module = if a.module == "kernel" {
        "built into the kernel".to_string()
    } else {
        format!("module {}", a.module)
    };
    page.row("Accelerator", &format!("{} ({module})", a.chip));
    for device in &a.devices {
        let interrupts = match (device.lines.len(), a.completion.as_str()) {
            (0, "own-interrupt") => "no interrupt line".to_string(),
            (0, "polled") => "polled, so it raises no interrupts".to_string(),
            (0, through) => format!("completes through {through}, so it has no interrupt line of its own"),
            (1, _) => format!("{} interrupts on line {}", device.interrupts, device.lines[0]),
            _ => format!("{} interrupts on lines {}", device.interrupts, device.lines.join(", ")),
        };
        page.sub(
            "device",
            &format!("{} ({} driver {}), {interrupts}", device.name, device.bus, device.driver),
        );
    }
    page.sub("drivers", &listed(&a.drivers));
    page.sub("because", &a.evidence.iter().map(|e| e.text.as_str()).collect::<Vec<_>>().join("; "));
    if let Some(preferred) = a.preferred {
        let ways: Vec<&str> = a.reach.iter().filter(|w| w.for_programs).map(|w| w.interface).collect();
        page.sub("best way", &format!("{preferred}, the first of {} that leads there", ways.join(", ")));
    }
    page.sub(
        "reached by",
        &format!("(programs, then users in the kernel; asked for the driver {})", a.reach_of),
    );
    for way in a.reach.iter().filter(|w| w.for_programs).chain(a.reach.iter().filter(|w| !w.for_programs)) {
        page.sub(way.interface, &format!("{}: {}", way.answer, way.why));
    }
}

fn listed(names: &[String]) -> String {
    if names.len() <= MOST_NAMES {
        return names.join(", ");
    }
    format!("{} and {} more", names[..MOST_NAMES].join(", "), names.len() - MOST_NAMES)
}

fn algorithms(page: &mut Page, algorithms: &[Algorithm]) {
    let mut label = "Kernel picks";
    for a in algorithms {
        let rest = match (&a.accelerator, &a.note) {
            (Some(other), Some(note)) if other.driver != a.picked.driver => {
                format!(", not {} (priority {}): {note}", other.driver, other.priority)
            }
            (_, Some(note)) => format!(": {note}"),
            (_, None) => String::new(),
        };
        let rest = match &a.outranked {
            Some(cpu) => format!(", before {} (priority {}, CPU instructions)", cpu.driver, cpu.priority),
            None => rest,
        };
        page.row(label, &format!("{} -> {}{rest}", a.name, picked(&a.picked)));
        label = "";
    }
}

fn picked(p: &Pick) -> String {
    let around = if p.around_accelerator { " around an accelerator" } else { "" };
    format!("{} (priority {}, {}{around})", p.driver, p.priority, words(p.verdict))
}

fn words(verdict: &str) -> &str {
    match verdict {
        "accelerator" => "accelerator",
        "cpu-instructions" => "CPU instructions",
        "software" => "plain code",
        "wrapper" => "wrapper",
        _ => "not known",
    }
}

/// What a text shows, and what it cannot show.
fn pasted(page: &mut Page, status: &Status) {
    if let Some(pasted) = &status.pasted {
        page.row("Recognised", &pasted.recognised.join("; "));
        let mut label = "It shows";
        for remark in &pasted.remarks {
            page.row(label, &format!("{} (line {})", remark.text, remark.number));
            label = "";
        }
    }
    let mut label = "Not known";
    for missing in &status.not_told {
        page.row(label, missing);
        label = "";
    }
}

/// Lists the drivers about which no verdict was possible.
fn unknown(page: &mut Page, status: &Status) {
    let names: Vec<String> =
        status.drivers.iter().filter(|d| d.verdict == "unknown").map(|d| d.name.clone()).collect();
    if !names.is_empty() {
        page.row("Not judged", &format!("{} (outboard status --verbose tells why)", listed(&names)));
    }
}

fn surroundings(page: &mut Page, status: &Status) {
    if let Some(rng) = &status.hwrng {
        let quality = rng.quality.map(|q| format!(", credited with {q} of 1024 bits")).unwrap_or_default();
        let text = match &rng.current {
            Some(current) => format!("/dev/hwrng is {current}{quality}"),
            None => "no hardware source is in use".to_string(),
        };
        page.row("Random", &text);
    }
    if let Some(version) = &status.openssl.version {
        let mut text = format!("{version}, active providers: {}", status.openssl.providers.join(", "));
        if status.openssl.providers.is_empty() {
            text = format!("{version}, its providers could not be listed");
        }
        if let Some(directory) = &status.openssl.modules_dir {
            text.push_str(&format!(", provider files in {directory}"));
        }
        page.row("OpenSSL", &text);
    }
    if let Some(policy) = &status.policy {
        let made = policy.made.as_deref().unwrap_or("an unknown day");
        let state = if policy.in_force { "in force" } else { "not in force" };
        let goal = policy.goal.as_deref().map(|goal| format!(", for the goal {goal}")).unwrap_or_default();
        page.row("Policy", &format!("{} of {made}{goal}: {state}", policy.path));
    }
    checked(page, status);
}

/// Formats the results of checks: exact drivers on one line, others on one line each.
fn checked(page: &mut Page, status: &Status) {
    let (exact, wrong): (Vec<_>, Vec<_>) = status.checked.iter().partition(|one| one.fault.is_none());
    match exact[..] {
        [] => {}
        [one] => {
            let text = format!("{}: exact, {} requests on {}", one.driver, one.requests, one.made);
            page.row("Checked", &text);
        }
        _ => {
            let last = exact.iter().map(|one| one.made.as_str()).max().unwrap_or_default();
            page.row("Checked", &format!("{} drivers: exact, the last on {last}", exact.len()));
        }
    }
    for one in wrong {
        page.row("Checked", &format!("{}: WRONG on {}", one.driver, one.made));
    }
}
