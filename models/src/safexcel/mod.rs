//! Inside Secure's SafeXcel EIP97, as in Marvell's Armada 37xx and MediaTek's MT7623 and MT7986, with one
//! pair of rings: AES in ECB, CBC and CTR mode, GCM, CCM, DES, triple DES, MD5, SHA-1, SHA-2, HMAC, CMAC
//! and XCBC-MAC, CRC32, and the ciphers with a hash that IPsec uses.
//!
//! Registers, descriptors, tokens and context records: FreeBSD's driver (sys/dev/safexcel/safexcel_reg.h and
//! safexcel_var.h), whose names these are. The version registers, and which algorithm a bit of the options
//! stands for: Linux's driver (drivers/crypto/inside-secure/safexcel.h). The numbers in them: what Linux
//! prints on an MT7986, "EIP97:230(0,1,4,4)-HIA:270(0,5,5),PE:150/433(alg:7fcdfc00)", with one ring instead
//! of four. An EIP97 has no firmware, and no record cache with memory to be measured: those are the EIP197's.
//!
//! What neither driver says: the interrupt controller follows the status of the ring, and the threshold
//! raises one interrupt each time that it is written.

mod packet;
mod token;
mod unit;

use std::collections::VecDeque;

use crate::engine::Engine;
use crate::faults::Failure::{Unsupported, Wrong};
use crate::faults::{Faults, RequestFaults};
use crate::registers::{self, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};
use packet::{COMMAND_WORDS, RESULT_WORDS, address};

const BYTES: usize = 0x2_0000;

/// The ring of commands and that of results, and their registers: the address, the size in bytes, that
/// of a descriptor, the threshold, what is prepared and processed, the place of the next descriptor, the
/// status.
const COMMANDS: usize = 0x000;
const RESULTS: usize = 0x800;
const BASE_ADDR_LO: usize = 0x00;
const BASE_ADDR_HI: usize = 0x04;
const RING_SIZE: usize = 0x18;
const DESC_SIZE: usize = 0x1c;
const THR: usize = 0x28;
const PREP_COUNT: usize = 0x2c;
const PROC_COUNT: usize = 0x30;
const PROC_PNTR: usize = 0x38;
const STAT: usize = 0x3c;
/// DESC_SIZE: addresses of 64 bits, the token's rest at an address; the distance of descriptors.
const MODE_64BIT: u32 = 1 << 31;
const MODE_ADCP: u32 = 1 << 30;
const DISTANCE_AT: u32 = 16;
/// THR: packets, in a mode that counts these.
const PROC_PKT: u32 = 0xffff;
const PKT_MODE: u32 = 1 << 23;
/// PREP_COUNT and PROC_COUNT: bytes of descriptors; packets, of which the register shows at most 127.
const CLR_COUNT: u32 = 1 << 31;
const COUNT: u32 = 0xff_ffff;
const PACKETS_AT: u32 = 24;
const PACKETS: u32 = 0x7f;
/// STAT.
const STAT_DMA_ERR: u32 = 1 << 0;
const STAT_ERR: u32 = 1 << 2;
const STAT_THRESH: u32 = 1 << 4;

/// The interrupt controller of the ring, with the line of its results, RDR_IRQ(0).
const AIC_ENABLE_CTRL: usize = 0xe008;
const AIC_RAW_STAT: usize = 0xe00c;
const AIC_ENABLED_STAT: usize = 0xe010;
const AIC_ENABLE_CLR: usize = 0xe014;
const AIC_VERSION: usize = 0xe01c;
const RDR_IRQ: u32 = 1 << 1;
/// The threads that fetch and store data: reset, enabled, for the ring. No store is on its way.
const DFE_THR_CTRL: usize = 0xf200;
const DSE_THR_CTRL: usize = 0xf600;
const DSE_THR_STAT: usize = 0xf604;
const RESET_PE: u32 = 1 << 31;
const THREAD_EN: u32 = 1 << 30 | 1;
const DSE_IDLE: u32 = 0xf000;

/// Registers with a constant value: EIP201, the host interface with addresses of 64 bits, buffers for 2^5
/// words, one engine and one ring; EIP96, EIP206, EIP97.
const CONSTANTS: [(usize, u32); 7] = [
    (AIC_VERSION, 0x36c9),
    (DSE_THR_STAT, DSE_IDLE),
    (0xfff8, 1 << 31 | 5 << 12 | 5 << 8 | 1 << 4 | 1),
    (0xfffc, 0x270 << 16 | 0x35ca),
    (0x1_13fc, 0x433 << 16 | 0x9f60),
    (0x1_1ffc, 0x150 << 16 | 0x31ce),
    (0x1_fffc, 0x230 << 16 | 0x9e61),
];
/// EIP96's options: AES, DES, MD5, SHA-1, SHA-256, SHA-512, XCBC-MAC, CBC-MAC, GHASH.
const EIP96_OPTIONS: usize = 0x1_13f8;
const EIP96_OPTIONS_VALUE: u32 =
    1 << 12 | 1 << 15 | 1 << 22 | 1 << 23 | 1 << 25 | 1 << 26 | 1 << 27 | 1 << 29 | 1 << 30;

/// The engine. Its channel is the pair of rings, a request what one write adds to the ring of commands.
pub struct Safexcel {
    registers: Vec<u8>,
    /// The descriptors of requests that are not computed, and what those that are have processed.
    added: VecDeque<u32>,
    computed: VecDeque<Processed>,
    /// Packets with a result that the driver has not counted down.
    packets: u32,
    /// Whether the threshold can raise the interrupt.
    is_armed: bool,
}

/// The packets and bytes of descriptors of a request, and whether the rings have failed.
#[derive(Default)]
pub struct Processed {
    packets: u32,
    commands: u32,
    results: u32,
    has_failed: bool,
}

impl Safexcel {
    pub fn new() -> Safexcel {
        let mut registers = vec![0; BYTES];
        for (at, value) in CONSTANTS.iter().chain(&[(EIP96_OPTIONS, EIP96_OPTIONS_VALUE)]) {
            set_word(&mut registers, *at, *value);
        }
        Safexcel { registers, added: VecDeque::new(), computed: VecDeque::new(), packets: 0, is_armed: false }
    }

    fn register(&self, at: usize) -> u32 {
        word(&self.registers, at)
    }

    fn set(&mut self, at: usize, value: u32) {
        set_word(&mut self.registers, at, value);
    }

    /// The bytes from one descriptor of a ring to the next.
    fn distance(&self, ring: usize) -> u32 {
        (self.register(ring + DESC_SIZE) >> DISTANCE_AT & 0x3fff) * 4
    }

    /// Whether descriptors of this many bytes can follow those that are prepared.
    fn can_prepare(&self, ring: usize, bytes: u32) -> bool {
        let (distance, size) = (self.distance(ring), self.register(ring + RING_SIZE));
        let words = if ring == COMMANDS { COMMAND_WORDS } else { RESULT_WORDS };
        distance >= 4 * words as u32
            && bytes > 0
            && bytes % distance == 0
            && size % distance == 0
            && bytes <= size.saturating_sub(self.register(ring + PREP_COUNT))
    }

    /// Adds descriptors to a ring.
    fn prepare(&mut self, ring: usize, value: u32, faults: &mut Faults) -> Option<usize> {
        if value & CLR_COUNT != 0 {
            self.set(ring + PREP_COUNT, 0);
            self.abandon();
            return None;
        }
        let is_on = [DFE_THR_CTRL, DSE_THR_CTRL].iter().all(|at| self.register(*at) & THREAD_EN == THREAD_EN);
        let mode = if ring == COMMANDS { MODE_64BIT | MODE_ADCP } else { MODE_64BIT };
        let bytes = value & COUNT;
        if self.register(ring + DESC_SIZE) & mode != mode {
            faults.counts.failed(Unsupported);
        } else if !is_on || !self.can_prepare(ring, bytes) {
            faults.counts.failed(Wrong);
        } else {
            self.set(ring + PREP_COUNT, self.register(ring + PREP_COUNT) + bytes);
            if ring == COMMANDS {
                self.added.push_back(bytes / self.distance(ring));
                return Some(0);
            }
        }
        None
    }

    fn abandon(&mut self) {
        self.added.clear();
        self.computed.clear();
    }

    /// Raises the interrupt when there are as many packets as it is to be raised for.
    fn compare(&mut self) {
        let threshold = self.register(RESULTS + THR);
        if self.is_armed && threshold & PKT_MODE != 0 && self.packets >= (threshold & PROC_PKT).max(1) {
            self.is_armed = false;
            self.set(RESULTS + STAT, self.register(RESULTS + STAT) | STAT_THRESH);
        }
    }

    /// The address of a ring's next descriptor; None if none is prepared.
    fn place(&self, ring: usize) -> Option<u64> {
        let is_prepared = self.register(ring + PREP_COUNT) >= self.distance(ring).max(1);
        let base = [BASE_ADDR_LO, BASE_ADDR_HI].map(|half| self.register(ring + half));
        is_prepared.then(|| address(base).saturating_add(self.register(ring + PROC_PNTR).into()))
    }

    /// The same, and the one after it is the next one then.
    fn next(&mut self, ring: usize) -> Option<u64> {
        let (place, distance) = (self.place(ring)?, self.distance(ring));
        self.set(ring + PREP_COUNT, self.register(ring + PREP_COUNT) - distance);
        let after = self.register(ring + PROC_PNTR).saturating_add(distance);
        let wraps = after >= self.register(ring + RING_SIZE);
        self.set(ring + PROC_PNTR, if wraps { 0 } else { after });
        Some(place)
    }
}

impl Engine for Safexcel {
    fn identity(&self) -> Identity {
        // MediaTek's number; the engine is not a PCI device.
        Identity {
            id: (0x14c3, 0x0097),
            class: 0xff_0000,
            bars: [BYTES as u32, 0, 0, 0, 0, 0],
            wiring: Wiring::Pin,
        }
    }

    fn read(&mut self, _: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        let raw = if self.register(RESULTS + STAT) != 0 { RDR_IRQ } else { 0 };
        self.set(AIC_RAW_STAT, raw);
        self.set(AIC_ENABLED_STAT, raw & self.register(AIC_ENABLE_CTRL));
        let bytes = self.register(RESULTS + PROC_COUNT) & COUNT;
        self.set(RESULTS + PROC_COUNT, bytes | self.packets.min(PACKETS) << PACKETS_AT);
        registers::read(&self.registers, at, data);
    }

    fn write(&mut self, _: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        const COMMANDS_PREPARED: usize = COMMANDS + PREP_COUNT;
        const RESULTS_PREPARED: usize = RESULTS + PREP_COUNT;
        const COMMANDS_PROCESSED: usize = COMMANDS + PROC_COUNT;
        const RESULTS_PROCESSED: usize = RESULTS + PROC_COUNT;
        const COMMANDS_STAT: usize = COMMANDS + STAT;
        const RESULTS_STAT: usize = RESULTS + STAT;
        const RESULTS_THR: usize = RESULTS + THR;
        let value = faults.word(data)?;
        match at {
            COMMANDS_PREPARED => return self.prepare(COMMANDS, value, faults),
            RESULTS_PREPARED => return self.prepare(RESULTS, value, faults),
            COMMANDS_PROCESSED | RESULTS_PROCESSED => {
                let (bytes, clear) = (self.register(at) & COUNT, value & CLR_COUNT != 0);
                self.set(at, if clear { 0 } else { bytes.saturating_sub(value & COUNT) });
                if at == RESULTS_PROCESSED {
                    let counted = if clear { u32::MAX } else { value >> PACKETS_AT & PACKETS };
                    self.packets = self.packets.saturating_sub(counted);
                }
            }
            COMMANDS_STAT | RESULTS_STAT => self.set(at, self.register(at) & !value),
            RESULTS_THR => {
                self.set(at, value);
                self.is_armed = true;
                self.compare();
            }
            AIC_RAW_STAT => self.set(AIC_ENABLE_CTRL, self.register(AIC_ENABLE_CTRL) | value),
            AIC_ENABLE_CLR => self.set(AIC_ENABLE_CTRL, self.register(AIC_ENABLE_CTRL) & !value),
            AIC_ENABLED_STAT | EIP96_OPTIONS => {}
            _ if CONSTANTS.iter().any(|(constant, _)| *constant == at) => {}
            _ => {
                self.set(at, value);
                if at == DFE_THR_CTRL && value & RESET_PE != 0 {
                    self.abandon();
                }
            }
        }
        None
    }

    fn compute(&mut self, _: usize, fate: &mut RequestFaults, faults: &mut Faults, memory: &Memory) -> u32 {
        let total = self.added.pop_front().unwrap_or(0).saturating_mul(self.distance(COMMANDS));
        let mut done = Processed::default();
        let mut bytes = 0_u32;
        while done.commands < total && !done.has_failed {
            match self.packet(&mut done, fate, faults, memory) {
                Some(length) => bytes = bytes.wrapping_add(length),
                None => {
                    faults.counts.failed(Wrong);
                    done.has_failed = true;
                }
            }
        }
        self.computed.push_back(done);
        bytes
    }

    fn complete(&mut self, _: usize, _error: bool, interrupt: bool) {
        let done = self.computed.pop_front().unwrap_or_default();
        for (ring, bytes) in [(COMMANDS, done.commands), (RESULTS, done.results)] {
            let before = self.register(ring + PROC_COUNT) & COUNT;
            self.set(ring + PROC_COUNT, before.saturating_add(bytes) & COUNT);
        }
        self.packets = self.packets.saturating_add(done.packets);
        if interrupt && done.has_failed {
            self.set(RESULTS + STAT, self.register(RESULTS + STAT) | STAT_DMA_ERR | STAT_ERR);
        }
        if interrupt {
            self.compare();
        }
    }

    fn is_running(&self, _: usize) -> bool {
        !self.added.is_empty() || !self.computed.is_empty()
    }

    fn signal(&mut self) -> Signal {
        let is_enabled = self.register(AIC_ENABLE_CTRL) & RDR_IRQ != 0;
        Signal { level: is_enabled && self.register(RESULTS + STAT) != 0, edges: Vec::new() }
    }

    fn reset(&mut self) {
        *self = Safexcel::new();
    }
}

#[cfg(test)]
mod tests;
