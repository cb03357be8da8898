//! The units against published vectors, RustCrypto's own modes and the statements of the guide.

use aes::cipher::{BlockEncrypt, KeyInit};
use aes::{Aes192, Aes256, Block};

use crate::cpuid::{Counts, leaf};
use crate::crypt::{self, Mode};
use crate::hash::{self, Function};
use crate::memory::{Memory, Registers};

/// Memory from address 0 on; what lies behind is not there.
struct Flat(Vec<u8>);

impl Memory for Flat {
    fn read(&mut self, at: u64, bytes: &mut [u8]) -> Option<()> {
        bytes.copy_from_slice(self.0.get(at as usize..at as usize + bytes.len())?);
        Some(())
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> Option<()> {
        self.0.get_mut(at as usize..at as usize + bytes.len())?.copy_from_slice(bytes);
        Some(())
    }
}

const IV: u64 = 0x100;
const KEY: u64 = 0x200;
const CONTROL: u64 = 0x400;
const DATA: u64 = 0x1000;
const SIZE: usize = 0x8000;

const DECRYPT: u32 = 1 << 9;
const EXPANDED: u32 = 1 << 7;

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Executes in place, and returns what was done, the registers and the data.
fn run(mode: Mode, control: u32, key: &[u8], iv: [u8; 16], data: &[u8]) -> (Option<u64>, Registers, Flat) {
    let mut memory = Flat(vec![0; SIZE]);
    memory.write(IV, &iv).unwrap();
    memory.write(KEY, key).unwrap();
    memory.write(CONTROL, &control.to_le_bytes()).unwrap();
    memory.write(DATA, data).unwrap();
    let cx = data.len() as u64 / 16;
    let mut registers = Registers { ax: IV, bx: KEY, cx, dx: CONTROL, si: DATA, di: DATA };
    let done = crypt::execute(mode, &mut registers, &mut memory);
    (done, registers, memory)
}

fn crypted(mode: Mode, control: u32, key: &[u8], iv: [u8; 16], data: &[u8]) -> Vec<u8> {
    let (done, registers, memory) = run(mode, control, key, iv, data);
    assert_eq!((done, registers.cx), (Some(data.len() as u64 / 16), 0));
    assert_eq!([registers.si, registers.di], [DATA + data.len() as u64; 2]);
    memory.0[DATA as usize..DATA as usize + data.len()].to_vec()
}

/// SP 800-38A, appendix F: AES-128, the first two blocks of each mode.
#[test]
fn the_modes_match_the_examples_of_the_standard_in_both_directions() {
    let key = hex("2b7e151628aed2a6abf7158809cf4f3c");
    let iv = std::array::from_fn(|at| at as u8);
    let counter = std::array::from_fn(|at| 0xf0 + at as u8);
    let plain = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
    for (mode, iv, cipher) in [
        (Mode::Ecb, iv, "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"),
        (Mode::Cbc, iv, "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"),
        (Mode::Ctr, counter, "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"),
        (Mode::Cfb, iv, "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b"),
        (Mode::Ofb, iv, "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825"),
    ] {
        assert_eq!(crypted(mode, 10, &key, iv, &plain), hex(cipher), "{mode:?}");
        let back = if matches!(mode, Mode::Ctr | Mode::Ofb) { 10 } else { 10 | DECRYPT };
        assert_eq!(crypted(mode, back, &key, iv, &hex(cipher)), plain, "{mode:?}");
    }
}

/// The schedule of a key (FIPS 197, 5.2), with RustCrypto's S-box: a round without the other steps.
fn schedule(key: &[u8]) -> Vec<u8> {
    let substitute = |byte: u8| {
        let mut block = Block::from([byte; 16]);
        aes::hazmat::cipher_round(&mut block, &Block::default());
        aes::hazmat::inv_mix_columns(&mut block);
        block[0]
    };
    let (mut keys, mut constant) = (key.to_vec(), 1_u8);
    while keys.len() < 16 * (key.len() / 4 + 7) {
        let at = keys.len();
        let mut word: [u8; 4] = keys[at - 4..].try_into().unwrap();
        if at % key.len() == 0 {
            word.rotate_left(1);
            word = word.map(substitute);
            word[0] ^= constant;
            constant = (constant << 1) ^ ((constant >> 7) * 0x1b);
        } else if key.len() == 32 && at % 32 == 16 {
            word = word.map(substitute);
        }
        keys.extend((0..4).map(|byte| word[byte] ^ keys[at - key.len() + byte]).collect::<Vec<_>>());
    }
    keys
}

/// The schedule of the equivalent inverse cipher (FIPS 197, 5.3.5).
fn inverse(keys: &[u8]) -> Vec<u8> {
    let mut rounds: Vec<Block> = keys.chunks_exact(16).rev().map(Block::clone_from_slice).collect();
    let last = rounds.len() - 1;
    rounds[1..last].iter_mut().for_each(aes::hazmat::inv_mix_columns);
    rounds.concat()
}

#[test]
fn a_key_that_is_expanded_in_memory_serves_both_directions() {
    let data: Vec<u8> = (0..5000 / 16 * 16).map(|at: usize| (at * 7 % 251) as u8).collect();
    for (key, control) in [(&[7_u8; 24][..], 12 | 1 << 10), (&[9; 32], 14 | 2 << 10)] {
        let keys = schedule(key);
        let cipher = crypted(Mode::Ecb, control | EXPANDED, &keys, [0; 16], &data);
        let mut first = Block::clone_from_slice(&data[..16]);
        match key.len() {
            24 => Aes192::new_from_slice(key).unwrap().encrypt_block(&mut first),
            _ => Aes256::new_from_slice(key).unwrap().encrypt_block(&mut first),
        }
        assert_eq!(cipher[..16], first[..]);
        let back = crypted(Mode::Ecb, control | EXPANDED | DECRYPT, &inverse(&keys), [0; 16], &cipher);
        assert_eq!(back, data);
    }
}

#[test]
fn the_counter_wraps_within_its_last_two_bytes() {
    let stream = |iv: [u8; 16], blocks: usize| crypted(Mode::Ctr, 10, &[3; 16], iv, &vec![0; 16 * blocks]);
    let mut iv = [0xff; 16];
    iv[0] = 0xab;
    let mut wrapped = iv;
    wrapped[14..].fill(0);
    assert_eq!(stream(iv, 2)[16..], stream(wrapped, 1));
}

#[test]
fn operands_that_are_not_aligned_or_have_no_meaning_are_faults() {
    let data = [0; 32];
    let at = |change: fn(&mut Registers)| {
        let (_, _, mut memory) = run(Mode::Cbc, 10, &[0; 16], [0; 16], &data);
        let mut registers = Registers { ax: IV, bx: KEY, cx: 2, dx: CONTROL, si: DATA, di: DATA };
        change(&mut registers);
        crypt::execute(Mode::Cbc, &mut registers, &mut memory)
    };
    assert_eq!(at(|_| ()), Some(2));
    assert_eq!(at(|r| r.ax += 8), None);
    assert_eq!(at(|r| r.bx += 4), None);
    assert_eq!(at(|r| r.dx += 1), None);
    // Data need not be aligned.
    assert_eq!(at(|r| (r.si, r.di) = (r.si + 1, r.di + 3)), Some(2));
    // Rounds that do not fit the size, a long key that is not expanded, another algorithm.
    for control in [12, 12 | 1 << 10, 14 | 3 << 10 | EXPANDED, 10 | 1 << 4, 10 | 1 << 8] {
        assert_eq!(run(Mode::Ecb, control, &[0; 16], [0; 16], &data).0, None, "{control:#x}");
    }
}

#[test]
fn a_page_that_is_missing_leaves_the_rest_of_the_work_in_the_registers() {
    let mut memory = Flat(vec![0; SIZE]);
    memory.write(CONTROL, &10_u32.to_le_bytes()).unwrap();
    let from = SIZE as u64 - 4096 - 32;
    let mut registers = Registers { ax: IV, bx: KEY, cx: 1000, dx: CONTROL, si: from, di: from };
    assert_eq!(crypt::execute(Mode::Cbc, &mut registers, &mut memory), None);
    assert_eq!((registers.cx, registers.si), (1000 - 258, SIZE as u64));
}

fn hashed(function: Function, start: &[u32], message: &[u8], whole_blocks: bool) -> (Vec<u8>, Registers) {
    let mut memory = Flat(vec![0; SIZE]);
    let state: Vec<u8> = start.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.write(KEY, &state).unwrap();
    memory.write(DATA + 3, message).unwrap();
    let count = if whole_blocks { message.len() / 64 } else { message.len() } as u64;
    let mut registers = Registers { cx: count, si: DATA + 3, di: KEY, ..Registers::default() };
    hash::execute(function, whole_blocks, &mut registers, &mut memory).unwrap();
    let words = memory.0[KEY as usize..KEY as usize + state.len()].chunks_exact(4);
    (words.flat_map(|word| word.iter().rev().copied().collect::<Vec<_>>()).collect(), registers)
}

const SHA1: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
const SHA256: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

#[test]
fn the_unit_pads_a_message_as_the_standard_says() {
    use sha2::Digest;
    for len in [0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 4095, 4096, 4097, 10_000] {
        let message: Vec<u8> = (0..len).map(|at: usize| (at % 253) as u8).collect();
        let (digest, registers) = hashed(Function::Sha1, &SHA1, &message, false);
        assert_eq!(digest, sha1::Sha1::digest(&message)[..], "{len}");
        assert_eq!((registers.ax, registers.cx), (len as u64, 0));
        let (digest, _) = hashed(Function::Sha256, &SHA256, &message, false);
        assert_eq!(digest, sha2::Sha256::digest(&message)[..], "{len}");
    }
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hashed(Function::Sha256, &SHA256, b"abc", false).0, hex(abc));
}

#[test]
fn whole_blocks_are_not_padded() {
    let message = [0x5a; 128];
    let (digest, registers) = hashed(Function::Sha256, &SHA256, &message, true);
    let mut state = SHA256;
    sha2::block_api::compress256(&mut state, &[[0x5a; 64]; 2]);
    assert_eq!(digest, state.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>());
    assert_eq!(registers.cx, 0);
}

#[test]
fn the_leaves_name_the_units_and_their_work() {
    let counts = Counts { crypts: 1, blocks: 2, hashes: 3, stale: 4 };
    assert_eq!(leaf(0xc000_0000, &counts), Some([0xc000_0004, 0, 0, 0]));
    assert_eq!(leaf(0xc000_0001, &counts), Some([0, 0, 0, 0x3fcc]));
    assert_eq!(leaf(0xc000_0f00, &counts), Some([1, 2, 3, 4]));
    assert_eq!((leaf(1, &counts), leaf(0xc000_0005, &counts)), (None, None));
}

#[test]
fn the_last_byte_of_the_instruction_selects_the_mode_or_the_digest() {
    use Mode::{Cbc, Cfb, Ctr, Ecb, Ofb};
    let modes = [0xc8, 0xd0, 0xd8, 0xe0, 0xe8].map(Mode::of);
    assert_eq!(modes, [Ecb, Cbc, Ctr, Cfb, Ofb].map(Some));
    // Montgomery multiplication (0F A6 C0) is not modelled.
    let digests = [0xc8, 0xd0, 0xc0].map(Function::of);
    assert_eq!(digests, [Some(Function::Sha1), Some(Function::Sha256), None]);
}
