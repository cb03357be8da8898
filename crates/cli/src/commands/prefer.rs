//! `outboard prefer`: changes which driver the kernel selects for an algorithm.

use std::path::Path;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use outboard_console::{answer, duration, ended, progress, say};
use outboard_drivers::find::Judged;
use outboard_drivers::judge::Verdict;
use outboard_drivers::kernel::Release;
use outboard_drivers::preference::{self, PreferenceError};
use outboard_drivers::reach::{Cell, ReachFacts, Reachable, matrix_row};
use outboard_drivers::root::Root;
use outboard_services::enable::{self, PreferredDriver, Record, Tree, plan_kernel, preference_key};

use super::enable::{lock, text};
use super::{change, disable};
use crate::kernel_choice;

const PAUSE: Duration = Duration::from_millis(250);

/// Let the kernel select a driver for its algorithm, or prefer software to it, now and after each boot
///
/// Users within the kernel (IPsec, kTLS, dm-crypt and others) name an algorithm and get the driver with the highest priority. This
/// gives a driver a higher priority than all others of its algorithm (CRYPTO_MSG_UPDATEALG), for every user of the algorithm. A user
/// that has a driver keeps it until it sets up its next key. The provider and /dev/outboard name drivers and are not affected.
///
/// With --software a driver, or each one of an accelerator, gets the lowest priority instead, so that these users get software.
///
/// `outboard enable ktls`, `ipsec` and `disk` measure first and choose the drivers; this command prefers the named driver.
#[derive(Args)]
pub struct Options {
    /// The exact name of a driver, as `outboard status` shows it; with --software also a module, or a name in the catalogue
    #[arg(value_name = "DRIVER", required_unless_present = "restore", conflicts_with = "restore")]
    driver: Option<String>,
    /// Prefer software to it
    #[arg(long, conflicts_with_all = ["restore", "undo", "force"])]
    software: bool,
    /// Restore the driver's own priority, and remove the file
    #[arg(long, conflicts_with = "restore")]
    undo: bool,
    /// Show what would change; change nothing
    #[arg(long, conflicts_with_all = ["undo", "restore"])]
    dry_run: bool,
    /// Prefer it even if it outranks the CPU's own crypto instructions
    #[arg(long, conflicts_with_all = ["restore", "undo"])]
    force: bool,
    /// Replace or remove files of outboard's that were edited; each is kept as FILE.outboard-old
    #[arg(long, conflicts_with = "restore")]
    overwrite: bool,
    /// Print JSON (schema outboard-change/1)
    #[arg(long, conflicts_with_all = ["restore", "dry_run"])]
    json: bool,
    /// Change the priorities of all these drivers again, as at boot
    #[arg(long)]
    restore: bool,
    /// With --restore: how long to wait for drivers that are not registered yet
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = duration, requires = "restore")]
    wait: Duration,
}

pub fn run(options: &Options) -> ExitCode {
    let result = match &options.driver {
        None => restore(options.wait),
        Some(driver) => {
            change::each(std::slice::from_ref(driver), options.json, |driver| match options.undo {
                true => undo(driver, options.overwrite),
                false => prefer(options, driver).with_context(|| driver.to_owned()),
            })
        }
    };
    ended("prefer", result)
}

fn tree() -> Tree {
    Tree::at(Path::new("/"))
}

fn prefer(options: &Options, driver: &str) -> Result<String> {
    if driver.contains('/') {
        bail!("it is not the name of a driver (outboard status)");
    }
    // First: another process may change the priorities and the files that are read here.
    let _lock = if options.dry_run { None } else { Some(lock(&tree())?) };
    let drivers = kernel_choice::now()?;
    let key = preference_key(driver);
    let file = key.replace(':', "-");
    let preferred = kernel_choice::preferred(&tree())?;
    let (modules, chosen, text) = if options.software {
        let chosen = kernel_choice::to_put_last(&drivers, &preferred, &file, driver)?;
        let names: Vec<&str> = chosen.iter().map(|one| one.name.as_str()).collect();
        let text = format!("software is selected before {} for new keys", names.join(", "));
        (Vec::new(), chosen, text)
    } else {
        let one = kernel_choice::to_prefer(&drivers, &preferred, &file, driver)?;
        let priority = preference::priority_to_win(&drivers, driver)?;
        if let Some(warning) = outranks_instructions(&drivers, driver) {
            say(&format!("WARNING: {warning}"));
            if !options.force && !options.dry_run {
                bail!("it is not preferred; --force prefers it all the same");
            }
        }
        let text = line(&drivers, &one, priority, release()).trim_end().to_owned();
        (module(&drivers, driver).into_iter().collect(), vec![one], text)
    };
    let plan = plan_kernel(&key, &modules, &chosen);
    if options.dry_run {
        let steps = enable::steps_to_enable(&tree(), &plan, options.overwrite)?;
        return Ok(text::files(&tree(), &plan, &steps)? + &text);
    }
    let was_preferred = Record::read(&tree(), &key).is_ok_and(|record| record.is_some());
    enable::enable(&tree(), &plan, options.overwrite)?;
    let change = |one| match kernel_choice::change(one) {
        // Its software is missing: the others are changed all the same.
        Err(PreferenceError::NoOther(..)) if chosen.len() > 1 => Ok(()),
        changed => changed.map(drop),
    };
    if let Err(error) = chosen.iter().try_for_each(change) {
        if !was_preferred {
            disable::remove(&tree(), &key, true).context("the change could not be undone")?;
        }
        return Err(error.into());
    }
    kernel_choice::make_software_of(chosen.iter());
    Ok(text)
}

fn release() -> Option<Release> {
    Release::read(&Root::live())
}

/// The result, with the users in the kernel that get the driver: those of `outboard status --reach`.
fn line(drivers: &[Judged], one: &PreferredDriver, priority: i32, release: Option<Release>) -> String {
    let is_it = |it: &&Judged| it.driver.name == one.name;
    let after = drivers.iter().find(is_it).map(|target| preference::if_preferred(drivers, target));
    let after = after.unwrap_or_default();
    let facts = ReachFacts { release, ..ReachFacts::default() };
    let users = after.iter().find(is_it).map(|target| matrix_row(target, &after, &facts)).unwrap_or_default();
    let users: Vec<Cell> = users.into_iter().filter(|cell| cell.consumer.selects_by_priority()).collect();
    let with = |answer: Reachable| -> Vec<&str> {
        users.iter().filter(|cell| cell.reachable == answer).map(|cell| cell.consumer.name()).collect()
    };
    let (certain, unclear) = (with(Reachable::Yes), with(Reachable::Unclear));
    let mut text = match one.own_priority == priority {
        true => {
            format!("{}: selected already, and stays so, with its own priority of {priority}; ", one.name)
        }
        false => format!("{}: priority {priority} (its own is {}); ", one.name, one.own_priority),
    };
    text += &match (certain.is_empty(), unclear.is_empty()) {
        (false, _) => format!("{} get it for new keys", certain.join(", ")),
        (true, false) => format!("{} may get it for new keys", unclear.join(", ")),
        (true, true) => "no user in the kernel that outboard knows gets it".to_owned(),
    };
    text += "\n";
    if certain.is_empty() && unclear.is_empty() {
        users.iter().for_each(|cell| text += &format!("  {}: {}\n", cell.consumer.name(), cell.why));
    }
    text
}

fn module(drivers: &[Judged], driver: &str) -> Option<String> {
    let found = drivers.iter().find(|one| one.driver.name == driver)?;
    Some(found.driver.module.clone()).filter(|module| module != "kernel")
}

/// An accelerator before AES instructions that are many times faster.
fn outranks_instructions(drivers: &[Judged], driver: &str) -> Option<String> {
    let target = drivers.iter().find(|one| one.driver.name == driver)?;
    let is_accelerator = target.judgement.verdict == Verdict::Accelerator;
    let fast = drivers.iter().find(|one| {
        one.driver.algorithm == target.driver.algorithm
            && one.driver.is_usable()
            && one.judgement.verdict == Verdict::CpuInstructions
    });
    fast.filter(|_| is_accelerator).map(|fast| {
        format!(
            "{} would outrank {}, which uses the CPU's own instructions and is usually many times faster for IPsec and disks: \
             measure with outboard bench disk and bench ipsec",
            driver, fast.driver.name
        )
    })
}

fn undo(driver: &str, overwrite: bool) -> Result<String> {
    let key = preference_key(driver);
    // It removes what an interrupted change has left.
    let _lock = lock(&tree())?;
    let record = Record::read(&tree(), &key).map_err(|why| anyhow!(why))?;
    record.ok_or_else(|| {
        anyhow!("{driver} is not preferred by this command (outboard enable --list shows what is)")
    })?;
    disable::remove(&tree(), &key, overwrite)?;
    Ok(format!("{driver} has its own priority again"))
}

/// Changes the priorities of all drivers with an entry. One that is missing does not keep the others from
/// that.
fn restore(wait: Duration) -> Result<()> {
    let preferred = kernel_choice::preferred(&tree())?;
    let start = Instant::now();
    let mut drivers = kernel_choice::now()?;
    let is_there = |drivers: &[Judged], name: &str| {
        drivers.iter().any(|one| one.driver.name == name && one.driver.is_usable())
    };
    while start.elapsed() < wait && !preferred.iter().all(|(_, one)| is_there(&drivers, &one.name)) {
        progress("waiting for the drivers");
        sleep(PAUSE);
        drivers = kernel_choice::now()?;
    }
    progress("");
    let mut failed: Vec<PreferenceError> = Vec::new();
    for (_, one) in &preferred {
        match kernel_choice::change(one) {
            Ok(priority) => answer(&format!("{}: priority {priority}\n", one.name))?,
            Err(PreferenceError::NoOther(..)) if one.is_last => {}
            Err(error) => failed.push(error),
        }
    }
    kernel_choice::make_software_of(preferred.iter().map(|(_, one)| one));
    failed.iter().for_each(|error| say(&format!("outboard prefer: {error}")));
    if failed.is_empty() {
        Ok(())
    } else {
        bail!("{} of {} drivers are not preferred", failed.len(), preferred.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_drivers::find::survey;

    #[test]
    fn the_users_that_get_a_preferred_driver_are_those_of_the_reach_matrix() {
        let fixture =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures/armada388-helios4");
        let drivers = survey(&Root::saved(&fixture).unwrap()).unwrap().drivers;
        let one = |name: &str| PreferredDriver { name: name.to_owned(), own_priority: 300, is_last: false };
        let says = |name: &str, release: &str| line(&drivers, &one(name), 401, Release::parse(release));
        // CESA's drivers allocate memory, which dm-crypt refuses since Linux 5.10.
        let cbc = says("mv-cbc-aes", "6.12.0");
        assert!(cbc.contains("IPsec get it for new keys") && !cbc.contains("dm-crypt"), "{cbc}");
        let ecb = says("mv-ecb-aes", "6.12.0");
        assert!(ecb.contains("no user in the kernel that outboard knows gets it"), "{ecb}");
        let same = line(&drivers, &one("mv-cbc-aes"), 300, Release::parse("6.12.0"));
        assert!(same.contains("selected already"), "{same}");
        assert!(ecb.contains("\n  dm-crypt: disks are not usually encrypted with ecb(aes)\n"), "{ecb}");
    }
}
