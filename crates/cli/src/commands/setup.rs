//! `outboard setup`: allows the drivers that the services of this machine need, measures, and advises
//! about each service.

mod act;
mod advice;
pub mod document;
mod found;
mod needs;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use outboard_console::{INTERRUPTED, answer, exit_code, say};

use self::document::Setup;
use self::found::Machine;
use self::needs::Needs;
use super::tune::GoalName;
use crate::consent::{is_agreed, only_root};

/// Find the accelerator, allow its drivers, measure where it wins, and say which services to switch on
///
/// Finds what is there, and names what is missing with the line that installs it on this system. Then it allows the drivers that the
/// services of this machine need, each after the check of `outboard allow`; measures their ciphers as `outboard tune` does; and prints
/// for each service whether to switch it on, to leave it, or to use another cipher. No service is changed.
///
/// Shows its plan first, and asks on a terminal. Without a terminal and without --yes it only shows the plan. What is done already is
/// not done again. ^C leaves the machine as it was; `outboard undo` takes everything back.
///
/// Exit code 0 if the machine is set up, or could be as shown; 1 if it cannot be: there is no accelerator, a part is missing, or no
/// driver passed its check.
#[derive(Args)]
pub struct Options {
    /// Show what would change; change nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// The criterion of the measurement, as of `outboard tune`
    #[arg(long, value_enum, default_value_t)]
    goal: GoalName,
    /// Print JSON (schema outboard-setup/1); without --yes it only shows
    #[arg(long)]
    json: bool,
    /// The provider's file instead of the installed one
    #[arg(long, value_name = "PATH")]
    module: Option<PathBuf>,
}

/// Runs `outboard setup`.
pub fn run(options: &Options) -> ExitCode {
    exit_code("setup", setup(options))
}

fn setup(options: &Options) -> Result<ExitCode> {
    let machine = Machine::examine(options.module.as_deref())?;
    let mut result = Setup::of(&machine);
    let Some(module) = machine.module.clone().filter(|_| machine.obstacles.is_empty()) else {
        return printed(options, &result, &text::obstacles(&machine)).map(|()| ExitCode::FAILURE);
    };
    let needs = Needs::of(&machine, &module, options.goal)?;
    result.plan(&needs);
    if needs.is_without_driver() {
        return printed(options, &result, &text::plan(&machine, &needs)).map(|()| ExitCode::FAILURE);
    }
    if !options.json {
        answer(&text::plan(&machine, &needs))?;
    }
    if needs.is_work_left() {
        if options.dry_run || !is_agreed(options.yes, options.json, "Do that now?") {
            return printed(options, &result, text::NOT_DONE).map(|()| ExitCode::SUCCESS);
        }
        only_root()?;
        let done = act::act(&machine, &needs, &module, options.goal, &mut result)?;
        if let act::Outcome::Interrupted = done {
            say("outboard setup: interrupted; what it had changed is undone");
            return Ok(ExitCode::from(INTERRUPTED));
        }
        if let act::Outcome::NoDriver = done {
            return printed(options, &result, &text::no_driver(&result)).map(|()| ExitCode::FAILURE);
        }
    }
    result.services = advice::of_services(&needs.services, options.goal);
    result.services.extend(advice::of_kernel_users(&needs.services, options.goal));
    printed(options, &result, &text::services(&result)).map(|()| ExitCode::SUCCESS)
}

/// Prints the document, or the text.
fn printed(options: &Options, result: &Setup, text: &str) -> Result<()> {
    match options.json {
        true => Ok(answer(&(serde_json::to_string_pretty(result)? + "\n"))?),
        false => Ok(answer(text)?),
    }
}
