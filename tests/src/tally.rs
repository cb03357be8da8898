//! What became of published vectors: what the hardware had to do, and whether it did.

use std::collections::BTreeMap;

use crate::cavp::{Case, Vectors, cases};
use crate::device::count;
use crate::world::World;

/// What became of the vectors of some files.
#[derive(Debug, Default)]
pub struct Tally {
    /// The files.
    pub files: usize,
    /// Vectors whose results were compared.
    pub run: usize,
    /// Requests that the hardware must have done.
    pub hardware: u64,
    /// Forged messages, which the hardware has to refuse; OpenSSL's own code has the last word.
    pub forged: u64,
    /// Requests that are software's by a rule, and which.
    pub software: BTreeMap<&'static str, u64>,
    /// Vectors that were not run, and why.
    pub left_out: BTreeMap<&'static str, usize>,
}

/// What a vector's request is due to: hardware, or software by this rule.
pub type Rule = Option<&'static str>;

impl Tally {
    /// A request was made.
    pub fn asked(&mut self, rule: Rule) {
        match rule {
            None => self.hardware += 1,
            Some(rule) => *self.software.entry(rule).or_default() += 1,
        }
    }

    /// As `asked`, for a message to be decrypted.
    pub fn asked_to_open(&mut self, rule: Rule, is_forged: bool) {
        match rule {
            None if is_forged => self.forged += 1,
            _ => self.asked(rule),
        }
    }

    /// A vector was not run.
    pub fn leave_out(&mut self, why: &'static str) {
        *self.left_out.entry(why).or_default() += 1;
    }

    /// Other files too.
    pub fn add(&mut self, other: Tally) {
        self.files += other.files;
        self.run += other.run;
        self.hardware += other.hardware;
        self.forged += other.forged;
        other.software.into_iter().for_each(|(rule, count)| *self.software.entry(rule).or_default() += count);
        other.left_out.into_iter().for_each(|(why, count)| *self.left_out.entry(why).or_default() += count);
    }
}

/// Where the vectors are run.
pub struct Ground {
    /// The files.
    pub vectors: Vectors,
    /// Where all that can go to hardware has to.
    pub world: World,
}

impl Ground {
    /// Runs the vectors of one file, and compares what was due to hardware with what was counted for this algorithm.
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

    /// The same for messages with tags. Those that the driver refused are known to the kernel alone.
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
