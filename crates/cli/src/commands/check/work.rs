//! Checks a driver with two threads in each of two processes.

use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use outboard_accel::Error;
use outboard_accel::check::{Checked, Fault, key_lengths, soak};
use outboard_accel::checkable::Subject;
use outboard_accel::primitive::Primitive;
use outboard_documents::check::{Check, CheckVerdict, CheckedDriver};
use outboard_drivers::judge::Verdict;
use outboard_drivers::padlock::is_padlock;
use outboard_drivers::reach::refused;
use outboard_drivers::root::Root;
use outboard_drivers::survey;
use outboard_measure::interrupts::Interrupts;
use outboard_measure::kernel_users::cleaner::Cleaner;
use outboard_measure::kernel_users::esp::Esp;
use outboard_measure::kernel_users::packets::{self, RightPackets};
use outboard_measure::stop;

use super::share::Share;
use crate::kernel_choice;

const THREADS: u64 = 2;

/// Distance between the seeds of threads and processes, so that they do not overlap.
const APART: u64 = 1_000_000_007;

pub struct Candidate {
    pub name: String,
    pub module: String,
    pub algorithm: String,
    /// The algorithm, if programs request it. Of others packets of IPsec are the only check.
    primitive: Option<Primitive>,
    selftest: String,
}

impl Candidate {
    /// As which ESP packets of IPsec request it.
    pub fn esp(&self) -> Option<Esp> {
        Esp::by_algorithm(&self.algorithm).filter(|_| !is_padlock(&self.name))
    }
}

/// Returns the named drivers, or all accelerators.
pub fn candidates(named: &[String]) -> Result<Vec<Candidate>> {
    if let Some(why) = named.iter().find_map(|driver| refused(driver)) {
        bail!("{why}");
    }
    let survey = survey(&Root::live())?;
    let mut candidates = Vec::new();
    for judged in survey.for_programs() {
        let driver = &judged.driver;
        let is_wanted = match named {
            [] => judged.judgement.verdict == Verdict::Accelerator && refused(&driver.name).is_none(),
            _ => named.contains(&driver.name),
        };
        let primitive = Primitive::by_kernel_name(&driver.algorithm);
        if !is_wanted || primitive.is_none() && Esp::by_algorithm(&driver.algorithm).is_none() {
            continue;
        }
        // The kernel has not tested what it does not know.
        let selftest = if is_padlock(&driver.name) { "none" } else { driver.selftest.name() };
        let (name, module, algorithm) =
            (driver.name.clone(), driver.module.clone(), driver.algorithm.clone());
        candidates.push(Candidate { name, module, algorithm, primitive, selftest: selftest.to_owned() });
    }
    if let Some(missing) = named.iter().find(|name| !candidates.iter().any(|found| found.name == **name)) {
        bail!(
            "/proc/crypto lists no driver {missing} of {}: outboard status --verbose shows all",
            Primitive::names()
        );
    }
    // Where the time does not suffice, digests, which are off by default, are left out.
    candidates.sort_by_key(|one| matches!(one.primitive, Some(Primitive::Hash(_))));
    Ok(candidates)
}

/// Opens a driver over the interface that reaches it.
/// Errors: why none reaches it.
pub fn reach(candidate: &Candidate) -> Result<Subject, String> {
    let Some(primitive) = candidate.primitive else {
        return Err("only users within the kernel request its algorithm".to_owned());
    };
    let reached = primitive.reach(&candidate.name);
    reached.map_err(|passed| passed.iter().map(Error::to_string).collect::<Vec<_>>().join("; "))
}

pub fn unreached(candidate: &Candidate, why: String) -> CheckedDriver {
    CheckedDriver {
        name: candidate.name.clone(),
        algorithm: candidate.algorithm.clone(),
        selftest: candidate.selftest.clone(),
        interface: None,
        verdict: CheckVerdict::Unreached,
        fault: Some(why),
        requests: 0,
        bytes: 0,
        packets: 0,
        no_packets: None,
        interrupts: None,
    }
}

/// Checks a driver with packets of IPsec too, unless it is known to be wrong.
pub fn with_packets(driver: &mut CheckedDriver, esp: &Esp, cleaner: &mut Result<Cleaner>) {
    if driver.verdict.is_failure() {
        return;
    }
    let mut found = || {
        let cleaner = cleaner.as_mut().map_err(|error| anyhow!("{error:#}"))?;
        let drivers = kernel_choice::now()?;
        let one = drivers.iter().find(|one| one.driver.name == driver.name && one.driver.is_usable());
        packets::check(esp, one.context("it is not usable")?, cleaner)
    };
    let in_flight = |text: String| {
        let single = if driver.verdict == CheckVerdict::Exact { "right for single requests; " } else { "" };
        Some(format!("{single}packets of IPsec, {} in flight: {text}", packets::IN_FLIGHT))
    };
    match found() {
        Err(error) => driver.no_packets = Some(format!("{error:#}")),
        Ok(Ok(RightPackets { packets: 0, .. })) => {
            driver.no_packets = Some("no time was left".to_owned());
        }
        Ok(Ok(right)) => {
            driver.packets = right.packets;
            driver.requests += right.packets;
            driver.bytes += right.bytes;
            if driver.verdict == CheckVerdict::Unreached {
                (driver.verdict, driver.fault) = (CheckVerdict::Exact, None);
                driver.interface = Some("IPsec".to_owned());
            }
        }
        Ok(Err((verdict, text))) => (driver.fault, driver.verdict) = (in_flight(text), verdict),
    }
}

/// Checks a driver, also in a second process if `with_second`.
pub fn check(
    candidate: &Candidate,
    subject: &Subject,
    time: Duration,
    seed: u64,
    with_second: bool,
) -> CheckedDriver {
    let mut driver = unreached(candidate, String::new());
    let interrupts = match is_padlock(&candidate.name) {
        true => None,
        false => Interrupts::find().ok().filter(|found| found.silent.is_none()),
    };
    let count = || interrupts.as_ref().and_then(|interrupts| interrupts.count().ok());
    let before = count();
    let share = if with_second {
        in_two_processes(subject, &candidate.name, time, seed)
    } else {
        alone(subject, time, seed, &|| true)
    };
    driver.interface = Some(subject.interface().to_owned());
    driver.interrupts = count().zip(before).map(|(now, then)| now.saturating_sub(then));
    (driver.requests, driver.bytes) = (share.requests, share.bytes);
    let (verdict, fault) = share.fault.unzip();
    (driver.verdict, driver.fault) = (verdict.unwrap_or(CheckVerdict::Exact), fault);
    driver
}

/// Runs the same check here and in a second process; a fault in one of them ends both.
fn in_two_processes(subject: &Subject, name: &str, time: Duration, seed: u64) -> Share {
    let second = match Second::start(name, time, seed) {
        Ok(second) => Mutex::new(second),
        Err(error) => return not_done(&format!("cannot be started: {error}")),
    };
    let go_on = || !second.lock().unwrap_or_else(PoisonError::into_inner).has_failed();
    let share = alone(subject, time, seed, &go_on);
    let second = second.into_inner().unwrap_or_else(PoisonError::into_inner);
    if share.fault.is_some() { second.forget(share) } else { share.and(second.end()) }
}

/// Checks published examples and many lengths once, then random requests until the time is over, a
/// result is wrong, or `go_on` returns false.
fn alone(subject: &Subject, time: Duration, seed: u64, go_on: &(dyn Fn() -> bool + Sync)) -> Share {
    let (start, over) = (Instant::now(), AtomicBool::new(false));
    let examples = share_of(subject.check(seed));
    if examples.fault.is_some() {
        return examples;
    }
    let one = |thread: u64| {
        let mut share = Share::default();
        let mut round = 0;
        let go_on = || !over.load(Ordering::Relaxed) && !stop::asked() && go_on();
        // Each key length is checked once, even after the time limit.
        while round == 0 || start.elapsed() < time {
            let seed = seed + thread * APART + round * 64;
            share = share.and(more(subject, seed, &|| go_on() && start.elapsed() < time));
            if share.fault.is_some() {
                over.store(true, Ordering::Relaxed);
            }
            if !go_on() {
                return share;
            }
            round += 1;
        }
        share
    };
    thread::scope(|scope| {
        let one = &one;
        let running: Vec<_> = (1..THREADS).map(|thread| scope.spawn(move || one(thread))).collect();
        let mine = one(0);
        running.into_iter().fold(examples.clone().and(mine), |sum, thread| {
            sum.and(thread.join().unwrap_or_else(|_| Share {
                fault: Some((CheckVerdict::Refuses, "a thread of outboard check panicked".to_owned())),
                ..Share::default()
            }))
        })
    })
}

/// Checks random requests, with each key length at least once regardless of `go_on`.
fn more(subject: &Subject, seed: u64, go_on: &dyn Fn() -> bool) -> Share {
    let lengths = match subject {
        Subject::Cipher(_, algorithm) => key_lengths(*algorithm),
        Subject::Hash(..) => Vec::new(),
    };
    let (Subject::Cipher(accelerator, algorithm), false) = (subject, lengths.is_empty()) else {
        // No random requests exist here: the same kinds of requests are repeated with other bytes.
        return share_of(subject.check(seed));
    };
    let mut share = Share::default();
    for length in lengths {
        share = share.and(share_of(soak(&**accelerator, *algorithm, length, seed + length as u64, go_on)));
        if share.fault.is_some() {
            break;
        }
    }
    share
}

fn share_of(checked: Result<Checked, Fault>) -> Share {
    match checked {
        Ok(Checked { requests, bytes }) => {
            Share { requests: requests as u64, bytes: bytes as u64, fault: None }
        }
        Err(fault) => {
            let verdict = match &fault {
                Fault::Failed { error, .. } if error.is_without_answer() => CheckVerdict::Unanswered,
                Fault::Failed { .. } => CheckVerdict::Refuses,
                Fault::Wrong { .. } | Fault::Accepted { .. } => CheckVerdict::Wrong,
            };
            Share { fault: Some((verdict, fault.to_string())), ..Share::default() }
        }
    }
}

fn not_done(why: &str) -> Share {
    Share {
        fault: Some((CheckVerdict::Refuses, format!("the second process of outboard check {why}"))),
        ..Share::default()
    }
}

/// The second process, which runs this command.
struct Second(Child);

impl Second {
    fn start(name: &str, time: Duration, seed: u64) -> io::Result<Second> {
        let seconds = format!("{}s", time.as_secs());
        let seed = (seed + THREADS * APART).to_string();
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["check", "--alone", "--json", "--for", &seconds, "--seed", &seed, name]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        child.map(Second)
    }

    fn has_failed(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(Some(status)) if !status.success())
    }

    /// Ends the process; `share` is the complete result.
    fn forget(mut self, share: Share) -> Share {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
        share
    }

    fn end(self) -> Share {
        if let (true, Ok(pid)) = (stop::asked(), i32::try_from(self.0.id())) {
            // A terminal sends ^C to both processes, kill(1) only to this one.
            // SAFETY: no pointer; the child has not been waited for, so the number is its own.
            unsafe { libc::kill(pid, libc::SIGTERM) };
        }
        let Ok(output) = self.0.wait_with_output() else { return not_done("cannot be waited for") };
        let answer = serde_json::from_slice::<Check>(&output.stdout);
        let Some(driver) = answer.ok().and_then(|answer| answer.drivers.into_iter().next()) else {
            // A process is ended at once by its second signal of the same type.
            let was_told = stop::asked() && !output.status.success();
            return if was_told {
                Share::default()
            } else {
                not_done(&format!("ended with {}", output.status))
            };
        };
        let fault = driver.fault.map(|text| (driver.verdict, format!("{text} (in the second process)")));
        Share { requests: driver.requests, bytes: driver.bytes, fault }
    }
}
