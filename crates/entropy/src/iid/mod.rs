//! The permutation tests: SP 800-90B, 5.1. They test whether samples appear independent and
//! identically distributed (IID).
//!
//! The caller provides bzip2, whose output defines the compression statistic (5.1.11), so that the
//! provider, which uses this crate too, does not depend on it.

mod chi_square;
mod chi_square_tail;
mod statistics;

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use crate::estimators::Symbols;
pub use chi_square::{IidTest, iid_tests};
pub use statistics::CompressedLength;
use statistics::{COUNT, NAMES, Unchanged};

/// The maximum number of permutations (5.1, step 2).
const PERMUTATIONS: u32 = 10_000;
/// A statistic fails if at most this number of permutations reaches it on one side (step 3).
const RARE: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermutationRank {
    pub statistic: &'static str,
    pub greater: u32,
    pub equal: u32,
    pub less: u32,
}

impl PermutationRank {
    /// Whether it is not extreme. Once this is true, further permutations do not change it.
    pub fn passes(&self) -> bool {
        self.greater + self.equal > RARE && self.less + self.equal > RARE
    }
}

struct Progress {
    ranks: [PermutationRank; COUNT],
    started: u32,
}

/// Runs the tests on all CPUs. A statistic that passes is not computed again. `progress` is called
/// with the number of permutations; if it returns false, the tests end without a result. Samples
/// with fewer than two values have no result either.
pub fn permutation_tests(
    samples: &[u8],
    seed: u64,
    compressed_length: CompressedLength,
    progress: &(dyn Fn(u32) -> bool + Sync),
) -> Option<Vec<PermutationRank>> {
    let symbols = Symbols::of_samples(samples);
    let is_binary = symbols.alphabet() == 2;
    let samples = if is_binary { symbols.all() } else { samples };
    if symbols.alphabet() < 2 {
        return None;
    }
    let unchanged = Unchanged::of(samples, is_binary);
    let original = unchanged.statistics(samples, &[true; COUNT], compressed_length);
    let ranks = NAMES.map(|statistic| PermutationRank { statistic, greater: 0, equal: 0, less: 0 });
    let state = Mutex::new(Progress { ranks, started: 0 });
    let state = &state;
    let lock = || state.lock().unwrap_or_else(|broken| broken.into_inner());
    let run = |mut generator: Xoshiro| {
        let mut permuted = samples.to_vec();
        loop {
            let (wanted, number) = {
                let mut state = lock();
                let wanted = state.ranks.map(|rank| !rank.passes());
                if state.started == PERMUTATIONS || !wanted.contains(&true) {
                    return true;
                }
                state.started += 1;
                (wanted, state.started)
            };
            if !progress(number) {
                return false;
            }
            generator.shuffle(&mut permuted);
            let found = unchanged.statistics(&permuted, &wanted, compressed_length);
            let mut state = lock();
            for (i, rank) in state.ranks.iter_mut().enumerate().filter(|(i, _)| wanted[*i]) {
                rank.greater += u32::from(found[i] > original[i]);
                rank.equal += u32::from(found[i] == original[i]);
                rank.less += u32::from(found[i] < original[i]);
            }
        }
    };
    let is_complete = thread::scope(|scope| {
        let others = 1..thread::available_parallelism().map_or(1, NonZero::get) as u64;
        let threads: Vec<_> = others
            .map(|number| {
                let run = &run;
                scope.spawn(move || run(Xoshiro::new(seed.wrapping_add(number))))
            })
            .collect();
        let own = run(Xoshiro::new(seed));
        threads.into_iter().all(|thread| thread.join().unwrap_or(false)) && own
    });
    is_complete.then(|| lock().ranks.to_vec())
}

/// xoshiro256** (Blackman and Vigna, 2018).
pub(crate) struct Xoshiro([u64; 4]);

impl Xoshiro {
    pub(crate) fn new(seed: u64) -> Xoshiro {
        let mut state = seed;
        Xoshiro(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        }))
    }

    pub(crate) fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Fisher-Yates. The bias of the multiplication is below 2^-32 for every length that occurs
    /// here.
    fn shuffle(&mut self, samples: &mut [u8]) {
        for i in (1..samples.len()).rev() {
            let other = (u128::from(self.next()) * (i as u128 + 1)) >> 64;
            samples.swap(i, other as usize);
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
