//! AMD's cryptographic coprocessor, version 5 (CCP): AES in ECB, CBC and CTR mode, GCM, XTS, CMAC, the
//! pass-through engine and the random numbers. A PCI device with one message-signalled interrupt.
//! SHA, RSA, triple DES, ECC and zlib are counted as unsupported.
//!
//! There is no public document. Registers, bits, descriptors and the use of the local storage block
//! (LSB) are those of FreeBSD's driver (sys/crypto/ccp/ccp_hardware.h and ccp_hardware.c; its
//! comments quote AMD's document); names in parentheses are from there. What only Linux's driver
//! shows (drivers/crypto/ccp/ccp-dev-v5.c, ccp-ops.c) says so.
//!
//! Region 2 has the registers: a page for all queues, then one for each.

mod aes;
mod descriptor;
#[cfg(test)]
mod tests;

use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::registers::{self, random, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

use descriptor::{Descriptor, SIZE};

const REGISTERS: usize = 2;
const BYTES: usize = 0x10000;
const PAGE: usize = 0x1000;
const QUEUES: usize = 5;

/// Random numbers (TRNG_OUT_OFFSET).
const RANDOM: usize = 0xc;
/// The version (VERSION_REG): 5; AES, XTS by AES and random numbers; the number of queues and of
/// entries of the LSB.
const VERSION: usize = 0x100;
const VERSION_VALUE: u32 = 5 | 1 << 6 | 1 << 13 | (QUEUES as u32) << 15 | (LSB_ENTRIES as u32) << 19;

/// Registers of a queue (CMD_Q_CONTROL_BASE, _TAIL_LO_, _HEAD_LO_, _INT_ENABLE_, _INTERRUPT_STATUS_,
/// _STATUS_).
const CONTROL: usize = 0x0;
const TAIL: usize = 0x4;
const HEAD: usize = 0x8;
const ENABLE: usize = 0xc;
const INTERRUPTS: usize = 0x10;
const STATUS: usize = 0x100;
/// CONTROL: running, halted; the size (order - 1) and the upper half of the ring's address.
const RUN: u32 = 1 << 0;
const HALTED: u32 = 1 << 1;
const ORDER_AT: u32 = 3;
const ADDRESS_AT: u32 = 16;
/// INTERRUPTS and ENABLE (INT_COMPLETION, INT_ERROR, INT_QUEUE_EMPTY). Bits are cleared by writing 1.
const COMPLETION: u32 = 1 << 0;
const ERROR: u32 = 1 << 1;
const EMPTY: u32 = 1 << 3;
/// Error codes of STATUS: an address without memory (ILLEGAL_MEM_ADDR), a fault of the LSB
/// (LSB_PARITY_ERR), which stands for the error that was asked for.
const ILLEGAL_ADDRESS: u32 = 0x0b;
const PARITY: u32 = 0x2b;

/// Entries of 32 bytes of the LSB: 8 regions of 16 (LSB_ENTRY_SIZE, LSB_REGION_LENGTH).
const LSB_ENTRIES: usize = 128;
const ENTRY: usize = 32;

/// The coprocessor.
pub struct Ccp {
    registers: Vec<u8>,
    lsb: Vec<u8>,
    queues: [Queue; QUEUES],
    was_raised: bool,
}

/// What a queue has done since it was started.
#[derive(Clone, Copy, Default)]
struct Queue {
    /// Starts that were not completed.
    started: u32,
    error: u32,
    is_completed: bool,
}

impl Ccp {
    pub fn new() -> Ccp {
        let mut ccp = Ccp {
            registers: vec![0; BYTES],
            lsb: vec![0; LSB_ENTRIES * ENTRY],
            queues: [Queue::default(); QUEUES],
            was_raised: false,
        };
        ccp.set(VERSION, VERSION_VALUE);
        ccp
    }

    fn register(&self, at: usize) -> u32 {
        word(&self.registers, at)
    }

    fn set(&mut self, at: usize, value: u32) {
        set_word(&mut self.registers, at, value);
    }

    /// Executes descriptors from the head to the tail, and returns the number of bytes of ciphers. An
    /// error stops at its descriptor.
    fn follow(
        &mut self,
        queue: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> u32 {
        let page = PAGE * (1 + queue);
        let (control, tail) = (self.register(page + CONTROL), self.register(page + TAIL));
        // A ring is aligned to its size (ccp_hw_attach_queue).
        let bytes_of_ring = (SIZE as u32) << ((control >> ORDER_AT & 0xf) + 1);
        let mut bytes = 0_u32;
        while self.register(page + HEAD) != tail {
            let head = self.register(page + HEAD);
            let address = u64::from(control >> ADDRESS_AT) << 32 | u64::from(head);
            let found = Descriptor::read(address, memory);
            let executed = found.and_then(|found| self.execute(&found, fate, faults, memory));
            let Some(done) = executed else {
                faults.counts.dma_errors += 1;
                faults.trace(|| format!("queue {queue}: the descriptor at {address:#x} fails: {found:x?}"));
                self.queues[queue].error = ILLEGAL_ADDRESS;
                return bytes;
            };
            bytes = bytes.wrapping_add(done);
            self.queues[queue].is_completed |= found.is_some_and(|found| found.interrupts());
            let ring = head & !(bytes_of_ring - 1);
            self.set(page + HEAD, ring | (head.wrapping_add(SIZE as u32) & (bytes_of_ring - 1)));
        }
        bytes
    }
}

impl Engine for Ccp {
    fn identity(&self) -> Identity {
        // AMD's family 17h. Class: encryption, other.
        Identity {
            id: (0x1022, 0x1468),
            class: 0x10_8000,
            bars: [0, 0, BYTES as u32, 0, 0, 0],
            wiring: Wiring::Message,
        }
    }

    fn read(&mut self, _: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        if at == RANDOM {
            self.set(RANDOM, random().max(1));
        }
        registers::read(&self.registers, at, data);
    }

    fn write(&mut self, bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        let queue = (at / PAGE).checked_sub(1).filter(|queue| bar == REGISTERS && *queue < QUEUES);
        let Some(queue) = queue else {
            if at != VERSION {
                self.set(at, value);
            }
            return None;
        };
        let starts = match at % PAGE {
            INTERRUPTS => {
                self.set(at, self.register(at) & !value);
                return None;
            }
            STATUS => return None,
            // Drivers write it after TAIL, which has started the queue if it was running.
            CONTROL => value & RUN != 0 && self.queues[queue].started == 0,
            TAIL => self.register(PAGE * (1 + queue) + CONTROL) & RUN != 0,
            _ => false,
        };
        self.set(at, value);
        let page = PAGE * (1 + queue);
        let has_work = self.register(page + HEAD) != self.register(page + TAIL);
        (starts && has_work).then(|| {
            self.queues[queue].started += 1;
            queue
        })
    }

    fn compute(
        &mut self,
        queue: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> u32 {
        self.follow(queue, fate, faults, memory)
    }

    fn complete(&mut self, queue: usize, error: bool, interrupt: bool) {
        let page = PAGE * (1 + queue);
        let Queue { started, error: found, is_completed } = self.queues[queue];
        self.queues[queue] = Queue { started: started.saturating_sub(1), ..Queue::default() };
        let code = if error { PARITY } else { found };
        self.set(page + STATUS, code);
        if code != 0 {
            let control = self.register(page + CONTROL);
            self.set(page + CONTROL, control & !RUN | HALTED);
        }
        if interrupt {
            let completion = if is_completed || code != 0 { COMPLETION } else { 0 };
            let error = if code != 0 { ERROR } else { 0 };
            self.set(page + INTERRUPTS, self.register(page + INTERRUPTS) | EMPTY | completion | error);
        }
    }

    fn is_running(&self, queue: usize) -> bool {
        self.queues[queue].started > 0
    }

    /// A message for each time that a cause of any queue becomes enabled.
    fn signal(&mut self) -> Signal {
        let mut pages = (1..=QUEUES).map(|page| PAGE * page);
        let is_raised =
            pages.any(|page| self.register(page + INTERRUPTS) & self.register(page + ENABLE) != 0);
        let rises = is_raised && !self.was_raised;
        self.was_raised = is_raised;
        Signal::edge(rises)
    }

    fn reset(&mut self) {
        *self = Ccp::new();
    }
}
