//! Inside Secure's EIP-93 with its rings of descriptors: AES in ECB, CBC and CTR mode, DES and triple
//! DES. MediaTek's MT7621 and Airoha's chips have it, and Analog Devices' ADSP-SC5xx, whose manual
//! calls it PKTE.
//!
//! Registers and descriptors: Analog Devices' driver (drivers/crypto/adi/adi-pkte.h of its own tree),
//! whose names these are. The words of the security association (SA) and the device's options: Linux's
//! driver (drivers/crypto/inside-secure/eip93/eip93-regs.h).

use crate::block::{Cipher, Direction, add_key_stream, crypt};
use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::registers::{self, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

const BYTES: usize = 4096;
/// The rings, and the number of their descriptors less one (RING_CFG, RINGSZ).
const COMMANDS: usize = 0x80;
const RESULTS: usize = 0x84;
const RING: usize = 0x88;
const RING_SIZE: u32 = 0x3ff;
/// RING_THRESH, RDRTHRSH: more results than this raise the interrupt.
const THRESHOLD: usize = 0x8c;
/// A write counts up (CDSC_INCR) or down (RDSC_DECR).
const COMMAND_COUNT: usize = 0x90;
const RESULT_COUNT: usize = 0x94;
/// RING_PTR: where the next result and the next command lie.
const POINTERS: usize = 0x98;
/// CFG: reset of the engine and of the rings, the mode, whether commands get their state too.
const CONFIG: usize = 0x100;
const RESET_ENGINE: u32 = 1 << 0;
const RESET_RINGS: u32 = 1 << 1;
const MODE: u32 = 3 << 8;
const UPDATE_COMMANDS: u32 = 1 << 10;
/// Linux's PE_OPTION_1: DES, AES and its three sizes of keys. Without hashes.
const OPTIONS: usize = 0x1f4;
const OPTIONS_VALUE: u32 = 1 << 0 | 1 << 2 | 7 << 13;
/// Linux's PE_REVISION: EIP number 93, version 3.0 patch 1.
const REVISION: usize = 0x1fc;
const REVISION_VALUE: u32 = 3 << 24 | 1 << 16 | 93;
/// IUMSK_STAT, IMSK_STAT (a write clears), INT_EN, and its single bits (IMSK_EN, IMSK_DIS).
const CAUSES: usize = 0x200;
const MASKED: usize = 0x204;
const ENABLED: usize = 0x208;
const ENABLE: usize = 0x210;
const DISABLE: usize = 0x214;
/// RDR_THRESH, and an error of the rings (Linux's PE_RING_ERR).
const RESULT: u32 = 1 << 1;
const RING_ERROR: u32 = 1 << 16;

/// A descriptor: eight words, as the first registers.
const DESCRIPTOR: u64 = 32;
const SOURCE: usize = 1;
const DESTINATION: usize = 2;
const SA: usize = 3;
const STATE: usize = 4;
const LENGTH: usize = 7;
/// CTL_STAT: the owner, and errors.
const HOST_READY: u32 = 1 << 0;
const ENGINE_READY: u32 = 1 << 1;
const EXTENDED_ERROR: u32 = 1 << 19;
/// Extended error codes: processing, cipher; 0 is the bus.
const PROCESSING: u32 = 8 << 20;
const NO_CIPHER: u32 = 3 << 20;
/// LEN: the same, and the length.
const LENGTH_HOST_READY: u32 = 1 << 22;
const LENGTH_DONE: u32 = 1 << 23;
const LENGTH_BYTES: u32 = 0xf_ffff;

/// The SA: two command words, the key.
const KEY_AT: u64 = 8;
const INBOUND: u32 = 1 << 3;
const OPERATION: u32 = 7 | 3 << 4;
const IV_FROM_STATE: u32 = 2;
const SAVE_IV: u32 = 1 << 28;

/// The engine.
pub struct Eip93 {
    registers: Vec<u8>,
    /// Starts that were not completed.
    started: u32,
    /// Results without their interrupt.
    is_lost: bool,
}

impl Eip93 {
    pub fn new() -> Eip93 {
        let mut engine = Eip93 { registers: vec![0; BYTES], started: 0, is_lost: false };
        engine.set(OPTIONS, OPTIONS_VALUE);
        engine.set(REVISION, REVISION_VALUE);
        engine
    }

    fn register(&self, at: usize) -> u32 {
        word(&self.registers, at)
    }

    fn set(&mut self, at: usize, value: u32) {
        set_word(&mut self.registers, at, value);
    }

    /// Sets and clears causes of the interrupt.
    fn cause(&mut self, set: u32, clear: u32) {
        let causes = self.register(CAUSES) & !clear | set;
        self.set(CAUSES, causes);
    }

    /// The cause lasts as long as there are results, but for those whose interrupt is lost.
    fn count_results(&mut self, count: u32) {
        self.set(RESULT_COUNT, count);
        self.is_lost &= count > 0;
        if count > self.register(THRESHOLD) >> 16 & RING_SIZE && !self.is_lost {
            self.cause(RESULT, 0);
        }
    }

    /// The address of a ring's next descriptor, which is then the one after it.
    fn next(&mut self, ring: usize) -> u64 {
        let at = if ring == RESULTS { 16 } else { 0 };
        let pointers = self.register(POINTERS);
        let index = pointers >> at & RING_SIZE;
        let after = if index >= self.register(RING) & RING_SIZE { 0 } else { index + 1 };
        self.set(POINTERS, pointers & !(RING_SIZE << at) | after << at);
        u64::from(self.register(ring)) + u64::from(index) * DESCRIPTOR
    }

    /// Executes the next command, and writes its result.
    fn step(&mut self, fate: &mut RequestFaults, faults: &mut Faults, memory: &Memory) -> Option<u32> {
        let (command, result) = (self.next(COMMANDS), self.next(RESULTS));
        let mut words = read_words::<8>(command, memory)?;
        let length = words[LENGTH] & LENGTH_BYTES;
        let error = match execute(&words, fate, faults, memory) {
            Ok(()) if fate.error => PROCESSING | EXTENDED_ERROR,
            Ok(()) => 0,
            Err(code) => {
                faults.counts.dma_errors += u32::from(code == 0);
                code | EXTENDED_ERROR
            }
        };
        words[0] = words[0] & !HOST_READY | ENGINE_READY | error;
        words[LENGTH] = words[LENGTH] & !LENGTH_HOST_READY | LENGTH_DONE;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        if self.register(CONFIG) & UPDATE_COMMANDS != 0 {
            memory.write(command, &bytes).then_some(())?;
        }
        memory.write(result, &bytes).then_some(length)
    }
}

fn read_words<const COUNT: usize>(address: u64, memory: &Memory) -> Option<[u32; COUNT]> {
    let mut bytes = vec![0; 4 * COUNT];
    let has_read = memory.read(address, &mut bytes);
    has_read.then(|| std::array::from_fn(|n| word(&bytes, 4 * n)))
}

/// Encrypts or decrypts as a descriptor and its SA say. The error is the extended code.
fn execute(
    words: &[u32; 8],
    fate: &mut RequestFaults,
    faults: &mut Faults,
    memory: &Memory,
) -> Result<(), u32> {
    let bus = |is_right: bool| if is_right { Ok(()) } else { Err(0_u32) };
    bus(words[0] & HOST_READY != 0 && words[LENGTH] & LENGTH_HOST_READY != 0)?;
    let sa = u64::from(words[SA]);
    let [operation, details] = read_words(sa, memory).ok_or(0_u32)?;
    let (cipher, key_bytes, block) = match operation >> 8 & 15 {
        0 => (Cipher::Des, 8, 8),
        1 => (Cipher::Des, 24, 8),
        3 => (Cipher::Aes, 8 * (details >> 24 & 7) as usize, 16),
        _ => (Cipher::Aes, 0, 16),
    };
    let mode = details >> 8 & 3;
    let needs_iv = mode != 0;
    let is_known = operation & OPERATION == 0 && (!needs_iv || operation >> 24 & 3 == IV_FROM_STATE);
    if !is_known || key_bytes == 0 {
        faults.counts.unsupported += 1;
        return Err(NO_CIPHER);
    }
    let mut key = vec![0; key_bytes];
    let mut iv = vec![0; if needs_iv { block } else { 0 }];
    let mut data = vec![0; (words[LENGTH] & LENGTH_BYTES) as usize];
    bus(memory.read(sa + KEY_AT, &mut key))?;
    bus(iv.is_empty() || memory.read(words[STATE].into(), &mut iv))?;
    bus(memory.read(words[SOURCE].into(), &mut data))?;
    let direction = if operation & INBOUND == 0 { Direction::Encrypt } else { Direction::Decrypt };
    let done = match mode {
        0 => crypt(cipher, &key, direction, None, &mut data),
        1 => crypt(cipher, &key, direction, Some(&mut iv), &mut data),
        // The counter has 32 bits.
        2 if cipher == Cipher::Aes => {
            let next = |value: u128| value & !0xffff_ffff | u128::from((value as u32).wrapping_add(1));
            add_key_stream(&key, &mut iv, &mut data, next).is_some()
        }
        _ => false,
    };
    if !done {
        faults.counts.unsupported += 1;
        return Err(NO_CIPHER);
    }
    faults.counts.operations += 1;
    faults.damage(fate, &mut data);
    bus(memory.write(words[DESTINATION].into(), &data))?;
    if needs_iv && operation & SAVE_IV != 0 {
        bus(memory.write(words[STATE].into(), &iv))?;
    }
    Ok(())
}

impl Engine for Eip93 {
    fn identity(&self) -> Identity {
        // MediaTek's number; the engine is not a PCI device.
        Identity {
            id: (0x14c3, 0x0093),
            class: 0xff_0000,
            bars: [BYTES as u32, 0, 0, 0, 0, 0],
            wiring: Wiring::Pin,
        }
    }

    fn read(&mut self, _: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        self.set(MASKED, self.register(CAUSES) & self.register(ENABLED));
        registers::read(&self.registers, at, data);
    }

    fn write(&mut self, _: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        match at {
            COMMAND_COUNT => {
                let count = self.register(COMMAND_COUNT);
                self.set(COMMAND_COUNT, count + (value & 0xff));
                // Linux's driver adds one at a time: the number of requests is that of the starts.
                let starts = value & 0xff == 1 && self.register(CONFIG) & (MODE | RESET_ENGINE) == MODE;
                faults.counts.unsupported += u32::from(!starts);
                self.started += u32::from(starts);
                return starts.then_some(0);
            }
            RESULT_COUNT => {
                self.count_results(self.register(RESULT_COUNT).saturating_sub(value & 0xff));
            }
            CONFIG => {
                self.set(CONFIG, value);
                if value & RESET_ENGINE != 0 {
                    self.started = 0;
                }
                if value & RESET_RINGS != 0 {
                    for register in [POINTERS, COMMAND_COUNT, RESULT_COUNT] {
                        self.set(register, 0);
                    }
                }
            }
            MASKED => {
                self.cause(0, value);
                self.count_results(self.register(RESULT_COUNT));
            }
            ENABLE => self.set(ENABLED, self.register(ENABLED) | value),
            DISABLE => self.set(ENABLED, self.register(ENABLED) & !value),
            POINTERS | CAUSES | OPTIONS | REVISION => {}
            _ => self.set(at, value),
        }
        None
    }

    fn compute(&mut self, _: usize, fate: &mut RequestFaults, faults: &mut Faults, memory: &Memory) -> u32 {
        let count = self.register(COMMAND_COUNT);
        self.set(COMMAND_COUNT, count.saturating_sub(1));
        let done = self.step(fate, faults, memory);
        if done.is_none() {
            faults.counts.dma_errors += 1;
            self.cause(RING_ERROR, 0);
        }
        done.unwrap_or(0)
    }

    fn complete(&mut self, _: usize, _: bool, interrupt: bool) {
        self.started = self.started.saturating_sub(1);
        self.is_lost = !interrupt;
        self.count_results(self.register(RESULT_COUNT) + 1);
    }

    fn is_running(&self, _: usize) -> bool {
        self.started > 0
    }

    fn signal(&mut self) -> Signal {
        Signal { level: self.register(CAUSES) & self.register(ENABLED) != 0, edges: Vec::new() }
    }

    fn reset(&mut self) {
        *self = Eip93::new();
    }
}

#[cfg(test)]
mod tests;
