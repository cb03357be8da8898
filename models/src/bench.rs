//! What tests of models have in common: an engine with memory, and a driver's accesses to both.

use crate::engine::{Engine, Model};
use crate::faults::Faults;
use crate::options::Options;
use crate::vfio::{Device, Memory};

/// Where the memory begins, which has 16 KiB.
pub const RAM: u32 = 0x4000_0000;

/// The behaviour that options such as `damage=1` choose.
pub fn faults(options: &[&str]) -> Faults {
    let words: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
    Faults::new(&mut Options::parse(&words).expect("pairs")).expect("options")
}

pub struct Bench {
    pub model: Model,
    pub memory: Memory,
    /// The region of the registers.
    bar: usize,
}

impl Bench {
    pub fn new(engine: impl Engine + 'static, bar: usize, options: &[&str]) -> Bench {
        let model = Model::new(Box::new(engine), faults(options));
        Bench { model, memory: Memory::of(RAM.into(), &vec![0; 0x4000]), bar }
    }

    pub fn register(&mut self, at: usize) -> u32 {
        let mut data = [0; 4];
        self.model.read(self.bar, at, &mut data);
        u32::from_le_bytes(data)
    }

    pub fn set(&mut self, at: usize, value: u32) {
        self.model.write(self.bar, at, &value.to_le_bytes(), &self.memory);
    }

    pub fn put(&mut self, address: u32, bytes: &[u8]) {
        assert!(self.memory.write(address.into(), bytes));
    }

    pub fn put_words(&mut self, address: u32, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put(address, &bytes);
    }

    pub fn get(&self, address: u32, len: usize) -> Vec<u8> {
        let mut data = vec![0; len];
        assert!(self.memory.read(address.into(), &mut data));
        data
    }
}
