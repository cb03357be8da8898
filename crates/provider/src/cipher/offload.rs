//! Whole blocks through the accelerator.

use std::ffi::c_void;
use std::ptr::copy_nonoverlapping;

use outboard_accel::{Direction, Request};
use zeroize::Zeroizing;

use super::context::Context;
use super::kind::{Block, Mode};
use crate::offer::Cipher;
use crate::software::SoftContext;

/// The most that is compared with software's result at once, in bytes.
const COMPARED: usize = 64 * 1024;

impl Context {
    /// Sends `len` bytes through the accelerator, going on from `iv`: whole blocks, `before` (nothing or one block) and then
    /// `input`. Returns how many of them are done, from the front; the rest is for software. Then `running` is the IV to
    /// go on from, if there is one, and `output` holds nothing but right results: no byte is written before its request has succeeded, so
    /// that software can do the rest even in place.
    ///
    /// # Safety
    /// `input` is readable for `len` bytes without `before`, `output` writable for all of them; they are the same or do
    /// not overlap.
    pub(super) unsafe fn offload(
        &mut self,
        before: &[u8],
        input: *const u8,
        output: *mut u8,
        len: usize,
        iv: Block,
    ) -> usize {
        let kind = self.kind();
        let (iv_len, block) = (kind.iv_len(), kind.block());
        let cipher = self.cipher;
        let hardware = &cipher.hardware;
        let software = self.provider.software.context(&self.provider.core);
        let row = self.provider.counters.row(self.cipher.kind.name);
        let direction = if self.encrypt { Direction::Encrypt } else { Direction::Decrypt };
        let mut iv = iv;
        let mut done = 0;
        while done < len && hardware.is_up() {
            let key = &self.key;
            let session = self.keeping.session(hardware, |urgent| hardware.open(key, urgent));
            let Some(mut session) = session else { break };
            let compare = hardware.is_to_be_compared(self.keeping.compared);
            let most = if compare { COMPARED } else { usize::MAX };
            let step = session.max_request(direction).min(most).min(len - done);
            if kind.mode.is_whole() && step < len {
                break;
            }
            let head = if done == 0 { before } else { &[] };
            // SAFETY: within the caller's promise. The slice is gone before `output` is written.
            let part = unsafe {
                std::slice::from_raw_parts(input.add(done.saturating_sub(before.len())), step - head.len())
            };
            let mut last = last_block(if part.is_empty() { head } else { part }, block);
            let given = &iv[..iv_len];
            let expected = if compare {
                let expected =
                    self.cipher.expect(software, self.encrypt, &self.key, given, &[head, part].concat());
                // With nothing to compare with, the result would be shown unverified.
                let Some(expected) = expected else { break };
                Some(expected)
            } else {
                None
            };
            let request = Request { head, piece: cipher.piece, ..Request::new(direction, given, part) };
            let result = match &self.provider.jobs {
                Some(jobs) => {
                    let generators = matches!(kind.mode, Mode::Ctr | Mode::Ecb);
                    jobs.crypt(&mut *session, &request, generators, hardware.driver())
                }
                None => session.crypt(&request),
            };
            let result = match result {
                Ok(result) => result,
                Err(error) => {
                    hardware.failed(&error);
                    if !error.is_scarcity() {
                        row.inspect(|row| row.add_failure());
                    } else if error.is_away() {
                        drop(session);
                        self.keeping.went_away(hardware);
                    }
                    break;
                }
            };
            if let Some(expected) = expected {
                if *expected != result {
                    hardware.mismatched(self.cipher.kind.name, step);
                    row.inspect(|row| row.add_mismatch());
                    session.release();
                    break;
                }
                self.keeping.compared += 1;
            }
            if self.encrypt {
                last = last_block(result, block);
            }
            iv = kind.mode.advance(iv, step / block, &last);
            // SAFETY: `output` has room; the result lies in the session's own memory.
            unsafe { copy_nonoverlapping(result.as_ptr(), output.add(done), step) };
            session.release();
            done += step;
            row.inspect(|row| row.add_hw(1, step as u64));
        }
        if done > 0 && !kind.mode.is_whole() {
            self.running = Some(iv);
        }
        self.settle();
        done
    }
}

/// The last block of some.
fn last_block(blocks: &[u8], len: usize) -> Block {
    let mut last = Block::default();
    last[..len].copy_from_slice(&blocks[blocks.len() - len..]);
    last
}

impl Cipher {
    /// What software makes of `part`: a driver's first answer for each key is compared with it before the
    /// application sees it. `None` if the default provider cannot say.
    fn expect(
        &self,
        software: *mut c_void,
        encrypt: bool,
        key: &[u8],
        iv: &[u8],
        part: &[u8],
    ) -> Option<Zeroizing<Vec<u8>>> {
        let scratch = SoftContext::with_key(self.soft, software, encrypt, key, iv)?;
        let mut expected = Zeroizing::new(vec![0; part.len()]);
        let mut written = 0;
        // SAFETY: a context of this cipher; both buffers have `part.len()` bytes.
        let done = unsafe {
            (self.soft.cipher)(
                scratch.at,
                expected.as_mut_ptr(),
                &mut written,
                expected.len(),
                part.as_ptr(),
                part.len(),
            )
        };
        (done == 1 && written == part.len()).then_some(expected)
    }
}
