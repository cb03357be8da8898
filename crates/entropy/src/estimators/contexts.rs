//! The symbols that followed sequences of symbols: the dictionaries of the MultiMMC and the LZ78Y
//! predictor.

use super::table::{FREE, Sequence, Table};

/// The maximum number of symbols that a prediction uses.
pub(super) const LONGEST: usize = 16;

/// The last symbols of a sequence: one per byte, or one per bit if there are only two values.
#[derive(Clone, Copy)]
pub(super) struct History {
    symbols: u128,
    bits: u32,
}

impl History {
    pub fn new(alphabet: usize) -> History {
        History { symbols: 0, bits: if alphabet <= 2 { 1 } else { 8 } }
    }

    pub fn push(&mut self, symbol: u8) {
        self.symbols = self.symbols << self.bits | u128::from(symbol);
    }

    fn key(self, length: usize) -> u128 {
        self.symbols & (u128::MAX >> (128 - self.bits * length as u32))
    }
}

pub(super) enum Contexts {
    /// For bits: the number of a sequence is its bits after a leading one.
    Bits(Vec<[u32; 2]>),
    Bytes(Bytes),
}

impl Contexts {
    pub fn new(alphabet: usize) -> Contexts {
        if alphabet <= 2 {
            Contexts::Bits(vec![[0; 2]; 2 << LONGEST])
        } else {
            Contexts::Bytes(Bytes::default())
        }
    }

    pub fn find(&self, history: History, length: usize) -> Option<u32> {
        match self {
            Contexts::Bits(counts) => {
                let number = history.key(length) as u32 | 1 << length;
                (counts[number as usize] != [0; 2]).then_some(number)
            }
            Contexts::Bytes(bytes) => bytes.find(history.key(length), length),
        }
    }

    /// Adds an unknown sequence, with the first symbol that followed it.
    pub fn add(&mut self, history: History, length: usize, symbol: u8) {
        match self {
            Contexts::Bits(counts) => {
                let number = history.key(length) as usize | 1 << length;
                counts[number][usize::from(symbol)] = 1;
            }
            Contexts::Bytes(bytes) => bytes.add(history.key(length), length, symbol),
        }
    }

    /// The symbol that followed most often, and its count. Among equal counts, the greatest symbol.
    pub fn predicted(&self, number: u32) -> (u8, u32) {
        match self {
            Contexts::Bits(counts) => match counts[number as usize] {
                [zeros, ones] if zeros > ones => (0, zeros),
                [_, ones] => (1, ones),
            },
            Contexts::Bytes(bytes) => bytes.likeliest[number as usize],
        }
    }

    /// Counts a symbol after a known sequence, and returns whether the symbol is new there. A new
    /// symbol is counted only if `may_add`.
    pub fn count(&mut self, number: u32, symbol: u8, may_add: bool) -> bool {
        match self {
            Contexts::Bits(counts) => {
                let count = &mut counts[number as usize][usize::from(symbol)];
                let is_new = *count == 0;
                *count += u32::from(!is_new || may_add);
                is_new
            }
            Contexts::Bytes(bytes) => bytes.count(number, symbol, may_add),
        }
    }
}

/// Sequences of bytes, numbered in the order of their occurrence.
#[derive(Default)]
pub(super) struct Bytes {
    numbers: Table<Sequence>,
    likeliest: Vec<(u8, u32)>,
    /// Counts of the symbols after each sequence: the key is the number of the sequence and the
    /// symbol.
    followers: Table<u32>,
}

impl Bytes {
    fn find(&self, key: u128, length: usize) -> Option<u32> {
        self.numbers.get(Sequence::new(key, length))
    }

    fn add(&mut self, key: u128, length: usize, symbol: u8) {
        let number = self.likeliest.len() as u32;
        *self.numbers.entry(Sequence::new(key, length)) = number;
        self.likeliest.push((symbol, 0));
        self.count(number, symbol, true);
    }

    fn count(&mut self, number: u32, symbol: u8, may_add: bool) -> bool {
        // Both predictors limit the number of sequences to fewer than 2^24.
        let key = number << 8 | u32::from(symbol);
        if !may_add && self.followers.get(key).is_none() {
            return true;
        }
        let count = self.followers.entry(key);
        *count = if *count == FREE { 1 } else { *count + 1 };
        let count = *count;
        let (likeliest, most) = &mut self.likeliest[number as usize];
        if count > *most || count == *most && symbol > *likeliest {
            (*likeliest, *most) = (symbol, count);
        }
        count == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_of_different_lengths_are_different() {
        let mut contexts = Contexts::new(256);
        let mut history = History::new(256);
        (0..LONGEST).for_each(|_| history.push(0));
        for length in 1..=LONGEST {
            assert_eq!(contexts.find(history, length), None, "{length}");
            contexts.add(history, length, length as u8);
        }
        for length in 1..=LONGEST {
            let number = contexts.find(history, length).expect("it was added");
            assert_eq!(contexts.predicted(number), (length as u8, 1), "{length}");
        }
    }

    #[test]
    fn counts_survive_the_growth_of_the_tables() {
        let mut contexts = Contexts::new(256);
        for symbol in 0..5000_u32 {
            let mut history = History::new(256);
            symbol.to_le_bytes().into_iter().for_each(|byte| history.push(byte));
            contexts.add(history, 4, symbol as u8);
            let number = contexts.find(history, 4).expect("it was added");
            assert!(!contexts.count(number, symbol as u8, true));
            assert!(contexts.count(number, !(symbol as u8), false), "a new symbol");
        }
        for symbol in 0..5000_u32 {
            let mut history = History::new(256);
            symbol.to_le_bytes().into_iter().for_each(|byte| history.push(byte));
            let number = contexts.find(history, 4).expect("it was added");
            assert_eq!(contexts.predicted(number), (symbol as u8, 2));
        }
    }
}
