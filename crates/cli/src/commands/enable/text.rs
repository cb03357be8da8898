//! Texts of `outboard enable`.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use outboard_advice::{ServiceFacts, details};
use outboard_console::aligned;
use outboard_services::enable::{Plan, Step, Tree};

/// The table of ciphers with the numbers that decide, and the decision, unless it is an error.
pub fn suitability(facts: &ServiceFacts) -> String {
    let mut rows = vec![["cipher".to_owned(), "driver".to_owned(), "wins from".to_owned()]];
    for one in &facts.ciphers {
        let from = match (&one.driver, one.from) {
            (None, _) => "in software".to_owned(),
            (Some(_), None) => "never".to_owned(),
            (Some(_), Some(bytes)) if one.is_measured => format!("{bytes} bytes"),
            (Some(_), Some(bytes)) => format!("{bytes} bytes (not measured here)"),
        };
        rows.push([one.cipher.clone(), one.driver.clone().unwrap_or_else(|| "-".to_owned()), from]);
    }
    let decision = facts.decide();
    let decision = if decision.refused { String::new() } else { format!("\n{}", details(&decision)) };
    format!("{}: requests of {}\n\n{}{decision}", facts.name, facts.size(), aligned(&rows, 0..0, "  "))
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
