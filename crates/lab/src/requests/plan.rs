//! The cells to measure, their order, and the time for each.

use std::time::{Duration, Instant};

use outboard_accel::primitive::Primitive;
use outboard_accel::{Algorithm, Direction, Hash, HashAlgorithm};
use outboard_drivers::allow_list;
use outboard_drivers::find::{Judged, Survey};
use outboard_drivers::judge::Verdict;
use outboard_drivers::root::Root;
use outboard_measure::turns::Plan;

use super::contestants::DriverBackend;
use super::driver_interface::Probe;
use super::{MeasurementOptions, lists};

const KINDS: usize = 3;

/// Maximum number of passes, if there is time. Of 15 samples, the farthest one bounds the next
/// median for all but one of 450 figures ([`outboard_measure::statistics::spread`]); of 9 samples,
/// for all but one of 34.
const PASSES: usize = 15;

const SAMPLES: usize = 5;

const MOST_ROUNDS: usize = 6;

/// Minimum duration of a sample. A tick of /proc/stat is 10 ms, so that much shorter samples give
/// no CPU time.
const SHORTEST: Duration = Duration::from_millis(4);

const LONGEST: Duration = Duration::from_millis(100);

/// Time to determine the number of requests in a sample, in samples.
const TO_FIT: f64 = 2.0;

/// Time to warm up when that number is known, in samples.
const TO_WARM: f64 = 0.25;

/// Time of a sample and the latencies after it, in samples.
const WITH_LATENCIES: f64 = 1.5;

/// All algorithms that are measured, by the kernel's names: ciphers, digests and HMACs, each group
/// in order of use by applications.
pub fn kernel_names() -> impl Iterator<Item = &'static str> {
    ciphers().chain(hashes(false)).chain(hashes(true))
}

fn ciphers() -> impl Iterator<Item = &'static str> {
    Algorithm::MOST_USED_FIRST.into_iter().map(Algorithm::kernel_name)
}

fn hashes(hmac: bool) -> impl Iterator<Item = &'static str> {
    Hash::MOST_USED_FIRST.into_iter().map(move |hash| HashAlgorithm { hash, hmac }.kernel_name())
}

#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// OpenSSL's name of the cipher or the digest; for an HMAC, `HMAC-` and the digest.
    pub cipher: &'static str,
    /// The direction; `None` for a digest or an HMAC.
    pub direction: Option<Direction>,
    pub bytes: usize,
    pub threads: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlannedContestant {
    Software,
    /// OpenSSL without the CPU's cryptographic instructions.
    Without,
    /// A driver over an interface, by its index in the list, and the number of requests in flight.
    Driver(usize, usize),
}

/// Returns the algorithms to measure: those that were named; otherwise those of the named drivers;
/// otherwise the first kinds of ciphers that accelerators support, and the digests for which root
/// has allowed a driver; otherwise those that most applications use.
pub fn names(options: &MeasurementOptions, found: &Survey, notes: &mut Vec<String>) -> Vec<&'static str> {
    let mut named: Vec<&str> = Vec::new();
    for name in options.algorithms.iter().flat_map(|names| names.0.iter().copied()) {
        if !named.contains(&name) {
            named.push(name);
        }
    }
    if !named.is_empty() {
        return named;
    }
    let is_done = |algorithm: &str, is_meant: &dyn Fn(&Judged) -> bool| {
        let mut drivers = found.drivers.iter().filter(|one| one.driver.is_usable());
        drivers.any(|one| one.driver.algorithm == algorithm && is_meant(one))
    };
    let kernel_names = if options.drivers.is_empty() {
        let allowed = allow_list::read(&Root::live()).unwrap_or_default();
        let is_accelerator = |one: &Judged| one.judgement.verdict == Verdict::Accelerator;
        let is_allowed = |one: &Judged| allowed.iter().any(|entry| entry.driver == one.driver.name);
        let usual = usual(
            |algorithm| is_done(algorithm, &is_accelerator),
            |digest| is_done(digest, &|one| is_accelerator(one) && is_allowed(one)),
        );
        if !usual.more.is_empty() {
            notes.push(format!(
                "accelerators also do {}, which was not measured for the time that it takes: name it",
                usual.more.join(", ")
            ));
        }
        usual.some
    } else {
        let is_named = |one: &Judged| options.drivers.contains(&one.driver.name);
        kernel_names().filter(|algorithm| is_done(algorithm, &is_named)).collect()
    };
    let first = |algorithm: &str| lists::named(algorithm).first().copied();
    let found: Vec<_> = kernel_names.into_iter().filter_map(first).collect();
    if found.is_empty() { vec!["AES-128-CBC", "AES-128-GCM"] } else { found }
}

/// The algorithms that are measured by default, by the kernel's names.
#[derive(Debug, PartialEq, Eq)]
struct DefaultAlgorithms {
    some: Vec<&'static str>,
    more: Vec<&'static str>,
}

/// Selects the most used of the available ciphers. A digest takes little CPU time, so one is
/// measured only if root allowed a driver for it, and an HMAC costs as much as its digest.
fn usual(is_there: impl Fn(&str) -> bool, is_wanted: impl Fn(&str) -> bool) -> DefaultAlgorithms {
    let mut some: Vec<&str> = ciphers().filter(|cipher| is_there(cipher)).collect();
    let mut more = some.split_off(some.len().min(KINDS));
    let digest = hashes(false).find(|digest| is_wanted(digest));
    some.extend(digest);
    let others = hashes(false).filter(|&other| Some(other) != digest).chain(hashes(true));
    more.extend(others.filter(|other| is_there(other)));
    DefaultAlgorithms { some, more }
}

/// Returns all cells of the subjects. The largest requests come first, so that the smaller ones can
/// compensate for time that exceeds the plan.
pub fn cells(options: &MeasurementOptions, subjects: &[(&'static str, Primitive)]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for &bytes in options.sizes.0.iter().rev() {
        for &(cipher, primitive) in subjects {
            for direction in options.direction.of(primitive) {
                for &threads in &options.threads.0 {
                    cells.push(Cell { cipher, direction, bytes, threads });
                }
            }
        }
    }
    cells
}

/// Returns the contestants of a cell: OpenSSL once, because it processes one request at a time, and
/// each driver with each depth that fits.
pub fn entries(cell: Cell, options: &MeasurementOptions, probes: &[Probe]) -> Vec<PlannedContestant> {
    let mut entries = vec![PlannedContestant::Software];
    entries.extend(options.no_cpu_instructions.then_some(PlannedContestant::Without));
    for (number, probe) in probes.iter().enumerate() {
        let depths = options.depths.0.iter().copied();
        let fitting = depths.filter(|&depth| probe.fits(cell.direction, cell.bytes, depth));
        entries.extend(fitting.map(|depth| PlannedContestant::Driver(number, depth)));
    }
    entries
}

/// Lists requested sizes and depths that an interface does not support.
pub fn left_out(
    cells: &[&Cell],
    options: &MeasurementOptions,
    backends: &[DriverBackend],
    probes: &[Probe],
) -> Vec<String> {
    let mut notes = Vec::new();
    for (backend, probe) in backends.iter().zip(probes) {
        let name = &backend.contestant.name;
        let does = |cell: &Cell, depth| probe.fits(cell.direction, cell.bytes, depth);
        let deep = options.depths.0.iter().copied().find(|&depth| depth > 1);
        if deep.is_some_and(|depth| !cells.iter().any(|cell| does(cell, depth))) {
            notes.push(format!("{name} does one request at a time: more at once were not measured"));
        }
        if matches!(probe, Probe::Lookahead { .. }) {
            continue;
        }
        if let Some(long) = cells.iter().rev().find(|cell| !does(cell, 1)) {
            notes.push(format!(
                "{name} does no request of {} bytes of {} in one: from there on it was not measured",
                long.bytes, long.cipher
            ));
        }
    }
    notes
}

pub struct Budget {
    until: Instant,
    left: RemainingWork,
    pub passes: usize,
    /// Time to start the process of a pass.
    start: Duration,
}

#[derive(Clone, Copy)]
struct RemainingWork {
    figures: usize,
    firsts: usize,
    starts: usize,
}

impl Budget {
    /// Creates the budget for a number of figures; `start` is the time that the process of the
    /// first pass took to start.
    pub fn new(time: Duration, figures: usize, start: Duration) -> Budget {
        let left =
            |passes: usize| RemainingWork { figures: passes * figures, firsts: figures, starts: passes - 1 };
        let fits = |passes: &usize| left(*passes).takes(rounds(*passes), SHORTEST, start) <= time;
        let passes = (1..=PASSES).rev().find(fits).unwrap_or(1);
        Budget { until: Instant::now() + time, left: left(passes), passes, start }
    }

    pub fn plan(&self) -> Plan {
        let time = self.until.saturating_duration_since(Instant::now());
        self.left.plan(time.saturating_sub(self.start * self.left.starts as u32), rounds(self.passes))
    }

    pub fn started(&mut self) {
        self.left.starts = self.left.starts.saturating_sub(1);
    }

    pub fn spend(&mut self, figures: usize) {
        self.left.figures = self.left.figures.saturating_sub(figures);
        self.left.firsts = self.left.firsts.saturating_sub(figures);
    }

    pub fn remaining(&self) -> Duration {
        let least = self.left.takes(rounds(self.passes), SHORTEST, self.start);
        self.until.saturating_duration_since(Instant::now()).max(least)
    }
}

impl RemainingWork {
    fn preparation(self) -> f64 {
        self.figures as f64 * TO_WARM + self.firsts as f64 * (TO_FIT - TO_WARM)
    }

    fn takes(self, rounds: usize, sample: Duration, start: Duration) -> Duration {
        let samples = (self.figures * rounds) as f64 * WITH_LATENCIES + self.preparation();
        sample.mul_f64(samples) + start * self.starts as u32
    }

    /// Returns the plan that fits into `time`, with at least `least` samples.
    fn plan(self, time: Duration, least: usize) -> Plan {
        let figures = self.figures.max(1) as f64 * WITH_LATENCIES;
        let sample = time.div_f64(figures * least as f64 + self.preparation()).clamp(SHORTEST, LONGEST);
        let rounds = (time.as_secs_f64() / sample.as_secs_f64() - self.preparation()) / figures;
        // Add a small amount before truncation: a whole number can be slightly less after rounding
        // errors.
        Plan { sample, rounds: ((rounds + 1e-6) as usize).clamp(least, MOST_ROUNDS) }
    }
}

/// Returns the minimum number of samples per pass.
fn rounds(passes: usize) -> usize {
    SAMPLES.div_ceil(passes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_catalog::kernel_name;

    #[test]
    fn where_none_is_named_the_most_used_are_measured() {
        let of =
            |there: &[&str], wanted: &[&str]| usual(|one| there.contains(&one), |one| wanted.contains(&one));
        let both = |some, more| DefaultAlgorithms { some, more };
        assert_eq!(of(&["cbc(aes)"], &[]), both(vec!["cbc(aes)"], vec![]));
        let some = vec!["cbc(aes)", "cbc(des3_ede)", "ecb(aes)"];
        assert_eq!(of(&["ecb(aes)", "cbc(des3_ede)", "cbc(aes)"], &[]), both(some, vec![]));
        let DefaultAlgorithms { some, more } =
            of(&ciphers().chain(hashes(false)).collect::<Vec<_>>(), &["sha1", "sha512"]);
        assert_eq!(some, ["cbc(aes)", "gcm(aes)", "ctr(aes)", "sha1"]);
        assert_eq!(
            (more[0], more.len(), &more[4..]),
            ("xts(aes)", 8, &["sha256", "sha512", "sha384", "sha224"][..])
        );
        // No driver of a digest is allowed.
        assert_eq!(of(&["hmac(sha1)", "sha256"], &[]), both(vec![], vec!["sha256", "hmac(sha1)"]));
    }

    #[test]
    fn the_kernels_names_are_those_of_all_that_is_measured() {
        let mut measured: Vec<_> =
            lists::names("ALL").unwrap().0.iter().filter_map(|name| kernel_name(name)).collect();
        measured.dedup();
        measured.sort_unstable();
        let mut known: Vec<_> = kernel_names().collect();
        known.sort_unstable();
        assert_eq!(measured, known);
    }

    #[test]
    fn time_goes_into_longer_samples_first_and_then_into_more() {
        let second = Duration::from_secs(1);
        let left = RemainingWork { figures: 10, firsts: 0, starts: 0 };
        for (time, sample, rounds) in [
            (Duration::ZERO, SHORTEST, 2),
            (second.mul_f64(0.325), second.mul_f64(0.01), 2),
            (second.mul_f64(3.25), LONGEST, 2),
            (second.mul_f64(6.3), LONGEST, 4),
            (second * 1000, LONGEST, MOST_ROUNDS),
        ] {
            let plan = left.plan(time, 2);
            let off = plan.sample.as_secs_f64() / sample.as_secs_f64();
            assert!((off - 1.0).abs() < 1e-6 && plan.rounds == rounds, "{time:?}: {plan:?}");
            let least = left.takes(2, SHORTEST, second);
            assert!(left.takes(plan.rounds, plan.sample, second) <= time.max(least) + second / 1000);
        }
    }

    #[test]
    fn to_find_out_how_much_a_sample_is_takes_time_the_first_time() {
        let time = Duration::from_millis(350);
        let later = RemainingWork { figures: 10, firsts: 0, starts: 0 }.plan(time, 1);
        let first = RemainingWork { figures: 10, firsts: 10, starts: 0 }.plan(time, 1);
        assert!((later.sample.div_duration_f64(time) * 17.5 - 1.0).abs() < 1e-6, "{later:?}");
        assert!((first.sample.div_duration_f64(time) * 35.0 - 1.0).abs() < 1e-6, "{first:?}");
    }

    #[test]
    fn a_cell_that_took_too_long_shortens_the_others() {
        let mut budget = Budget::new(Duration::from_secs(140), 50, Duration::ZERO);
        assert_eq!(budget.passes, PASSES);
        let first = budget.plan();
        assert!(first.sample > LONGEST.mul_f64(0.9) && first.rounds == 1, "{first:?}");
        budget.until -= Duration::from_secs(135);
        budget.spend(375);
        let later = budget.plan();
        assert!(later.sample < LONGEST / 5 && later.sample >= SHORTEST, "{later:?}");
        budget.until -= Duration::from_secs(50);
        assert_eq!(budget.plan().sample, SHORTEST);
        assert!(budget.remaining() >= Duration::from_secs(1));
    }

    #[test]
    fn in_a_hurry_all_is_gone_through_once() {
        for (millis, passes) in [(0, 1), (38, 1), (41, 1), (42, 5), (111, 14), (112, 15), (10_000, 15)] {
            let budget = Budget::new(Duration::from_millis(millis), 1, Duration::ZERO);
            assert_eq!(budget.passes, passes, "{millis} ms");
            assert!(passes * rounds(passes) >= SAMPLES);
        }
    }

    #[test]
    fn much_time_goes_into_more_samples_of_each_pass() {
        let budget = Budget::new(Duration::from_secs(600), 64, Duration::from_millis(100));
        assert_eq!((budget.passes, budget.plan().rounds), (PASSES, 3));
    }

    #[test]
    fn the_start_of_processes_is_not_time_to_measure() {
        let second = Duration::from_secs(1);
        let mut budget = Budget::new(second * 30, 10, second);
        assert_eq!(budget.passes, PASSES);
        // 16 of 30 seconds are left.
        let sample = budget.plan().sample;
        assert!(sample > second.mul_f64(0.03) && sample <= second.mul_f64(16.0 / 280.0), "{sample:?}");
        (1..PASSES).for_each(|_| budget.started());
        assert!(budget.plan().sample > sample);
        // If a start takes longer than all samples, there are fewer passes.
        assert_eq!(Budget::new(second * 3, 10, second).passes, 3);
        assert!(Budget::new(Duration::ZERO, 10, second * 9).remaining() < second);
    }
}
