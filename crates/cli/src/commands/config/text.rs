//! The text of `outboard config`.

use std::fmt::Write as _;

use outboard_console::{aligned, aligned_list, printable_line};
use outboard_documents::config::{Config, Configuration, Findings, Line, Service, ServiceProcess};

pub fn text(config: &Config) -> String {
    let mut out = String::new();
    if let Some(shell) = &config.shell {
        out.push_str("Programs of this shell\n");
        configuration(&mut out, shell);
    }
    for one in &config.services {
        service(&mut out, one);
    }
    out.push_str("\nFor all of them\n");
    match &config.allowed {
        None => out.push_str("  allowed drivers: none, the module outboard is not loaded\n"),
        Some(list) => _ = writeln!(out, "  allowed drivers: {}", names(list)),
    }
    findings(&mut out, &config.findings);
    out
}

fn configuration(out: &mut String, found: &Configuration) {
    let by = match found.named_by.as_str() {
        "OPENSSL_CONF" => "OPENSSL_CONF names it",
        "enable" => "written by outboard enable",
        _ => "OpenSSL's default; OPENSSL_CONF is not set",
    };
    match &found.file {
        Some(file) => _ = writeln!(out, "  {} ({by})", file.display()),
        None => _ = writeln!(out, "  no openssl.cnf ({by})"),
    }
    for file in found.files.iter().skip(1) {
        let _ = writeln!(out, "    reads {}", file.display());
    }
    let state = match (found.activated, found.preferred) {
        (false, _) => "not activated: programs use OpenSSL's own code",
        (true, true) => "activated and preferred",
        (true, false) => "activated, not preferred",
    };
    let _ = writeln!(out, "  outboard: {state}");
    let mut rows = Vec::new();
    for setting in &found.settings {
        rows.push([printable_line(&setting.key), printable_line(&setting.value), place(&setting.line)]);
        for earlier in setting.overridden.iter().rev() {
            rows.push([
                String::new(),
                format!("overrides {}", printable_line(&earlier.value)),
                place(&earlier.line),
            ]);
        }
    }
    if !rows.is_empty() {
        let _ = write!(out, "\n{}", aligned_list(&rows, "    "));
    }
    thresholds(out, found);
    if let Some(file) = &found.policy_file {
        let state = match (&file.problem, &file.made) {
            (Some(why), _) => format!("not applied: {why}"),
            (None, made) => {
                let (made, goal) = (made.as_deref().unwrap_or("-"), file.goal.as_deref().unwrap_or("-"));
                format!("applied; made {made} for {goal}")
            }
        };
        let _ = writeln!(out, "\n  policy file {}: {state}", file.path);
    }
    problems(out, &found.problems);
}

fn place(line: &Line) -> String {
    format!("{}:{}", line.file.display(), line.line)
}

/// Formats from which size on a driver serves each cipher, and why none serves the others.
fn thresholds(out: &mut String, found: &Configuration) {
    let is_known = found.thresholds.iter().any(|one| one.served.is_some());
    let first = if is_known { "requests go to a driver from" } else { "threshold, if a driver serves it" };
    let mut rows = vec![[first, "encrypt", "decrypt", "look-ahead", "set by"].map(str::to_owned)];
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in &found.thresholds {
        if let Some(why) = one.served.as_ref().and_then(|served| served.reason.as_deref()) {
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, ciphers)) => ciphers.push(&one.cipher),
                None => reasons.push((why, vec![&one.cipher])),
            }
            continue;
        }
        let bytes = |from: Option<usize>| from.map_or("never".to_owned(), |bytes| format!("{bytes} B"));
        let ahead = one.served.as_ref().and_then(|served| served.key_stream_from);
        let by = match (&one.line, ahead) {
            (Some(line), _) => place(line),
            (None, Some(_)) => "look-ahead".to_owned(),
            (None, None) => "not measured".to_owned(),
        };
        let ahead = ahead.map_or("-".to_owned(), |bytes| format!("{bytes} B"));
        rows.push([one.cipher.clone(), bytes(one.encrypt), bytes(one.decrypt), ahead, by]);
    }
    if rows.len() > 1 {
        let _ = write!(out, "\n{}", aligned(&rows, 1..4, "    "));
    }
    for (why, ciphers) in reasons {
        let _ = writeln!(out, "\n    in software: {}\n      {}", ciphers.join(", "), printable_line(why));
    }
}

fn service(out: &mut String, service: &Service) {
    let _ = writeln!(out, "\nService {}: {}", service.name, service.state);
    for file in &service.files {
        let _ = writeln!(out, "  added {}", file.display());
    }
    for one in &service.configurations {
        configuration(out, one);
    }
    let mut rows = vec![["process", "name", "OPENSSL_CONF", "provider"].map(str::to_owned)];
    rows.extend(service.processes.iter().map(row));
    if rows.len() > 1 {
        let _ = write!(out, "\n{}", aligned(&rows, 0..1, "    "));
    }
    problems(out, &service.problems);
}

fn row(process: &ServiceProcess) -> [String; 4] {
    let by = if process.openssl_conf_of_unit { " (of the unit)" } else { "" };
    let shown = |value: &Option<String>, is_readable: bool, absent: &str| match (value, is_readable) {
        (Some(value), _) => value.clone(),
        (None, true) => absent.to_owned(),
        (None, false) => "(run this as root)".to_owned(),
    };
    [
        process.pid.to_string(),
        process.name.clone(),
        shown(&process.openssl_conf, process.environment_readable, "(not set, or overwritten)") + by,
        shown(&process.provider, process.mappings_readable, "(not mapped)"),
    ]
}

fn findings(out: &mut String, found: &Findings) {
    let _ = write!(out, "  findings of outboard check ({}): ", found.path.display());
    let lists = [
        ("exact", &found.exact),
        ("WRONG", &found.wrong),
        ("NO ANSWER", &found.unanswered),
        ("outdated", &found.outdated),
    ];
    let lists: Vec<String> = lists
        .iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(word, list)| format!("{word}: {}", list.join(", ")))
        .collect();
    out.push_str(&match (&found.problem, lists.is_empty()) {
        (Some(why), _) => format!("not used: {why}"),
        (None, true) => "none".to_owned(),
        (None, false) => lists.join("; "),
    });
    out.push('\n');
}

fn problems(out: &mut String, problems: &[String]) {
    problems.iter().for_each(|problem| _ = writeln!(out, "  problem: {}", printable_line(problem)));
}

fn names(list: &[String]) -> String {
    if list.is_empty() { "none (outboard allow)".to_owned() } else { list.join(", ") }
}
