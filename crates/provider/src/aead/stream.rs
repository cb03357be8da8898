use std::ffi::{c_int, c_void};

use outboard_accel::MAX_AAD;

use super::context::{Context, Stage};
use crate::contexts;
use crate::guard;
use crate::request::{Request, function_of_request};
use crate::software::SoftContext;

#[derive(Clone, Copy)]
pub(super) enum Call {
    Update,
    /// Of EVP_Cipher(3).
    Cipher,
}

/// A text that stays in software costs a comparison, a call and the counting.
pub(super) unsafe extern "C" fn update(
    at: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    out_size: usize,
    input: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: the core guarantees valid contexts.
    let Some(context) = (unsafe { contexts::context::<Context>(at) }) else { return 0 };
    if len >= context.pass_below || !(out.is_null() || context.counts.add_here(len as u64)) {
        // SAFETY: the core guarantees valid contexts and buffers.
        return unsafe { active_update(context, out, out_len, out_size, input, len) };
    }
    // SAFETY: the request is passed on unchanged. The call cannot panic.
    unsafe { (context.soft.functions.update)(context.soft.at, out, out_len, out_size, input, len) }
}

/// Not inlined, so that passing an update on needs no stack.
#[inline(never)]
unsafe extern "C" fn active_update(
    context: &mut Context,
    out: *mut u8,
    out_len: *mut usize,
    out_size: usize,
    input: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    let request = unsafe { Request::new(out, out_len, out_size, input, len) };
    if context.is_passive {
        if !out.is_null() {
            context.count_text(len);
        }
        return context.soft.pass(Call::Update, request);
    }
    if len < context.straight_below && !out.is_null() {
        // It cannot panic.
        return context.straight(Call::Update, request);
    }
    guard(0, || context.update(Call::Update, request))
}

function_of_request! {
    /// EVP_Cipher(3): an update, or the final if there is no input.
    fn cipher(context: Context, r) {
        guard(0, || {
            // For CCM, the rules differ between OpenSSL versions, and TLS does not call it.
            if context.ccm || context.in_record {
                if context.catch_up() { context.straight(Call::Cipher, r) } else { 0 }
            } else if r.input().is_null() && r.len() == 0 {
                context.finish(|soft| soft.pass(Call::Cipher, r)).unwrap_or_else(|| {
                    r.set_written(0);
                    1
                })
            } else {
                context.update(Call::Cipher, r)
            }
        })
    }
}

pub(super) unsafe extern "C" fn finish(
    at: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    out_size: usize,
) -> c_int {
    // SAFETY: the core guarantees valid contexts.
    let Some(context) = (unsafe { contexts::context::<Context>(at) }) else { return 0 };
    if !context.is_passive {
        // SAFETY: the core guarantees valid contexts and buffers.
        return unsafe { active_finish(context, out, out_len, out_size) };
    }
    context.tag = None;
    // SAFETY: the arguments are passed on unchanged. The call cannot panic.
    unsafe { (context.soft.functions.finish)(context.soft.at, out, out_len, out_size) }
}

/// As [`active_update`].
#[inline(never)]
unsafe extern "C" fn active_finish(
    context: &mut Context,
    out: *mut u8,
    out_len: *mut usize,
    out_size: usize,
) -> c_int {
    guard(0, || {
        // The caller of CCM reads the tag later. Final has no other effect in any OpenSSL version.
        let has_no_effect = context.ccm && context.is_offloaded() && !out.is_null();
        // SAFETY: guaranteed by the caller.
        unsafe {
            let finish = |soft: &SoftContext| (soft.functions.finish)(soft.at, out, out_len, out_size);
            let done = if has_no_effect { None } else { context.finish(finish) };
            done.unwrap_or_else(|| {
                *out_len = 0;
                1
            })
        }
    })
}

impl Context {
    #[inline]
    pub(super) fn straight(&mut self, call: Call, r: Request<'_>) -> c_int {
        let done = self.soft.pass(call, r);
        self.stage = Stage::Soft;
        self.straight_below = usize::MAX;
        if self.ccm {
            // Only a successful decryption ends a message.
            let is_text = !r.out().is_null() && !r.input().is_null() && !self.in_record;
            self.stale_length = !(is_text && done == 1 && !self.form.encrypt);
            self.tag = None;
        } else if r.len() > 0 && r.out_size() >= r.len() {
            // The update was processed as a record, successfully or not.
            self.in_record = false;
        }
        if std::mem::take(&mut self.refused) {
            self.was_unlike();
        }
        if !r.out().is_null() {
            self.observe_at_text();
            self.count_text(r.len());
        }
        done
    }

    fn update(&mut self, call: Call, r: Request<'_>) -> c_int {
        if self.is_offloaded() || std::mem::take(&mut self.refused) {
            self.was_unlike();
        }
        let is_deferred = matches!(self.stage, Stage::Open { is_deferred: true, .. });
        let may_wait = !self.has_key_stream_for(r.len());
        if is_deferred {
            let done = if r.out().is_null() { self.defer_associated(r) } else { self.text_ahead(r) };
            if let Some(written) = done {
                r.set_written(written);
                return 1;
            }
        }
        if !self.catch_up() {
            return 0;
        }
        let done = match self.stage {
            Stage::Open { announced, .. } if r.out().is_null() => {
                return self.associated(call, r, announced.is_some());
            }
            Stage::Open { .. } if !is_deferred => self.text(r),
            Stage::Open { .. } if may_wait => self.text_direct(r),
            Stage::Open { .. } => None,
            _ => self.record(r),
        };
        match done {
            Some(written) => {
                r.set_written(written);
                1
            }
            None => self.soft_text(call, r),
        }
    }

    /// For CCM, an update without data announces the length of the text.
    fn associated(&mut self, call: Call, r: Request<'_>, is_announced: bool) -> c_int {
        let done = self.soft.pass(call, r);
        let is_first = self.aad.is_empty();
        let usual = if done != 1 || self.aad.len() + r.len() > MAX_AAD && !r.input().is_null() {
            false
        } else if !self.ccm {
            !r.input().is_null()
        } else {
            // CCM: only if all additional data comes in one update, after the length.
            self.stale_length = true;
            is_first && (r.input().is_null() || r.len() == 0 || is_announced)
        };
        if !usual {
            self.leave();
        } else if r.input().is_null() {
            self.stage = Stage::Open { is_deferred: false, announced: Some(r.len()) };
        } else if self.aad.try_reserve(r.len()).is_err() {
            self.leave();
        } else {
            // SAFETY: guaranteed by the request.
            self.aad.extend_from_slice(unsafe { std::slice::from_raw_parts(r.input(), r.len()) });
        }
        done
    }

    fn soft_text(&mut self, call: Call, r: Request<'_>) -> c_int {
        let is_whole = self.ccm || self.in_record;
        let refused = std::mem::take(&mut self.refused);
        let done = self.straight(call, r);
        self.refused = refused;
        if is_whole {
            self.judge_refusal(done == 1, r.len());
        }
        done
    }

    /// `None`: the message has ended without a call of `soft`, and there is no output.
    fn finish(&mut self, finish: impl FnOnce(&SoftContext) -> c_int) -> Option<c_int> {
        if self.is_offloaded() && !self.ccm && self.end() {
            return None;
        }
        if !self.catch_up() {
            return Some(0);
        }
        let is_over = matches!(self.stage, Stage::Soft) && !self.stale_length;
        let done = finish(&self.soft);
        if !self.ccm {
            self.in_record = false;
        }
        self.tag = None;
        self.leave();
        self.stale_length = !is_over;
        self.judge_refusal(done == 1, 0);
        Some(done)
    }
}

impl SoftContext {
    #[inline]
    fn pass(&self, call: Call, r: Request<'_>) -> c_int {
        let function = match call {
            Call::Update => self.functions.update,
            Call::Cipher => self.functions.cipher,
        };
        // SAFETY: guaranteed by the request.
        unsafe { function(self.at, r.out(), r.out_len(), r.out_size(), r.input(), r.len()) }
    }
}
