//! A packet of the rings: its command descriptors with the token and the context record, its result
//! descriptors with the result data. Source: FreeBSD's safexcel_var.h.

use super::token::{self, Passage};
use super::unit::{CipherUnit, HashUnit, words_of_record};
use super::{COMMANDS, Processed, RESULTS, Safexcel};
use crate::faults::Failure::{Unsupported, Wrong};
use crate::faults::{Faults, RequestFaults};
use crate::registers::word;
use crate::vfio::Memory;

/// The first word of a descriptor: the length of its data, the first and the last of a packet, the words at
/// the end of a token or of a result.
pub const PARTICLE: u32 = 0x1_ffff;
pub const DESCRIPTOR_OVERFLOW: u32 = 1 << 20;
pub const BUFFER_OVERFLOW: u32 = 1 << 21;
pub const LAST_SEG: u32 = 1 << 22;
pub const FIRST_SEG: u32 = 1 << 23;
pub const MORE_WORDS_AT: u32 = 24;
/// The words of a command: the descriptor with the address of the token's rest, and the control data.
pub const COMMAND_WORDS: usize = 16;
const DATA_AT: usize = 2;
const TOKEN_AT: usize = 4;
const CONTROL: usize = 6;
const CONTEXT_AT: usize = 8;
const CONTROL_WORDS: usize = 10;
const EMBEDDED: usize = 12;
/// Control data: the length of the packet, options, the type. Both drivers set these options.
const OPTIONS: u32 = 0x1fff << 17;
pub const FIXED_OPTIONS: u32 = (1 << 0 | 1 << 1 | 2 << 3 | 1 << 8) << 17;
pub const IV_OF_2_WORDS: u32 = 0xc00 << 17;
pub const IV_OF_4_WORDS: u32 = 0xe00 << 17;
const TYPE_AT: u32 = 30;
/// The words of a result: the descriptor, and the result data, whose first word has length and error.
pub const RESULT_WORDS: usize = 4;
pub const RESULT_DATA: usize = 8;

impl Safexcel {
    /// Processes the next packet, and returns its length; None if a ring or an address is wrong.
    pub fn packet(
        &mut self,
        done: &mut Processed,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> Option<u32> {
        let mut first = None;
        let mut input = Vec::new();
        loop {
            let command: [u32; COMMAND_WORDS] = read_words(self.next(COMMANDS)?, memory)?;
            done.commands += self.distance(COMMANDS);
            if (command[0] & FIRST_SEG != 0) != first.is_none() {
                return None;
            }
            let mut particle = vec![0; (command[0] & PARTICLE) as usize];
            read(address([command[DATA_AT], command[DATA_AT + 1]]), &mut particle, memory)?;
            input.extend(particle);
            first.get_or_insert(command);
            // The length of a packet has as many bits.
            if input.len() > PARTICLE as usize {
                return None;
            }
            if command[0] & LAST_SEG != 0 {
                break;
            }
        }
        let (mut output, result) = process(&first?, &input, memory)?;
        faults.damage(fate, &mut output);
        let error = match result {
            Ok(()) if fate.error => token::TIMEOUT,
            Ok(()) => 0,
            Err(error) => error,
        };
        faults.trace(|| format!("packet of {}, {} out, error {error:#x}", input.len(), output.len()));
        if result.is_ok() || error == token::AUTHENTICATION_FAILED {
            faults.counts.operations += 1;
        } else if error & (token::INVALID_COMMAND | token::PROHIBITED_ALGORITHM) != 0 {
            faults.counts.failed(Unsupported);
        } else if error & (token::TOKEN_ERROR | token::LENGTH_ERROR) != 0 {
            faults.counts.failed(Wrong);
        }
        self.store(&output, error, done, faults, memory)?;
        done.packets += 1;
        Some(input.len() as u32)
    }

    /// Writes the output to the buffers of result descriptors, and the result data to the descriptor in
    /// which it ends. The engine marks the first and the last one: Linux leaves that to it where it writes
    /// in place.
    fn store(
        &mut self,
        output: &[u8],
        error: u32,
        done: &mut Processed,
        faults: &mut Faults,
        memory: &Memory,
    ) -> Option<()> {
        let (mut rest, mut mark) = (output, FIRST_SEG);
        loop {
            let at = self.next(RESULTS)?;
            done.results += self.distance(RESULTS);
            let [head, reserved, low, high]: [u32; RESULT_WORDS] = read_words(at, memory)?;
            let (data, after) = rest.split_at(rest.len().min((head & PARTICLE) as usize));
            rest = after;
            (data.is_empty() || memory.write(address([low, high]), data)).then_some(())?;
            let is_last = rest.is_empty() || !self.has_more_results(memory);
            let more = head & !(PARTICLE | DESCRIPTOR_OVERFLOW | BUFFER_OVERFLOW | LAST_SEG | FIRST_SEG);
            let mut words = vec![more | mark | data.len() as u32, reserved, low, high];
            mark = 0;
            if is_last {
                words[0] |= LAST_SEG;
                if !rest.is_empty() {
                    faults.counts.failed(Wrong);
                    words[0] |= BUFFER_OVERFLOW;
                }
                let mut result = [0; RESULT_DATA];
                result[0] = output.len() as u32 & PARTICLE | error << 17;
                words.extend(&result[..RESULT_DATA.min((head >> MORE_WORDS_AT) as usize)]);
            }
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            memory.write(at, &bytes).then_some(())?;
            if is_last {
                break;
            }
        }
        // Those that an error leaves.
        while self.has_more_results(memory) {
            self.next(RESULTS)?;
            done.results += self.distance(RESULTS);
        }
        Some(())
    }

    /// Whether the next result descriptor that is prepared is not the first of another packet.
    fn has_more_results(&self, memory: &Memory) -> bool {
        let next = self.place(RESULTS).and_then(|at| read_words(at, memory));
        next.is_some_and(|[head]: [u32; 1]| head & FIRST_SEG == 0)
    }
}

/// The output of a packet, and its error. None if there is no memory at an address.
fn process(
    command: &[u32; COMMAND_WORDS],
    input: &[u8],
    memory: &Memory,
) -> Option<(Vec<u8>, Result<(), u32>)> {
    let control = command[CONTROL];
    let iv_words = match control & OPTIONS & !FIXED_OPTIONS {
        0 => 0,
        IV_OF_2_WORDS => 2,
        IV_OF_4_WORDS => 4,
        _ => return Some((Vec::new(), Err(token::INVALID_COMMAND))),
    };
    if control & FIXED_OPTIONS != FIXED_OPTIONS || control >> TYPE_AT != 0 {
        return Some((Vec::new(), Err(token::INVALID_COMMAND)));
    }
    // No chip is to be given an empty packet: Linux and FreeBSD add a byte that no instruction takes.
    if input.is_empty() || control & PARTICLE != input.len() as u32 {
        return Some((Vec::new(), Err(token::LENGTH_ERROR)));
    }
    let controls = [command[CONTROL_WORDS], command[CONTROL_WORDS + 1]];
    // The two control words of the record are in the command. The lower bits are the kind of record.
    let context = address([command[CONTEXT_AT] & !3, command[CONTEXT_AT + 1]]).saturating_add(8);
    let mut record = vec![0; 4 * words_of_record(controls[0])];
    let mut more = vec![0; 4 * (command[0] >> MORE_WORDS_AT) as usize];
    let rest = address([command[TOKEN_AT], command[TOKEN_AT + 1]]);
    read(context, &mut record, memory)?;
    read(rest, &mut more, memory)?;
    let (iv, embedded) = command[EMBEDDED..].split_at(iv_words);
    let iv: Vec<u8> = iv.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut token = embedded.to_vec();
    token.extend((0..more.len()).step_by(4).map(|at| word(&more, at)));
    let units = CipherUnit::new(controls, &iv, &record)
        .and_then(|(cipher, rest)| Ok((cipher, HashUnit::new(controls, rest)?)));
    let (cipher, hash) = match units {
        Ok(units) => units,
        Err(error) => return Some((Vec::new(), Err(error))),
    };
    let mut passage = Passage::new(cipher, hash, input);
    let result = passage.run(&token);
    Some((passage.result(), result))
}

pub fn address([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn read_words<const WORDS: usize>(address: u64, memory: &Memory) -> Option<[u32; WORDS]> {
    let mut bytes = vec![0; 4 * WORDS];
    read(address, &mut bytes, memory)?;
    Some(std::array::from_fn(|n| word(&bytes, 4 * n)))
}

/// Nothing can be at any address.
fn read(address: u64, to: &mut [u8], memory: &Memory) -> Option<()> {
    (to.is_empty() || memory.read(address, to)).then_some(())
}
