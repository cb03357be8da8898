//! `outboard check`: verifies the results of drivers for a given time.

pub mod findings;
mod share;
mod text;
mod work;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use outboard_accel::checkable::any_seed;
use outboard_console as console;
use outboard_console::{INTERRUPTED, duration, exit_code, say};
use outboard_documents::check::{Check, CheckVerdict};
use outboard_documents::{json, now};
use outboard_measure::kernel_users::cleaner::Cleaner;
use outboard_measure::{machine, stop};

use super::CLEAN_UP;

/// All results were right, and the time ended before each driver was checked.
const INCOMPLETE: u8 = 3;

/// Compare results of accelerators with outboard's own plain code, byte for byte.
///
/// Each driver gets published examples, then random requests of 0 bytes to 64 KiB with each key length, in both
/// directions, single and up to 64 at a time, from two threads of two processes. Drivers of GCM and CCM must reject
/// forged messages; those of digests and HMAC get messages as a whole, in chunks, and cloned in the middle. A driver is
/// reached through the interface that programs use: for /dev/outboard, root must allow it first.
///
/// As root, drivers of cbc(aes), gcm(aes), authenc() and rfc4106() get what IPsec requests too: packets of 64 to 1500
/// bytes, 64 in flight, through a tunnel between two network namespaces, the other end by software. If the driver keeps
/// packets, the namespaces stay until a restart.
///
/// Findings of root are stored in /etc/outboard/checked for each driver, kernel and driver version: after a wrong
/// result `outboard allow` refuses the driver, and the provider does not use it, whatever a later check finds, until
/// --forget. A driver that does not answer within the time limit of the module (10 s) is not used until a check finds
/// it right.
///
/// Exit code 0 if all results were right; 1 if one was wrong or missing, or if no driver could be reached; 3 if all
/// were right when the time ended, and not each driver that can be reached was checked.
#[derive(Args)]
pub struct Options {
    /// Exact driver names, as in /proc/crypto [default: all accelerators]
    #[arg(value_name = "DRIVER")]
    drivers: Vec<String>,
    /// Time limit for all drivers: 90s, 10m, 2h; a driver for which no time is left is reported as not checked. 0: no limit, each
    /// once
    #[arg(long = "for", value_name = "TIME", default_value = "10s", value_parser = duration)]
    time: Duration,
    /// Repeat the requests of an earlier run
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Check nothing: delete the findings of earlier checks of these drivers
    #[arg(long, requires = "drivers", conflicts_with_all = ["time", "seed", "json"])]
    forget: bool,
    /// Print JSON (schema outboard-check/1)
    #[arg(long)]
    json: bool,
    /// In this process alone: what the command starts for its second process
    #[arg(long, hide = true)]
    alone: bool,
}

pub fn run(options: &Options) -> ExitCode {
    exit_code("check", check(options))
}

fn check(options: &Options) -> Result<ExitCode> {
    if options.forget {
        return findings::forget(&options.drivers).map(|()| ExitCode::SUCCESS);
    }
    stop::listen();
    let candidates = work::candidates(&options.drivers)?;
    if candidates.is_empty() {
        if options.json {
            console::answer(&json(&Check::new(any_seed(), machine::here(), now()))?)?;
        }
        bail!(
            "this machine has no accelerator whose algorithm can be checked: outboard status shows what it has"
        );
    }
    let seed = options.seed.unwrap_or_else(any_seed);
    let mut check = Check::new(seed, machine::here(), now());
    // Only the first process has this time limit; it ends the second one.
    if !options.alone {
        stop::limit(options.time);
    }
    // A driver that cannot be reached is reported without a check, and takes no time of the others.
    let reached: Vec<_> = candidates.iter().map(work::reach).collect();
    let is_saved = !options.alone && rustix::process::geteuid().is_root();
    let with_packets = candidates.iter().filter(|one| is_saved && one.esp().is_some()).count();
    let parts = reached.iter().filter(|subject| subject.is_ok()).count() + with_packets;
    let each = options.time / parts.max(1) as u32;
    let mut cleaner =
        if with_packets > 0 { Cleaner::start(&[CLEAN_UP]) } else { Err(anyhow!("it needs root")) };
    // Only the first process reports progress.
    let progress = |text: &str| {
        if !options.alone {
            console::progress(text);
        }
    };
    for (candidate, subject) in candidates.iter().zip(reached) {
        match subject {
            Err(why) => check.drivers.push(work::unreached(candidate, why)),
            Ok(_) if stop::asked() => check.not_checked.push(candidate.name.clone()),
            Ok(subject) => {
                progress(&format!("checking {}, about {} s each", candidate.name, each.as_secs().max(1)));
                check.drivers.push(work::check(candidate, &subject, each, seed, !options.alone));
                progress("");
            }
        }
        let last = check.drivers.last_mut().filter(|driver| !options.alone && driver.name == candidate.name);
        if let Some((driver, esp)) = last.zip(candidate.esp()) {
            progress(&format!("checking {} with packets of IPsec", candidate.name));
            work::with_packets(driver, &esp, &mut cleaner);
            progress("");
        }
    }
    drop(cleaner);
    check.interrupted = stop::by_signal();
    // Only the first process saves the findings, and only as root; other users just see them.
    if is_saved {
        saved(&check, &candidates);
    }
    let report = if options.json { json(&check)? } else { text::report(&check) };
    console::answer(&report)?;
    Ok(match (check.is_right(), check.interrupted) {
        (false, false) if check.is_right_so_far() => ExitCode::from(INCOMPLETE),
        (false, _) => ExitCode::FAILURE,
        (true, true) => ExitCode::from(INTERRUPTED),
        (true, false) => ExitCode::SUCCESS,
    })
}

/// Checks drivers over the interface that reaches them, in this process alone, and saves the findings.
pub fn briefly(drivers: &[String]) -> Result<Check> {
    let candidates = work::candidates(drivers)?;
    let seed = any_seed();
    let mut check = Check::new(seed, machine::here(), now());
    for candidate in &candidates {
        match work::reach(candidate) {
            Err(why) => check.drivers.push(work::unreached(candidate, why)),
            Ok(subject) => {
                console::progress(&format!("checking {}", candidate.name));
                check.drivers.push(work::check(candidate, &subject, Duration::ZERO, seed, false));
                console::progress("");
            }
        }
        if stop::asked() {
            check.interrupted = stop::by_signal();
            break;
        }
    }
    findings::save(&check, &candidates)?;
    Ok(check)
}

fn saved(check: &Check, candidates: &[work::Candidate]) {
    if let Err(error) = findings::save(check, candidates) {
        say(&format!("outboard check: what was found is not saved: {error:#}"));
        return;
    }
    for driver in &check.drivers {
        let name = &driver.name;
        let end = match driver.verdict {
            CheckVerdict::Wrong => {
                format!("and outboard allow refuses it, until outboard check --forget {name}")
            }
            CheckVerdict::Unanswered => {
                format!("until outboard check {name} or outboard allow {name} finds it right")
            }
            _ => continue,
        };
        say(&format!("outboard check: from now on the provider does not use {name}, {end}"));
    }
}
