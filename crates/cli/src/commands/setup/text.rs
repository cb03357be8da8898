//! Texts of `outboard setup`.

use std::fmt::Write as _;

use outboard_advice::{details, words};
use outboard_console::{aligned, time};

use super::document::{DriverState, DriverStep, Setup};
use super::found::Machine;
use super::needs::{Needs, PolicyState};

/// After a plan that is not carried out.
pub const NOT_DONE: &str = "Nothing was changed: outboard setup --yes does this.\n";

/// Why the machine cannot be set up.
pub fn obstacles(machine: &Machine) -> String {
    let mut out = String::new();
    for obstacle in &machine.found.obstacles {
        let _ = writeln!(out, "{}", obstacle.text);
        if let Some(next) = &obstacle.next {
            let _ = writeln!(out, "Next: {next}");
        }
    }
    out
}

/// What was found, and what is to be done.
pub fn plan(machine: &Machine, needs: &Needs) -> String {
    let status = &machine.status;
    let mut out = String::new();
    let chips: Vec<&str> = status.accelerators.iter().map(|one| one.chip.as_str()).collect();
    let mut rows = vec![
        ["accelerator", &chips.join(", ")].map(str::to_owned),
        ["kernel", status.kernel.release.as_deref().unwrap_or("unknown")].map(str::to_owned),
    ];
    let services: Vec<&str> = needs.services.iter().map(|service| service.name.as_str()).collect();
    rows.push(["services".to_owned(), services.join(", ")]);
    out += &aligned(&rows, 0..0, "");
    machine.found.remarks.iter().for_each(|remark| _ = writeln!(out, "{remark}"));
    if needs.drivers.is_empty() {
        out += "\nNo driver of it does what these services use.\n";
        return out;
    }
    out += "\n";
    let mut rows: Vec<[String; 3]> = needs.drivers.iter().map(driver_row).collect();
    rows.push(match &needs.policy {
        PolicyState::InForce => [
            "measured".to_owned(),
            "policy".to_owned(),
            format!("in force, for the goal {}", needs.goal.name()),
        ],
        PolicyState::ToMeasure(why) => [
            "to measure".to_owned(),
            format!("{} ciphers", needs.ciphers.len()),
            format!("about {}, for the goal {}: {why}", time(needs.time()), needs.goal.name()),
        ],
    });
    out += &aligned(&rows, 0..0, "  ");
    for step in needs.drivers.iter() {
        step.reason.iter().for_each(|why| _ = writeln!(out, "{}: {why}", step.driver));
    }
    out
}

fn driver_row(step: &DriverStep) -> [String; 3] {
    let state = match step.state {
        DriverState::ToAllow => "to allow",
        DriverState::ToCheck => "to check",
        DriverState::Allowed => "allowed",
        DriverState::Checked => "checked",
        DriverState::Refused => "refused",
    };
    [state.to_owned(), step.driver.clone(), step.purpose.clone()]
}

/// No driver passed its check.
pub fn no_driver(result: &Setup) -> String {
    format!("None of {} drivers passed its check: the accelerator is not used.\n", result.drivers.len())
}

/// A table of the services; with `is_verbose` their reasons and settings.
pub fn services(result: &Setup, is_verbose: bool) -> String {
    let mut rows = vec![["service", "decision", "command"].map(str::to_owned)];
    for one in &result.services {
        let command = one.next.clone().unwrap_or_else(|| "-".to_owned());
        rows.push([one.service.clone(), words(&one.decision), command]);
    }
    let mut out = format!("\n{}\n", aligned(&rows, 0..0, ""));
    match is_verbose {
        true => result.services.iter().for_each(|one| out += &details(one)),
        false => out += "Why, with figures and settings: outboard setup --verbose\n",
    }
    out += match result.changed {
        true => "This machine is set up; outboard undo takes it back.\n",
        false => "This machine is set up.\n",
    };
    out
}
