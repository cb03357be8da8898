//! Formats `outboard status` as text.

mod layout;
mod offload_table;
mod trial;

pub use layout::Style;
pub use trial::trial;

use outboard_advice::words as decision_words;
use outboard_catalog::instructions::Architecture;
use outboard_documents::status::{Accelerator, Algorithm, Answer, Completion, DriverView, MatrixRow, Status};
use outboard_drivers::judge::Verdict;
use outboard_drivers::reach::{Consumer, Reachable};

use self::layout::{HeadingColour, Page};
use self::offload_table::{lookahead_row, offload};

const MOST_NAMES: usize = 6;
const MOST_ALGORITHMS: usize = 4;
const MOST_REMARKS: usize = 6;

/// Formats a summary that fits a screen: the verdict, the machine, what reaches the accelerators,
/// what the kernel picks, and the problems.
pub fn status(status: &Status, style: Style) -> String {
    let mut page = Page::new(style);
    verdict(&mut page, status);
    page.blank();
    machine(&mut page, status);
    surroundings(&mut page, status);
    if status.accelerators.is_empty() && !status.drivers.is_empty() {
        page.row("Drivers", &counts(status));
    }
    accelerators(&mut page, status);
    algorithms(&mut page, &status.algorithms, MOST_ALGORITHMS);
    lookahead_row(&mut page, &status.offload);
    pasted(&mut page, status, MOST_REMARKS);
    problems(&mut page, status, false);
    page.finish()
}

/// Formats everything: the summary without its limits, the reasons for each verdict, and every
/// driver of the kernel.
pub fn verbose(whole: &Status, style: Style) -> String {
    let mut page = Page::new(style);
    verdict(&mut page, whole);
    page.blank();
    machine(&mut page, whole);
    surroundings(&mut page, whole);
    for accelerator in &whole.accelerators {
        page.blank();
        one(&mut page, accelerator);
    }
    instructions(&mut page, whole);
    algorithms(&mut page, &whole.algorithms, usize::MAX);
    offload(&mut page, &whole.offload);
    unknown(&mut page, whole);
    pasted(&mut page, whole, usize::MAX);
    problems(&mut page, whole, true);
    for one in whole.decisions.iter().filter(|_| !whole.accelerators.is_empty()) {
        page.row(&one.service, &format!("{}: {}", decision_words(&one.decision), one.why));
        one.decision.settings().iter().for_each(|line| page.sub("setting", line));
        one.next.iter().for_each(|next| page.sub("next step", next));
    }
    page.blank();
    matrix(&mut page, whole);
    page.blank();
    page.row("Drivers", &format!("{}, with the verdict on each and its reasons", whole.drivers.len()));
    for driver in &whole.drivers {
        page.sub("", &title(driver));
        for reason in &driver.evidence {
            page.sub("", &format!("- {} [{}]", reason.text, reason.source));
        }
    }
    page.finish()
}

/// Formats the reach matrix: for each driver the consumers that get it, and the reasons.
pub fn reach(whole: &Status, style: Style) -> String {
    let mut page = Page::new(style);
    matrix(&mut page, whole);
    page.finish()
}

fn matrix(page: &mut Page, status: &Status) {
    if status.reach.is_empty() {
        return page.row("Reach", "there is no accelerator and no hardware random number generator to reach");
    }
    let (drivers, generators): (Vec<_>, Vec<_>) =
        status.reach.iter().partition(|row| row.consumers.len() > 1);
    if !drivers.is_empty() {
        let by = |row: &MatrixRow, answer: Reachable| {
            let cells = row.consumers.iter().filter(|cell| cell.answer == answer);
            let names: Vec<&str> = cells.map(|cell| cell.consumer.name()).collect();
            if names.is_empty() { "nothing".to_owned() } else { names.join(" ") }
        };
        let rows: Vec<Vec<String>> = drivers
            .iter()
            .map(|row| vec![row.driver.clone(), by(row, Reachable::Yes), by(row, Reachable::Unclear)])
            .collect();
        page.table(&["Driver", "used by", "perhaps by"], &rows);
        page.blank();
    }
    for row in drivers.into_iter().chain(generators) {
        page.row("Reach", &format!("of {} ({})", row.driver, row.algorithm));
        for cell in
            row.consumers.iter().filter(|cell| cell.consumer != Consumer::Hwrng || row.consumers.len() == 1)
        {
            page.sub(cell.consumer.name(), &format!("{}: {}", cell.answer.name(), cell.why));
        }
    }
}

fn verdict(page: &mut Page, status: &Status) {
    let Some(verdict) = &status.verdict else { return };
    let mood = match verdict.answer {
        Answer::Reached | Answer::CpuInstructions => HeadingColour::Good,
        Answer::Unusable | Answer::NoDriver | Answer::Unreached => HeadingColour::Bad,
        Answer::Nothing | Answer::OtherSystem | Answer::Unknown => HeadingColour::Doubt,
    };
    page.row_in(mood, "Verdict", &verdict.text);
    if let Some(next) = &verdict.next {
        page.row("Next", next);
    }
}

/// Number of kernel users that the table of accelerators names, if there are more than one more.
const SHOWN: usize = 3;

fn accelerators(page: &mut Page, status: &Status) {
    let accelerators = &status.accelerators;
    if accelerators.is_empty() {
        return;
    }
    page.blank();
    let interrupts = |a: &Accelerator| match (a.devices.iter().all(|d| d.lines.is_empty()), &a.completion) {
        (false, _) => a.devices.iter().fold(0_u64, |sum, d| sum.saturating_add(d.interrupts)).to_string(),
        (true, Completion::OwnInterrupt) if a.devices.is_empty() => "not known".to_owned(),
        (true, Completion::OwnInterrupt) => "no line".to_owned(),
        (true, Completion::Polled) => "none: polled".to_owned(),
        (true, _) => "none of its own".to_owned(),
    };
    let reached = |a: &Accelerator| {
        let mut routes = Vec::new();
        for route in a.reach.iter().filter(|route| route.for_programs) {
            match route.answer {
                Reachable::Yes => routes.push(route.interface.name().to_owned()),
                Reachable::Unclear => routes.push(format!("{}?", route.interface.name())),
                Reachable::No => {}
            }
        }
        if routes.is_empty() { "nothing".to_owned() } else { routes.join(" ") }
    };
    let users = |a: &Accelerator| match &status.kernel_users(a)[..] {
        [] => "nothing".to_owned(),
        [first @ .., _, _] if first.len() >= SHOWN => {
            format!("{} +{}", first[..SHOWN].join(" "), first.len() + 2 - SHOWN)
        }
        some => some.join(" "),
    };
    let rows: Vec<Vec<String>> = accelerators
        .iter()
        .map(|a| {
            let drivers = a.drivers.len().to_string();
            vec![a.chip.clone(), drivers, interrupts(a), reached(a), users(a)]
        })
        .collect();
    page.table(&["Accelerator", "drivers", "interrupts", "programs via", "kernel users"], &rows);
}

/// The problems; with `all` also the notes and the evidence.
fn problems(page: &mut Page, status: &Status, all: bool) {
    let shown: Vec<_> = status.problems.iter().filter(|problem| all || !problem.is_note).collect();
    let notes = status.problems.len() - shown.len();
    if !shown.is_empty() || notes > 0 {
        page.blank();
    }
    for problem in shown {
        let (mood, label) =
            if problem.is_note { (HeadingColour::Plain, "Note") } else { (HeadingColour::Doubt, "Problem") };
        if all {
            page.row_in(mood, label, &format!("{} [{}]", problem.text, problem.id));
            page.sub("evidence", &problem.evidence);
            page.sub("next step", &problem.next);
        } else {
            // The verdict has shown this next step already.
            let is_next =
                status.verdict.as_ref().is_some_and(|verdict| verdict.next.as_ref() == Some(&problem.next));
            let next = if is_next { String::new() } else { format!(": {}", problem.next) };
            page.row_in(mood, label, &format!("{}{next} [{}]", problem.text, problem.id));
        }
    }
    if notes > 0 {
        let what = if notes == 1 { "note" } else { "notes" };
        page.row(
            "Also",
            &format!("{notes} {what}: outboard status --verbose; outboard explain says what an [id] means"),
        );
    }
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
        d.selftest.word(),
    )
}

fn machine(page: &mut Page, status: &Status) {
    let is_foreign = status.pasted.as_ref().is_some_and(|pasted| pasted.other_system.is_some());
    if is_foreign {
        return;
    }
    let model = status.machine.model.as_deref().unwrap_or("model not known");
    match &status.machine.platform {
        Some(platform) => page.row("Machine", &format!("{model} ({})", platform.name)),
        None => page.row("Machine", model),
    }
    let cpu = &status.cpu;
    let mut features = Vec::new();
    features.push(match (cpu.has_aes(), status.cpu_has_aes()) {
        (true, _) => format!("AES instructions ({})", cpu.aes.join(", ")),
        (false, Some(true)) => "AES instructions, since the kernel has drivers for them".to_string(),
        (false, Some(false)) if cpu.has_padlock_aes() => "AES by VIA PadLock".to_string(),
        (false, Some(false)) => "no AES instructions".to_string(),
        (false, None) => "whether it has AES instructions is not known".to_string(),
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
    let architecture = match cpu.architecture {
        Architecture::Unknown => "not known",
        known => known.name(),
    };
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

fn instructions(page: &mut Page, status: &Status) {
    let mut label = "Instructions";
    for set in &status.cpu_instructions {
        let off = set.off.as_ref().map(|switch| format!("; off with {switch}")).unwrap_or_default();
        page.row(
            label,
            &format!("{} ({}): kernel: {}; OpenSSL: {}{off}", set.name, set.serves, set.kernel, set.openssl),
        );
        label = "";
    }
}

fn counts(status: &Status) -> String {
    let count =
        |verdict: Verdict| status.drivers.iter().filter(|d| d.verdict == verdict && !d.internal).count();
    format!(
        "{}: {} use CPU instructions, {} are plain code, {} wrap others, {} are not known",
        status.drivers.iter().filter(|d| !d.internal).count(),
        count(Verdict::CpuInstructions),
        count(Verdict::Software),
        count(Verdict::Wrapper),
        count(Verdict::Unknown),
    )
}

fn one(page: &mut Page, a: &Accelerator) {
    let module = match a.module.as_str() {
        "kernel" => Some("built into the kernel".to_string()),
        "" => None,
        module => Some(format!("module {module}")),
    };
    let about: Vec<String> = a.kind.clone().into_iter().chain(module).collect();
    page.row("Accelerator", &format!("{} ({})", a.chip, about.join(", ")));
    for device in &a.devices {
        let interrupts = match (device.lines.len(), &a.completion) {
            (0, Completion::OwnInterrupt) => "no interrupt line".to_string(),
            (0, Completion::Polled) => "polled, so it raises no interrupts".to_string(),
            (0, Completion::Through(what)) => {
                format!("completes through {what}, so it has no interrupt line of its own")
            }
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
    if let Some(preferred) = &a.preferred {
        let interfaces: Vec<&str> =
            a.reach.iter().filter(|w| w.for_programs).map(|w| w.interface.name()).collect();
        page.sub(
            "interface",
            &format!("{preferred}, the first of {} that reaches it", interfaces.join(", ")),
        );
    }
}

fn listed(names: &[String]) -> String {
    if names.len() <= MOST_NAMES {
        return names.join(", ");
    }
    format!("{} and {} more", names[..MOST_NAMES].join(", "), names.len() - MOST_NAMES)
}

fn algorithms(page: &mut Page, algorithms: &[Algorithm], most: usize) {
    if algorithms.is_empty() {
        return;
    }
    page.blank();
    let remark = |a: &Algorithm| match (&a.accelerator, &a.outranked, &a.note) {
        (_, Some(cpu), _) => format!("before {} ({}, CPU instructions)", cpu.driver, cpu.priority),
        (Some(other), None, Some(_)) if other.driver != a.picked.driver => {
            format!("not {} ({})", other.driver, other.priority)
        }
        (_, None, Some(note)) => note.clone(),
        _ => String::new(),
    };
    // Combinations for IPsec have long names; the summary shows their parts.
    let is_short = |a: &&Algorithm| most == usize::MAX || !a.name.starts_with("authenc(");
    let rows: Vec<Vec<String>> = algorithms
        .iter()
        .filter(is_short)
        .take(most)
        .map(|a| {
            let around = if a.picked.around_accelerator { " around an accelerator" } else { "" };
            let picked = format!("{} ({})", a.picked.driver, a.picked.priority);
            vec![a.name.clone(), picked, format!("{}{around}", words(a.picked.verdict)), remark(a)]
        })
        .collect();
    let shown = rows.len();
    let has_remarks = rows.iter().any(|row| !row[3].is_empty());
    let columns = if has_remarks { 4 } else { 3 };
    let rows: Vec<Vec<String>> = rows.into_iter().map(|row| row[..columns].to_vec()).collect();
    page.table(&["Algorithm", "the kernel picks", "which is", "remark"][..columns], &rows);
    if let Some(more) = algorithms.len().checked_sub(shown).filter(|more| *more > 0) {
        page.row("", &format!("{more} more: outboard status --verbose"));
    }
}

fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accelerator => "accelerator",
        Verdict::CpuInstructions => "CPU instructions",
        Verdict::Software => "plain code",
        Verdict::Wrapper => "wrapper",
        Verdict::Unknown => "not known",
    }
}

fn pasted(page: &mut Page, status: &Status, most: usize) {
    if let Some(pasted) = &status.pasted {
        page.row("Recognised", &pasted.recognised.join("; "));
        let mut label = "It shows";
        for remark in pasted.remarks.iter().take(most) {
            page.row(label, &format!("{} (line {})", remark.text, remark.number));
            label = "";
        }
        if let Some(more) = pasted.remarks.len().checked_sub(most).filter(|more| *more > 0) {
            page.row("", &format!("{more} more: outboard status --verbose"));
        }
    }
    if !status.missing.is_empty() && (status.pasted.is_some() || most == usize::MAX) {
        page.row("Not known", &status.missing.join("; "));
    }
}

fn unknown(page: &mut Page, status: &Status) {
    let names: Vec<String> =
        status.drivers.iter().filter(|d| d.verdict == Verdict::Unknown).map(|d| d.name.clone()).collect();
    if !names.is_empty() {
        page.row("Not judged", &format!("{} (outboard status --verbose shows why)", listed(&names)));
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
        page.row(
            "Checked",
            &format!("{}: {} on {}", one.driver, one.verdict.words().to_uppercase(), one.made),
        );
    }
}
