//! STMicroelectronics' CRYP and HASH as in the STM32MP15. CRYP: AES in ECB, CBC, CTR, GCM and CCM mode, DES
//! and triple DES, by two FIFOs that the CPU fills and empties when an interrupt asks for it. Mainline's
//! device tree gives the unit no DMA channel (stm32mp15xc.dtsi), so that its driver works this way. HASH:
//! MD5, SHA-1, SHA-224, SHA-256, and HMAC of each, by words that the CPU writes, as the driver does without
//! the channel that mainline's device tree has.
//!
//! Registers of CRYP, their bits and the phases of GCM and CCM are those of OP-TEE's driver, which ST wrote
//! (core/drivers/crypto/stm32/stm32_cryp.c). What it does not use is Linux's
//! (drivers/crypto/stm32/stm32-cryp.c): interrupts, and that a counter has 32 bits in CTR mode. The sizes
//! of the FIFOs are OP-TEE's; when they raise an interrupt is ST's manual's (RM0436, cited by both).
//! The registers that save the state of a message are not modelled.
//!
//! Registers of HASH and their bits are those of OP-TEE's driver (stm32_hash.c) and of ST's description of
//! the STM32MP13 (its SVD file), which has when the bits of status change. When a block and the parts of
//! HMAC are hashed is ST's manual's (RM0090, chapter HASH). What the registers of the state contain is the
//! model's own; OP-TEE's driver, which saves fewer of them than Linux's, shows that 22 to 37 are the
//! FIFO, and those from 38 on for HMAC only. DMA, words in other orders and bits are counted as not
//! supported.
//!
//! The interrupt lines of the chip are level-triggered. QEMU ends INTx at each register access and raises it
//! again while the line is up, so the model sends edges instead.
//!
//! A request is what the driver enables interrupts of CRYP for, or a digest of HASH. The time of its bytes is
//! that of the CPU, and the units have no error bit: a request that fails is only wrong.

mod cryp;
mod hash_processor;
#[cfg(test)]
mod hash_tests;
#[cfg(test)]
mod tests;

use cryp::Cryp;
use hash_processor::HashProcessor;

use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::registers::{self, set_word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

const PAGE: usize = 4096;

/// The units, as channels of the model, and their interrupts and lines of reset.
const CRYP: usize = 0;
const HASH: usize = 1;

/// The engine. Region 0 has the registers of CRYP, region 1 those of a reset controller, region 2 those of
/// HASH.
pub struct Stm32 {
    cryp: Cryp,
    hash: HashProcessor,
    resets: [u8; PAGE],
}

impl Stm32 {
    pub fn new() -> Stm32 {
        Stm32 { cryp: Cryp::new(), hash: HashProcessor::new(), resets: [0; PAGE] }
    }
}

impl Engine for Stm32 {
    fn identity(&self) -> Identity {
        // ST's number; the engine is not a PCI device.
        Identity {
            id: (0x104a, 0x5157),
            class: 0xff_0000,
            bars: [PAGE as u32, PAGE as u32, PAGE as u32, 0, 0, 0],
            wiring: Wiring::Doorbell(110),
        }
    }

    fn read(&mut self, bar: usize, at: usize, data: &mut [u8], faults: &mut Faults) {
        match bar {
            0 => registers::read(&self.cryp.read(at, faults).to_le_bytes(), at & 3, data),
            1 => registers::read(&self.resets, at, data),
            _ => registers::read(&self.hash.read(at).to_le_bytes(), at & 3, data),
        }
    }

    fn write(&mut self, bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        match bar {
            0 => self.cryp.write(at, value, faults).then_some(CRYP),
            1 => {
                set_word(&mut self.resets, at, value);
                if value & 1 << CRYP != 0 {
                    self.cryp = Cryp::new();
                }
                if value & 1 << HASH != 0 {
                    self.hash = HashProcessor::new();
                }
                None
            }
            _ => self.hash.write(at, value, faults).then_some(HASH),
        }
    }

    fn compute(&mut self, unit: usize, fate: &mut RequestFaults, faults: &mut Faults, _: &Memory) -> u32 {
        faults.counts.operations += 1;
        match unit {
            CRYP => self.cryp.begin(*fate),
            _ => self.hash.finish(fate, faults),
        }
        0
    }

    fn complete(&mut self, unit: usize, _error: bool, interrupt: bool) {
        match unit {
            CRYP => self.cryp.raise(interrupt),
            _ => self.hash.complete(interrupt),
        }
    }

    fn is_running(&self, unit: usize) -> bool {
        match unit {
            CRYP => self.cryp.is_used(),
            _ => self.hash.is_busy(),
        }
    }

    fn signal(&mut self) -> Signal {
        let mut edges = Vec::from_iter(self.cryp.rises().then_some(CRYP as u32));
        edges.extend(self.hash.rises().then_some(HASH as u32));
        Signal { level: false, edges }
    }

    fn reset(&mut self) {
        *self = Stm32::new();
    }
}
