//! Results of published vectors: which requests the hardware had to process, and whether it did.

use std::collections::BTreeMap;

use crate::cavp::{Case, Vectors, cases};
use crate::device::count;
use crate::world::World;

/// The results of the vectors of some files.
#[derive(Debug, Default)]
pub struct Tally {
    /// The files.
    pub files: usize,
    /// Vectors whose results were compared.
    pub run: usize,
    /// Requests that the hardware must have processed.
    pub hardware: u64,
    /// Forged messages, which the hardware must reject; OpenSSL's own code decides.
    pub forged: u64,
    /// Requests that a rule assigns to software, by rule.
    pub software: BTreeMap<&'static str, u64>,
    /// Vectors that were not run, and why.
    pub left_out: BTreeMap<&'static str, usize>,
}

/// Which side processes a vector's request: hardware, or software by this rule.
pub type Rule = Option<&'static str>;

impl Tally {
    /// Counts a request.
    pub fn asked(&mut self, rule: Rule) {
        match rule {
            None => self.hardware += 1,
            Some(rule) => *self.software.entry(rule).or_default() += 1,
        }
    }

    /// As `asked`, for decryption of a message.
    pub fn asked_to_open(&mut self, rule: Rule, is_forged: bool) {
        match rule {
            None if is_forged => self.forged += 1,
            _ => self.asked(rule),
        }
    }

    /// Counts a vector that was not run.
    pub fn leave_out(&mut self, why: &'static str) {
        *self.left_out.entry(why).or_default() += 1;
    }

    /// Adds the results of other files.
    pub fn add(&mut self, other: Tally) {
        self.files += other.files;
        self.run += other.run;
        self.hardware += other.hardware;
        self.forged += other.forged;
        other.software.into_iter().for_each(|(rule, count)| *self.software.entry(rule).or_default() += count);
        other.left_out.into_iter().for_each(|(why, count)| *self.left_out.entry(why).or_default() += count);
    }
}

/// The vectors and the world in which they run.
pub struct Ground {
    /// The files.
    pub vectors: Vectors,
    /// A world that offloads every request that can be offloaded.
    pub world: World,
}

impl Ground {
    /// Runs the vectors of one file and compares the expected number of offloaded requests with the
    /// counters of this algorithm.
    #[track_caller]
    pub fn file(
        &self,
        name: &str,
        algorithm: &str,
        least: usize,
        mut run: impl FnMut(&Case<'_>, &str, &mut Tally),
    ) -> Tally {
        let text = self.vectors.text(name);
        let (mut tally, before) = (Tally { files: 1, ..Tally::default() }, self.world.counts_of(algorithm));
        for (case, number) in cases(&text).zip(1..) {
            run(&case, &format!("{name}, vector {number}"), &mut tally);
        }
        assert!(tally.run >= least, "{name}: {} vectors were run, at least {least} are expected", tally.run);
        let done = self.world.counts_of(algorithm) - before;
        assert_eq!(done.hw_requests, tally.hardware, "{name}: requests that were due to hardware: {done:?}");
        assert_eq!((done.failures, done.mismatches), (0, 0), "{name}: {done:?}");
        tally
    }

    /// The same for messages with tags. Only the kernel counts those that the driver rejected.
    #[track_caller]
    pub fn file_of_messages(
        &self,
        name: &str,
        algorithm: &str,
        least: usize,
        run: impl FnMut(&Case<'_>, &str, &mut Tally),
    ) -> Tally {
        let driver = if algorithm.ends_with("GCM") { "sim-gcm-aes" } else { "sim-ccm-aes" };
        let requests = || count(&format!("drivers/{driver}/requests"));
        let before = requests();
        let tally = self.file(name, algorithm, least, run);
        assert_eq!(requests() - before, tally.hardware + tally.forged, "{name}: requests that {driver} had");
        tally
    }
}
