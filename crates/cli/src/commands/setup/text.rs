//! Texts of `outboard setup`.

use std::fmt::Write as _;

use outboard_console::{aligned, time};

use super::document::{Advice, DriverState, DriverStep, Setup};
use super::found::Machine;
use super::needs::{Needs, PolicyState};

/// After a plan that is not carried out.
pub const NOT_DONE: &str = "Nothing was changed: outboard setup --yes does this.\n";

/// Why the machine cannot be set up.
pub fn obstacles(machine: &Machine) -> String {
    let mut out = String::new();
    for obstacle in &machine.obstacles {
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
    machine.remarks.iter().for_each(|remark| _ = writeln!(out, "{remark}"));
    if needs.drivers.is_empty() {
        out += "\nNo driver of it does what these services use.\n";
        return out;
    }
    out += "\n";
    let mut rows: Vec<[String; 3]> = needs.drivers.iter().map(driver_row).collect();
    rows.push(match &needs.policy {
        PolicyState::InForce => ["measured", "policy", "in force"].map(str::to_owned),
        PolicyState::ToMeasure(why) => [
            "to measure".to_owned(),
            format!("{} ciphers", needs.ciphers.len()),
            format!("about {}: {why}", time(needs.time())),
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

/// One line for each service.
pub fn services(result: &Setup) -> String {
    let mut out = String::from("\n");
    for one in &result.services {
        let advice = match one.advice {
            Advice::Enabled => "enabled",
            Advice::SwitchOn => "switch on",
            Advice::OtherCipher => "use another cipher",
            Advice::Leave => "leave",
        };
        let _ = writeln!(out, "{}: {advice}: {}", one.service, one.reason);
        one.command.iter().for_each(|command| _ = writeln!(out, "    {command}"));
    }
    out += match result.changed {
        true => "\nThis machine is set up; outboard undo takes it back.\n",
        false => "\nThis machine is set up.\n",
    };
    out
}
