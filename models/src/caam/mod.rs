//! NXP's CAAM (SEC 4): one job ring, and of the units that it can have AES (ECB, CBC, CTR, GCM) and DES.
//! The registers that name the units do not name others, so that a driver offers nothing else.
//!
//! Registers and descriptors are those of OP-TEE's driver (core/drivers/crypto/caam: registers/jr_regs.h,
//! registers/ctrl_regs.h, registers/version_regs.h, hal_jr.c, caam_desc_defines.h), which NXP wrote. What
//! OP-TEE does not have is Linux's (drivers/crypto/caam, regs.h): the place of the units in the version
//! registers, and the order of the halves of an address, which Linux expects with the lower one first in
//! a little-endian engine of a machine that is not an i.MX.
//!
//! Interrupts are not coalesced. Region 0 has the control page, region 1 that of the job ring.

mod descriptor;
mod gcm;
mod sequence;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::registers::{self, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

const PAGE: usize = 4096;

/// Versions, in both pages: the units' revisions, the numbers of rings and controllers, the units' kinds
/// and numbers, the engine.
const CHAREV_LS: usize = 0xfa4;
const CHAVID_LS: usize = 0xfec;
const CHANUM_MS: usize = 0xff0;
const CHANUM_LS: usize = 0xff4;
const CAAMVID_MS: usize = 0xff8;
/// AES without XTS (3), which has GCM from revision 8 on (Linux, caam_algapi_init), DES; the engine of an
/// i.MX6 (Linux, caam_get_era_from_hw).
const REVISIONS: u32 = 8;
const KINDS: u32 = 3 | 1 << 4;
const NUMBERS: u32 = 1 | 1 << 4;
const RING_AND_CONTROLLER: u32 = 1 << 28 | 1 << 24;
const VERSION: u32 = 0x0a16_0100;

/// Input ring: address, number of entries, free entries, added ones.
const IRBAR: usize = 0x0;
const IRSR: usize = 0xc;
const IRSAR: usize = 0x14;
const IRJAR: usize = 0x1c;
/// Output ring: address, number of entries, removed ones, filled ones.
const ORBAR: usize = 0x20;
const ORSR: usize = 0x2c;
const ORJRR: usize = 0x34;
const ORSFR: usize = 0x3c;
/// Interrupt status: a job has ended; the ring has halted. Writing 1 clears.
const JRINTR: usize = 0x4c;
const JRI: u32 = 1 << 0;
const HALT_DONE: u32 = 2 << 2;
/// Configuration: the interrupt is masked.
const JRCFGR_LS: usize = 0x54;
const IMSK: u32 = 1 << 0;
/// The places of the next entries, in bytes.
const IRRIR: usize = 0x5c;
const ORWIR: usize = 0x64;
/// Command: reset, which halts the ring first; halt.
const JRCR: usize = 0x6c;
const RESET: u32 = 1 << 0;
const PARK: u32 = 1 << 1;

/// Entries of the rings: the address of a descriptor, and with its status.
const INPUT: u32 = 4;
const OUTPUT: u32 = 8;
/// More entries than the registers can count.
const MOST_ENTRIES: u32 = 1 << 10;

/// Status of a job (OP-TEE, caam_jr_status.h): AES has found a wrong tag (Linux, regs.h), AES has failed, the
/// descriptor is wrong.
const TAG_FAILED: u32 = 2 << 28 | 1 << 4 | 0xa;
const AES_FAILED: u32 = 2 << 28 | 1 << 4 | 0xb;
const WRONG_DESCRIPTOR: u32 = 4 << 28 | 0x88;

/// The engine. Its channel is the job ring, a request what one write adds to it.
pub struct Caam {
    control: [u8; PAGE],
    ring: [u8; PAGE],
    /// The numbers of jobs of requests that are not computed, and of those that are.
    added: VecDeque<u32>,
    computed: VecDeque<u32>,
    was_raised: bool,
}

impl Caam {
    pub fn new() -> Caam {
        let mut page = [0; PAGE];
        let versions = [
            (CHAREV_LS, REVISIONS),
            (CHAVID_LS, KINDS),
            (CHANUM_MS, RING_AND_CONTROLLER),
            (CHANUM_LS, NUMBERS),
            (CAAMVID_MS, VERSION),
        ];
        versions.iter().for_each(|(at, value)| set_word(&mut page, *at, *value));
        Caam {
            control: page,
            ring: page,
            added: VecDeque::new(),
            computed: VecDeque::new(),
            was_raised: false,
        }
    }

    fn word(&self, at: usize) -> u32 {
        word(&self.ring, at)
    }

    fn set(&mut self, at: usize, value: u32) {
        set_word(&mut self.ring, at, value);
    }

    /// The jobs that are in neither ring.
    fn waiting(&self) -> u32 {
        self.added.iter().fold(0, |sum, jobs| sum.saturating_add(*jobs))
    }

    /// A reset of a ring that has not halted halts it, and drops what it has.
    fn command(&mut self, value: u32) {
        if value & (RESET | PARK) == 0 {
            return;
        }
        if value & RESET != 0 {
            self.added.clear();
            self.computed.clear();
        }
        if value & RESET != 0 && self.word(JRINTR) & HALT_DONE != 0 {
            (IRBAR..=JRCR).step_by(4).for_each(|at| self.set(at, 0));
        } else {
            self.set(JRINTR, self.word(JRINTR) | HALT_DONE);
        }
    }

    fn add(&mut self, jobs: u32, faults: &mut Faults) -> Option<usize> {
        let size = self.word(IRSR);
        let is_sound = (1..=MOST_ENTRIES).contains(&size) && self.word(JRINTR) & HALT_DONE == 0;
        if !is_sound || jobs == 0 || jobs > size.saturating_sub(self.waiting()) {
            faults.counts.dma_errors += 1;
            return None;
        }
        self.added.push_back(jobs);
        Some(0)
    }

    /// Runs the next job of the input ring, and writes its entry of the output ring.
    fn next_job(&mut self, fate: &mut RequestFaults, faults: &mut Faults, memory: &Memory) -> u32 {
        let (input, output) = (self.word(IRRIR), self.word(ORWIR));
        let following = |at: u32, size: u32, entries: u32| (at + size) % (size * entries.max(1));
        self.set(IRRIR, following(input, INPUT, self.word(IRSR)));
        self.set(ORWIR, following(output, OUTPUT, self.word(ORSR).min(MOST_ENTRIES)));
        let mut address = [0; 4];
        if !memory.read(u64::from(self.word(IRBAR)) + u64::from(input), &mut address) {
            faults.counts.dma_errors += 1;
            return 0;
        }
        let job = u32::from_le_bytes(address);
        let has_error = fate.error;
        let result = descriptor::run(job, fate, faults, memory);
        faults.trace(|| format!("job {job:#x}: {result:?}"));
        let status = match &result {
            Ok(_) if has_error => AES_FAILED,
            Ok((_, true)) => TAG_FAILED,
            Ok(_) => 0,
            Err(_) => WRONG_DESCRIPTOR,
        };
        if let Err(failure) = result {
            faults.counts.failed(failure);
        }
        let entry = [address, status.to_le_bytes()].concat();
        if !memory.write(u64::from(self.word(ORBAR)) + u64::from(output), &entry) {
            faults.counts.dma_errors += 1;
        }
        result.map_or(0, |(bytes, _)| bytes)
    }
}

impl Engine for Caam {
    fn identity(&self) -> Identity {
        // Freescale's number; the engine is no PCI device.
        Identity {
            id: (0x1957, 0xcaa4),
            class: 0xff_0000,
            bars: [PAGE as u32, PAGE as u32, 0, 0, 0, 0],
            wiring: Wiring::Doorbell(110),
        }
    }

    fn read(&mut self, bar: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        if bar == 0 {
            return registers::read(&self.control, at, data);
        }
        match at {
            IRSAR => {
                let free = self.word(IRSR).saturating_sub(self.waiting());
                registers::read(&free.to_le_bytes(), 0, data);
            }
            _ => registers::read(&self.ring, at, data),
        }
    }

    fn write(&mut self, bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        match (bar, at) {
            (_, 0xf00..) => {}
            (0, _) => set_word(&mut self.control, at, value),
            (_, IRJAR) => return self.add(value, faults),
            (_, ORJRR) => self.set(ORSFR, self.word(ORSFR).saturating_sub(value)),
            (_, JRINTR) => self.set(JRINTR, self.word(JRINTR) & !value),
            (_, JRCR) => self.command(value),
            (_, IRSAR | ORSFR | IRRIR | ORWIR) => {}
            _ => self.set(at, value),
        }
        None
    }

    fn compute(&mut self, _: usize, fate: &mut RequestFaults, faults: &mut Faults, memory: &Memory) -> u32 {
        let jobs = self.added.pop_front().unwrap_or(0);
        self.computed.push_back(jobs);
        (0..jobs).fold(0, |bytes, _| bytes.wrapping_add(self.next_job(fate, faults, memory)))
    }

    fn complete(&mut self, _: usize, _error: bool, interrupt: bool) {
        let jobs = self.computed.pop_front().unwrap_or(0);
        self.set(ORSFR, self.word(ORSFR).saturating_add(jobs));
        if interrupt {
            self.set(JRINTR, self.word(JRINTR) | JRI);
        }
    }

    fn is_running(&self, _: usize) -> bool {
        !self.added.is_empty() || !self.computed.is_empty()
    }

    fn signal(&mut self) -> Signal {
        let is_raised = self.word(JRINTR) & JRI != 0 && self.word(JRCFGR_LS) & IMSK == 0;
        let rises = is_raised && !self.was_raised;
        self.was_raised = is_raised;
        Signal::edge(rises)
    }

    fn reset(&mut self) {
        *self = Caam::new();
    }
}
