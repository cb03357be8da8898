//! Allwinner's Security System of the second generation, as in the A80 and A83T: AES, DES and triple
//! DES in ECB and CBC mode, by DMA. CTR mode, a hash, a random number and RSA are counted as not
//! supported.
//!
//! Registers and their bits are those of Allwinner's own driver for both chips (drivers/crypto/sunxi of
//! its Linux 3.4, sunxi_ss_reg.h and sunxi_ss_reg_sun9i.c), with the unit of the length (sunxi_ss.c).
//! Assumptions, which Linux's driver (drivers/crypto/allwinner/sun8i-ss) makes too: a start keeps the
//! registers, so that the driver may write those of the other flow's task, and both flows work at the
//! same time. The engine has no register for errors: a task that cannot be done ends without a result.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::allwinner::{CBC, ECB, method};
use crate::block::{Direction, crypt};
use crate::engine::Engine;
use crate::faults::{Failure, Faults, RequestFaults};
use crate::registers::{self, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

const PAGE: usize = 4096;

/// Control; enabled interrupts; the ends of both flows' tasks, of which writing 1 clears one.
const CTL: usize = 0x0;
const ICR: usize = 0x4;
const ISR: usize = 0x8;
/// Addresses of 64 bits, and the length in words.
const KEY: usize = 0x10;
const IV: usize = 0x18;
const SOURCE: usize = 0x20;
const RESULT: usize = 0x28;
const LEN: usize = 0x30;
/// More words than any task has.
const MOST_WORDS: u32 = 1 << 22;

const FLOWS: usize = 2;
/// The bits of the control, which has the method in bits 2 to 5, its mode in bits 13 and 14, and the size
/// of an AES key in bits 7 and 8. The engine sets IDLE.
const START: u32 = 1 << 0;
const DECRYPTION: u32 = 1 << 6;
const IDLE: u32 = 1 << 29;
const FLOW_1: u32 = 1 << 31;

/// The registers when a task was started.
#[derive(Clone, Copy)]
struct Task {
    control: u32,
    key: u64,
    iv: u64,
    source: u64,
    result: u64,
    words: u32,
}

/// The tasks of a flow: those that are not computed, and the number of those that are not complete.
#[derive(Default)]
struct Flow {
    loaded: VecDeque<Task>,
    computed: usize,
}

/// The engine. A request is a task, and a channel is a flow.
pub struct Sun8iSs {
    registers: [u8; PAGE],
    resets: [u8; PAGE],
    flows: [Flow; FLOWS],
}

impl Sun8iSs {
    pub fn new() -> Sun8iSs {
        Sun8iSs { registers: [0; PAGE], resets: [0; PAGE], flows: Default::default() }
    }

    fn word(&self, at: usize) -> u32 {
        word(&self.registers, at)
    }

    fn set(&mut self, at: usize, value: u32) {
        set_word(&mut self.registers, at, value);
    }

    fn address(&self, at: usize) -> u64 {
        u64::from(self.word(at)) | u64::from(self.word(at + 4)) << 32
    }
}

/// Processes a task, and returns its number of bytes.
fn process(
    task: &Task,
    fate: &mut RequestFaults,
    faults: &mut Faults,
    memory: &Memory,
) -> Result<u32, Failure> {
    let (cipher, key_len, block) =
        method(task.control >> 2 & 0xf, task.control >> 7 & 3).ok_or(Failure::Unsupported)?;
    let words = Some(task.words).filter(|words| *words <= MOST_WORDS).ok_or(Failure::Wrong)?;
    let read = |address: u64, len: usize| {
        let mut bytes = vec![0; len];
        memory.read(address, &mut bytes).then_some(bytes).ok_or(Failure::Wrong)
    };
    let mut iv = match task.control >> 13 & 3 {
        ECB => None,
        CBC => Some(read(task.iv, block)?),
        _ => return Err(Failure::Unsupported),
    };
    let key = read(task.key, key_len)?;
    let mut data = read(task.source, 4 * words as usize)?;
    let direction = if task.control & DECRYPTION != 0 { Direction::Decrypt } else { Direction::Encrypt };
    if !crypt(cipher, &key, direction, iv.as_deref_mut(), &mut data) {
        return Err(Failure::Unsupported);
    }
    faults.counts.operations += 1;
    faults.damage(fate, &mut data);
    memory.write(task.result, &data).then_some(4 * words).ok_or(Failure::Wrong)
}

impl Engine for Sun8iSs {
    fn identity(&self) -> Identity {
        // Allwinner's number; the engine is not a PCI device.
        Identity {
            id: (0x1f3a, 0x5083),
            class: 0xff_0000,
            bars: [PAGE as u32, PAGE as u32, 0, 0, 0, 0],
            wiring: Wiring::Pin,
        }
    }

    fn read(&mut self, bar: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        let is_idle = !(0..FLOWS).any(|flow| self.is_running(flow));
        self.set(CTL, self.word(CTL) & !IDLE | if is_idle { IDLE } else { 0 });
        registers::read(if bar == 0 { &self.registers } else { &self.resets }, at, data);
    }

    fn write(&mut self, bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        match (bar, at) {
            (1, _) => set_word(&mut self.resets, at, value),
            (_, ISR) => self.set(ISR, self.word(ISR) & !value),
            (_, CTL) => {
                self.set(CTL, value);
                if value & START != 0 {
                    let flow = usize::from(value & FLOW_1 != 0);
                    self.flows[flow].loaded.push_back(Task {
                        control: value,
                        key: self.address(KEY),
                        iv: self.address(IV),
                        source: self.address(SOURCE),
                        result: self.address(RESULT),
                        words: self.word(LEN),
                    });
                    return Some(flow);
                }
            }
            _ => self.set(at, value),
        }
        None
    }

    fn compute(
        &mut self,
        flow: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> u32 {
        let Some(task) = self.flows[flow].loaded.pop_front() else { return 0 };
        self.flows[flow].computed += 1;
        process(&task, fate, faults, memory).unwrap_or_else(|failure| {
            faults.counts.failed(failure);
            0
        })
    }

    fn complete(&mut self, flow: usize, _: bool, interrupt: bool) {
        self.flows[flow].computed -= 1;
        if interrupt {
            self.set(ISR, self.word(ISR) | 1 << flow);
        }
    }

    fn is_running(&self, flow: usize) -> bool {
        !self.flows[flow].loaded.is_empty() || self.flows[flow].computed > 0
    }

    fn signal(&mut self) -> Signal {
        Signal { level: self.word(ISR) & self.word(ICR) != 0, edges: Vec::new() }
    }

    fn reset(&mut self) {
        *self = Sun8iSs::new();
    }
}
