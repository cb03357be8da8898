//! One engine of Marvell's CESA: the security accelerator (SA), its DMA engine (TDMA) and its SRAM.
//! Ciphers only: a MAC is counted as unsupported and not computed.
//!
//! Registers, bits and descriptors are those of FreeBSD's driver (sys/dev/cesa/cesa.h and cesa.c,
//! written by Semihalf from Marvell's functional specification); names in parentheses are from there.
//! A register that only Linux's driver names (drivers/crypto/marvell/cesa/cesa.h) says so. What
//! happens to a descriptor without owner, and the order of status bits, is an assumption.
//!
//! Region 0 is the page of the TDMA's registers, region 1 that of the SA's, region 2 the SRAM.

mod chain;
mod key;
mod operation;
#[cfg(test)]
mod tests;

use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::options::Options;
use crate::registers::{self, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

/// The size of the SRAM (CESA_SRAM_SIZE).
const SRAM: usize = 2048;
const PAGE: usize = 4096;

/// TDMA: the address of the next descriptor (CESA_TDMA_ND).
const NEXT: usize = 0x830;
/// TDMA: the address of the current descriptor (Linux: CESA_TDMA_CUR).
const CURRENT: usize = 0x870;
/// TDMA: causes of errors (CESA_TDMA_ECR), and the bit for an address without memory (MISS).
const ERROR_CAUSE: usize = 0x8c8;
const MISS: u32 = 1 << 0;

/// SA, from 0xd000 on: command (CESA_SA_CMD), with the bits "activate" (CESA_SA_CMD_ACTVATE) and
/// "disable" (Linux: CESA_SA_CMD_DISABLE_SEC).
const COMMAND: usize = 0xe00;
const ACTIVATE: u32 = 1 << 0;
const DISABLE: u32 = 1 << 2;
/// SA: where in the SRAM the descriptor lies (CESA_SA_DPR).
const DESCRIPTOR: usize = 0xe04;
/// SA: configuration (CESA_SA_CR). With both bits (WAIT_FOR_TDMA, ACTIVATE_TDMA) the command starts
/// the TDMA, without them the operation whose descriptor lies in the SRAM.
const CONFIG: usize = 0xe08;
const BY_TDMA: u32 = 1 << 7 | 1 << 9;
/// SA: status (CESA_SA_SR): active.
const ACTIVE: usize = 0xe0c;
/// SA: interrupt cause (CESA_ICR) and mask (CESA_ICM). Bits are cleared by writing 0.
const CAUSE: usize = 0xe20;
const MASK: usize = 0xe24;
/// Causes: the TDMA and the SA are done (CESA_ICR_ACCTDMA); the SA is done (Linux:
/// CESA_SA_INT_ACCEL0_DONE); a descriptor without owner (Linux: CESA_SA_INT_IDMA_OWN_ERR).
const TDMA_DONE: u32 = 1 << 7;
const SA_DONE: u32 = 1 << 5;
const OWNER_ERROR: u32 = 1 << 10;

/// An engine.
pub struct Cesa {
    sram_address: u64,
    sram: [u8; SRAM],
    tdma: [u8; PAGE],
    sa: [u8; PAGE],
}

impl Cesa {
    pub fn new(options: &mut Options) -> Result<Cesa, String> {
        Ok(Cesa { sram_address: options.address("sram")?, sram: [0; SRAM], tdma: [0; PAGE], sa: [0; PAGE] })
    }

    /// The SA's register.
    fn sa(&self, at: usize) -> u32 {
        word(&self.sa, at)
    }

    fn set_sa(&mut self, at: usize, value: u32) {
        set_word(&mut self.sa, at, value);
    }

    fn is_by_tdma(&self) -> bool {
        self.sa(CONFIG) & BY_TDMA == BY_TDMA
    }

    fn command(&mut self, value: u32) -> Option<usize> {
        let starts = value & ACTIVATE != 0 && value & DISABLE == 0;
        let was_active = self.sa(ACTIVE) != 0;
        let now = u32::from(starts || was_active && value & DISABLE == 0);
        self.set_sa(COMMAND, now * ACTIVATE);
        self.set_sa(ACTIVE, now);
        (starts && !was_active).then_some(0)
    }
}

impl Engine for Cesa {
    fn identity(&self) -> Identity {
        let page = PAGE as u32;
        // Marvell's number; the engine is no PCI device.
        Identity {
            id: (0x11ab, 0xce5a),
            class: 0xff_0000,
            bars: [page, page, page, 0, 0, 0],
            wiring: Wiring::Pin,
        }
    }

    fn read(&mut self, bar: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        let bytes: &[u8] = match bar {
            0 => &self.tdma,
            1 => &self.sa,
            _ => &self.sram,
        };
        registers::read(bytes, at, data);
    }

    fn write(&mut self, bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        if bar == 2 {
            let end = (at + data.len()).min(SRAM);
            if at < end {
                self.sram[at..end].copy_from_slice(&data[..end - at]);
            }
            return None;
        }
        let value = faults.word(data)?;
        match (bar, at) {
            (0, CURRENT) | (1, ACTIVE) => {}
            (0, ERROR_CAUSE) => {
                let left = word(&self.tdma, at) & value;
                set_word(&mut self.tdma, at, left);
            }
            (0, _) => set_word(&mut self.tdma, at, value),
            (_, COMMAND) => return self.command(value),
            (_, CAUSE) => self.set_sa(CAUSE, self.sa(CAUSE) & value),
            _ => self.set_sa(at, value),
        }
        None
    }

    fn compute(&mut self, _: usize, fate: &mut RequestFaults, faults: &mut Faults, memory: &Memory) -> u32 {
        if self.is_by_tdma() {
            self.follow_chain(fate, faults, memory)
        } else {
            let bytes = self.operate(faults);
            faults.damage(fate, &mut self.sram[operation::LINUX_DATA..]);
            bytes
        }
    }

    fn complete(&mut self, _: usize, error: bool, interrupt: bool) {
        self.set_sa(COMMAND, 0);
        self.set_sa(ACTIVE, 0);
        if interrupt {
            let done = if self.is_by_tdma() { SA_DONE | TDMA_DONE } else { SA_DONE };
            let error = if error { OWNER_ERROR } else { 0 };
            self.set_sa(CAUSE, self.sa(CAUSE) | done | error);
        }
    }

    fn is_running(&self, _: usize) -> bool {
        self.sa(ACTIVE) != 0
    }

    fn signal(&mut self) -> Signal {
        Signal { level: self.sa(CAUSE) & self.sa(MASK) != 0, ..Signal::default() }
    }

    fn reset(&mut self) {
        self.sram = [0; SRAM];
        self.tdma = [0; PAGE];
        self.sa = [0; PAGE];
    }
}
