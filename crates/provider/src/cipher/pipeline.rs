//! Pipelines: several streams under one key, each with its IV, an update of which brings input for each
//! (EVP_CipherPipelineUpdate(3), OpenSSL 3.5 and later).
//!
//! Each stream is a context of its own, and goes the way of any other: only where several updates are large, their whole blocks
//! go down together, as one batch, under the key of the context that has the pipes.

use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;
use std::ptr::null;

use outboard_abi::Param;

use super::context::Context;
use super::init::Given;
use super::stream::{Large, Request};
use crate::core::Reason;
use crate::guard;

/// `OSSL_FUNC_cipher_pipeline_encrypt_init` and `..._decrypt_init`
pub(super) unsafe extern "C" fn init<const ENCRYPT: bool>(
    at: *mut c_void,
    key: *const u8,
    key_len: usize,
    pipes: usize,
    ivs: *const *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    let key = Given { at: key, len: key_len };
    // SAFETY: the core's promise about contexts, keys, IVs and parameters.
    guard(0, || unsafe { super::context(at).init_pipes(ENCRYPT, key, pipes, ivs, iv_len, params) })
}

/// `OSSL_FUNC_cipher_pipeline_update`
pub(super) unsafe extern "C" fn update(
    at: *mut c_void,
    pipes: usize,
    outs: *const *mut u8,
    out_lens: *mut usize,
    out_sizes: *const usize,
    inputs: *const *const u8,
    lens: *const usize,
) -> c_int {
    guard(0, || {
        // SAFETY: the core's promise about contexts.
        let context = unsafe { super::context(at) };
        let is_whole = !outs.is_null() && !out_sizes.is_null() && !inputs.is_null() && !lens.is_null();
        if !context.has_so_many(pipes, is_whole && !out_lens.is_null()) {
            return 0;
        }
        // SAFETY: the core's promise: each array has an entry for each pipe.
        let request = |pipe| unsafe {
            Request {
                out: *outs.add(pipe),
                out_len: out_lens.add(pipe),
                out_size: *out_sizes.add(pipe),
                input: *inputs.add(pipe),
                len: *lens.add(pipe),
            }
        };
        // SAFETY: the core's promise about buffers.
        unsafe { context.update_pipes(request) }
    })
}

/// `OSSL_FUNC_cipher_pipeline_final`
pub(super) unsafe extern "C" fn finish(
    at: *mut c_void,
    pipes: usize,
    outs: *const *mut u8,
    out_lens: *mut usize,
    out_sizes: *const usize,
) -> c_int {
    guard(0, || {
        // SAFETY: the core's promise about contexts.
        let context = unsafe { super::context(at) };
        if !context.has_so_many(pipes, !outs.is_null() && !out_lens.is_null() && !out_sizes.is_null()) {
            return 0;
        }
        let mut all = 1;
        for (place, pipe) in context.pipes.iter_mut().enumerate() {
            // SAFETY: the core's promise: each array has an entry for each pipe, and each buffer is as large as is said.
            all &= unsafe { pipe.finish(*outs.add(place), out_lens.add(place), *out_sizes.add(place)) };
        }
        all
    })
}

impl Context {
    /// Streams that were there before go on from what they had, as far as they are given nothing new.
    ///
    /// # Safety
    /// `key` is null or readable; `ivs` is null or has so many entries, each null or readable for `iv_len` bytes; `params` is null
    /// or ends with a null key.
    unsafe fn init_pipes(
        &mut self,
        encrypt: bool,
        key: Given,
        count: usize,
        ivs: *const *const u8,
        iv_len: usize,
        params: *const Param,
    ) -> c_int {
        let mut pipes = std::mem::take(&mut self.pipes);
        pipes.truncate(count);
        let none = Given { at: null(), len: 0 };
        // SAFETY: the caller's promise.
        if unsafe { self.init(encrypt, key, none, params) } != 1 {
            return 0;
        }
        // Copies need no session: that of this context does what is large.
        let key_session = std::mem::take(&mut self.key_session);
        let enough = pipes.len()..count;
        pipes.extend(enough.map_while(|_| self.duplicate()).map(|copy| *copy));
        self.key_session = key_session;
        if pipes.len() < count.max(1) {
            self.provider.core.raise(Reason::Pipes, "a pipeline of no pipes, or no memory for them");
            return 0;
        }
        for (place, pipe) in pipes.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            let done = unsafe {
                let iv = if ivs.is_null() { null() } else { *ivs.add(place) };
                let iv = if iv.is_null() { none } else { Given { at: iv, len: iv_len } };
                pipe.init(encrypt, key, iv, params)
            };
            if done != 1 {
                return 0;
            }
        }
        self.pipes = pipes;
        self.settle();
        1
    }

    /// Whether there are so many pipes, and all that is needed was given; raises an error if not.
    fn has_so_many(&self, count: usize, is_given: bool) -> bool {
        let is_so = !self.pipes.is_empty() && self.pipes.len() == count && is_given;
        if !is_so {
            let text = "not so many pipes as the context was initialised for, or no buffers for them";
            self.provider.core.raise(Reason::Pipes, text);
        }
        is_so
    }

    /// # Safety
    /// As for `OSSL_FUNC_cipher_update`, for each request; `request` answers for each pipe.
    unsafe fn update_pipes(&mut self, request: impl Fn(usize) -> Request) -> c_int {
        let mut pipes = std::mem::take(&mut self.pipes);
        let mut all = 1;
        let mut large: Vec<(usize, Large)> = Vec::new();
        for (place, pipe) in pipes.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            match unsafe { pipe.begin(request(place)) } {
                ControlFlow::Continue(begun) => large.push((place, begun)),
                ControlFlow::Break(answer) => all &= answer,
            }
        }
        self.send(large.iter_mut().map(|(_, begun)| &mut begun.blocks).collect());
        for (place, begun) in large {
            // SAFETY: it was begun by this one.
            all &= unsafe { pipes[place].end(begun) };
        }
        self.pipes = pipes;
        all
    }
}
