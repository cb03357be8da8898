//! Processes whole blocks with the accelerator.

use std::ptr::copy_nonoverlapping;

use outboard_accel::memory::try_vec;
use outboard_accel::{Direction, Error, Request, Session, Wiped};
use outboard_counters::SoftwareReason;

use super::context::Context;
use crate::block_cipher::BlockCipher;
use crate::draws;
use crate::hardware::{Release, reason_of};
use crate::key_session::KeyUse;
use crate::kinds::{Block, Mode};
use crate::spot_check::{Chain, Crypted, Text, Verdict};

/// Whole blocks of a stream, which the accelerator processes from the front. Software processes the
/// blocks that it leaves.
pub(super) struct Blocks {
    /// A block before the input, and the number of its bytes in use: none or all.
    head: (Block, usize),
    input: *const u8,
    output: *mut u8,
    len: usize,
    /// The IV to continue from.
    iv: Block,
    done: usize,
    /// Number of bytes in the current request.
    step: usize,
    /// Whether results are compared in full, once it is decided.
    is_full: Option<bool>,
    /// A request failed, or its result was not accepted.
    stopped: bool,
    /// Why software processes the blocks that are left, if any are.
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
        let (done, step, is_full, stopped) = (0, 0, None, false);
        let why = SoftwareReason::DriverFailed;
        Blocks { head: before, input, output, len, iv, done, step, is_full, stopped, why }
    }

    /// Number of bytes including the head.
    #[allow(clippy::len_without_is_empty, reason = "it would have no caller")]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The data before the input.
    pub(super) fn head(&self) -> &[u8] {
        &self.head.0[..self.head.1]
    }

    /// The data of the current request, in two parts.
    fn parts(&self) -> (&[u8], &[u8]) {
        let head = if self.done == 0 { self.head() } else { &[] };
        let from = self.done.saturating_sub(self.head().len());
        // SAFETY: the guarantee given to `new`; nothing is written while the slice exists, because
        // that requires `&mut self`.
        (head, unsafe { std::slice::from_raw_parts(self.input.add(from), self.step - head.len()) })
    }

    /// Copies an accepted result to the output. Nothing is written to `output` before that, so
    /// software can process the remaining blocks even in place.
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
        self.is_full = None;
    }
}

impl Context {
    /// Processes the whole blocks of a stream with the accelerator. Returns the number of bytes
    /// processed from the front; software must process the rest. `running` is then the IV to
    /// continue from, if any.
    pub(super) fn offload(&mut self, mut blocks: Blocks) -> usize {
        self.send(&mut [Some(&mut blocks)]);
        self.go_on_from(&blocks)
    }

    /// Continues the stream of this context after the processed blocks. Returns the number of
    /// processed bytes.
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

    /// Processes the whole blocks of streams with this context's key and direction, and removes each
    /// stream that needs nothing more. Submits as many requests at once as the session accepts.
    pub(super) fn send<const N: usize>(&mut self, streams: &mut [Option<&mut Blocks>; N]) {
        let kind = self.kind();
        let cipher = self.cipher;
        let hardware = &cipher.hardware;
        let direction = if self.encrypt { Direction::Encrypt } else { Direction::Decrypt };
        let mut most = usize::MAX;
        loop {
            let left = streams.iter().flatten().count();
            if left == 0 || !hardware.is_up() {
                break;
            }
            let key = &self.key;
            let bytes = streams.iter().flatten().map(|stream| stream.len - stream.done).sum();
            let key_use = KeyUse { bytes, from: cipher.key_bytes };
            let session = self.key_session.session(hardware, key_use, |urgent| hardware.open(key, urgent));
            let Some(mut session) = session else {
                let why = self.key_session.refusal();
                streams.iter_mut().flatten().for_each(|stream| stream.why = why);
                break;
            };
            let count = left.min(session.max_batch()).min(most);
            let mut is_first_of_key = !self.key_session.was_compared;
            for stream in streams.iter_mut().flatten().take(count) {
                stream.is_full.get_or_insert_with(|| hardware.compares_in_full(is_first_of_key));
                is_first_of_key = false;
                stream.step = session.max_request(direction).min(stream.len - stream.done);
            }
            let mut batch = streams.iter().flatten().take(count);
            if kind.mode.is_whole() && batch.any(|stream| stream.step < stream.len) {
                streams.iter_mut().flatten().for_each(|stream| stream.why = SoftwareReason::AboveLimit);
                break;
            }
            let mut requests = [Request::new(direction, &[], &[]); N];
            for (request, stream) in requests.iter_mut().zip(streams.iter().flatten()) {
                let (head, part) = stream.parts();
                let plain = Request::new(direction, &stream.iv[..kind.iv_len()], part);
                *request = Request { head, piece: cipher.piece, ..plain };
            }
            let requests = &requests[..count];
            let submitted = match &self.provider.jobs {
                Some(jobs) => {
                    let generators = matches!(kind.mode, Mode::Ctr | Mode::Ecb);
                    jobs.submit_and_wait(&mut *session, requests, generators, hardware.driver())
                }
                None => session.submit_and_wait(requests),
            };
            let mut is_away = false;
            match submitted {
                Ok(()) => {
                    let mut is_repeated = false;
                    for (place, stream) in streams.iter_mut().flatten().take(count).enumerate() {
                        let release = match session.result(place) {
                            Ok(result) => self.accept(stream, result),
                            Err(error) => {
                                (stream.stopped, stream.why) = (true, reason_of(&error));
                                is_away |= self.failed(&error);
                                continue;
                            }
                        };
                        if let Release::Differs(offset) = release {
                            let row = self.provider.counters.row(kind.name);
                            let repeat = || self.repeat(stream, &mut *session);
                            hardware.try_again(kind.name, row, stream.step, offset, repeat);
                            is_repeated = true;
                            break;
                        }
                    }
                    if is_repeated {
                        // The repetition has replaced the batch.
                        streams.iter_mut().flatten().take(count).for_each(|stream| stream.stopped = true);
                    }
                }
                Err(Error::Batch { .. } | Error::NoRoom { .. }) if count > 1 => most = count / 2,
                Err(error) => {
                    is_away = self.failed(&error);
                    streams.iter_mut().flatten().for_each(|stream| stream.why = reason_of(&error));
                    streams.fill_with(|| None);
                }
            }
            session.release();
            if is_away {
                drop(session);
                self.key_session.went_away(hardware);
            }
            for stream in streams.iter_mut() {
                let is_over = |stream: &mut &mut Blocks| stream.stopped || stream.done == stream.len;
                if stream.as_mut().is_some_and(is_over) {
                    *stream = None;
                }
            }
        }
    }

    /// Verifies a driver's result and copies it if it is correct.
    fn accept(&mut self, stream: &mut Blocks, result: &[u8]) -> Release {
        let cipher = self.cipher;
        let row = self.provider.counters.row(cipher.kind.name);
        let is_full = stream.is_full.unwrap_or(true);
        let (head, rest) = stream.parts();
        let verify = || {
            self.compare(&stream.iv, Text { head, rest }, result, |crypted, cipher| {
                crypted.check(cipher, is_full, draws::next())
            })
        };
        let release = cipher.hardware.accept(row, stream.step, verify);
        stream.stopped = release != Release::Yes;
        if !stream.stopped {
            self.key_session.was_compared |= is_full;
            stream.take(result, cipher.kind.mode, cipher.kind.block(), self.encrypt);
        }
        release
    }

    /// Processes the data of the current request once more, from a copy that the application cannot
    /// change, and compares all of it.
    fn repeat(&mut self, stream: &Blocks, session: &mut dyn Session) -> Verdict {
        let (head, rest) = stream.parts();
        let Some(mut copy) = try_vec(head.len() + rest.len()).map(Wiped::new) else {
            return Verdict::Unknown;
        };
        copy[..head.len()].copy_from_slice(head);
        copy[head.len()..].copy_from_slice(rest);
        let direction = if self.encrypt { Direction::Encrypt } else { Direction::Decrypt };
        let request = Request::new(direction, &stream.iv[..self.kind().iv_len()], &copy);
        match session.crypt(&Request { piece: self.cipher.piece, ..request }) {
            Ok(result) => {
                self.compare(&stream.iv, Text::of(&copy), result, |crypted, cipher| crypted.check_all(cipher))
            }
            Err(error) => {
                self.failed(&error);
                Verdict::Unknown
            }
        }
    }

    /// Compares a result with software.
    fn compare(
        &mut self,
        iv: &Block,
        input: Text<'_>,
        result: &[u8],
        check: impl FnOnce(&Crypted<'_>, &BlockCipher) -> Verdict,
    ) -> Verdict {
        let (kind, output) = (self.kind(), Text::of(result));
        let (plain, secret) = if self.encrypt { (input, output) } else { (output, input) };
        let chain = Chain::new(kind.mode, &iv[..kind.iv_len()]);
        let crypted = Crypted { plain, secret, chain, size: kind.block() };
        let reference = self.key_session.reference(self.provider, self.cipher, &self.key);
        reference.map_or(Verdict::Unknown, |reference| check(&crypted, reference))
    }

    /// Records the failure of a request or a batch. Returns whether the device was removed.
    fn failed(&self, error: &Error) -> bool {
        self.cipher.hardware.failed(error, self.provider.counters.row(self.kind().name));
        error.is_away()
    }
}

/// The last block, of `len` bytes, in `blocks`.
fn last_block(blocks: &[u8], len: usize) -> Block {
    let mut last = Block::default();
    last[..len].copy_from_slice(&blocks[blocks.len() - len..]);
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes results of 32 and 16 bytes for a text of 48. Returns the IVs after each, and the output.
    fn ivs(mode: Mode, encrypt: bool, head: usize) -> ([Block; 2], Vec<u8>) {
        let text: Vec<u8> = (0..48).collect();
        let mut output = vec![0; 48];
        let (start, rest) = text.split_at(head);
        // SAFETY: both are as long as the text without its head, and with it.
        let mut blocks = unsafe { Blocks::new(start, rest.as_ptr(), output.as_mut_ptr(), 48, [0xff; 16]) };
        let steps = if head == 0 { [32, 16] } else { [16, 32] };
        let ivs = steps.map(|step| {
            blocks.step = step;
            let result: Vec<u8> = (blocks.done..blocks.done + step).map(|at| 0x80 | at as u8).collect();
            blocks.take(&result, mode, 16, encrypt);
            blocks.iv
        });
        assert_eq!((blocks.done, blocks.is_full), (48, None));
        (ivs, output)
    }

    #[test]
    fn the_next_request_continues_from_the_last_block_of_ciphertext_or_the_next_counter() {
        let block = |from: u8| -> Block { std::array::from_fn(|at| from + at as u8) };
        for head in [0, 16] {
            let second = if head == 0 { 16 } else { 0 };
            let (found, output) = ivs(Mode::Cbc, true, head);
            assert_eq!(found, [block(0x80 | second), block(0x80 | 32)]);
            assert!(output.iter().enumerate().all(|(at, byte)| *byte == 0x80 | at as u8));
            assert_eq!(ivs(Mode::Cbc, false, head).0, [block(second), block(32)]);
            let counters = if head == 0 { [1, 2] } else { [0, 2] };
            assert_eq!(ivs(Mode::Ctr, true, head).0, counters.map(|number: u128| number.to_be_bytes()));
        }
    }
}
