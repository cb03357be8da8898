//! A descriptor controller: runs the commands of a job descriptor, and of the shared descriptor that it
//! names. Commands and their fields are those of OP-TEE (caam_desc_defines.h), which does not have
//! the conditions of a jump that depend on sharing, and reverse order: those are Linux's (desc.h).
//!
//! A shared descriptor is fetched for each job, so that none is ever shared already. Data flow when their
//! command is executed: what a load brings is processed at once, and a store takes it, or waits for it.
//!
//! GCM is that of Linux (caamalg_desc.c). Of its RFC 4543, where moves write the length into a later one
//! that carries the authenticated data to the output, only that one is executed, with their length.

use std::ops::Range;

use super::gcm::Gcm;
use super::sequence::Sequence;
use crate::block::{Cipher, Direction, add_key_stream, crypt};
use crate::faults::Failure::{self, Unsupported, Wrong};
use crate::faults::{Faults, RequestFaults};
use crate::registers::word;
use crate::vfio::Memory;

/// The words of the descriptor buffer.
const BUFFER: usize = 64;

/// Types of commands. An odd one has its data in the sequence.
const KEY: u32 = 0x00;
const LOAD: u32 = 0x02;
const SEQ_LOAD: u32 = 0x03;
const FIFO_LOAD: u32 = 0x04;
const SEQ_FIFO_LOAD: u32 = 0x05;
const STORE: u32 = 0x0a;
const SEQ_STORE: u32 = 0x0b;
const FIFO_STORE: u32 = 0x0c;
const SEQ_FIFO_STORE: u32 = 0x0d;
const MOVE: u32 = 0x0f;
const OPERATION: u32 = 0x10;
const JUMP: u32 = 0x14;
const MATH: u32 = 0x15;
const JOB_HEADER: u32 = 0x16;
const SHARED_HEADER: u32 = 0x17;
const SEQ_IN_PTR: u32 = 0x1e;
const SEQ_OUT_PTR: u32 = 0x1f;

/// Fields of several commands: the class, a table or a variable length, data in the descriptor, a length in
/// a word of its own.
const CLASS: u32 = 3 << 25;
const CLASS_1: u32 = 1 << 25;
const BOTH_CLASSES: u32 = 3 << 25;
const CONTROLLER: u32 = 3 << 25;
const TABLE: u32 = 1 << 24;
const IMMEDIATE: u32 = 1 << 23;
const EXTENDED: u32 = 1 << 22;

/// Header: always one and always zero; a shared descriptor is named, and executed second.
const ONE: u32 = 1 << 23;
const ZERO: u32 = 1 << 15;
const SHARED: u32 = 1 << 12;
const REVERSE: u32 = 1 << 11;

/// Registers that a load fills: the controller's switches, the context of a class, the output FIFO.
const SWITCHES: u32 = 0x06;
const CONTEXT: u32 = 0x20;
const OUTPUT_FIFO: u32 = 0x7e;
/// Data of a FIFO load and of a FIFO store, without the action's bits.
const MESSAGE_IN: u32 = 0x10;
const IV_IN: u32 = 0x20;
const AAD_IN: u32 = 0x30;
const TAG_IN: u32 = 0x38;
const MESSAGE_OUT: u32 = 0x30;
const SKIP_OUT: u32 = 0x3f;
/// Moves from the output FIFO to the context of class 1, and from the input to the output FIFO; those
/// between the descriptor and a register.
const FROM_OUTPUT_TO_CONTEXT: u32 = 0x20;
const FROM_INPUT_TO_OUTPUT: u32 = 0x92;
const FROM_DESCRIPTOR: u32 = 0x37;
const TO_DESCRIPTOR: u32 = 0x73;

/// Ciphers and modes of an operation of class 1.
const OF_CLASS_1: u32 = 2;
const AES: u32 = 0x10;
const DES: u32 = 0x20;
const TRIPLE_DES: u32 = 0x21;
const CTR: u32 = 0x00;
const CBC: u32 = 0x10;
const ECB: u32 = 0x20;
const GCM: u32 = 0x90;

/// Operands of a calculation: a register, a word that follows, the lengths of the sequences, and the
/// variable lengths.
const REGISTER_3: u32 = 0x3;
const NEXT_WORD: u32 = 0x4;
const INPUT_LEN: u32 = 0x8;
const OUTPUT_LEN: u32 = 0x9;
const VARIABLE_INPUT: u32 = 0xa;
const VARIABLE_OUTPUT: u32 = 0xb;

/// The state of a job.
pub struct Controller<'a> {
    memory: &'a Memory,
    faults: &'a mut Faults,
    fate: &'a mut RequestFaults,
    key: Vec<u8>,
    context: [u8; 64],
    operation: u32,
    output: Vec<u8>,
    /// The message of GCM, its authenticated data, and whether its tag was found wrong.
    gcm: Option<Gcm>,
    aad: Vec<u8>,
    is_rejected: bool,
    /// The length of what a store in the sequence waits for.
    wanted: usize,
    input_sequence: Sequence,
    output_sequence: Sequence,
    variable_input: u32,
    variable_output: u32,
    register_3: u32,
    is_zero: bool,
    bytes: u32,
}

/// Runs the job at an address, and returns the number of bytes that its cipher has processed, and whether
/// it found the tag of its message wrong.
pub fn run(
    address: u32,
    fate: &mut RequestFaults,
    faults: &mut Faults,
    memory: &Memory,
) -> Result<(u32, bool), Failure> {
    let mut controller = Controller {
        memory,
        faults,
        fate,
        key: Vec::new(),
        context: [0; 64],
        operation: 0,
        output: Vec::new(),
        gcm: None,
        aad: Vec::new(),
        is_rejected: false,
        wanted: 0,
        input_sequence: Sequence::default(),
        output_sequence: Sequence::default(),
        variable_input: 0,
        variable_output: 0,
        register_3: 0,
        is_zero: false,
        bytes: 0,
    };
    controller.job(address)?;
    if controller.wanted > 0 {
        return Err(Wrong);
    }
    Ok((controller.bytes, controller.is_rejected))
}

/// The words of a descriptor whose first is of this type.
fn fetch(memory: &Memory, address: u32, kind: u32, mask: u32) -> Result<Vec<u8>, Failure> {
    let mut header = [0; 4];
    memory.read(address.into(), &mut header).then_some(()).ok_or(Wrong)?;
    let header = u32::from_le_bytes(header);
    let len = (header & mask) as usize;
    if header >> 27 != kind || header & (ONE | ZERO) != ONE || len > BUFFER {
        return Err(Wrong);
    }
    let mut words = vec![0; 4 * len];
    memory.read(address.into(), &mut words).then_some(words).ok_or(Wrong)
}

impl Controller<'_> {
    fn job(&mut self, address: u32) -> Result<(), Failure> {
        let job = fetch(self.memory, address, JOB_HEADER, 0x7f)?;
        let header = word(&job, 0);
        let index = (header >> 16 & 0x3f) as usize;
        if header & SHARED == 0 {
            return self.execute(&job, index.max(1));
        }
        let shared = fetch(self.memory, word(&job, 4), SHARED_HEADER, 0x3f)?;
        let start = (word(&shared, 0) >> 16 & 0x3f).max(1) as usize;
        if shared.len() != 4 * index || job.len() + shared.len() > 4 * BUFFER {
            return Err(Wrong);
        }
        if header & REVERSE != 0 {
            self.execute(&job, 2)?;
            self.execute(&shared, start)
        } else {
            self.execute(&shared, start)?;
            self.execute(&job, 2)
        }
    }

    fn execute(&mut self, words: &[u8], mut at: usize) -> Result<(), Failure> {
        let end = words.len() / 4;
        // Each command once, and no loop.
        while at < end {
            let command = word(words, 4 * at);
            let mut next = at + 1;
            match command >> 27 {
                // An encrypted key has the bit of an extended length.
                KEY if command & (CLASS | EXTENDED) == CLASS_1 => {
                    self.key = self.source(words, &mut next, command, command & 0x3ff)?;
                }
                LOAD if command & CLASS == CONTROLLER && command >> 16 & 0x7f == SWITCHES => {}
                LOAD | SEQ_LOAD => {
                    let data = self.source(words, &mut next, command, command & 0xff)?;
                    match (command >> 16 & 0x7f, command & CLASS) {
                        (CONTEXT, CLASS_1) => {
                            let range = context_range(command)?;
                            self.context[range].copy_from_slice(&data);
                        }
                        (OUTPUT_FIFO, 0) => self.output.extend(data),
                        _ => return Err(Unsupported),
                    }
                }
                STORE | SEQ_STORE if command >> 16 & 0x7f == CONTEXT && command & CLASS == CLASS_1 => {
                    if let Some(gcm) = &self.gcm {
                        self.context[..16].copy_from_slice(&gcm.tag(&self.key).ok_or(Wrong)?);
                    }
                    let data = self.context[context_range(command)?].to_vec();
                    self.sink(words, &mut next, command, &data)?;
                }
                MOVE if command >> 16 & 0xff == FROM_OUTPUT_TO_CONTEXT => {
                    let range = context_range(command)?;
                    let data: Vec<u8> = self.take_output(range.len())?;
                    self.context[range].copy_from_slice(&data);
                }
                MOVE if command >> 16 & 0xff == FROM_INPUT_TO_OUTPUT => {
                    self.output.append(&mut self.aad);
                    self.store_wanted()?;
                }
                MOVE if matches!(command >> 16 & 0xff, FROM_DESCRIPTOR | TO_DESCRIPTOR) => {}
                OPERATION if command >> 24 & 7 == OF_CLASS_1 => self.operation = command,
                FIFO_LOAD | SEQ_FIFO_LOAD => {
                    let len = self.fifo_len(words, at, command, self.variable_input)?;
                    let data = self.source(words, &mut next, command, len)?;
                    self.take_input(command, data)?;
                    self.store_wanted()?;
                }
                SEQ_FIFO_STORE if command >> 16 & 0x3f == SKIP_OUT => {
                    let len = self.fifo_len(words, at, command, self.variable_output)?;
                    self.output_sequence.skip(len as usize).ok_or(Wrong)?;
                }
                SEQ_FIFO_STORE if command >> 16 & 0x3f == MESSAGE_OUT => {
                    self.wanted += self.fifo_len(words, at, command, self.variable_output)? as usize;
                    self.store_wanted()?;
                }
                FIFO_STORE if command >> 16 & 0x3f == MESSAGE_OUT => {
                    let len = self.fifo_len(words, at, command, 0)?;
                    let data = self.take_output(len as usize)?;
                    self.sink(words, &mut next, command, &data)?;
                }
                JUMP => next = self.jump(command, at)?,
                MATH => {
                    let following = word(words, 4 * next);
                    next += usize::from(command >> 12 & 0xf == NEXT_WORD);
                    self.calculate(command, following)?;
                }
                SEQ_IN_PTR => self.input_sequence = self.sequence(words, &mut next, command)?,
                SEQ_OUT_PTR => self.output_sequence = self.sequence(words, &mut next, command)?,
                _ => return Err(Unsupported),
            }
            at = next;
        }
        Ok(())
    }

    /// The pointer and the length after a command, of which the latter may be within it.
    fn sequence(&self, words: &[u8], next: &mut usize, command: u32) -> Result<Sequence, Failure> {
        let address = word(words, 4 * *next);
        *next += 1;
        let mut len = command & 0xffff;
        if command & EXTENDED != 0 {
            len = word(words, 4 * *next);
            *next += 1;
        }
        Sequence::new(self.memory, address, len, command & TABLE != 0).ok_or(Wrong)
    }

    /// The data of a command: in the input sequence, in the descriptor, or at a pointer.
    fn source(&mut self, words: &[u8], next: &mut usize, command: u32, len: u32) -> Result<Vec<u8>, Failure> {
        let len = len as usize;
        if command >> 27 & 1 != 0 {
            return self.input_sequence.read(self.memory, len).ok_or(Wrong);
        }
        if command & IMMEDIATE != 0 {
            let from = 4 * *next;
            *next += len.div_ceil(4);
            return words.get(from..from + len).map(<[u8]>::to_vec).ok_or(Wrong);
        }
        let is_fifo = command >> 27 == FIFO_LOAD;
        let flags = command & (TABLE | if is_fifo { EXTENDED } else { 0 });
        self.sequence(words, next, flags | len.min(0xffff) as u32)?.read(self.memory, len).ok_or(Wrong)
    }

    /// Writes data to the output sequence, or to a pointer.
    fn sink(&mut self, words: &[u8], next: &mut usize, command: u32, data: &[u8]) -> Result<(), Failure> {
        if command >> 27 & 1 != 0 {
            return self.output_sequence.write(self.memory, data).ok_or(Wrong);
        }
        let is_fifo = command >> 27 == FIFO_STORE;
        let flags = command & (TABLE | if is_fifo { EXTENDED } else { 0 });
        let len = data.len().min(0xffff) as u32;
        self.sequence(words, next, flags | len)?.write(self.memory, data).ok_or(Wrong)
    }

    /// The length of a FIFO command: a variable one, one in a word of its own, or the command's.
    fn fifo_len(&self, words: &[u8], at: usize, command: u32, variable: u32) -> Result<u32, Failure> {
        let is_sequence = command >> 27 & 1 != 0;
        match (command & TABLE != 0 && is_sequence, command & EXTENDED != 0) {
            (_, true) if is_sequence => Err(Unsupported),
            (true, _) => Ok(variable),
            (false, true) => Ok(word(words, 4 * (at + 2))),
            (false, false) => Ok(command & 0xffff),
        }
    }

    /// What a FIFO load brings, by its type.
    fn take_input(&mut self, command: u32, data: Vec<u8>) -> Result<(), Failure> {
        let kind = command >> 16 & 0x38;
        match command & CLASS {
            // What is skipped, and no data.
            0 => return Ok(()),
            CLASS_1 | BOTH_CLASSES if data.is_empty() && kind == MESSAGE_IN => return Ok(()),
            CLASS_1 => {}
            BOTH_CLASSES if kind == AAD_IN => {}
            _ => return Err(Unsupported),
        }
        let is_gcm = self.operation == 0 || self.operation >> 4 & 0xf_f1ff == AES << 12 | GCM;
        match (kind, &mut self.gcm) {
            (MESSAGE_IN, _) => self.process(data),
            (IV_IN, gcm) if is_gcm => {
                *gcm = Some(Gcm::new(&data).ok_or(Wrong)?);
                Ok(())
            }
            (AAD_IN, Some(gcm)) if is_gcm => {
                gcm.add(&self.key, &data).ok_or(Wrong)?;
                self.aad = data;
                Ok(())
            }
            (TAG_IN, Some(gcm)) if is_gcm => {
                let tag = gcm.tag(&self.key).ok_or(Wrong)?;
                self.is_rejected |= tag.get(..data.len()).ok_or(Wrong)? != data;
                Ok(())
            }
            _ => Err(Unsupported),
        }
    }

    /// Stores what a store waits for, when it is all there.
    fn store_wanted(&mut self) -> Result<(), Failure> {
        if self.output.len() < self.wanted {
            return Ok(());
        }
        let data = self.take_output(self.wanted)?;
        self.wanted = 0;
        self.output_sequence.write(self.memory, &data).ok_or(Wrong)
    }

    fn take_output(&mut self, len: usize) -> Result<Vec<u8>, Failure> {
        if len > self.output.len() {
            return Err(Wrong);
        }
        Ok(self.output.drain(..len).collect())
    }

    /// Encrypts or decrypts. The context has the IV, in CTR mode in its second 16 bytes, and the next
    /// one afterwards.
    fn process(&mut self, mut data: Vec<u8>) -> Result<(), Failure> {
        let operation = self.operation;
        let mode = operation >> 4 & 0x1ff;
        let direction = if operation & 1 != 0 { Direction::Encrypt } else { Direction::Decrypt };
        let (cipher, key_len, size) = match operation >> 16 & 0xff {
            AES => (Cipher::Aes, None, 16),
            DES => (Cipher::Des, Some(8), 8),
            TRIPLE_DES => (Cipher::Des, Some(24), 8),
            _ => return Err(Unsupported),
        };
        if key_len.is_some_and(|len| self.key.len() != len) {
            return Err(Wrong);
        }
        let is_done = match mode {
            CTR if cipher == Cipher::Aes => {
                let next = |counter: u128| counter.wrapping_add(1);
                add_key_stream(&self.key, &mut self.context[16..32], &mut data, next).is_some()
            }
            CBC => crypt(cipher, &self.key, direction, Some(&mut self.context[..size]), &mut data),
            ECB => crypt(cipher, &self.key, direction, None, &mut data),
            GCM if cipher == Cipher::Aes => {
                let gcm = self.gcm.as_mut().ok_or(Wrong)?;
                gcm.process(&self.key, direction, &mut data).is_some()
            }
            _ => return Err(Unsupported),
        };
        if !is_done {
            return Err(Wrong);
        }
        self.faults.counts.operations += 1;
        self.faults.damage(self.fate, &mut data);
        self.bytes = self.bytes.wrapping_add(data.len() as u32);
        self.output.extend(data);
        Ok(())
    }

    /// Addition and subtraction of lengths; registers 0 to 2 are 0.
    fn calculate(&mut self, command: u32, following: u32) -> Result<(), Failure> {
        let first = match command >> 16 & 0xf {
            0..=2 | 0xc => 0,
            REGISTER_3 => self.register_3,
            INPUT_LEN => self.input_sequence.left,
            OUTPUT_LEN => self.output_sequence.left,
            VARIABLE_INPUT => self.variable_input,
            VARIABLE_OUTPUT => self.variable_output,
            _ => return Err(Unsupported),
        };
        let second = match command >> 12 & 0xf {
            0..=2 => 0,
            REGISTER_3 => self.register_3,
            NEXT_WORD => following,
            _ => return Err(Unsupported),
        };
        let result = match command >> 20 & 0xf {
            0 => first.checked_add(second),
            2 => first.checked_sub(second),
            _ => return Err(Unsupported),
        };
        let result = result.ok_or(Wrong)?;
        self.is_zero = result == 0;
        *match command >> 8 & 0xf {
            REGISTER_3 => &mut self.register_3,
            VARIABLE_INPUT => &mut self.variable_input,
            VARIABLE_OUTPUT => &mut self.variable_output,
            _ => return Err(Unsupported),
        } = result;
        Ok(())
    }

    /// The place after a local jump: an unconditional one, one if the last result was zero, or one if the
    /// descriptor was shared already, which it never was. Only forwards, so that no job is endless.
    fn jump(&self, command: u32, at: usize) -> Result<usize, Failure> {
        const BY_SHARING: u32 = 1 << 24;
        const SHARED_ALREADY: u32 = 0x40;
        const ZERO: u32 = 0x04;
        let (kind, test, conditions) = (command >> 20 & 0xf, command >> 16 & 3, command >> 8 & 0xff);
        let jumps = match (kind, test, conditions) {
            (0, 0, 0) => true,
            (0, 0, ZERO) if command & BY_SHARING == 0 => self.is_zero,
            (0, 0, SHARED_ALREADY) if command & BY_SHARING != 0 => false,
            _ => return Err(Unsupported),
        };
        match command & 0xff {
            _ if !jumps => Ok(at + 1),
            offset @ 1..=0x7f => Ok(at + offset as usize),
            _ => Err(Wrong),
        }
    }
}

/// Offset and length of a command, within the context.
fn context_range(command: u32) -> Result<Range<usize>, Failure> {
    let (at, len) = ((command >> 8 & 0xff) as usize, (command & 0xff) as usize);
    if at + len <= 64 { Ok(at..at + len) } else { Err(Wrong) }
}
