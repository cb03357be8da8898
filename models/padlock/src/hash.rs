//! REP XSHA1 and XSHA256: the hash unit (PHE).

use crate::memory::{Memory, Registers, within_pages};

/// Longest step in bytes: blocks of the message that are read at once.
const STEP: u64 = 4096;

/// The digests, by the last byte of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Sha1,
    Sha256,
}

impl Function {
    /// The digest of this byte.
    pub fn of(byte: u8) -> Option<Function> {
        match byte {
            0xc8 => Some(Function::Sha1),
            0xd0 => Some(Function::Sha256),
            _ => None,
        }
    }

    fn words(self) -> usize {
        if self == Function::Sha1 { 5 } else { 8 }
    }

    fn compress(self, state: &mut [u32; 8], block: &[u8; 64]) {
        match self {
            Function::Sha1 => {
                let mut five = [state[0], state[1], state[2], state[3], state[4]];
                sha1::block_api::compress(&mut five, &[*block]);
                state[..5].copy_from_slice(&five);
            }
            Function::Sha256 => sha2::block_api::compress256(state, &[*block]),
        }
    }
}

/// Executes the instruction. EAX has the number of bytes that are hashed already, ECX that of the
/// message: the unit pads and ends it. With EAX = -1 (`whole_blocks`, the Nano), ECX counts blocks,
/// and nothing is padded. `None` is a fault, as for ciphers.
pub fn execute(
    function: Function,
    whole_blocks: bool,
    registers: &mut Registers,
    memory: &mut dyn Memory,
) -> Option<()> {
    if registers.di % 16 != 0 {
        return None;
    }
    let mut state = [0; 8];
    let mut bytes = [0; 32];
    let bytes = &mut bytes[..4 * function.words()];
    memory.read(registers.di, bytes)?;
    for (word, bytes) in state.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let total = if whole_blocks { registers.cx * 64 } else { registers.cx };
    let mut done = if whole_blocks { 0 } else { registers.ax };
    let mut rest = Vec::new();
    while done < total {
        let len = within_pages((total - done).min(STEP), [registers.si, 0]);
        let from = rest.len();
        rest.resize(from + len, 0);
        memory.read(registers.si, &mut rest[from..])?;
        let whole = rest.len() / 64 * 64;
        blocks(function, &mut state, &rest[..whole]);
        rest.drain(..whole);
        registers.si += len as u64;
        done += len as u64;
    }
    if !whole_blocks {
        rest.push(0x80);
        let padded = (rest.len() + 8).next_multiple_of(64);
        rest.resize(padded - 8, 0);
        rest.extend((total * 8).to_be_bytes());
        blocks(function, &mut state, &rest);
        registers.ax = total;
    }
    for (bytes, word) in bytes.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    memory.write(registers.di, bytes)?;
    registers.cx = 0;
    Some(())
}

fn blocks(function: Function, state: &mut [u32; 8], bytes: &[u8]) {
    for chunk in bytes.chunks_exact(64) {
        let mut block = [0; 64];
        block.copy_from_slice(chunk);
        function.compress(state, &block);
    }
}
