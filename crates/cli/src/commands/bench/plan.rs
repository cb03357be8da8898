//! What is measured, in which order, and how long each may take.

use std::time::{Duration, Instant};

use outboard_accel::Direction;
use outboard_accel::device::allowed;
use outboard_drivers::find::{Judged, Survey};
use outboard_drivers::judge::Verdict;
use outboard_measure::turns::Plan;

use super::contestants::Way;
use super::{Options, lists};
use crate::primitive::Primitive;

/// Kinds of ciphers that are measured where nothing is named.
const KINDS: usize = 3;

/// Ciphers as the kernel calls them, those that most use first.
const CIPHERS: [&str; 7] =
    ["cbc(aes)", "gcm(aes)", "ctr(aes)", "xts(aes)", "ccm(aes)", "cbc(des3_ede)", "ecb(aes)"];

/// And digests.
const DIGESTS: [&str; 5] = ["sha256", "sha1", "sha512", "sha384", "sha224"];

/// And HMACs.
const HMACS: [&str; 5] = ["hmac(sha256)", "hmac(sha1)", "hmac(sha512)", "hmac(sha384)", "hmac(sha224)"];

/// So many times all is gone through, if there is time.
const PASSES: usize = 5;

/// Samples of each figure at least, all times together.
const SAMPLES: usize = 5;

/// And at most, each time.
const MOST_ROUNDS: usize = 6;

/// A sample takes so long at least: a tick of /proc/stat is 10 ms, and what is much shorter says nothing of CPU time.
const SHORTEST: Duration = Duration::from_millis(4);

/// And at most.
const LONGEST: Duration = Duration::from_millis(100);

/// To find out how many requests make a sample takes about as long as so many samples.
const TO_FIT: f64 = 2.0;

/// A sample and the latencies behind it.
const WITH_LATENCIES: f64 = 1.5;

/// All that is measured, by the kernel's names.
pub fn kernel_names() -> impl Iterator<Item = &'static str> {
    CIPHERS.into_iter().chain(DIGESTS).chain(HMACS)
}

/// Requests of one kind, which all contestants make in turns.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// OpenSSL's name of the cipher or the digest; `HMAC-` and a digest's.
    pub cipher: &'static str,
    /// Which way; none for a digest or an HMAC.
    pub direction: Option<Direction>,
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

/// What was named; else what the named drivers do; else the first of some kinds of ciphers that accelerators do, and of the digests
/// that root has allowed one of them for; else what most applications use.
pub fn names(options: &Options, found: &Survey, notes: &mut Vec<String>) -> Vec<&'static str> {
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
        let allowed = allowed().unwrap_or_default();
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

/// What is measured where nobody says what, by the kernel's names.
#[derive(Debug, PartialEq, Eq)]
struct Usual {
    some: Vec<&'static str>,
    /// What is left out.
    more: Vec<&'static str>,
}

/// Of what is there, the ciphers that most use. A digest costs a CPU so little that one is measured only where somebody wants it
/// from hardware, and an HMAC costs what its digest costs.
fn usual(is_there: impl Fn(&str) -> bool, is_wanted: impl Fn(&str) -> bool) -> Usual {
    let mut some: Vec<&str> = CIPHERS.into_iter().filter(|cipher| is_there(cipher)).collect();
    let mut more = some.split_off(some.len().min(KINDS));
    let digest = DIGESTS.into_iter().find(|digest| is_wanted(digest));
    some.extend(digest);
    let others = DIGESTS.into_iter().filter(|&other| Some(other) != digest).chain(HMACS);
    more.extend(others.filter(|other| is_there(other)));
    Usual { some, more }
}

/// All cells of some ciphers, digests and HMACs. The largest requests come first: what they take longer than planned the others make
/// up for.
pub fn cells(options: &Options, subjects: &[(&'static str, Primitive)]) -> Vec<Cell> {
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

/// Who takes part in a cell. OpenSSL does one request at a time, whoever has many.
pub fn entries(cell: Cell, options: &Options, ways: &[Way]) -> Vec<Entry> {
    let mut entries = vec![Entry::Software];
    entries.extend(options.no_cpu_instructions.then_some(Entry::Without));
    for (number, way) in ways.iter().enumerate() {
        let depths = options.depths.0.iter().copied();
        let fitting = depths.filter(|&depth| way.down.fits(cell.direction, cell.bytes, depth));
        entries.extend(fitting.map(|depth| Entry::Driver(number, depth)));
    }
    entries
}

/// What was asked for, and a way does not do.
pub fn left_out(cells: &[&Cell], options: &Options, ways: &[Way]) -> Vec<String> {
    let mut notes = Vec::new();
    for way in ways {
        let name = &way.contestant.name;
        let does = |cell: &Cell, depth| way.down.fits(cell.direction, cell.bytes, depth);
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
    /// Times that a figure is still to be measured, all figures together.
    left: usize,
    /// So many times all is gone through.
    pub passes: usize,
}

impl Budget {
    /// For so many figures.
    pub fn new(time: Duration, figures: usize) -> Budget {
        let each = time / figures.max(1) as u32;
        let fits = |passes: &usize| shortest(*passes) * *passes as u32 <= each;
        let passes = (1..=PASSES).rev().find(fits).unwrap_or(1);
        Budget { until: Instant::now() + time, left: passes * figures, passes }
    }

    /// For a figure from now on, each time.
    pub fn plan(&self) -> Plan {
        let left = self.until.saturating_duration_since(Instant::now());
        plan(left / self.left.max(1) as u32, rounds(self.passes))
    }

    /// So many were measured once more.
    pub fn spend(&mut self, figures: usize) {
        self.left = self.left.saturating_sub(figures);
    }

    /// What is left to do takes so long.
    pub fn remaining(&self) -> Duration {
        let least = shortest(self.passes) * self.left as u32;
        self.until.saturating_duration_since(Instant::now()).max(least)
    }
}

/// Samples each time, at least.
fn rounds(passes: usize) -> usize {
    SAMPLES.div_ceil(passes)
}

/// What a figure takes at least, each time.
fn shortest(passes: usize) -> Duration {
    takes(Plan { sample: SHORTEST, rounds: rounds(passes) })
}

/// What fits into so much time for a figure, with so many samples at least.
fn plan(each: Duration, least: usize) -> Plan {
    let sample = each.div_f64(least as f64 * WITH_LATENCIES + TO_FIT).clamp(SHORTEST, LONGEST);
    let rounds = (each.as_secs_f64() / sample.as_secs_f64() - TO_FIT) / WITH_LATENCIES;
    Plan { sample, rounds: (rounds as usize).clamp(least, MOST_ROUNDS) }
}

fn takes(plan: Plan) -> Duration {
    plan.sample.mul_f64(plan.rounds as f64 * WITH_LATENCIES + TO_FIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::kernel_name;

    #[test]
    fn where_none_is_named_the_most_used_are_measured() {
        let of =
            |there: &[&str], wanted: &[&str]| usual(|one| there.contains(&one), |one| wanted.contains(&one));
        let both = |some, more| Usual { some, more };
        assert_eq!(of(&["cbc(aes)"], &[]), both(vec!["cbc(aes)"], vec![]));
        let some = vec!["cbc(aes)", "cbc(des3_ede)", "ecb(aes)"];
        assert_eq!(of(&["ecb(aes)", "cbc(des3_ede)", "cbc(aes)"], &[]), both(some, vec![]));
        let Usual { some, more } = of(&[&CIPHERS[..], &DIGESTS].concat(), &["sha1", "sha512"]);
        assert_eq!(some, ["cbc(aes)", "gcm(aes)", "ctr(aes)", "sha1"]);
        assert_eq!(
            (more[0], more.len(), &more[4..]),
            ("xts(aes)", 8, &["sha256", "sha512", "sha384", "sha224"][..])
        );
        // Nobody has allowed one.
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
        for (each, sample, rounds) in [
            (Duration::ZERO, SHORTEST, 2),
            (second.mul_f64(0.05), second.mul_f64(0.01), 2),
            (second.mul_f64(0.5), LONGEST, 2),
            (second.mul_f64(0.81), LONGEST, 4),
            (second * 100, LONGEST, MOST_ROUNDS),
        ] {
            let plan = plan(each, 2);
            let off = plan.sample.as_secs_f64() / sample.as_secs_f64();
            assert!((off - 1.0).abs() < 1e-6 && plan.rounds == rounds, "{each:?}: {plan:?}");
            assert!(takes(plan) <= each.max(takes(Plan { sample: SHORTEST, rounds: 2 })) + second / 1000);
        }
    }

    #[test]
    fn what_took_too_long_is_made_up_for() {
        let mut budget = Budget::new(Duration::from_secs(100), 50);
        assert_eq!(budget.passes, PASSES);
        let first = budget.plan();
        assert!(first.sample > LONGEST.mul_f64(0.9) && first.rounds == 1, "{first:?}");
        budget.until -= Duration::from_secs(95);
        budget.spend(125);
        let later = budget.plan();
        assert!(later.sample < LONGEST / 5 && later.sample >= SHORTEST, "{later:?}");
        budget.until -= Duration::from_secs(50);
        assert_eq!(budget.plan().sample, SHORTEST);
        assert!(budget.remaining() >= Duration::from_secs(1));
    }

    #[test]
    fn in_a_hurry_all_is_gone_through_once() {
        for (millis, passes) in [(0, 1), (38, 1), (52, 2), (70, 5), (10_000, 5)] {
            let budget = Budget::new(Duration::from_millis(millis), 1);
            assert_eq!(budget.passes, passes, "{millis} ms");
            assert!(passes * rounds(passes) >= SAMPLES);
        }
    }
}
