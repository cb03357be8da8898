//! The machine's memory and registers, as an instruction sees them.

/// Memory by virtual address. `None` if a page is not there.
pub trait Memory {
    /// Reads to all of `bytes`.
    fn read(&mut self, at: u64, bytes: &mut [u8]) -> Option<()>;
    /// Writes all of `bytes`.
    fn write(&mut self, at: u64, bytes: &[u8]) -> Option<()>;
}

/// The general registers that the instructions use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    pub ax: u64,
    pub bx: u64,
    pub cx: u64,
    pub dx: u64,
    pub si: u64,
    pub di: u64,
}

/// Length of a step, at most `len` bytes, that stays within a page at each of these addresses.
pub fn within_pages(len: u64, addresses: [u64; 2]) -> usize {
    addresses.iter().fold(len, |len, at| len.min(4096 - at % 4096)) as usize
}
