//! Recomputes blocks of a cipher's result in software before the result is released to the
//! application.
//!
//! All offered modes use only the block cipher's encryption E and XOR, so one software context in
//! ECB mode can check all of them in both directions:
//!
//! | mode | condition for block i | standard |
//! |---|---|---|
//! | CBC | C(i) = E(P(i) xor C(i-1)), C(-1) the IV | SP 800-38A |
//! | ECB | C(i) = E(P(i)) | SP 800-38A |
//! | CTR, GCM, CCM | C(i) = P(i) xor E(counter + i) | SP 800-38A, 38D, 38C |
//! | XTS | C(i) = E1(P(i) xor T) xor T, T = E2(tweak) times x to the power i | IEEE 1619 |
//!
//! For a sample of GCM's and CCM's messages the tag is recomputed instead (`submitted`).

use std::ops::Range;

use crate::block_cipher::BlockEncryption;
use crate::kinds::{Block, Mode};
use crate::unwritten::first_equal_block;
use outboard_accel::Wiped;

/// Of a full comparison of one result, in bytes, at a random position.
const WINDOW: usize = 4096;

/// Of a full comparison, in bytes, on the stack.
const CHUNK: usize = 512;

pub(crate) const MAX_BLOCK: usize = 16;

/// The plaintext or the ciphertext of a request.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    /// Empty, or the first block.
    pub(crate) head: &'a [u8],
    pub(crate) rest: &'a [u8],
}

impl<'a> Text<'a> {
    pub(crate) fn of(rest: &'a [u8]) -> Text<'a> {
        Text { head: &[], rest }
    }

    pub(crate) fn len(&self) -> usize {
        self.head.len() + self.rest.len()
    }

    /// At most `len` bytes from offset `from` on, in up to two parts.
    fn parts(&self, from: usize, len: usize) -> [&'a [u8]; 2] {
        let head = self.head.get(from..).unwrap_or_default();
        let head = &head[..head.len().min(len)];
        let from = from.saturating_sub(self.head.len()).min(self.rest.len());
        let end = self.rest.len().min(from + len - head.len());
        [head, &self.rest[from..end]]
    }

    fn copy_to(&self, from: usize, room: &mut [u8]) {
        let parts = self.parts(from, room.len());
        let (head, rest) = room.split_at_mut(parts[0].len());
        head.copy_from_slice(parts[0]);
        rest[..parts[1].len()].copy_from_slice(parts[1]);
    }

    fn xor_to(&self, from: usize, room: &mut [u8]) {
        let parts = self.parts(from, room.len());
        let (head, rest) = room.split_at_mut(parts[0].len());
        xor(head, parts[0]);
        xor(rest, parts[1]);
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Chain {
    Cbc {
        iv: Block,
    },
    Ecb,
    Counter {
        /// The counter block of the first block.
        first: u128,
        /// Number of low bits that are incremented.
        bits: u32,
    },
    Xts {
        tweak: Block,
    },
}

impl Chain {
    /// The counter of CTR, the tweak of XTS, the nonce of GCM (12 bytes) and CCM (7 to 13 bytes).
    pub(crate) fn new(mode: Mode, iv: &[u8]) -> Chain {
        let mut block = Block::default();
        match mode {
            Mode::Ecb => Chain::Ecb,
            Mode::Cbc | Mode::Ctr | Mode::Xts => {
                block[..iv.len()].copy_from_slice(iv);
                match mode {
                    Mode::Cbc => Chain::Cbc { iv: block },
                    Mode::Xts => Chain::Xts { tweak: block },
                    _ => Chain::Counter { first: u128::from_be_bytes(block), bits: 128 },
                }
            }
            // Counter value 1 is used for the tag (SP 800-38D, 7.1).
            Mode::Gcm => {
                block[..iv.len()].copy_from_slice(iv);
                block[15] = 2;
                Chain::Counter { first: u128::from_be_bytes(block), bits: 32 }
            }
            // Counter value 0 is used for the tag (SP 800-38C, A.3; RFC 3610, 2.3).
            Mode::Ccm => {
                let counter_len = 15 - iv.len();
                block[0] = counter_len as u8 - 1;
                block[1..=iv.len()].copy_from_slice(iv);
                block[15] = 1;
                Chain::Counter { first: u128::from_be_bytes(block), bits: counter_len as u32 * 8 }
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Right,
    /// Offset of the first byte that differs, among those that were compared.
    Wrong {
        offset: usize,
    },
    /// The default provider failed: there is no reference to compare with.
    Unknown,
}

impl Verdict {
    pub(crate) fn of(expected: &[u8], result: &[u8]) -> Verdict {
        let differs = |at: &usize| expected.get(*at) != result.get(*at);
        let offset = (0..expected.len().max(result.len())).find(differs);
        offset.map_or(Verdict::Right, |offset| Verdict::Wrong { offset })
    }
}

pub(crate) struct Crypted<'a> {
    pub(crate) plain: Text<'a>,
    pub(crate) secret: Text<'a>,
    pub(crate) chain: Chain,
    /// Block size in bytes.
    pub(crate) size: usize,
}

impl Crypted<'_> {
    /// Checks each block that equals its input, the last one, and the one that the random number
    /// `draw` chooses; with `is_full` all, or a window there.
    pub(crate) fn check(&self, cipher: &dyn BlockEncryption, is_full: bool, draw: u32) -> Verdict {
        let blocks = self.plain.len().div_ceil(self.size);
        if blocks == 0 {
            return Verdict::Right;
        }
        let unwritten = self.check_unwritten(cipher);
        if unwritten != Verdict::Right {
            return unwritten;
        }
        let Some(tweak) = self.tweak(cipher) else { return Verdict::Unknown };
        let count = if is_full { (WINDOW / self.size).min(blocks) } else { 1 };
        let first = draw as usize % (blocks - count + 1);
        let last = if first + count < blocks { blocks - 1..blocks } else { blocks..blocks };
        let runs = [first..first + count, last];
        if is_full {
            self.compare::<CHUNK>(cipher, runs, tweak)
        } else {
            self.compare::<{ 2 * MAX_BLOCK }>(cipher, runs, tweak)
        }
    }

    pub(crate) fn check_all(&self, cipher: &dyn BlockEncryption) -> Verdict {
        let blocks = self.plain.len().div_ceil(self.size);
        let Some(tweak) = self.tweak(cipher) else { return Verdict::Unknown };
        self.compare::<CHUNK>(cipher, [0..blocks, blocks..blocks], tweak)
    }

    /// Checks each block that equals its input.
    fn check_unwritten(&self, cipher: &dyn BlockEncryption) -> Verdict {
        let mut from = 0;
        while let Some(block) = self.first_equal_block(from) {
            let Some(tweak) = self.tweak(cipher) else { return Verdict::Unknown };
            from = block + 1;
            let verdict = self.compare::<{ 2 * MAX_BLOCK }>(cipher, [block..from, from..from], tweak);
            if verdict != Verdict::Right {
                return verdict;
            }
        }
        Verdict::Right
    }

    /// From block `from` on. One of the texts has no head, the other none or a block.
    fn first_equal_block(&self, from: usize) -> Option<usize> {
        let [with, other] =
            if self.plain.head.is_empty() { [self.secret, self.plain] } else { [self.plain, self.secret] };
        let (head, rest) = other.rest.split_at(with.head.len());
        if from == 0 && !head.is_empty() && head == with.head {
            return Some(0);
        }
        let before = head.len() / self.size;
        first_equal_block(with.rest, rest, self.size, from.saturating_sub(before)).map(|block| before + block)
    }

    fn tweak(&self, cipher: &dyn BlockEncryption) -> Option<Tweak> {
        match self.chain {
            Chain::Xts { tweak } => Tweak::new(cipher, tweak),
            _ => Some(Tweak::NONE),
        }
    }

    /// Two ascending runs of blocks, `ROOM` bytes at a time. The second has one block at most.
    fn compare<const ROOM: usize>(
        &self,
        cipher: &dyn BlockEncryption,
        mut runs: [Range<usize>; 2],
        mut tweak: Tweak,
    ) -> Verdict {
        // Contains key stream or plaintext, so both are wiped.
        let (mut made, mut due) = (Wiped::new([0; ROOM]), Wiped::new([0; ROOM]));
        loop {
            let (start, mut last, mut len) = (runs[0].start, 0, 0);
            for run in &mut runs {
                let count = run.len().min((ROOM - len) / self.size);
                if count > 0 {
                    let room = len..len + count * self.size;
                    self.fill(run.start, &mut tweak, &mut made[room.clone()], &mut due[room.clone()]);
                    run.start += count;
                    (last, len) = (run.start - 1, room.end);
                }
            }
            if len == 0 {
                return Verdict::Right;
            }
            if !cipher.encrypt(&mut made[..len]) {
                return Verdict::Unknown;
            }
            if made[..len] != due[..len] {
                return self.difference(&made[..len], &due[..len], start, last);
            }
        }
    }

    /// Writes the inputs of E to `made`, and their expected outputs to `due`: block by block it
    /// would cost more than the encryption.
    fn fill(&self, first: usize, tweak: &mut Tweak, made: &mut [u8], due: &mut [u8]) {
        let from = first * self.size;
        self.secret.copy_to(from, due);
        if let Chain::Counter { first: start, bits } = self.chain {
            let mask = u128::MAX >> (128 - bits);
            for (index, block) in made.chunks_exact_mut(self.size).enumerate() {
                let low = start.wrapping_add((first + index) as u128) & mask;
                block.copy_from_slice(&(start & !mask | low).to_be_bytes());
            }
            self.plain.xor_to(from, due);
            return;
        }
        self.plain.copy_to(from, made);
        match self.chain {
            Chain::Cbc { iv } if first == 0 => {
                let (block, rest) = made.split_at_mut(self.size);
                xor(block, &iv);
                self.secret.xor_to(0, rest);
            }
            Chain::Cbc { .. } => self.secret.xor_to(from - self.size, made),
            Chain::Xts { .. } => {
                let blocks = made.chunks_exact_mut(self.size).zip(due.chunks_exact_mut(self.size));
                for (index, (made, due)) in blocks.enumerate() {
                    let tweak = tweak.of(first + index).to_le_bytes();
                    xor(made, &tweak);
                    xor(due, &tweak);
                }
            }
            Chain::Ecb | Chain::Counter { .. } => {}
        }
    }

    /// The blocks from `first` on were compared together, the final one is block `last`. Bytes
    /// beyond the end of a short block do not count.
    #[cold]
    fn difference(&self, made: &[u8], due: &[u8], first: usize, last: usize) -> Verdict {
        let total = made.len() / self.size;
        for (index, (made, due)) in made.chunks(self.size).zip(due.chunks(self.size)).enumerate() {
            let place = if index + 1 == total { last } else { first + index };
            let len = self.secret.len().saturating_sub(place * self.size).min(self.size);
            if let Some(at) = (0..len).find(|&at| made[at] != due[at]) {
                return Verdict::Wrong { offset: place * self.size + at };
            }
        }
        Verdict::Right
    }
}

/// XORs `with` into `room`, up to the end of either.
fn xor(room: &mut [u8], with: &[u8]) {
    const WORD: usize = size_of::<u64>();
    let len = room.len().min(with.len());
    let (mut room, mut with) = (room[..len].chunks_exact_mut(WORD), with[..len].chunks_exact(WORD));
    for (room, with) in room.by_ref().zip(with.by_ref()) {
        if let (Ok(word), Ok(other)) = (<[u8; WORD]>::try_from(&*room), with.try_into()) {
            room.copy_from_slice(&(u64::from_ne_bytes(word) ^ u64::from_ne_bytes(other)).to_ne_bytes());
        }
    }
    for (byte, with) in room.into_remainder().iter_mut().zip(with.remainder()) {
        *byte ^= with;
    }
}

/// The tweak of an XTS block; unused for other modes.
struct Tweak {
    place: usize,
    value: u128,
}

impl Tweak {
    const NONE: Tweak = Tweak { place: usize::MAX, value: 0 };

    fn new(cipher: &dyn BlockEncryption, mut tweak: Block) -> Option<Tweak> {
        cipher.encrypt_tweak(&mut tweak).then_some(Tweak { place: 0, value: u128::from_le_bytes(tweak) })
    }

    /// Advances to a block that is not before the previous one.
    fn of(&mut self, place: usize) -> u128 {
        while self.place < place {
            let step = (place - self.place).min(64);
            self.value = times_x(self.value, step as u32);
            self.place += step;
        }
        self.value
    }
}

/// In GF(2^128) as defined in IEEE 1619 (5.2), by x^`by`, 1 to 64: x^128 = x^7 + x^2 + x + 1.
fn times_x(value: u128, by: u32) -> u128 {
    let carried = value >> (128 - by);
    value << by ^ carried ^ carried << 1 ^ carried << 2 ^ carried << 7
}

#[cfg(test)]
mod tests;
