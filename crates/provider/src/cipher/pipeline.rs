//! Pipelines: several streams with one key and an IV for each. One update has input for each stream
//! (EVP_CipherPipelineUpdate(3), OpenSSL 3.5 and later).
//!
//! Each stream has its own context and is processed like any other. Only if several updates are
//! large, their whole blocks are submitted together as one batch, with the key of the context that
//! owns the pipes.

use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;

use outboard_abi::Param;

use super::context::Context;
use super::stream::Large;
use crate::contexts::{self, Duplicate};
use crate::core::Reason;
use crate::request::{Request, given};

/// Maximum number of streams: OpenSSL's EVP_MAX_PIPES.
const MAX_PIPES: usize = 32;

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
    // SAFETY: the core guarantees valid contexts, keys, IVs and parameters.
    unsafe {
        contexts::with(at, |context: &mut Context| {
            context.init_pipes(ENCRYPT, given(key, key_len), pipes, ivs, iv_len, params)
        })
    }
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
    let update = |context: &mut Context| {
        let is_whole = !outs.is_null() && !out_sizes.is_null() && !inputs.is_null() && !lens.is_null();
        if !context.has_so_many(pipes, is_whole && !out_lens.is_null()) {
            return 0;
        }
        // SAFETY: the core guarantees that each array has an entry for each pipe, and valid buffers.
        let request = |pipe| unsafe {
            let (input, len) = (*inputs.add(pipe), *lens.add(pipe));
            Request::new(*outs.add(pipe), out_lens.add(pipe), *out_sizes.add(pipe), input, len)
        };
        context.update_pipes(request)
    };
    // SAFETY: the core guarantees valid contexts.
    unsafe { contexts::with(at, update) }
}

/// `OSSL_FUNC_cipher_pipeline_final`
pub(super) unsafe extern "C" fn finish(
    at: *mut c_void,
    pipes: usize,
    outs: *const *mut u8,
    out_lens: *mut usize,
    out_sizes: *const usize,
) -> c_int {
    let finish = |context: &mut Context| {
        if !context.has_so_many(pipes, !outs.is_null() && !out_lens.is_null() && !out_sizes.is_null()) {
            return 0;
        }
        let mut all = 1;
        for (place, pipe) in context.pipes.iter_mut().enumerate() {
            // SAFETY: the core guarantees that each array has an entry for each pipe, and the size
            // of each buffer.
            all &= unsafe { pipe.finish(*outs.add(place), out_lens.add(place), *out_sizes.add(place)) };
        }
        all
    };
    // SAFETY: the core guarantees valid contexts.
    unsafe { contexts::with(at, finish) }
}

impl Context {
    /// Existing streams keep the values for which no new value is given.
    ///
    /// # Safety
    /// `ivs` is null or has `count` entries, each null or readable for
    /// `iv_len` bytes; `params` is null or ends with a null key.
    unsafe fn init_pipes(
        &mut self,
        encrypt: bool,
        key: Option<&[u8]>,
        count: usize,
        ivs: *const *const u8,
        iv_len: usize,
        params: *const Param,
    ) -> c_int {
        let mut pipes = std::mem::take(&mut self.pipes);
        pipes.truncate(count);

        // SAFETY: guaranteed by the caller.
        if unsafe { self.init(encrypt, key, None, params) } != 1 {
            return 0;
        }
        // The copies need no session, because large requests use the session of this context.
        let key_session = std::mem::take(&mut self.key_session);
        let missing = count.saturating_sub(pipes.len());
        let has_room = count <= MAX_PIPES && pipes.try_reserve_exact(missing).is_ok();
        if has_room {
            pipes.extend((0..missing).map_while(|_| self.duplicate()));
        }
        self.key_session = key_session;
        if pipes.len() < count.max(1) {
            let text = "a pipeline of no pipes or too many, or no memory for them";
            self.provider.core.raise(Reason::Pipes, text);
            return 0;
        }
        for (place, pipe) in pipes.iter_mut().enumerate() {
            // SAFETY: guaranteed by the caller.
            let done = unsafe {
                let iv = if ivs.is_null() { None } else { given(*ivs.add(place), iv_len) };
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

    /// Whether the context has `count` pipes and all required arguments are given. Raises an error
    /// if not.
    fn has_so_many(&self, count: usize, is_given: bool) -> bool {
        let is_so = !self.pipes.is_empty() && self.pipes.len() == count && is_given;
        if !is_so {
            let text = "fewer or more pipes than the context was initialised for, or no buffers for them";
            self.provider.core.raise(Reason::Pipes, text);
        }
        is_so
    }

    /// Updates each pipe with its request.
    fn update_pipes<'a>(&mut self, request: impl Fn(usize) -> Request<'a>) -> c_int {
        let mut pipes = std::mem::take(&mut self.pipes);
        let mut all = 1;
        let mut large: [Option<Large>; MAX_PIPES] = std::array::from_fn(|_| None);
        for (place, pipe) in pipes.iter_mut().enumerate() {
            match pipe.begin(request(place)) {
                ControlFlow::Continue(begun) => large[place] = Some(begun),
                ControlFlow::Break(answer) => all &= answer,
            }
        }
        self.send(&mut large.each_mut().map(|begun| begun.as_mut().map(|begun| &mut begun.blocks)));
        for (pipe, begun) in pipes.iter_mut().zip(large) {
            if let Some(begun) = begun {
                all &= pipe.end(begun);
            }
        }
        self.pipes = pipes;
        all
    }
}
