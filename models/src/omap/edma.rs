//! The channels of EDMA's channel controller (TPCC): sets of parameters, events, and interrupts by
//! transfer completion codes.

use crate::faults::Failure::{self, Unsupported, Wrong};
use crate::registers::{self, set_word, word};
use crate::vfio::Memory;

/// What of the region has registers.
pub const BYTES: usize = 0x8000;
/// CCCFG: 64 channels, 256 sets of parameters, three queues, and the map of channels to sets.
const CONFIGURATION: usize = 0x4;
const CONFIGURATION_VALUE: u32 = 1 << 24 | 2 << 20 | 2 << 16 | 4 << 12 | 4 << 8 | 4 << 4 | 5;
/// The number of channels.
const CHANNELS: usize = 64;
/// DCHMAP: the set of each channel, in bits 5 to 13.
pub const MAP: usize = 0x100;
/// Shadow region 0. Each register is a pair, for channels 0 to 31 and 32 to 63: EER, and what clears
/// and sets its bits (EECR, EESR); IER (IECR, IESR); IPR (ICR). A write to IEVAL raises the interrupt
/// again, if one is pending.
const REGION: usize = 0x2000;
pub const EVENTS: usize = REGION + 0x20;
pub const CLEAR_EVENTS: usize = REGION + 0x28;
pub const SET_EVENTS: usize = REGION + 0x30;
const ENABLED: usize = REGION + 0x50;
pub const CLEAR_ENABLED: usize = REGION + 0x58;
pub const SET_ENABLED: usize = REGION + 0x60;
pub const PENDING: usize = REGION + 0x68;
pub const CLEAR_PENDING: usize = REGION + 0x70;
pub const EVALUATE: usize = REGION + 0x78;
/// The sets (PaRAM), and the words of each.
pub const SETS: usize = 0x4000;
pub const SET_BYTES: usize = 0x20;
const OPTIONS: usize = 0x0;
const SOURCE: usize = 0x4;
const COUNTS_A_B: usize = 0x8;
const DESTINATION: usize = 0xc;
const STEPS_B: usize = 0x10;
const LINK: usize = 0x14;
const STEPS_C: usize = 0x18;
const COUNT_C: usize = 0x1c;
/// OPT: an event moves both dimensions (SYNCDIM), and its last one has the interrupt of the code in bits 12
/// to 17 (TCINTEN).
pub const BOTH_DIMENSIONS: u32 = 1 << 2;
pub const INTERRUPTS: u32 = 1 << 20;
/// LINK without a next set.
pub const NO_LINK: u32 = 0xffff;

/// The side of a channel that is memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Source,
    Destination,
}

pub struct Edma {
    registers: Box<[u8; BYTES]>,
    /// EER, IER and IPR.
    events: u64,
    enabled: u64,
    pending: u64,
    /// Codes of completed sets of each channel whose interrupts are not raised yet.
    completed: [u64; CHANNELS],
    rises: bool,
}

impl Edma {
    pub fn new() -> Edma {
        let mut registers = Box::new([0; BYTES]);
        set_word(&mut registers[..], CONFIGURATION, CONFIGURATION_VALUE);
        Edma { registers, events: 0, enabled: 0, pending: 0, completed: [0; CHANNELS], rises: false }
    }

    pub fn read(&self, at: usize, data: &mut [u8]) {
        match at & !7 {
            EVENTS => registers::read(&self.events.to_le_bytes(), at & 7, data),
            ENABLED => registers::read(&self.enabled.to_le_bytes(), at & 7, data),
            PENDING => registers::read(&self.pending.to_le_bytes(), at & 7, data),
            _ => registers::read(&self.registers[..], at, data),
        }
    }

    pub fn write(&mut self, at: usize, data: &[u8]) {
        let bits = data.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)) << (8 * (at & 4));
        match at & !7 {
            CLEAR_EVENTS => self.events &= !bits,
            SET_EVENTS => self.events |= bits,
            CLEAR_ENABLED => self.enabled &= !bits,
            SET_ENABLED => self.enabled |= bits,
            CLEAR_PENDING => self.pending &= !bits,
            EVALUATE => self.rises |= self.pending & self.enabled != 0,
            _ if at == CONFIGURATION => {}
            _ => {
                let to = self.registers.get_mut(at..at + data.len());
                to.into_iter().for_each(|to| to.copy_from_slice(data));
            }
        }
    }

    /// Whether an event of the channel would move data.
    pub fn is_ready(&self, channel: usize) -> bool {
        let set = self.set_of(channel);
        let is_null = [COUNTS_A_B, COUNT_C].iter().any(|at| word(&self.registers[..], set + at) == 0);
        self.events & 1 << channel != 0 && !is_null
    }

    /// An event of a channel from memory: `len` bytes.
    pub fn fetch(&mut self, channel: usize, len: usize, memory: &Memory) -> Result<Vec<u8>, Failure> {
        let mut data = vec![0; len];
        for (address, part) in self.parts(channel, len, Side::Source)?.zip(chunks(&mut data, self, channel)) {
            memory.read(address.into(), part).then_some(()).ok_or(Wrong)?;
        }
        self.advance(channel)?;
        Ok(data)
    }

    /// An event of a channel to memory.
    pub fn store(&mut self, channel: usize, data: &[u8], memory: &Memory) -> Result<(), Failure> {
        let mut data = data.to_vec();
        let parts = self.parts(channel, data.len(), Side::Destination)?;
        for (address, part) in parts.zip(chunks(&mut data, self, channel)) {
            memory.write(address.into(), part).then_some(()).ok_or(Wrong)?;
        }
        self.advance(channel)
    }

    /// Shows the completed sets of channels, or forgets them.
    pub fn complete(&mut self, channels: &[usize], interrupt: bool) {
        let code = |channel: &usize| std::mem::take(&mut self.completed[*channel]);
        let codes = channels.iter().map(code).fold(0, |all, code| all | code);
        if interrupt {
            // A line that is pending already is not raised: the driver writes IEVAL.
            self.rises |= self.pending & self.enabled == 0 && codes & self.enabled != 0;
            self.pending |= codes;
        }
    }

    /// Whether the interrupt was raised since the last call.
    pub fn rises(&mut self) -> bool {
        std::mem::take(&mut self.rises)
    }

    fn set_of(&self, channel: usize) -> usize {
        let set = word(&self.registers[..], MAP + 4 * channel) >> 5 & 0x1ff;
        (SETS + SET_BYTES * set as usize).min(BYTES - SET_BYTES)
    }

    fn word(&self, channel: usize, at: usize) -> u32 {
        word(&self.registers[..], self.set_of(channel) + at)
    }

    fn set_word(&mut self, channel: usize, at: usize, value: u32) {
        let at = self.set_of(channel) + at;
        set_word(&mut self.registers[..], at, value);
    }

    /// The addresses of the parts of the next event.
    fn parts(
        &self,
        channel: usize,
        len: usize,
        side: Side,
    ) -> Result<impl Iterator<Item = u32> + use<>, Failure> {
        if self.word(channel, OPTIONS) & BOTH_DIMENSIONS == 0 {
            return Err(Unsupported);
        }
        let (counts, steps) = (self.word(channel, COUNTS_A_B), self.word(channel, STEPS_B));
        let (a, b) = (counts & 0xffff, counts >> 16);
        (a as usize * b as usize == len).then_some(()).ok_or(Wrong)?;
        let (start, step) = match side {
            Side::Source => (self.word(channel, SOURCE), steps & 0xffff),
            Side::Destination => (self.word(channel, DESTINATION), steps >> 16),
        };
        Ok((0..b).map(move |n| start.wrapping_add(n * step)))
    }

    /// Prepares the set for the next event, or loads the next set.
    fn advance(&mut self, channel: usize) -> Result<(), Failure> {
        let (left, steps) = (self.word(channel, COUNT_C) - 1, self.word(channel, STEPS_C));
        for (at, step) in [(SOURCE, steps & 0xffff), (DESTINATION, steps >> 16)] {
            self.set_word(channel, at, self.word(channel, at).wrapping_add(step));
        }
        self.set_word(channel, COUNT_C, left);
        if left > 0 {
            return Ok(());
        }
        let (options, link) = (self.word(channel, OPTIONS), self.word(channel, LINK) & 0xffff);
        let next = match link {
            NO_LINK => vec![0; SET_BYTES],
            link => {
                let at = link as usize & !(SET_BYTES - 1);
                self.registers.get(at..at + SET_BYTES).filter(|_| at >= SETS).ok_or(Wrong)?.to_vec()
            }
        };
        if options & INTERRUPTS != 0 {
            self.completed[channel] |= 1 << (options >> 12 & 0x3f);
        }
        let at = self.set_of(channel);
        self.registers[at..at + SET_BYTES].copy_from_slice(&next);
        Ok(())
    }
}

/// The parts of data that an event moves.
fn chunks<'a>(data: &'a mut [u8], edma: &Edma, channel: usize) -> std::slice::ChunksMut<'a, u8> {
    data.chunks_mut((edma.word(channel, COUNTS_A_B) & 0xffff).max(1) as usize)
}
