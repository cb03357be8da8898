//! Texts of `outboard enable`.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use outboard_console::aligned;
use outboard_services::choice;
use outboard_services::enable::{Plan, Step, Tree};

use super::suitability::Suitability;

/// The table of ciphers with the numbers that decide.
pub fn suitability(plan: &Plan, found: &Suitability) -> String {
    let mut rows = vec![["cipher".to_owned(), "driver".to_owned(), "wins from".to_owned()]];
    for one in &found.ciphers {
        let (driver, from) = match &one.by {
            Ok((driver, from)) => {
                let measured = if one.measured { "" } else { " (not measured here)" };
                let from = from.map_or("never".to_owned(), |bytes| format!("{bytes} bytes"));
                (driver.clone(), format!("{from}{measured}"))
            }
            Err(_) => ("-".to_owned(), "in software".to_owned()),
        };
        rows.push([one.cipher.clone(), driver, from]);
    }
    let size =
        found.bytes.map_or("requests of any size".to_owned(), |b| format!("requests of up to {b} bytes"));
    let service = &plan.service;
    // The refusal has the figures too.
    let contest = found.contest.as_ref().filter(|_| found.refusal.is_none());
    let contest = contest.cloned().map(|contest| match plan.aes_required {
        Some(_) => contest.of_aes(),
        None => contest,
    });
    let choice = contest.map(|contest| format!("\n{}", choice::text(&contest.document(service))));
    format!("{service}: {size}\n\n{}{}", aligned(&rows, 0..0, "  "), choice.unwrap_or_default())
}

/// The changes, as a diff against what is there.
pub fn changes(tree: &Tree, plan: &Plan, steps: &[Step]) -> io::Result<String> {
    let files = files(tree, plan, steps)?;
    Ok(if steps.is_empty() { files } else { files + &remarks(plan) + &next(plan) })
}

/// The names under which edited files are kept.
pub fn kept<'a>(edited: impl Iterator<Item = &'a Path>) -> String {
    edited.map(|path| format!("the edited file is {}.outboard-old\n", path.display())).collect()
}

/// The changes without remarks.
pub fn files(tree: &Tree, plan: &Plan, steps: &[Step]) -> io::Result<String> {
    if steps.is_empty() {
        return Ok(format!("{}: nothing to change\n", plan.service));
    }
    let mut out = String::new();
    for file in &plan.files {
        let old = tree.read(&file.path)?;
        let path = file.path.display();
        match &old {
            Some(text) if *text == file.text => {
                let _ = writeln!(out, "# {path}: as it is");
                continue;
            }
            Some(_) => _ = writeln!(out, "--- {path}\n+++ {path}"),
            None => _ = writeln!(out, "--- /dev/null\n+++ {path}  (mode {:04o})", file.mode),
        }
        // All of these files are outboard's own and short: they are shown whole.
        old.iter().flat_map(|text| text.lines()).for_each(|line| _ = writeln!(out, "-{line}"));
        file.text.lines().for_each(|line| _ = writeln!(out, "+{line}"));
    }
    for step in steps {
        if let Step::Remove(path) = step {
            let _ = writeln!(out, "# {} is removed", path.display());
        }
    }
    Ok(out)
}

/// What was done, and the next step.
pub fn done(plan: &Plan, is_unchanged: bool, is_image: bool) -> String {
    let mut out = match is_unchanged {
        true => format!("{} is enabled already\n", plan.service),
        false => format!("{} is enabled; written:\n", plan.service),
    };
    if !is_unchanged {
        plan.files.iter().for_each(|file| _ = writeln!(out, "  {}", file.path.display()));
    }
    out.push_str(&remarks(plan));
    if !is_image {
        out.push_str(&next(plan));
    }
    out
}

fn remarks(plan: &Plan) -> String {
    plan.notes.iter().map(|note| format!("note: {note}\n")).collect()
}

fn next(plan: &Plan) -> String {
    let lines: String = plan.next.iter().map(|command| format!("  {command}\n")).collect();
    format!("Running processes do not change. As root:\n{lines}")
}
