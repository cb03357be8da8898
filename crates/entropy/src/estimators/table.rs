//! A hash table with linear probing, for the counts of the predictors.
//!
//! The standard library's table resists keys chosen by an attacker, at several times the cost. Here
//! an attacker could only slow down the estimate. Keys and values are in separate arrays: without
//! padding they take two thirds of the memory.

pub(super) const FREE: u32 = u32::MAX;

pub(super) trait TableKey: Copy + Default + PartialEq {
    fn hash(self) -> u64;
}

/// A sequence of bytes: the last ones of a number, and how many these are.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Sequence {
    bytes: [u8; 16],
    length: u8,
}

impl Sequence {
    pub fn new(key: u128, length: usize) -> Sequence {
        Sequence { bytes: key.to_le_bytes(), length: length as u8 }
    }
}

impl TableKey for Sequence {
    fn hash(self) -> u64 {
        let key = u128::from_le_bytes(self.bytes);
        (key as u64) ^ ((key >> 64) as u64).rotate_left(23) ^ u64::from(self.length) << 59
    }
}

impl TableKey for u32 {
    fn hash(self) -> u64 {
        self.into()
    }
}

#[derive(Default)]
pub(super) struct Table<K> {
    keys: Vec<K>,
    values: Vec<u32>,
    used: usize,
}

impl<K: TableKey> Table<K> {
    fn slot(&self, key: K) -> usize {
        let mask = self.keys.len() - 1;
        let mixed = key.hash();
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        // The upper bits, also where usize has 32 bits.
        let mut place = (mixed >> 32) as usize & mask;
        while self.values[place] != FREE && self.keys[place] != key {
            place = (place + 1) & mask;
        }
        place
    }

    pub fn get(&self, key: K) -> Option<u32> {
        if self.keys.is_empty() {
            return None;
        }
        let value = self.values[self.slot(key)];
        (value != FREE).then_some(value)
    }

    /// The value of a key, `FREE` if it is new. The caller sets it.
    pub fn entry(&mut self, key: K) -> &mut u32 {
        // At most 13/16 are in use: the MultiMMC estimate's 1,600,000 sequences then take 2^21 slots.
        if self.used * 16 >= self.keys.len() * 13 {
            self.grow();
        }
        let place = self.slot(key);
        self.used += usize::from(self.values[place] == FREE);
        self.keys[place] = key;
        &mut self.values[place]
    }

    fn grow(&mut self) {
        let size = (self.keys.len() * 2).max(1024);
        let keys = std::mem::replace(&mut self.keys, vec![K::default(); size]);
        let values = std::mem::replace(&mut self.values, vec![FREE; size]);
        for (key, value) in keys.into_iter().zip(values).filter(|(_, value)| *value != FREE) {
            let place = self.slot(key);
            (self.keys[place], self.values[place]) = (key, value);
        }
    }
}
