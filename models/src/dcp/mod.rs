//! NXP's Data Co-Processor (i.MX23, i.MX28, i.MX6ULL): AES-128 in ECB and CBC mode, by DMA, with the key in
//! the payload of its work packet. Its capabilities do not name hashes, and keys in its memory are counted
//! as unsupported.
//!
//! Registers, work packets and their bits are those of OP-TEE's driver (core/drivers/imx/dcp/dcp.c,
//! core/include/drivers/imx/dcp.h), which NXP wrote, and of TamaGo's (package dcp), which cites the i.MX28
//! reference manual of 2013. The capabilities, the aliases of registers and the two interrupt lines are
//! Linux's (drivers/crypto/mxs-dcp.c, lib/stmp_device.c).

#[cfg(test)]
mod tests;

use crate::block::{Cipher, Direction, crypt};
use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::registers::{self, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

const PAGE: usize = 4096;

/// Control: the reset, which stops the clock, and enabled interrupts, a bit for each channel. Every
/// register has aliases that set, clear and invert bits, at 4, 8 and 12.
const CTRL: usize = 0x0;
const RESET: u32 = 1 << 31;
const CLOCK_STOPPED: u32 = 1 << 30;
/// Interrupts, and enabled channels, a bit for each.
const STAT: usize = 0x10;
const CHANNELCTRL: usize = 0x20;
/// What the engine has: AES-128.
const CAPABILITY1: usize = 0x40;
const AES128: u32 = 1 << 0;
/// Of each channel: the address of its packet; its semaphore, which a write adds to and whose value is in
/// bits 16 to 23; its status, with the errors in bits 1 to 6 and a code in bits 16 to 23.
const CHANNELS: usize = 4;
const CMDPTR: usize = 0x100;
const SEMA: usize = 0x110;
const CHANNEL_STAT: usize = 0x120;
const STEP: usize = 0x40;
const BAD_PACKET: u32 = 1 << 2;
const BAD_SETUP: u32 = 1 << 1;

/// A work packet: next, control 0, control 1, source, destination, size, payload, status.
const PACKET: usize = 32;
/// Control 0: the interrupt, the semaphore counts down, another packet follows, the cipher, encryption, the
/// IV is new, the key is in the payload.
const INTERRUPT: u32 = 1 << 0;
const DECR_SEMAPHORE: u32 = 1 << 1;
const CHAIN: u32 = 1 << 2;
const ENABLE_CIPHER: u32 = 1 << 5;
const ENABLE_HASH: u32 = 1 << 6;
const ENCRYPT: u32 = 1 << 8;
const CIPHER_INIT: u32 = 1 << 9;
const PAYLOAD_KEY: u32 = 1 << 11;
/// Control 1: CBC mode, in the bits of mode and cipher.
const CBC: u32 = 1 << 4;
const MODE_AND_CIPHER: u32 = 0xff;
/// More bytes than any packet has.
const MOST_BYTES: u32 = 1 << 24;

/// The engine. A request is what one write of a channel's semaphore starts.
pub struct Dcp {
    registers: [u8; PAGE],
    running: [bool; CHANNELS],
    /// The errors of the request, and whether its packet raises an interrupt.
    ends: [(u32, bool); CHANNELS],
    /// The chain of the packets of a message.
    chains: [[u8; 16]; CHANNELS],
    edges: Vec<u32>,
}

impl Dcp {
    pub fn new() -> Dcp {
        let mut registers = [0; PAGE];
        set_word(&mut registers, CTRL, RESET | CLOCK_STOPPED);
        set_word(&mut registers, CAPABILITY1, AES128);
        Dcp {
            registers,
            running: [false; CHANNELS],
            ends: [(0, false); CHANNELS],
            chains: [[0; 16]; CHANNELS],
            edges: Vec::new(),
        }
    }

    fn word(&self, at: usize) -> u32 {
        word(&self.registers, at)
    }

    fn set(&mut self, at: usize, value: u32) {
        set_word(&mut self.registers, at, value);
    }

    /// Adds to a semaphore, and returns the channel that this starts.
    fn raise(&mut self, channel: usize, by: u32) -> Option<usize> {
        let at = SEMA + STEP * channel;
        let value = (self.word(at) >> 16).saturating_add(by & 0xff).min(0xff);
        self.set(at, value << 16);
        let is_enabled =
            self.word(CTRL) & (RESET | CLOCK_STOPPED) == 0 && self.word(CHANNELCTRL) >> channel & 1 != 0;
        if value == 0 || self.running[channel] || !is_enabled {
            return None;
        }
        self.running[channel] = true;
        Some(channel)
    }

    /// Processes a packet. Returns its first two words and its number of bytes, or the channel's error.
    fn packet(
        &mut self,
        channel: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> Result<(u32, u32, u32), u32> {
        let address = u64::from(self.word(CMDPTR + STEP * channel));
        let mut packet = [0; PACKET];
        memory.read(address, &mut packet).then_some(()).ok_or(BAD_PACKET)?;
        let [next, control, mode, source, destination, size, payload] =
            [0, 4, 8, 12, 16, 20, 24].map(|at| word(&packet, at));
        let is_known = control & (ENABLE_CIPHER | ENABLE_HASH | PAYLOAD_KEY) == ENABLE_CIPHER | PAYLOAD_KEY;
        if !is_known || mode & MODE_AND_CIPHER & !CBC != 0 {
            faults.counts.unsupported += 1;
            return Err(BAD_SETUP);
        }
        if size > MOST_BYTES {
            return Err(BAD_PACKET);
        }
        let read = |from: u32, len: usize| {
            let mut bytes = vec![0; len];
            memory.read(from.into(), &mut bytes).then_some(bytes).ok_or(BAD_PACKET)
        };
        let key = read(payload, 16)?;
        let chain = &mut self.chains[channel];
        if control & CIPHER_INIT != 0 {
            chain.copy_from_slice(&read(payload.wrapping_add(16), 16)?);
        }
        let mut data = read(source, size as usize)?;
        let direction = if control & ENCRYPT != 0 { Direction::Encrypt } else { Direction::Decrypt };
        let chain = (mode & CBC != 0).then_some(&mut chain[..]);
        crypt(Cipher::Aes, &key, direction, chain, &mut data).then_some(()).ok_or(BAD_SETUP)?;
        faults.counts.operations += 1;
        faults.damage(fate, &mut data);
        memory.write(destination.into(), &data).then_some(()).ok_or(BAD_PACKET)?;
        // The packet's own status: complete.
        memory.write(address + 28, &1_u32.to_le_bytes()).then_some(()).ok_or(BAD_PACKET)?;
        Ok((next, control, size))
    }
}

impl Engine for Dcp {
    fn identity(&self) -> Identity {
        // Freescale's number; the engine is no PCI device.
        Identity {
            id: (0x1957, 0x0dc9),
            class: 0xff_0000,
            bars: [PAGE as u32, 0, 0, 0, 0, 0],
            wiring: Wiring::Doorbell(110),
        }
    }

    fn read(&mut self, _bar: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        registers::read(&self.registers, at & !0xf, data);
    }

    fn write(&mut self, _bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        let register = at & !0xf;
        let before = self.word(register);
        let value = match at & 0xf {
            0 => value,
            4 => before | value,
            8 => before & !value,
            _ => before ^ value,
        };
        let channel = register.wrapping_sub(CMDPTR) / STEP;
        match register {
            CTRL if value & RESET != 0 => {
                *self = Dcp::new();
            }
            CAPABILITY1 => {}
            _ if channel < CHANNELS && register == SEMA + STEP * channel => {
                return self.raise(channel, value);
            }
            _ => self.set(register, value),
        }
        None
    }

    fn compute(
        &mut self,
        channel: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> u32 {
        let (semaphore, mut bytes) = (SEMA + STEP * channel, 0_u32);
        self.ends[channel] = (0, false);
        // A chain cannot be endless: each packet is a count of the semaphore, or it is the last.
        for _ in 0..=0xff {
            match self.packet(channel, fate, faults, memory) {
                Err(error) => {
                    if error == BAD_PACKET {
                        faults.counts.dma_errors += 1;
                    }
                    self.set(semaphore, 0);
                    self.ends[channel] = (error, true);
                    break;
                }
                Ok((next, control, size)) => {
                    bytes = bytes.wrapping_add(size);
                    self.ends[channel].1 |= control & INTERRUPT != 0;
                    let left =
                        (self.word(semaphore) >> 16).saturating_sub(u32::from(control & DECR_SEMAPHORE != 0));
                    self.set(semaphore, left << 16);
                    self.set(CMDPTR + STEP * channel, next);
                    if left == 0 || control & CHAIN == 0 {
                        self.set(semaphore, 0);
                        break;
                    }
                }
            }
        }
        bytes
    }

    fn complete(&mut self, channel: usize, error: bool, interrupt: bool) {
        self.running[channel] = false;
        let (errors, raises) = self.ends[channel];
        let errors = errors | if error { BAD_SETUP } else { 0 };
        let at = CHANNEL_STAT + STEP * channel;
        self.set(at, self.word(at) | errors);
        if raises && interrupt {
            self.set(STAT, self.word(STAT) | 1 << channel);
            if self.word(CTRL) >> channel & 1 != 0 {
                // Channel 0 has a line of its own, the first.
                self.edges.push(u32::from(channel != 0));
            }
        }
    }

    fn is_running(&self, channel: usize) -> bool {
        self.running[channel]
    }

    fn signal(&mut self) -> Signal {
        Signal { level: false, edges: std::mem::take(&mut self.edges) }
    }

    fn reset(&mut self) {
        *self = Dcp::new();
    }
}
