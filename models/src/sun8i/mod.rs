//! Allwinner's Crypto Engine as in the A64: AES, DES and triple DES in ECB and CBC mode, by DMA. A hash,
//! a random number and RSA are reported as not supported, as the engine does, and counted.
//!
//! Registers, task descriptors and their bits are those of NetBSD's driver
//! (sys/arch/arm/sunxi/sun8i_crypto.h and .c), which cites the A64 user manual 1.1, pages 230 to 241. The
//! places of the channels in ESR and the unit of the lengths are those of Linux's driver
//! (drivers/crypto/allwinner/sun8i-ce), too. That a task clears the error of its channel is an
//! assumption: Linux's driver never does.
//!
//! Region 0 has the registers, region 1 is the page of a reset controller.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::allwinner::{CBC, ECB, method};
use crate::block::{Direction, crypt};
use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::registers::{self, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

const PAGE: usize = 4096;

/// The address of a task; enabled interrupts and tasks that are done, a bit for each channel, of which
/// writing 1 clears the latter; the bit that loads a task; errors, four bits for each channel.
const TDQ: usize = 0x0;
const ICR: usize = 0x8;
const ISR: usize = 0xc;
const TLR: usize = 0x10;
const ESR: usize = 0x18;
const LOAD: u32 = 1 << 0;
const CHANNELS: u32 = 4;
const ALGORITHM: u32 = 1 << 0;
const LENGTH: u32 = 1 << 1;

/// A task: channel, controls, addresses of key and IV, length in words, and places.
const TASK: usize = 44 * 4;
const CONTROL: usize = 0x4;
const SYMMETRIC: usize = 0x8;
const KEY: usize = 0x10;
const IV: usize = 0x14;
const LEN: usize = 0x1c;
const SOURCES: usize = 0x20;
const RESULTS: usize = 0x60;
/// Places of data and of results, of 8 bytes each: address and length in words.
const MOST_PLACES: usize = 8;
/// More bytes than any task has.
const MOST_BYTES: u32 = 1 << 24;
/// Control: the interrupt at the end, decryption, the method. The mode of a symmetric method is in bits 8
/// to 11 of its own word.
const INTERRUPT: u32 = 1 << 31;
const DECRYPTION: u32 = 1 << 8;

/// The end of a task.
#[derive(Clone, Copy)]
struct End {
    channel: u32,
    errors: u32,
    interrupt: bool,
}

/// The engine. A request is a task; the tasks of all channels are computed one after the other.
pub struct Sun8i {
    registers: [u8; PAGE],
    resets: [u8; PAGE],
    /// The addresses of tasks that are not computed, and what is not complete.
    loaded: VecDeque<u32>,
    computed: VecDeque<End>,
    /// A channel whose interrupt is enabled was done.
    rises: bool,
}

impl Sun8i {
    pub fn new() -> Sun8i {
        Sun8i {
            registers: [0; PAGE],
            resets: [0; PAGE],
            loaded: VecDeque::new(),
            computed: VecDeque::new(),
            rises: false,
        }
    }

    fn word(&self, at: usize) -> u32 {
        word(&self.registers, at)
    }

    fn set(&mut self, at: usize, value: u32) {
        set_word(&mut self.registers, at, value);
    }
}

/// What is in the places of a task; None for too few of them, and an address without memory.
fn gather(memory: &Memory, places: &[u8], len: usize) -> Option<Vec<u8>> {
    let mut data = vec![0; len];
    for (address, from, size) in split(places, len)? {
        memory.read(address, &mut data[from..from + size]).then_some(())?;
    }
    Some(data)
}

/// As `gather`.
fn scatter(memory: &Memory, places: &[u8], data: &[u8]) -> Option<()> {
    for (address, from, size) in split(places, data.len())? {
        memory.write(address, &data[from..from + size]).then_some(())?;
    }
    Some(())
}

/// The chunks of a task's data: addresses, offsets and lengths.
fn split(places: &[u8], len: usize) -> Option<Vec<(u64, usize, usize)>> {
    let (mut chunks, mut from) = (Vec::new(), 0);
    for place in places.chunks_exact(8).take(MOST_PLACES) {
        let size = (word(place, 4) as usize).checked_mul(4)?.min(len - from);
        if size > 0 {
            chunks.push((word(place, 0).into(), from, size));
            from += size;
        }
    }
    (from == len).then_some(chunks)
}

/// Processes a task, and returns its number of bytes; the errors of its channel if there is no result.
fn process(task: &[u8], fate: &mut RequestFaults, faults: &mut Faults, memory: &Memory) -> Result<u32, u32> {
    let (control, symmetric) = (word(task, CONTROL), word(task, SYMMETRIC));
    let (cipher, key_len, size) = method(control & 0x7f, symmetric & 3).ok_or(ALGORITHM)?;
    let len = word(task, LEN).checked_mul(4).filter(|len| *len <= MOST_BYTES).ok_or(LENGTH)?;
    let read = |address: usize, len: usize| {
        let mut bytes = vec![0; len];
        memory.read(word(task, address).into(), &mut bytes).then_some(bytes).ok_or(LENGTH)
    };
    let key = read(KEY, key_len)?;
    let mut iv = match symmetric >> 8 & 0xf {
        ECB => None,
        CBC => Some(read(IV, size)?),
        _ => return Err(ALGORITHM),
    };
    let direction = if control & DECRYPTION != 0 { Direction::Decrypt } else { Direction::Encrypt };
    let mut data = gather(memory, &task[SOURCES..RESULTS], len as usize).ok_or(LENGTH)?;
    if !crypt(cipher, &key, direction, iv.as_deref_mut(), &mut data) {
        return Err(LENGTH);
    }
    faults.counts.operations += 1;
    faults.damage(fate, &mut data);
    scatter(memory, &task[RESULTS..], &data).ok_or(LENGTH)?;
    Ok(len)
}

impl Engine for Sun8i {
    fn identity(&self) -> Identity {
        // Allwinner's number; the engine is no PCI device.
        Identity {
            id: (0x1f3a, 0x50ce),
            class: 0xff_0000,
            bars: [PAGE as u32, PAGE as u32, 0, 0, 0, 0],
            wiring: Wiring::Doorbell(110),
        }
    }

    fn read(&mut self, bar: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        registers::read(if bar == 0 { &self.registers } else { &self.resets }, at, data);
    }

    fn write(&mut self, bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        match (bar, at) {
            (1, _) => set_word(&mut self.resets, at, value),
            (_, ISR | ESR) => self.set(at, self.word(at) & !value),
            // A task is loaded at once.
            (_, TLR) if value & LOAD != 0 => {
                self.loaded.push_back(self.word(TDQ));
                return Some(0);
            }
            (_, TLR) => {}
            _ => self.set(at, value),
        }
        None
    }

    fn compute(&mut self, _: usize, fate: &mut RequestFaults, faults: &mut Faults, memory: &Memory) -> u32 {
        let address = self.loaded.pop_front().unwrap_or(0);
        let mut task = [0; TASK];
        let channel = if memory.read(address.into(), &mut task) { word(&task, 0) } else { CHANNELS };
        if channel >= CHANNELS {
            // Without a channel there is none that could be done.
            faults.counts.dma_errors += 1;
            self.computed.push_back(End { channel: 0, errors: 0, interrupt: false });
            return 0;
        }
        self.set(ESR, self.word(ESR) & !(0xf << (4 * channel)));
        let result = process(&task, fate, faults, memory);
        match result {
            Ok(_) => {}
            Err(ALGORITHM) => faults.counts.unsupported += 1,
            Err(_) => faults.counts.dma_errors += 1,
        }
        let errors = result.err().unwrap_or(0);
        self.computed.push_back(End { channel, errors, interrupt: word(&task, CONTROL) & INTERRUPT != 0 });
        result.unwrap_or(0)
    }

    fn complete(&mut self, _: usize, error: bool, interrupt: bool) {
        let Some(end) = self.computed.pop_front() else { return };
        let errors = end.errors | if error { LENGTH } else { 0 };
        self.set(ESR, self.word(ESR) | errors << (4 * end.channel));
        if end.interrupt && interrupt {
            self.set(ISR, self.word(ISR) | 1 << end.channel);
            self.rises |= self.word(ICR) & 1 << end.channel != 0;
        }
    }

    fn is_running(&self, _: usize) -> bool {
        !self.loaded.is_empty() || !self.computed.is_empty()
    }

    fn signal(&mut self) -> Signal {
        let rises = std::mem::take(&mut self.rises);
        Signal::edge(rises)
    }

    fn reset(&mut self) {
        *self = Sun8i::new();
    }
}
