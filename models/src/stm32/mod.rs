//! STMicroelectronics' CRYP as in the STM32MP15: AES in ECB, CBC, CTR, GCM and CCM mode, DES and triple
//! DES, by two FIFOs that the CPU fills and empties when an interrupt asks for it. Mainline's device tree
//! gives the unit no DMA channel (stm32mp15xc.dtsi), so that its driver works this way.
//!
//! Registers, their bits and the phases of GCM and CCM are those of OP-TEE's driver, which ST wrote
//! (core/drivers/crypto/stm32/stm32_cryp.c). What it does not use is Linux's
//! (drivers/crypto/stm32/stm32-cryp.c): interrupts, and that a counter has 32 bits in CTR mode. The sizes
//! of the FIFOs are OP-TEE's; when they raise an interrupt is ST's manual's (RM0436, cited by both).
//! The registers that save the state of a message are not modelled.
//!
//! The interrupt line of the chip is level-triggered. QEMU ends INTx at each register access and raises it
//! again while the line is up, so the model sends edges instead.
//!
//! A request is what the driver enables interrupts for. The time of its bytes is that of the CPU, and the
//! unit has no error bit: a request that fails is only wrong.

mod cryp;
#[cfg(test)]
mod tests;

use cryp::Cryp;

use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::registers::{self, set_word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

const PAGE: usize = 4096;

/// The engine. Region 0 has the registers of CRYP, region 1 those of a reset controller, whose first line
/// is the unit's.
pub struct Stm32 {
    cryp: Cryp,
    resets: [u8; PAGE],
}

impl Stm32 {
    pub fn new() -> Stm32 {
        Stm32 { cryp: Cryp::new(), resets: [0; PAGE] }
    }
}

impl Engine for Stm32 {
    fn identity(&self) -> Identity {
        // ST's number; the engine is not a PCI device.
        Identity {
            id: (0x104a, 0x5157),
            class: 0xff_0000,
            bars: [PAGE as u32, PAGE as u32, 0, 0, 0, 0],
            wiring: Wiring::Doorbell(110),
        }
    }

    fn read(&mut self, bar: usize, at: usize, data: &mut [u8], faults: &mut Faults) {
        match bar {
            0 => registers::read(&self.cryp.read(at, faults).to_le_bytes(), at & 3, data),
            _ => registers::read(&self.resets, at, data),
        }
    }

    fn write(&mut self, bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        if bar == 0 {
            return self.cryp.write(at, value, faults).then_some(0);
        }
        set_word(&mut self.resets, at, value);
        if value & 1 != 0 {
            self.cryp = Cryp::new();
        }
        None
    }

    fn compute(&mut self, _channel: usize, fate: &mut RequestFaults, faults: &mut Faults, _: &Memory) -> u32 {
        faults.counts.operations += 1;
        self.cryp.begin(*fate);
        0
    }

    fn complete(&mut self, _channel: usize, _error: bool, interrupt: bool) {
        self.cryp.raise(interrupt);
    }

    fn is_running(&self, _channel: usize) -> bool {
        self.cryp.is_used()
    }

    fn signal(&mut self) -> Signal {
        Signal::edge(self.cryp.rises())
    }

    fn reset(&mut self) {
        *self = Stm32::new();
    }
}
