//! Samples in the form that the estimators use: numbered from zero without gaps.

use std::sync::OnceLock;

use super::repeats::Repeats;

pub struct Symbols {
    all: Vec<u8>,
    alphabet: usize,
    repeats: OnceLock<Repeats>,
}

impl Symbols {
    /// One sample per byte. The values that occur are numbered in ascending order (6.3: k is the
    /// number of values seen).
    pub fn of_samples(samples: &[u8]) -> Symbols {
        let mut number = [0_u8; 256];
        samples.iter().for_each(|&sample| number[usize::from(sample)] = 1);
        let mut alphabet = 0;
        for entry in number.iter_mut().filter(|entry| **entry == 1) {
            *entry = alphabet as u8;
            alphabet += 1;
        }
        let all = samples.iter().map(|&sample| number[usize::from(sample)]).collect();
        Symbols { all, alphabet, repeats: OnceLock::new() }
    }

    /// The low `width` bits of each byte, most significant first (3.1.3: the bit string of the
    /// samples).
    pub fn of_bits(samples: &[u8], width: u32) -> Symbols {
        let bits = samples.iter().flat_map(|&sample| (0..width).rev().map(move |bit| sample >> bit & 1));
        let all: Vec<u8> = bits.collect();
        let alphabet = if all.windows(2).any(|pair| pair[0] != pair[1]) { 2 } else { 1 };
        Symbols { all, alphabet, repeats: OnceLock::new() }
    }

    pub fn all(&self) -> &[u8] {
        &self.all
    }

    pub fn alphabet(&self) -> usize {
        self.alphabet
    }

    pub(super) fn repeats(&self) -> &Repeats {
        self.repeats.get_or_init(|| Repeats::of(&self.all, self.alphabet))
    }
}
