//! Compares the work that is counted for hardware with the interrupts of the devices that must have
//! done it. Interrupts that other accelerators raised for other processes are no evidence.

use std::fmt::Write;

use outboard_console::amount;
use outboard_counters::{Counts, Decision, SoftwareReason};
use outboard_documents::prove::{NotOffered, ProofVerdict, SoftwareWork};
use outboard_documents::software::{not_offered, offered, software, why_software};
use outboard_drivers::interrupts::Difference;
use outboard_drivers::padlock;
use outboard_measure::driver_devices::DriverDevices;
use outboard_measure::evidence::{Evidence, weigh};
use outboard_measure::meter::Spent;

/// Minimum share of the bytes, in percent, for the verdict `Hardware`: a smaller share is a partial
/// offload.
const HALF: f64 = 50.0;

const MAX_GROUPS: usize = 2;

const MAX_OTHERS: usize = 4;

/// Traffic of a service in bytes from which the share of the counted bytes matters: less is handshakes
/// and logs.
const LEAST_TRAFFIC: u64 = 1 << 20;

pub struct Conclusion {
    pub verdict: ProofVerdict,
    pub summary: String,
    pub used: Vec<bool>,
}

pub struct Observed {
    pub subject: Subject,
    pub loads: u64,
    pub counted: Vec<(String, Counts)>,
    pub decisions: Vec<(String, Decision)>,
    pub notes: Vec<String>,
    /// Bytes that the processes of a service read or wrote, whichever is more, if that is known.
    pub traffic: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Command,
    Service,
}

impl Observed {
    pub fn total(&self) -> Counts {
        self.counted.iter().fold(Counts::default(), |sum, (_, counts)| sum + *counts)
    }
}

struct Claim {
    /// Drivers, one or more of which did the work; more than one if instances of the provider chose
    /// differently. Empty: unknown.
    drivers: Vec<String>,
    /// Indices of their devices in the list of all devices; all devices if theirs are unknown.
    devices: Vec<usize>,
    /// Instructions of the CPU did the work, which has no device.
    is_padlock: bool,
    /// No key stream was submitted in this time: what was used was computed earlier.
    is_earlier: bool,
}

/// Derives the verdict from the counts of each algorithm and the devices' interrupts, and says how
/// much of a service's traffic these counts are.
pub fn conclude(observed: &Observed, spent: &Spent) -> Conclusion {
    let mut conclusion = conclude_counted(observed, spent);
    let counted = observed.total().bytes();
    let traffic = observed.traffic.filter(|traffic| *traffic >= LEAST_TRAFFIC && counted < traffic / 2);
    if let Some(traffic) = traffic {
        let groups = not_offered(&observed.decisions).into_iter();
        let groups = groups.filter(|group| group.reason != SoftwareReason::NotConfigured);
        let others: Vec<String> = groups.flat_map(|group| group.algorithms).take(MAX_OTHERS).collect();
        let _ = write!(
            conclusion.summary,
            " Of {} that the service read or wrote, {} used algorithms that outboard offers; the rest used others \
             (ChaCha20-Poly1305{}{}) or no encryption.",
            amount(traffic),
            amount(counted),
            if others.is_empty() { "" } else { ", " },
            others.join(", ")
        );
        if conclusion.verdict == ProofVerdict::Hardware && counted < traffic / 10 {
            conclusion.verdict = ProofVerdict::Partly;
        }
    }
    conclusion
}

/// Derives the verdict from the counts of each algorithm and the devices' interrupts.
fn conclude_counted(observed: &Observed, spent: &Spent) -> Conclusion {
    let Observed { subject, counted, decisions, .. } = observed;
    let (total, subject) = (&observed.total(), *subject);
    let devices = spent.interrupts.as_deref().unwrap_or_default();
    if observed.loads == 0 {
        return Conclusion::of_no_device(devices, ProofVerdict::NotLoaded, subject.never_loaded().to_owned());
    }
    let claims = claims(counted, decisions, devices, &spent.behind);
    if total.mismatches > 0 {
        let used = used(&claims, devices);
        return Conclusion {
            verdict: ProofVerdict::Wrong,
            summary: wrong(subject, counted, decisions),
            used,
        };
    }
    let weighed = claims.iter().map(|claim| (claim.evidence(devices), claim));
    let Some((evidence, worst)) = weighed.max_by_key(|(evidence, _)| *evidence) else {
        let summary = format!("Hardware processed nothing: {}.", reasons(observed));
        return Conclusion::of_no_device(devices, ProofVerdict::Software, summary);
    };
    if let Err(why) = &spent.interrupts {
        let summary =
            format!("Bytes were counted as done by hardware, and no interrupt can confirm it: {why}.");
        return Conclusion::of_no_device(devices, ProofVerdict::Contradicted, summary);
    }
    let used = used(&claims, devices);
    let (verdict, summary) = match evidence {
        Evidence::Shown => shown(observed, total, devices, &used),
        Evidence::Lost => (
            ProofVerdict::Unverified,
            format!(
                "Bytes were counted as done by hardware; its interrupts are lost, since a device was unbound while the \
                 {}.",
                match subject {
                    Subject::Command => "command ran",
                    Subject::Service => "service was observed",
                }
            ),
        ),
        Evidence::Silent if worst.is_padlock => (
            ProofVerdict::Unverified,
            format!(
                "The provider counts {} of the bytes as done by PadLock. These are instructions of the CPU, which raise no \
                 interrupt, so nothing but this count confirms it.",
                outboard_console::percent(total.percent_hw().unwrap_or(0.0)),
            ),
        ),
        Evidence::Silent => (
            ProofVerdict::Unverified,
            "Bytes were counted as done by hardware; this engine works without interrupts, so nothing else confirms it."
                .to_owned(),
        ),
        Evidence::Refuted if worst.is_earlier => (
            ProofVerdict::Unverified,
            "Key stream was used that was computed before the service was observed, and no interrupt came since: observe \
             it for longer, while clients are served."
                .to_owned(),
        ),
        Evidence::Refuted => (
            ProofVerdict::Contradicted,
            format!(
                "Bytes were counted as done by hardware, and {} raised a single interrupt: the driver computed in \
                 software. Do not believe the count; compare the time with and without outboard.",
                worst.no_device()
            ),
        ),
    };
    Conclusion { verdict, summary, used }
}

impl Conclusion {
    fn of_no_device(devices: &[Difference], verdict: ProofVerdict, summary: String) -> Self {
        Self { verdict, summary, used: vec![false; devices.len()] }
    }
}

impl Claim {
    fn evidence(&self, devices: &[Difference]) -> Evidence {
        if self.is_padlock {
            return Evidence::Silent;
        }
        let own = || self.devices.iter().map(|place| &devices[*place]);
        let interrupts = own().fold(0u64, |sum, device| sum.saturating_add(device.interrupts));
        let lost = own().any(|device| device.gone || device.restarted);
        weigh(interrupts, lost, own().map(|device| device.device.completion))
    }

    fn no_device(&self) -> String {
        if self.drivers.is_empty() {
            return "no accelerator".to_owned();
        }
        format!("no device of {}", self.drivers.join(" or "))
    }
}

fn used(claims: &[Claim], devices: &[Difference]) -> Vec<bool> {
    let is_used = |place: usize| claims.iter().any(|claim| claim.devices.contains(&place));
    (0..devices.len()).map(is_used).collect()
}

/// Returns the verdict for counts that interrupts confirm, according to the share of the bytes.
fn shown(
    observed: &Observed,
    total: &Counts,
    devices: &[Difference],
    used: &[bool],
) -> (ProofVerdict, String) {
    let share = total.percent_hw().unwrap_or(0.0);
    let theirs = devices.iter().zip(used).filter(|(_, used)| **used);
    let interrupts = theirs.fold(0u64, |sum, (device, _)| sum.saturating_add(device.interrupts));
    let (percent, interrupts) = (outboard_console::percent(share), count(interrupts, "interrupt"));
    let mut text = format!("Hardware processed {percent} of the bytes, confirmed by {interrupts}");
    let verdict = if share >= HALF { ProofVerdict::Hardware } else { ProofVerdict::Partly };
    let is_whole = verdict == ProofVerdict::Hardware && total.failures == 0;
    if let Some(why) = why_software(&observed.counted, &observed.decisions).filter(|_| !is_whole) {
        let _ = write!(text, "; software processed the rest: {why}");
        if verdict == ProofVerdict::Partly {
            text += &observed.subject.threshold_advice(total);
        }
    }
    (verdict, text + ".")
}

/// Returns the summary for results of a driver that differed from software. Only a sample of the
/// results is compared.
fn wrong(subject: Subject, counted: &[(String, Counts)], decisions: &[(String, Decision)]) -> String {
    let mut total = 0u64;
    let mut algorithms: Vec<String> = Vec::new();
    let mut drivers: Vec<String> = Vec::new();
    for (algorithm, counts) in counted.iter().filter(|(_, counts)| counts.mismatches > 0) {
        total = total.saturating_add(counts.mismatches);
        algorithms.push(algorithm.clone());
        drivers.extend(drivers_of(algorithm, decisions));
    }
    drivers.sort_unstable();
    drivers.dedup();
    let advice = match &drivers[..] {
        [] => String::new(),
        some => format!(" Check it: outboard check {}.", some.join(" ")),
    };
    let by = if drivers.is_empty() { String::new() } else { format!(" by {}", drivers.join(" or ")) };
    format!(
        "{} of {}{by} differed from OpenSSL's own. Each was computed again in software and the driver was disabled, but \
         not every byte is compared: treat what {} as damaged.{advice}",
        count(total, "result"),
        algorithms.join(", "),
        match subject {
            Subject::Command => "this command wrote",
            Subject::Service => "this service sent and wrote",
        },
    )
}

pub fn drivers_of(algorithm: &str, decisions: &[(String, Decision)]) -> Vec<String> {
    let [mut direct, key_stream] = drivers_by_use(algorithm, decisions);
    direct.extend(key_stream);
    direct
}

fn drivers_by_use(algorithm: &str, decisions: &[(String, Decision)]) -> [Vec<String>; 2] {
    let mut drivers = [Vec::new(), Vec::new()];
    for (_, decision) in decisions.iter().filter(|(name, _)| name == algorithm) {
        if let Decision::Offered { driver, key_stream, .. } = decision {
            drivers[0].push(driver.clone());
            drivers[1].extend(key_stream.iter().map(|source| source.driver.clone()));
        }
    }
    drivers
}

/// `1 interrupt`, `2 interrupts`.
fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns the work that is counted for hardware, one claim for each set of drivers. Key stream and
/// direct requests may be the work of different devices, and each needs interrupts of its own.
fn claims(
    counted: &[(String, Counts)],
    decisions: &[(String, Decision)],
    devices: &[Difference],
    behind: &DriverDevices,
) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for (algorithm, counts) in counted {
        let is_direct = counts.hw_requests > counts.ahead_requests || counts.hw_bytes > counts.ahead_bytes;
        let is_ahead = counts.ahead_requests > 0 || counts.ahead_bytes > 0;
        let uses = [(is_direct, false), (is_ahead, counts.key_stream_generated == 0)];
        let used = drivers_by_use(algorithm, decisions).into_iter().zip(uses);
        for (mut drivers, (_, is_earlier)) in used.filter(|(_, (is_used, _))| *is_used) {
            drivers.sort_unstable();
            drivers.dedup();
            let is_theirs =
                |place: &usize| drivers.iter().any(|one| behind.has(one, &devices[*place].device));
            let mut own: Vec<usize> = (0..devices.len()).filter(is_theirs).collect();
            let is_padlock = !drivers.is_empty() && drivers.iter().all(|one| padlock::is_padlock(one));
            if own.is_empty() && !is_padlock {
                drivers.clear();
                own = (0..devices.len()).collect();
            }
            match claims.iter_mut().find(|claim| claim.drivers == drivers) {
                Some(claim) => claim.is_earlier &= is_earlier,
                None => claims.push(Claim { drivers, devices: own, is_padlock, is_earlier }),
            }
        }
    }
    claims
}

fn reasons(observed: &Observed) -> String {
    let Observed { subject, counted, decisions, notes, .. } = observed;
    if let Some(why) = why_software(counted, decisions) {
        return why + &subject.threshold_advice(&observed.total());
    }
    let offered = offered(decisions);
    let mut excluded = not_offered(decisions);
    let is_unmeasured = |group: &NotOffered| group.reason == SoftwareReason::NotMeasured;
    let hint = match subject {
        Subject::Command if excluded.iter().any(is_unmeasured) => {
            " (--threshold 1 uses hardware all the same)"
        }
        _ => "",
    };
    // That an engine lacks some algorithms is the reason only if there is no other one.
    let is_usual = |group: &NotOffered| group.reason.is_usual();
    let is_likely = |group: &NotOffered| match group.reason {
        SoftwareReason::CombinedCode | SoftwareReason::NotMeasured => true,
        reason => offered.is_empty() || reason.is_fault(),
    };
    if !excluded.iter().all(is_usual) {
        excluded.retain(|group| !is_usual(group));
    }
    let excluded = excluded.into_iter().filter(is_likely).map(|group| group.why);
    let excluded: Vec<String> = excluded.take(MAX_GROUPS).collect();
    // The notes of a service are older than the time in which it was observed.
    let note = notes.first().filter(|_| offered.is_empty() && *subject == Subject::Command).cloned();
    if let Some(note) = note {
        return note + hint;
    }
    let mut text = match subject {
        _ if offered.is_empty() && !decisions.is_empty() => "outboard offers no algorithm".to_owned(),
        Subject::Command => "the command used no algorithm that outboard offers".to_owned(),
        Subject::Service => "the service made no request with an algorithm that outboard offers".to_owned(),
    };
    if !offered.is_empty() {
        let _ = write!(text, " ({})", offered.join(", "));
    }
    for why in excluded {
        let _ = write!(text, "; {why}");
    }
    text + hint
}

impl Subject {
    /// Returns what shows or changes the threshold, if it is a reason for software.
    fn threshold_advice(self, total: &Counts) -> String {
        let is_below = |work: &SoftwareWork| work.reason == SoftwareReason::BelowThreshold;
        match self {
            _ if !software(total).first().is_some_and(is_below) => String::new(),
            Self::Command => " (--threshold BYTES lowers the threshold)".to_owned(),
            Self::Service => " (outboard ciphers shows the thresholds)".to_owned(),
        }
    }

    fn never_loaded(self) -> &'static str {
        match self {
            Self::Command => NEVER_LOADED,
            Self::Service => {
                "No process of the service has loaded outboard: it was not restarted since outboard enable, or does not read \
                 OpenSSL's configuration."
            }
        }
    }
}

const NEVER_LOADED: &str = "The command never loaded outboard. Likely reasons: it does not use OpenSSL, or a copy of \
    its own (static, or another library); it is setuid or clears OPENSSL_CONF (env -i, sudo, su -); it loads no \
    configuration, or one of its own name (Node.js: --openssl-shared-config); it ran as another user; the module does \
    not fit its architecture or C library. `strace -f -e openat` shows which openssl.cnf it opens, if any.";
