//! `outboard setup`: allows the drivers that the services of this machine need, measures, and advises
//! about each service.

mod act;
pub mod document;
mod found;
mod needs;
mod services;
mod text;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use outboard_console::{INTERRUPTED, answer, exit_code, say};
use outboard_documents::Goal;
use outboard_policy::{POLICY_FILE, Tuned};

use self::document::Setup;
use self::found::Machine;
use self::needs::Needs;
use super::tune::GoalName;
use crate::consent::{is_agreed, only_root};

/// Find the accelerator, allow its drivers, measure it, and advise about each service
///
/// Finds what is there, and names what is missing with the line that installs it on this system. Then it allows the drivers that the
/// services of this machine need, each after the check of `outboard allow`; measures their ciphers as `outboard tune` does; and prints
/// a table: each service, the decision (use the accelerator, prefer another cipher, leave), and the command to type. No service is changed.
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
    /// The criterion of the measurement, as of `outboard tune`; without it that of the policy, or balanced
    #[arg(long, value_enum)]
    goal: Option<GoalName>,
    /// Show for each service the reason with its figures, and the settings
    #[arg(long, short)]
    verbose: bool,
    /// Print JSON (schema outboard-setup/1); without --yes it only shows
    #[arg(long)]
    json: bool,
    /// With --json: print each step as a line (schema outboard-progress/1), and the document as the last line
    #[arg(long, requires = "json")]
    progress: bool,
    /// The provider's file instead of the installed one
    #[arg(long, value_name = "PATH")]
    module: Option<PathBuf>,
}

pub fn run(options: &Options) -> ExitCode {
    exit_code("setup", setup(options))
}

fn setup(options: &Options) -> Result<ExitCode> {
    if options.progress {
        outboard_documents::print_steps();
    }
    let machine = Machine::examine(options.module.as_deref())?;
    let goal = options.goal.map(Goal::from).unwrap_or_else(|| goal_of(Path::new(POLICY_FILE)));
    let mut result = Setup::of(&machine, goal);
    let Some(module) = machine.module.clone().filter(|_| machine.found.obstacles.is_empty()) else {
        return printed(options, &result, &text::obstacles(&machine)).map(|()| ExitCode::FAILURE);
    };
    let needs = Needs::of(&machine, &module, goal)?;
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
        let done = act::act(&machine, &needs, &module, goal, &mut result)?;
        if let act::Outcome::Interrupted = done {
            say("outboard setup: interrupted; what it had changed is undone");
            return Ok(ExitCode::from(INTERRUPTED));
        }
        if let act::Outcome::NoDriver = done {
            return printed(options, &result, &text::no_driver(&result)).map(|()| ExitCode::FAILURE);
        }
    }
    result.services = services::decisions(&needs.services, goal);
    printed(options, &result, &text::services(&result, options.verbose)).map(|()| ExitCode::SUCCESS)
}

/// The goal of a policy that is in force, which stays; otherwise the default.
fn goal_of(policy: &Path) -> Goal {
    let policy = Tuned::read(policy).ok().flatten();
    policy.and_then(|policy| Goal::by_name(policy.value("goal"))).unwrap_or_default()
}

fn printed(options: &Options, result: &Setup, text: &str) -> Result<()> {
    match options.json {
        true => Ok(answer(&outboard_documents::pretty(result)?)?),
        false => Ok(answer(text)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_goal_of_the_policy_stays() {
        let folder = tempfile::tempdir().unwrap();
        let policy = folder.path().join("policy");
        assert_eq!(goal_of(&policy), Goal::Balanced);
        for (goal, kept) in
            [("throughput", Goal::Throughput), ("cpu", Goal::Cpu), ("unknown", Goal::Balanced)]
        {
            std::fs::write(&policy, format!("outboard-policy 2\ngoal {goal}\n")).unwrap();
            assert_eq!(goal_of(&policy), kept);
        }
    }
}
