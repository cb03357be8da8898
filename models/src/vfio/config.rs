//! The configuration space (PCI Local Bus Specification 3.0, chapter 6). QEMU emulates the base
//! address registers and interrupt messages itself; the device stores what it writes here.

use super::{Identity, Wiring};

pub const SIZE: usize = 256;
/// Where the capability of message-signalled interrupts lies.
const MSI: usize = 0x50;

pub struct Config([u8; SIZE]);

impl Config {
    pub fn new(identity: &Identity) -> Config {
        let mut bytes = [0; SIZE];
        bytes[0..2].copy_from_slice(&identity.id.0.to_le_bytes());
        bytes[2..4].copy_from_slice(&identity.id.1.to_le_bytes());
        bytes[9..12].copy_from_slice(&identity.class.to_le_bytes()[..3]);
        bytes.copy_within(0..4, 0x2c);
        match identity.wiring {
            Wiring::Pin => bytes[0x3d] = 1,
            Wiring::Message => {
                // Status: there is a list of capabilities. The capability: 64-bit addresses.
                bytes[6] = 0x10;
                bytes[0x34] = MSI as u8;
                bytes[MSI] = 5;
                bytes[MSI + 2] = 0x80;
            }
            Wiring::Doorbell(_) => {}
        }
        Config(bytes)
    }

    /// Bytes beyond the end are 0.
    pub fn read(&self, at: usize, to: &mut [u8]) {
        for (i, byte) in to.iter_mut().enumerate() {
            *byte = self.0.get(at + i).copied().unwrap_or(0);
        }
    }

    /// The command, the cache line size, the latency timer, the interrupt line and the capability can
    /// be written.
    pub fn write(&mut self, at: usize, from: &[u8]) {
        for (i, byte) in from.iter().enumerate() {
            if matches!(at + i, 4 | 5 | 0xc | 0xd | 0x3c) || (MSI + 2..MSI + 14).contains(&(at + i)) {
                self.0[at + i] = *byte;
            }
        }
    }
}
