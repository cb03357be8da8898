//! Update and final.
//!
//! The default provider's context does all but the middle of a large update:
//!
//! ```text
//!  held by soft |  head  |            whole blocks             | tail
//!  -------------+--------+-------------------------------------+---------------
//!      soft completes    |            accelerator              | soft, from the
//!      its block         |            from soft's IV           | running IV
//! ```
//!
//! If the accelerator fails, `soft` processes the rest as if it were the tail. In counter mode no
//! data is held: the head then uses up the rest of a key stream block in `soft`. A data unit of XTS
//! has only whole blocks and is processed either by the accelerator or by `soft`. `soft` processes
//! a unit with a partial block (ciphertext stealing).
//!
//! Decryption with padding holds back the last block. If the accelerator processed the blocks
//! before it, the block is held here and not by `soft`, and is submitted in front of the next
//! update. A stream of large updates therefore stays on the accelerator.

use std::ffi::{c_int, c_uint, c_void};
use std::ops::ControlFlow;
use std::ptr::{copy_nonoverlapping, null};

use outboard_abi::{Param, end, name};
use outboard_counters::SoftwareReason;

use super::context::Context;
use super::offload::Blocks;
use crate::contexts;
use crate::guard;
use crate::kinds::{Block, Mode};
use crate::request::{Request, function_of_request};

/// A large update of which only the data before the whole blocks has been processed.
pub(super) struct Large<'a> {
    request: Request<'a>,
    /// Number of input bytes before the blocks. `written` is the number of output bytes.
    head: usize,
    written: usize,
    blocks: Blocks,
    /// The block after the blocks, if it must be held back.
    last: Option<Block>,
}

function_of_request! {
    /// A request that stays in software costs a comparison, a call and the counting.
    fn update(context: Context, request) {
        if request.len() < context.straight_below {
            // It cannot panic.
            return context.straight(request);
        }
        guard(0, || context.update(request))
    }
}

pub(super) unsafe extern "C" fn finish(at: *mut c_void, out: *mut u8, len: *mut usize, size: usize) -> c_int {
    // SAFETY: the core guarantees valid contexts and buffers.
    unsafe { contexts::with(at, |context: &mut Context| context.finish(out, len, size)) }
}

function_of_request! {
    /// Whole blocks without buffering and padding (EVP_Cipher(3)). Costs the same as `update`.
    fn cipher(context: Context, request) {
        if request.len() < context.straight_below {
            // It cannot panic.
            return context.soft_blocks(request, 0);
        }
        guard(0, || context.cipher_blocks(request))
    }
}

impl Context {
    #[inline]
    pub(super) fn straight(&mut self, r: Request<'_>) -> c_int {
        let total = self.held.wrapping_add(r.len());
        let soft = &self.soft;
        // SAFETY: guaranteed by the request.
        let done = unsafe {
            (soft.functions.update)(soft.at, r.out(), r.out_len(), r.out_size(), r.input(), r.len())
        };
        if done != 1 {
            self.lose();
        } else if total != 0 {
            self.held = (total.wrapping_sub(self.keeps_last) & self.mask).wrapping_add(self.keeps_last);
        }
        self.counts.add(r.len() as u64);
        done
    }

    fn update(&mut self, r: Request<'_>) -> c_int {
        if self.is_for_random_numbers(&r) {
            self.counts.because(SoftwareReason::UnsuitableCall, r.len() as u64);
            if self.sync() { self.straight(r) } else { 0 }
        } else if self.looks_ahead() {
            self.update_ahead(r)
        } else {
            self.update_now(r)
        }
    }

    /// A CTR_DRBG of OpenSSL's that fetched this cipher encrypts zeros in place (drbg_ctr.c,
    /// `drbg_ctr_generate`). Software computes its random numbers: what a driver leaves unwritten
    /// would be a key of zeros.
    fn is_for_random_numbers(&self, r: &Request<'_>) -> bool {
        if self.kind().mode != Mode::Ctr || !std::ptr::eq(r.input(), r.out()) || r.input().is_null() {
            return false;
        }
        // SAFETY: guaranteed by the request.
        unsafe { std::slice::from_raw_parts(r.input(), r.len()) }.iter().all(|byte| *byte == 0)
    }

    pub(super) fn update_now(&mut self, r: Request<'_>) -> c_int {
        match self.begin(r) {
            ControlFlow::Break(answer) => answer,
            ControlFlow::Continue(mut large) => {
                self.send(&mut large.blocks);
                self.end(large)
            }
        }
    }

    /// Processes all of an update, except the whole blocks of a large one and the data after them.
    fn begin<'a>(&mut self, r: Request<'a>) -> ControlFlow<c_int, Large<'a>> {
        if self.takes_records() {
            return ControlFlow::Break(self.record(r));
        }
        let (kind, block) = (self.kind(), self.kind().block());
        let head = self.held.wrapping_neg() & self.mask;
        let large = r.len() >= self.threshold() && r.len() >= head + 2 * block;
        let steals = kind.mode.is_whole() && r.len() % block != 0;
        let waiting = if kind.mode.holds_data() { self.held + self.kept.map_or(0, |_| block) } else { 0 };
        let fits = waiting.checked_add(r.len()).is_some_and(|total| r.out_size() >= total);
        if !large || steals || !fits || r.input().is_null() || r.out().is_null() || !self.may_offload() {
            self.explain(r.len());
            return ControlFlow::Break(if self.sync() { self.straight(r) } else { 0 });
        }
        // SAFETY: neither buffer is null, and `out` has room for all output.
        unsafe { self.begin_large(r, head) }.map_or(ControlFlow::Break(0), ControlFlow::Continue)
    }

    #[inline]
    pub(super) fn explain(&mut self, len: usize) {
        if self.counts.has_reasons() {
            self.count_reason(len);
        }
    }

    #[cold]
    fn count_reason(&mut self, len: usize) {
        let reason = if len < self.threshold().max(2 * self.kind().block()) {
            self.lookahead_refusal(len)
        } else if self.cipher.hardware.is_up() {
            Some(SoftwareReason::UnsuitableCall)
        } else {
            Some(SoftwareReason::DriverFailed)
        };
        if let Some(reason) = reason {
            self.counts.because(reason, len as u64);
        }
    }

    /// `None` if the default provider failed.
    ///
    /// # Safety
    /// Input and output are not null, and `out` has room for all held bytes and all input.
    unsafe fn begin_large<'a>(&mut self, r: Request<'a>, head: usize) -> Option<Large<'a>> {
        // In counter mode `soft` completes the block from the position of the last sync.
        if head > 0 && !self.sync() {
            return None;
        }
        let mut written = if head > 0 { self.part(r, 0, 0, head)? } else { 0 };
        if self.held > 0 {
            written += self.release(r, written)?;
        }
        let block = self.kind().block();
        let kept = self.kept;
        let before = kept.as_ref().map_or(&[][..], |kept| &kept[..block]);
        let (blocks, tail) = self.whole_blocks(before.len() + r.len() - head);
        // Read before any result is written, because `out` may be `input`.
        let last = (tail == block && self.keeps_last > 0).then(|| {
            let mut last = Block::default();
            // SAFETY: the last bytes of the input.
            unsafe { copy_nonoverlapping(r.input().add(r.len() - tail), last.as_mut_ptr(), block) };
            last
        });
        let iv = self.running_iv()?;
        // SAFETY: the blocks are within the request, and the caller guarantees room for them.
        let blocks = unsafe { Blocks::new(before, r.input().add(head), r.out().add(written), blocks, iv) };
        Some(Large { request: r, head, written, blocks, last })
    }

    fn end(&mut self, large: Large<'_>) -> c_int {
        let request = large.request;
        let written = self.end_large(large);
        written.map_or(0, |written| {
            request.set_written(written);
            1
        })
    }

    fn end_large(&mut self, large: Large<'_>) -> Option<usize> {
        let Large { request: r, head, mut written, blocks, last } = large;
        let done = self.go_on_from(&blocks);
        written += done;
        if done > 0 {
            self.kept = None;
        }
        if done == blocks.len() && last.is_some() {
            self.kept = last;
            return Some(written);
        }
        let from = head + done.saturating_sub(blocks.head().len());
        if from < r.len() {
            if !self.sync() {
                return None;
            }
            written += self.part(r, from, written, r.len() - from)?;
        }
        Some(written)
    }

    /// # Safety
    /// As for `OSSL_FUNC_cipher_final`.
    unsafe fn finish(&mut self, out: *mut u8, out_len: *mut usize, out_size: usize) -> c_int {
        if !self.sync() {
            return 0;
        }
        // SAFETY: guaranteed by the caller.
        let done = unsafe { (self.soft.functions.finish)(self.soft.at, out, out_len, out_size) };
        if done != 1 {
            self.lose()
        } else if self.kind().mode.holds_data() {
            self.held = 0
        }
        done
    }

    /// Bytes that can be processed now, in whole blocks, and the remaining ones.
    fn whole_blocks(&self, len: usize) -> (usize, usize) {
        let blocks = (len - self.keeps_last) & !(self.kind().block() - 1);
        (blocks, len - blocks)
    }

    fn part(&mut self, r: Request<'_>, from: usize, to: usize, len: usize) -> Option<usize> {
        let mut written = 0;
        let done = self.straight(r.part(from, to, len, &mut written));
        (done == 1).then_some(written)
    }

    /// Makes `soft` output the last block that it holds back for the padding: more data follows.
    fn release(&mut self, r: Request<'_>, to: usize) -> Option<usize> {
        if !self.set_soft_padding(false) {
            return None;
        }
        let keeps_last = std::mem::take(&mut self.keeps_last);
        let written = self.part(r, 0, to, 0);
        self.keeps_last = keeps_last;
        if self.set_soft_padding(self.padding) { written } else { None }
    }

    fn set_soft_padding(&mut self, on: bool) -> bool {
        let mut value = c_uint::from(on);
        let params = [Param::construct_uint(name::PADDING, &mut value), end()];
        let done = self.soft.set_params(&params);
        if !done {
            self.lose();
        }
        done
    }

    /// The current IV. Valid only while `soft` holds no bytes.
    pub(super) fn running_iv(&mut self) -> Option<Block> {
        let running = self.running.or_else(|| self.iv_of_soft());
        if running.is_none() {
            self.lose();
        }
        running
    }

    pub(super) fn iv_of_soft(&self) -> Option<Block> {
        // As a pointer: for a copy, the default provider tries the pointer first and leaves an
        // error on the queue.
        let mut at: *const u8 = null();
        let mut params = [Param::construct_octet_ptr(name::UPDATED_IV, &mut at), end()];
        // SAFETY: a context of this cipher; the array and its value pointer live through the call.
        let done = unsafe { (self.soft.functions.get_ctx_params)(self.soft.at, params.as_mut_ptr()) } == 1;
        let iv_len = self.kind().iv_len();
        if done && !at.is_null() && params[0].return_size == iv_len {
            let mut iv = Block::default();
            // SAFETY: the default provider returned a pointer to this many bytes in its context.
            unsafe { copy_nonoverlapping(at, iv.as_mut_ptr(), iv_len) };
            Some(iv)
        } else {
            None
        }
    }

    fn cipher_blocks(&mut self, r: Request<'_>) -> c_int {
        if self.kind().mode == Mode::Ctr && !self.lost {
            // In this mode the two functions are the same, except for the effect of TLS parameters
            // on `update`, and with those this context is lost.
            return self.update(r);
        }
        let block = self.kind().block();
        let fit = r.len() >= self.threshold()
            && r.len() >= block
            && r.len() % block == 0
            && r.out_size() >= r.len();
        let mut done = 0;
        // Bytes that are held for `update` would be lost when the IV is set afterwards.
        let nothing_held = self.held == 0 && self.kept.is_none();
        if fit && nothing_held && !r.input().is_null() && !r.out().is_null() && self.may_offload() {
            let Some(iv) = self.running_iv() else { return 0 };
            // SAFETY: the buffers are not null, and the size of `out` was checked.
            done = self.offload(unsafe { Blocks::new(&[], r.input(), r.out(), r.len(), iv) });
        } else {
            self.explain(r.len());
        }
        if done == r.len() && done > 0 {
            r.set_written(done);
            return 1;
        }
        self.soft_blocks(r, done)
    }

    /// From byte `from` on, which is within the request, without the buffer and the padding of
    /// `soft`.
    #[inline]
    pub(super) fn soft_blocks(&mut self, r: Request<'_>, from: usize) -> c_int {
        if !self.sync() {
            return 0;
        }
        let soft = &self.soft;
        let mut written = 0;
        let (out, out_size) = (r.out().wrapping_add(from), r.out_size().wrapping_sub(from));
        let (input, len) = (r.input().wrapping_add(from), r.len() - from);
        // SAFETY: a part of the request.
        let done = unsafe { (soft.functions.cipher)(soft.at, out, &mut written, out_size, input, len) };
        if !self.kind().mode.holds_data() {
            self.held = self.held.wrapping_add(r.len()) & self.mask;
        }
        self.counts.add((r.len() - from) as u64);
        if done == 1 {
            r.set_written(from + written);
        }
        done
    }
}
