//! The AES unit and the SHA/MD5 unit of TI's AM335x with their DMA (EDMA): AES in ECB, CBC and CTR mode, and
//! GCM, which the AM437x and DRA7 have; MD5, SHA-1, SHA-224, SHA-256, and HMAC of each. Data of AES that
//! the CPU moves are counted as not supported.
//!
//! Registers of the units: Linux's drivers (drivers/crypto/omap-aes.c, omap-aes.h, omap-aes-gcm.c,
//! omap-sham.c), whose opinion of the chip the model repeats: that the tag's registers have the hash alone,
//! and the IV's those of the next block. Those of EDMA: Linux's (drivers/dma/ti/edma.c) and FreeBSD's
//! (sys/arm/ti/ti_edma3.c). Events without an enabled channel wait and are not counted as missed; priorities
//! and queues have no effect.
//!
//! A request is what the AES unit processes until it has all data or its DMA has none, or what the SHA/MD5
//! unit adds to a hash. The units have no error bits.

mod aes;
mod edma;
mod sham;
#[cfg(test)]
mod tests;

use aes::Aes;
use edma::Edma;
use sham::Sham;

use crate::engine::Engine;
use crate::faults::{Failure, Faults, RequestFaults};
use crate::registers::word as word_at;
use crate::vfio::{Identity, Memory, Signal, Wiring};

/// The first of the lines, that of EDMA's completion.
const LINES: u32 = 108;
const SHAM_LINE: u32 = 1;
/// The channels of the units (am33xx.dtsi): from AES, to it, and to SHA/MD5.
const FROM_AES: usize = 6;
const TO_AES: usize = 5;
const TO_SHAM: usize = 36;
/// The AES unit has blocks of 16 bytes.
const BLOCK: usize = 16;

/// The units, as channels of the model.
const AES: usize = 0;
const SHAM: usize = 1;

/// The engine. Region 0 has the registers of EDMA, region 1 those of the AES unit, region 2 those of the
/// SHA/MD5 unit.
pub struct Omap {
    edma: Edma,
    aes: Aes,
    sham: Sham,
    /// A block that waits for its DMA.
    result: Option<Vec<u8>>,
    is_started: [bool; 2],
    sham_rises: bool,
}

impl Omap {
    pub fn new() -> Omap {
        Omap {
            edma: Edma::new(),
            aes: Aes::new(),
            sham: Sham::new(),
            result: None,
            is_started: [false; 2],
            sham_rises: false,
        }
    }

    /// Whether a unit can move data or has all of them.
    fn has_work(&self, unit: usize) -> bool {
        match (unit, &self.result) {
            (SHAM, _) => self.sham.has_all() || self.sham.requests_block() && self.edma.is_ready(TO_SHAM),
            (_, Some(_)) => self.edma.is_ready(FROM_AES),
            _ => self.aes.has_more() && self.edma.is_ready(TO_AES),
        }
    }

    /// Moves a block of a unit, and returns the number of bytes that were processed.
    fn step(
        &mut self,
        unit: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> Result<u32, Failure> {
        if unit == SHAM && self.sham.has_all() {
            return self.sham.hash(|digest| faults.damage(fate, digest));
        }
        if unit == SHAM {
            let block = self.edma.fetch(TO_SHAM, sham::BLOCK, memory)?;
            self.sham.push(&block);
            return Ok(0);
        }
        if let Some(mut block) = self.result.take() {
            faults.damage(fate, &mut block);
            self.edma.store(FROM_AES, &block, memory)?;
            return Ok(0);
        }
        let block = self.edma.fetch(TO_AES, BLOCK, memory)?;
        self.result = self.aes.block(block)?;
        Ok(BLOCK as u32)
    }
}

impl Engine for Omap {
    fn identity(&self) -> Identity {
        // TI's number; the engine is not a PCI device.
        Identity {
            id: (0x104c, 0x335a),
            class: 0xff_0000,
            bars: [edma::BYTES as u32, aes::BYTES as u32, sham::BYTES as u32, 0, 0, 0],
            wiring: Wiring::Doorbell(LINES),
        }
    }

    fn read(&mut self, bar: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        match bar {
            0 => self.edma.read(at, data),
            1 => self.aes.read(at, data),
            _ => self.sham.read(at, data),
        }
    }

    fn write(&mut self, bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        match bar {
            0 => self.edma.write(at, data),
            1 => {
                let value = faults.word(data)?;
                self.aes.write(at, value).unwrap_or_else(|failure| faults.counts.failed(failure));
                // Its driver has stopped the DMA.
                if !self.aes.has_dma() {
                    (self.result, self.is_started[AES]) = (None, false);
                }
            }
            _ => self.sham.write(at, faults.word(data)?),
        }
        let unit = [AES, SHAM].into_iter().find(|unit| !self.is_started[*unit] && self.has_work(*unit))?;
        self.is_started[unit] = true;
        Some(unit)
    }

    fn compute(
        &mut self,
        unit: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> u32 {
        faults.counts.operations += 1;
        let mut bytes = 0;
        while self.has_work(unit) {
            match self.step(unit, fate, faults, memory) {
                Ok(len) => bytes += len,
                // Without a result, there is no interrupt.
                Err(failure) => {
                    faults.counts.failed(failure);
                    if unit == SHAM { self.sham.abandon() } else { self.aes.abandon() }
                }
            }
        }
        bytes
    }

    fn complete(&mut self, unit: usize, _error: bool, interrupt: bool) {
        self.is_started[unit] = false;
        match unit {
            SHAM => {
                self.edma.complete(&[TO_SHAM], interrupt);
                self.sham_rises |= self.sham.complete(interrupt);
            }
            _ => self.edma.complete(&[TO_AES, FROM_AES], interrupt),
        }
    }

    fn is_running(&self, unit: usize) -> bool {
        self.is_started[unit]
    }

    fn signal(&mut self) -> Signal {
        let mut edges = Vec::from_iter(self.edma.rises().then_some(0));
        edges.extend(std::mem::take(&mut self.sham_rises).then_some(SHAM_LINE));
        Signal { level: false, edges }
    }

    fn reset(&mut self) {
        *self = Omap::new();
    }
}
