use std::mem::take;
use std::ptr::copy_nonoverlapping;

use outboard_accel::{Direction, Request};
use outboard_counters::SoftwareReason;

use super::context::Context;
use crate::key_session::KeyUse;
use crate::keyed_request::Keyed;
use crate::kinds::{Block, Mode};
use crate::offer::Cipher;

/// Whole blocks of a stream, which the accelerator processes from the front.
pub(super) struct Blocks {
    /// A block before the input, and the number of its bytes in use: none or all.
    head: (Block, usize),
    input: *const u8,
    output: *mut u8,
    len: usize,
    iv: Block,
    done: usize,
    step: usize,
    /// Why software processes the blocks that are left.
    why: SoftwareReason,
}

impl Blocks {
    /// `len` bytes that continue from `iv`: `head` (empty or one block), then `input`.
    ///
    /// # Safety
    /// While this is used, `input` is readable for `len` bytes minus the head, and `output`
    /// writable for `len` bytes. They are equal or do not overlap.
    pub(super) unsafe fn new(
        head: &[u8],
        input: *const u8,
        output: *mut u8,
        len: usize,
        iv: Block,
    ) -> Blocks {
        let mut before = (Block::default(), head.len());
        before.0[..head.len()].copy_from_slice(head);
        let (done, step) = (0, 0);
        let why = SoftwareReason::DriverFailed;
        Blocks { head: before, input, output, len, iv, done, step, why }
    }

    /// Number of bytes including the head.
    #[allow(clippy::len_without_is_empty, reason = "it would have no caller")]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn head(&self) -> &[u8] {
        &self.head.0[..self.head.1]
    }

    fn request(&self, cipher: &Cipher, direction: Direction) -> Request<'_> {
        let (head, input) = self.parts();
        let request = Request::new(direction, &self.iv[..cipher.kind.iv_len()], input);
        Request { head, piece: cipher.piece, ..request }
    }

    /// Of the current request.
    fn parts(&self) -> (&[u8], &[u8]) {
        let head = if self.done == 0 { self.head() } else { &[] };
        let from = self.done.saturating_sub(self.head().len());
        // SAFETY: the guarantee given to `new`; nothing is written while the slice exists, because
        // that requires `&mut self`.
        (head, unsafe { std::slice::from_raw_parts(self.input.add(from), self.step - head.len()) })
    }

    /// Nothing is written to `output` before, so software can process the remaining blocks even in
    /// place.
    fn take(&mut self, result: &[u8], mode: Mode, block: usize, encrypt: bool) {
        let (head, part) = self.parts();
        let last = last_block(
            if encrypt {
                result
            } else if part.is_empty() {
                head
            } else {
                part
            },
            block,
        );
        self.iv = mode.advance(self.iv, self.step / block, &last);
        // SAFETY: the guarantee given to `new`; the result is in the session's own memory.
        unsafe { copy_nonoverlapping(result.as_ptr(), self.output.add(self.done), self.step) };
        self.done += self.step;
    }
}

impl Context {
    /// Returns the number of bytes processed from the front. `running` is then the IV to continue
    /// from.
    pub(super) fn offload(&mut self, mut blocks: Blocks) -> usize {
        self.send(&mut blocks);
        self.go_on_from(&blocks)
    }

    /// Continues after the processed blocks, and returns their number of bytes.
    pub(super) fn go_on_from(&mut self, blocks: &Blocks) -> usize {
        if blocks.done > 0 && !self.kind().mode.is_whole() {
            self.running = Some(blocks.iv);
        }
        if blocks.done < blocks.len {
            self.counts.because(blocks.why, (blocks.len - blocks.done) as u64);
        }
        self.settle();
        blocks.done
    }

    pub(super) fn send(&mut self, blocks: &mut Blocks) {
        let (cipher, kind) = (self.cipher, self.kind());
        let hardware = &cipher.hardware;
        let direction = if self.encrypt { Direction::Encrypt } else { Direction::Decrypt };
        // The key's use counts them once, also where it takes several requests.
        let mut bytes = blocks.len;
        while blocks.done < blocks.len && hardware.is_up() {
            let Context { provider, key, key_session, .. } = self;
            let key_use = KeyUse { bytes: take(&mut bytes), from: cipher.key_bytes };
            let session = key_session.session(hardware, key_use, |urgent| hardware.open(key, urgent));
            let Some(session) = session else {
                blocks.why = key_session.refusal();
                return;
            };
            blocks.step = session.max_request(direction).min(blocks.len - blocks.done);
            if kind.mode.is_whole() && blocks.step < blocks.len {
                blocks.why = SoftwareReason::AboveLimit;
                return;
            }
            let keyed = Keyed { provider, cipher, key, key_session };
            match keyed.send(session, &blocks.request(cipher, direction), None) {
                Ok(mut answer) => {
                    let Some(result) = answer.bytes() else { return };
                    blocks.take(result, kind.mode, kind.block(), self.encrypt);
                }
                Err(refusal) => {
                    blocks.why = refusal.why();
                    return;
                }
            }
        }
    }
}

fn last_block(blocks: &[u8], len: usize) -> Block {
    let mut last = Block::default();
    last[..len].copy_from_slice(&blocks[blocks.len() - len..]);
    last
}

#[cfg(test)]
mod tests;
