//! REP XCRYPT: the block cipher unit (ACE, ACE2).

use aes::cipher::generic_array::GenericArray;
use aes::cipher::{BlockDecrypt, BlockEncrypt, KeyInit};
use aes::{Aes128, Block, hazmat};

use crate::memory::{Memory, Registers, within_pages};

/// The modes, by the last byte of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Ecb,
    Cbc,
    Ctr,
    Cfb,
    Ofb,
}

impl Mode {
    /// The mode of this byte.
    pub fn of(byte: u8) -> Option<Mode> {
        Some(match byte {
            0xc8 => Mode::Ecb,
            0xd0 => Mode::Cbc,
            0xd8 => Mode::Ctr,
            0xe0 => Mode::Cfb,
            0xe8 => Mode::Ofb,
            _ => return None,
        })
    }
}

/// The control word, as far as it has a meaning.
#[derive(Clone, Copy)]
struct Control(u32);

impl Control {
    fn rounds(self) -> usize {
        (self.0 & 15) as usize
    }
    /// Whether the key is expanded in memory.
    fn is_expanded(self) -> bool {
        self.0 >> 7 & 1 == 1
    }
    fn decrypts(self) -> bool {
        self.0 >> 9 & 1 == 1
    }
    /// Whether rounds, algorithm and key size fit together: AES (0), 10, 12 or 14 rounds, and the
    /// unit expands keys of 128 bits only.
    fn is_valid(self) -> bool {
        let size = self.0 >> 10 & 3;
        let others = self.0 & !0xe8f;
        others == 0
            && size < 3
            && self.rounds() == 10 + 2 * size as usize
            && (size == 0 || self.is_expanded())
    }
}

enum Key {
    /// The unit expands it.
    Short(Box<Aes128>),
    /// A schedule of FIPS 197, 5.2 or, for decryption, 5.3.5.
    Expanded(Vec<Block>),
}

impl Key {
    fn encrypt(&self, block: &mut Block) {
        let Key::Expanded(keys) = self else {
            let Key::Short(aes) = self else { return };
            return aes.encrypt_block(block);
        };
        rounds(keys, block, hazmat::cipher_round, hazmat::inv_mix_columns);
    }

    fn decrypt(&self, block: &mut Block) {
        let Key::Expanded(keys) = self else {
            let Key::Short(aes) = self else { return };
            return aes.decrypt_block(block);
        };
        rounds(keys, block, hazmat::equiv_inv_cipher_round, hazmat::mix_columns);
    }
}

/// The rounds of a schedule. The last one has no mixing of columns, so `unmix` reverses it.
fn rounds(keys: &[Block], block: &mut Block, round: fn(&mut Block, &Block), unmix: fn(&mut Block)) {
    let [first, between @ .., last] = keys else { return };
    xor(block, first);
    between.iter().for_each(|key| round(block, key));
    round(block, &Block::default());
    unmix(block);
    xor(block, last);
}

fn xor(block: &mut Block, other: &[u8]) {
    block.iter_mut().zip(other).for_each(|(byte, other)| *byte ^= other);
}

/// Executes the instruction and returns the number of blocks. Registers and memory are those after
/// the blocks that were done. `None` is a fault: an operand that is not aligned, a page that is not
/// there, or a control word without meaning.
pub fn execute(mode: Mode, registers: &mut Registers, memory: &mut dyn Memory) -> Option<u64> {
    let needs_iv = mode != Mode::Ecb;
    let aligned = [registers.bx, registers.dx, if needs_iv { registers.ax } else { 0 }];
    if aligned.iter().any(|at| at % 16 != 0) {
        return None;
    }
    let mut word = [0; 4];
    memory.read(registers.dx, &mut word)?;
    let control = Control(u32::from_le_bytes(word));
    if !control.is_valid() {
        return None;
    }
    let key = read_key(control, registers.bx, memory)?;
    let mut iv = Block::default();
    if needs_iv {
        memory.read(registers.ax, &mut iv)?;
    }
    let mut blocks = 0;
    while registers.cx > 0 {
        let bytes = within_pages(registers.cx.saturating_mul(16).min(4096), [registers.si, registers.di]);
        // A block that crosses the end of a page is a step of its own.
        let len = (bytes / 16 * 16).max(16);
        let mut data = vec![0; len];
        memory.read(registers.si, &mut data)?;
        for block in data.chunks_exact_mut(16) {
            one(mode, control.decrypts(), &key, &mut iv, GenericArray::from_mut_slice(block));
        }
        memory.write(registers.di, &data)?;
        if needs_iv {
            memory.write(registers.ax, &iv)?;
        }
        let done = len as u64 / 16;
        registers.si += len as u64;
        registers.di += len as u64;
        registers.cx -= done;
        blocks += done;
    }
    Some(blocks)
}

fn read_key(control: Control, at: u64, memory: &mut dyn Memory) -> Option<Key> {
    if !control.is_expanded() {
        let mut key = [0; 16];
        memory.read(at, &mut key)?;
        return Some(Key::Short(Box::new(Aes128::new(&key.into()))));
    }
    let mut keys = vec![Block::default(); control.rounds() + 1];
    for (at, key) in (at..).step_by(16).zip(&mut keys) {
        memory.read(at, key)?;
    }
    Some(Key::Expanded(keys))
}

/// One block. `iv` becomes that of the next block.
fn one(mode: Mode, decrypts: bool, key: &Key, iv: &mut Block, block: &mut Block) {
    let before = *block;
    match mode {
        Mode::Ecb if decrypts => key.decrypt(block),
        Mode::Ecb => key.encrypt(block),
        Mode::Cbc if decrypts => {
            key.decrypt(block);
            xor(block, iv);
            *iv = before;
        }
        Mode::Cbc => {
            xor(block, iv);
            key.encrypt(block);
            *iv = *block;
        }
        Mode::Ctr => {
            let mut stream = *iv;
            key.encrypt(&mut stream);
            xor(block, &stream);
            // Only the last two bytes count.
            let counter = u16::from_be_bytes([iv[14], iv[15]]).wrapping_add(1);
            iv[14..].copy_from_slice(&counter.to_be_bytes());
        }
        Mode::Cfb => {
            key.encrypt(iv);
            xor(block, iv);
            *iv = if decrypts { before } else { *block };
        }
        Mode::Ofb => {
            key.encrypt(iv);
            xor(block, iv);
        }
    }
}
