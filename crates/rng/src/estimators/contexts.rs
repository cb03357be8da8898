//! The symbols that followed sequences of symbols: the dictionaries of the MultiMMC and the LZ78Y
//! predictor.

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

    /// The last `length` symbols.
    fn key(self, length: usize) -> u128 {
        self.symbols & (u128::MAX >> (128 - self.bits * length as u32))
    }
}

/// Sequences of symbols, with counts of the symbols that followed each of them.
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

    /// The number of a sequence; `None` if it is unknown.
    pub fn find(&self, history: History, length: usize) -> Option<u32> {
        match self {
            Contexts::Bits(counts) => {
                let number = history.key(length) as u32 | 1 << length;
                (counts[number as usize] != [0; 2]).then_some(number)
            }
            Contexts::Bytes(bytes) => bytes.numbers.get(history.key(length), length),
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
    numbers: Table,
    likeliest: Vec<(u8, u32)>,
    /// Counts of the symbols after each sequence: the key is the number of the sequence and the
    /// symbol.
    followers: Table,
}

impl Bytes {
    fn add(&mut self, key: u128, length: usize, symbol: u8) {
        let number = self.likeliest.len() as u32;
        *self.numbers.entry(key, length) = number;
        self.likeliest.push((symbol, 0));
        self.count(number, symbol, true);
    }

    fn count(&mut self, number: u32, symbol: u8, may_add: bool) -> bool {
        let key = u128::from(number) << 8 | u128::from(symbol);
        if !may_add && self.followers.get(key, 0).is_none() {
            return true;
        }
        let count = self.followers.entry(key, 0);
        *count = if *count == Table::FREE { 1 } else { *count + 1 };
        let count = *count;
        let (likeliest, most) = &mut self.likeliest[number as usize];
        if count > *most || count == *most && symbol > *likeliest {
            (*likeliest, *most) = (symbol, count);
        }
        count == 1
    }
}

/// A hash table with linear probing. The standard library's table resists keys chosen by an
/// attacker, at several times the cost. Here an attacker could only slow down the estimate.
#[derive(Default)]
struct Table {
    slots: Vec<(u128, u8, u32)>,
    used: usize,
}

impl Table {
    const FREE: u32 = u32::MAX;

    fn slot(&self, key: u128, length: usize) -> usize {
        let mask = self.slots.len() - 1;
        let mixed = (key as u64) ^ ((key >> 64) as u64).rotate_left(23) ^ (length as u64) << 59;
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut place = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) as usize >> 20 & mask;
        loop {
            let (known, of, value) = self.slots[place];
            if value == Self::FREE || known == key && usize::from(of) == length {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    fn get(&self, key: u128, length: usize) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let value = self.slots[self.slot(key, length)].2;
        (value != Self::FREE).then_some(value)
    }

    /// The value of a key, `FREE` if it is new. The caller sets it.
    fn entry(&mut self, key: u128, length: usize) -> &mut u32 {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let place = self.slot(key, length);
        let slot = &mut self.slots[place];
        self.used += usize::from(slot.2 == Self::FREE);
        (slot.0, slot.1) = (key, length as u8);
        &mut slot.2
    }

    fn grow(&mut self) {
        let larger = vec![(0, 0, Self::FREE); (self.slots.len() * 2).max(1024)];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot.2 != Self::FREE {
                let place = self.slot(slot.0, slot.1.into());
                self.slots[place] = slot;
            }
        }
    }
}
