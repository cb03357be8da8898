//! Processes whole blocks with the accelerator.

use std::mem::take;
use std::ptr::copy_nonoverlapping;

use outboard_accel::{Direction, Error, Request};
use outboard_counters::SoftwareReason;

use super::context::Context;
use crate::hardware::reason_of;
use crate::jobs::Jobs;
use crate::key_session::KeyUse;
use crate::kinds::{Block, Mode};
use crate::offer::Cipher;
use crate::offload::Refusal;
use crate::submitted::Submitted;

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
        let (done, step, stopped) = (0, 0, false);
        let why = SoftwareReason::DriverFailed;
        Blocks { head: before, input, output, len, iv, done, step, stopped, why }
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

    /// The current request.
    fn request(&self, cipher: &Cipher, direction: Direction) -> Request<'_> {
        let (head, input) = self.parts();
        let request = Request::new(direction, &self.iv[..cipher.kind.iv_len()], input);
        Request { head, piece: cipher.piece, ..request }
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
        let row = self.provider.counters.row(kind.name);
        let mut most = usize::MAX;
        // The key's use counts them once, also where it takes several requests.
        let mut bytes = streams.iter().flatten().map(|stream| stream.len).sum();
        loop {
            let left = streams.iter().flatten().count();
            if left == 0 || !hardware.is_up() {
                break;
            }
            let key = &self.key;
            let key_use = KeyUse { bytes: take(&mut bytes), from: cipher.key_bytes };
            let session = self.key_session.session(hardware, key_use, |urgent| hardware.open(key, urgent));
            let Some(mut session) = session else {
                let why = self.key_session.refusal();
                streams.iter_mut().flatten().for_each(|stream| stream.why = why);
                break;
            };
            let count = left.min(session.max_batch()).min(most);
            for stream in streams.iter_mut().flatten().take(count) {
                stream.step = session.max_request(direction).min(stream.len - stream.done);
            }
            let mut batch = streams.iter().flatten().take(count);
            if kind.mode.is_whole() && batch.any(|stream| stream.step < stream.len) {
                streams.iter_mut().flatten().for_each(|stream| stream.why = SoftwareReason::AboveLimit);
                break;
            }
            let mut requests = [Request::new(direction, &[], &[]); N];
            for (request, stream) in requests.iter_mut().zip(streams.iter().flatten()) {
                *request = stream.request(cipher, direction);
            }
            let requests = &requests[..count];
            let (jobs, generators) =
                (self.provider.jobs.as_ref(), matches!(kind.mode, Mode::Ctr | Mode::Ecb));
            let submitted =
                Jobs::submit_and_wait(jobs, &mut *session, requests, generators, hardware.driver());
            let mut is_away = false;
            match submitted {
                Ok(()) => {
                    let mut is_replaced = false;
                    for (place, stream) in streams.iter_mut().flatten().take(count).enumerate() {
                        let mut request = Submitted {
                            session: &mut *session,
                            outcome: Ok(()),
                            place,
                            request: stream.request(cipher, direction),
                            provider: self.provider,
                            cipher,
                            key: &self.key,
                            key_session: &mut self.key_session,
                            compare_whole: None,
                        };
                        let offloaded = hardware.offload(kind.name, row, stream.step, &mut request);
                        let taken = offloaded.and_then(|()| {
                            let result = session.result(place).map_err(|error| Refusal(Some(error)))?;
                            stream.take(result, kind.mode, kind.block(), self.encrypt);
                            Ok(())
                        });
                        let Err(refusal) = taken else { continue };
                        (stream.stopped, stream.why) = (true, refusal.why());
                        is_away |= refusal.is_away();
                        is_replaced = refusal.0.is_none();
                        if is_replaced {
                            break;
                        }
                    }
                    if is_replaced {
                        streams.iter_mut().flatten().take(count).for_each(|stream| stream.stopped = true);
                    }
                }
                Err(Error::Batch { .. } | Error::NoRoom { .. }) if count > 1 => most = count / 2,
                Err(error) => {
                    hardware.failed(&error, row);
                    is_away = error.is_away();
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
}

/// The last block, of `len` bytes, in `blocks`.
fn last_block(blocks: &[u8], len: usize) -> Block {
    let mut last = Block::default();
    last[..len].copy_from_slice(&blocks[blocks.len() - len..]);
    last
}

#[cfg(test)]
mod tests;
