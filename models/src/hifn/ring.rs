//! The rings of descriptors (hifn_desc_t): a word with the length and flags, and an address.

use crate::registers::word;
use crate::vfio::Memory;

/// A ring. The order is that of the address registers, and of the bits of CSR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ring {
    Command,
    Source,
    Result,
    Destination,
}

pub(super) const RINGS: [Ring; 4] = [Ring::Command, Ring::Source, Ring::Result, Ring::Destination];

/// The bits of the command ring in CSR (HIFN_DMACSR_C_*); those of each ring are 8 bits higher. The
/// overflow is one of the result and destination rings.
pub(super) const OVER: u32 = 1 << 1;
pub(super) const WAIT: u32 = 1 << 2;
pub(super) const LAST: u32 = 1 << 3;
pub(super) const DONE: u32 = 1 << 4;
pub(super) const ABORT: u32 = 1 << 5;
const CONTROL_AT: u32 = 6;

impl Ring {
    pub(super) fn bit(self, bit: u32) -> u32 {
        bit << (8 * self as u32)
    }

    /// What the control bits of a write to CSR do: 1 disables the ring, 2 enables it.
    pub(super) fn enabled_by(self, value: u32) -> Option<bool> {
        match value >> (8 * self as u32 + CONTROL_AT) & 3 {
            1 => Some(false),
            2 => Some(true),
            _ => None,
        }
    }
}

/// The bits of a descriptor (HIFN_D_*): its length, no interrupt, the last of a command, a jump,
/// valid.
const LENGTH: u32 = 0xffff;
const MASK_DONE: u32 = 1 << 25;
const IS_LAST: u32 = 1 << 29;
const JUMP: u32 = 1 << 30;
const VALID: u32 = 1 << 31;
const SIZE: u32 = 8;
/// More than any command has, whose counters have 18 bits.
const MOST: usize = 1024;

#[derive(Clone, Copy, Debug)]
pub(super) struct Descriptor {
    at: u32,
    flags: u32,
    address: u32,
}

impl Descriptor {
    fn is_jump(&self) -> bool {
        self.flags & JUMP != 0
    }

    /// The number of bytes; a jump has none.
    pub(super) fn len(&self) -> usize {
        if self.is_jump() { 0 } else { (self.flags & LENGTH) as usize }
    }

    /// Where the descriptor after this one is.
    pub(super) fn next(&self) -> u32 {
        if self.is_jump() { self.address } else { self.at.wrapping_add(SIZE) }
    }
}

/// The descriptors from a position up to the last of a command.
pub(super) enum Chain {
    /// With the jumps between them.
    Ready(Vec<Descriptor>),
    /// One is not valid yet.
    Waits,
    /// One is not in memory, or they have no end.
    Broken,
}

pub(super) fn chain(mut at: u32, memory: &Memory) -> Chain {
    let mut found = Vec::new();
    while found.len() < MOST {
        let mut bytes = [0; SIZE as usize];
        if !memory.read(at.into(), &mut bytes) {
            return Chain::Broken;
        }
        let descriptor = Descriptor { at, flags: word(&bytes, 0), address: word(&bytes, 4) };
        if descriptor.flags & VALID == 0 {
            return Chain::Waits;
        }
        at = descriptor.next();
        found.push(descriptor);
        // The last bit of a jump is that of the descriptor before it (Linux: hifn_setup_src_desc).
        if descriptor.flags & (JUMP | IS_LAST) == IS_LAST {
            return Chain::Ready(found);
        }
    }
    Chain::Broken
}

/// The bytes of a chain; `None` for an address without memory.
pub(super) fn read(chain: &[Descriptor], memory: &Memory) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    for descriptor in chain.iter().filter(|one| !one.is_jump()) {
        let mut part = vec![0; descriptor.len()];
        memory.read(descriptor.address.into(), &mut part).then_some(())?;
        data.extend(part);
    }
    Some(data)
}

/// Writes to a chain, and returns whether all has room; `None` for an address without memory, or
/// one that is not a multiple of 4 (hifn_dmamap_aligned).
pub(super) fn write(chain: &[Descriptor], mut data: &[u8], memory: &Memory) -> Option<bool> {
    for descriptor in chain.iter().filter(|one| !one.is_jump()) {
        let (part, rest) = data.split_at(descriptor.len().min(data.len()));
        (descriptor.address % 4 == 0 && memory.write(descriptor.address.into(), part)).then_some(())?;
        data = rest;
    }
    Some(data.is_empty())
}

/// Returns the descriptors to the driver: they are no longer valid, jumps neither (drivers set the
/// bit again). Returns the bits of CSR.
pub(super) fn release(ring: Ring, chain: &[Descriptor], memory: &Memory) -> Option<u32> {
    let mut bits = 0;
    for descriptor in chain {
        memory.write(descriptor.at.into(), &(descriptor.flags & !VALID).to_le_bytes()).then_some(())?;
        if descriptor.flags & MASK_DONE == 0 {
            bits |= DONE;
        }
        if descriptor.flags & IS_LAST != 0 {
            bits |= LAST;
        }
    }
    Some(ring.bit(bits))
}
