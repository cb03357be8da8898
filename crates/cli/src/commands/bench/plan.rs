//! What is measured, in which order, and how long each may take.

use std::time::{Duration, Instant};

use outboard_accel::{Algorithm, Direction};
use outboard_drivers::find::Survey;
use outboard_drivers::judge::Verdict;
use outboard_measure::turns::Plan;
use outboard_policy::CIPHERS;

use super::Options;
use super::contestants::Way;
use crate::lab::kernel_name;

/// Kinds of ciphers that are measured where none is named.
const KINDS: usize = 3;

/// Samples of each figure at least.
const ROUNDS: usize = 5;

/// And at most.
const MOST_ROUNDS: usize = 25;

/// A sample takes so long at least: a tick of /proc/stat is 10 ms, and what is much shorter says nothing of CPU time.
const SHORTEST: Duration = Duration::from_millis(4);

/// And at most.
const LONGEST: Duration = Duration::from_millis(100);

/// To find out how many requests make a sample takes about as long as so many samples.
const TO_FIT: f64 = 2.0;

/// A sample and the latencies behind it.
const WITH_LATENCIES: f64 = 1.5;

/// Requests of one kind, which all contestants make in turns.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// OpenSSL's name.
    pub cipher: &'static str,
    /// What the kernel calls it.
    pub algorithm: Algorithm,
    /// Which way.
    pub direction: Direction,
    /// Of a request.
    pub bytes: usize,
    /// That make them.
    pub threads: usize,
}

/// Who is measured in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// OpenSSL.
    Software,
    /// OpenSSL without the CPU's instructions.
    Without,
    /// A way to a driver, by its place in the list, and how many requests are in flight.
    Driver(usize, usize),
}

/// The ciphers that were named; else those of the drivers that were named; else the first of some kinds that accelerators do; else
/// what most applications use.
pub fn ciphers(options: &Options, found: &Survey, notes: &mut Vec<String>) -> Vec<&'static str> {
    let mut named: Vec<&str> = Vec::new();
    for cipher in options.algorithms.iter().flat_map(|ciphers| ciphers.0.iter().copied()) {
        if !named.contains(&cipher) {
            named.push(cipher);
        }
    }
    if !named.is_empty() {
        return named;
    }
    let is_meant = |algorithm: &Algorithm| {
        found.drivers.iter().any(|one| {
            let is_one = one.driver.algorithm == algorithm.kernel_name() && one.driver.is_usable();
            is_one
                && match &options.drivers[..] {
                    [] => one.judgement.verdict == Verdict::Accelerator,
                    drivers => drivers.contains(&one.driver.name),
                }
        })
    };
    let (some, more) = usual(is_meant, options.drivers.is_empty());
    if !more.is_empty() {
        let names: Vec<&str> = more.into_iter().map(Algorithm::kernel_name).collect();
        notes.push(format!(
            "accelerators also do {}, which was not measured for the time that it takes: name it",
            names.join(", ")
        ));
    }
    let first = |algorithm: Algorithm| {
        CIPHERS.into_iter().find(|cipher| kernel_name(cipher).as_deref() == Some(algorithm.kernel_name()))
    };
    let found: Vec<_> = some.into_iter().filter_map(first).collect();
    if found.is_empty() { vec!["AES-128-CBC", "AES-128-GCM"] } else { found }
}

/// What is measured where nobody says what: of what is there, the kinds that most use, and what is left out.
fn usual(is_there: impl Fn(&Algorithm) -> bool, few: bool) -> (Vec<Algorithm>, Vec<Algorithm>) {
    use Algorithm::{CbcAes, CbcDes3Ede, CcmAes, CtrAes, EcbAes, GcmAes, XtsAes};
    let by_use = [CbcAes, GcmAes, CtrAes, XtsAes, CcmAes, CbcDes3Ede, EcbAes];
    let mut some: Vec<Algorithm> = by_use.into_iter().filter(is_there).collect();
    let more = some.split_off(if few { some.len().min(KINDS) } else { some.len() });
    (some, more)
}

/// All cells of some ciphers. The largest requests come first: what they take longer than planned the others make up for.
pub fn cells(options: &Options, ciphers: &[(&'static str, Algorithm)]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for &bytes in options.sizes.0.iter().rev() {
        for &(cipher, algorithm) in ciphers {
            for direction in options.direction.all() {
                for &threads in &options.threads.0 {
                    cells.push(Cell { cipher, algorithm, direction, bytes, threads });
                }
            }
        }
    }
    cells
}

/// Who takes part in a cell. OpenSSL does one request at a time, whoever has many.
pub fn entries(cell: Cell, options: &Options, ways: &[Way]) -> Vec<Entry> {
    let mut entries = vec![Entry::Software];
    entries.extend(options.no_cpu_instructions.then_some(Entry::Without));
    for (number, way) in ways.iter().enumerate() {
        let depths = options.depths.0.iter().copied();
        let fitting = depths.filter(|&depth| way.fits(cell.algorithm, cell.direction, cell.bytes, depth));
        entries.extend(fitting.map(|depth| Entry::Driver(number, depth)));
    }
    entries
}

/// What was asked for, and a way does not do.
pub fn left_out(cells: &[&Cell], options: &Options, ways: &[Way]) -> Vec<String> {
    let mut notes = Vec::new();
    for way in ways {
        let name = &way.contestant.name;
        let does = |cell: &Cell, depth| way.fits(cell.algorithm, cell.direction, cell.bytes, depth);
        let deep = options.depths.0.iter().copied().find(|&depth| depth > 1);
        if deep.is_some_and(|depth| !cells.iter().any(|cell| does(cell, depth))) {
            notes.push(format!("{name} does one request at a time: more at once were not measured"));
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

/// The time, and what is left of it.
pub struct Budget {
    until: Instant,
    left: usize,
}

impl Budget {
    /// For so many figures.
    pub fn new(time: Duration, figures: usize) -> Budget {
        Budget { until: Instant::now() + time, left: figures }
    }

    /// For a figure from now on.
    pub fn plan(&self) -> Plan {
        plan(self.until.saturating_duration_since(Instant::now()) / self.left.max(1) as u32)
    }

    /// So many were measured.
    pub fn spend(&mut self, figures: usize) {
        self.left = self.left.saturating_sub(figures);
    }

    /// What is left to do takes so long.
    pub fn remaining(&self) -> Duration {
        let least = takes(Plan { sample: SHORTEST, rounds: ROUNDS }) * self.left as u32;
        self.until.saturating_duration_since(Instant::now()).max(least)
    }
}

/// What fits into so much time for a figure.
fn plan(each: Duration) -> Plan {
    let sample = each.div_f64(ROUNDS as f64 * WITH_LATENCIES + TO_FIT).clamp(SHORTEST, LONGEST);
    let rounds = (each.as_secs_f64() / sample.as_secs_f64() - TO_FIT) / WITH_LATENCIES;
    Plan { sample, rounds: (rounds as usize).clamp(ROUNDS, MOST_ROUNDS) }
}

fn takes(plan: Plan) -> Duration {
    plan.sample.mul_f64(plan.rounds as f64 * WITH_LATENCIES + TO_FIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_none_is_named_the_most_used_are_measured() {
        use Algorithm::{CbcAes, CbcDes3Ede, CtrAes, EcbAes, GcmAes, XtsAes};
        let kinds = |found: &[Algorithm], few| usual(|one| found.contains(one), few);
        assert_eq!(kinds(&[CbcAes], true), (vec![CbcAes], vec![]));
        assert_eq!(kinds(&[EcbAes, CbcDes3Ede, CbcAes], true), (vec![CbcAes, CbcDes3Ede, EcbAes], vec![]));
        let (some, more) = kinds(&Algorithm::ALL, true);
        assert_eq!((some, more[0], more.len()), (vec![CbcAes, GcmAes, CtrAes], XtsAes, 4));
        assert_eq!(kinds(&Algorithm::ALL, false).1, vec![]);
    }

    #[test]
    fn time_goes_into_longer_samples_first_and_then_into_more() {
        let second = Duration::from_secs(1);
        for (each, sample, rounds) in [
            (Duration::ZERO, SHORTEST, ROUNDS),
            (second.mul_f64(0.095), second.mul_f64(0.01), 5),
            (second.mul_f64(0.95), LONGEST, 5),
            (second.mul_f64(1.71), LONGEST, 10),
            (second * 100, LONGEST, MOST_ROUNDS),
        ] {
            let plan = plan(each);
            let off = plan.sample.as_secs_f64() / sample.as_secs_f64();
            assert!((off - 1.0).abs() < 1e-6 && plan.rounds == rounds, "{each:?}: {plan:?}");
            assert!(
                takes(plan) <= each.max(takes(Plan { sample: SHORTEST, rounds: ROUNDS })) + second / 1000
            );
        }
    }

    #[test]
    fn what_took_too_long_is_made_up_for() {
        let mut budget = Budget::new(Duration::from_secs(95), 100);
        let first = budget.plan();
        assert!(first.sample > LONGEST.mul_f64(0.9), "{first:?}");
        budget.until -= Duration::from_secs(90);
        budget.spend(50);
        let later = budget.plan();
        assert!(later.sample < LONGEST / 5 && later.sample >= SHORTEST, "{later:?}");
        budget.until -= Duration::from_secs(50);
        assert_eq!(budget.plan().sample, SHORTEST);
        assert!(budget.remaining() >= Duration::from_secs(1));
    }
}
