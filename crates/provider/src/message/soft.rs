//! The default provider's digests.

use std::ffi::c_void;
use std::mem::transmute;
use std::ptr::null;

use outboard_abi as abi;
use outboard_abi::{Dispatch, Function, Param};

use super::driven::Digested;

/// The functions of a digest of the default provider.
#[derive(Clone, Copy)]
pub(crate) struct SoftDigest {
    newctx: abi::CipherNewctx,
    freectx: abi::CipherFreectx,
    dupctx: abi::CipherDupctx,
    init: abi::DigestInit,
    update: abi::DigestUpdate,
    finish: abi::DigestFinal,
    set_ctx_params: Option<abi::CipherSetCtxParams>,
    pub(super) settable_ctx_params: Option<abi::CipherCtxParamList>,
}

impl SoftDigest {
    /// # Safety
    /// `table` is the dispatch table of a digest.
    pub(super) unsafe fn new(table: *const Dispatch) -> Option<SoftDigest> {
        // SAFETY: a dispatch table ends with number 0.
        let find = |id| unsafe { abi::find(table, id) };
        // SAFETY: core_dispatch.h gives each number the type of the field that it is stored in.
        unsafe {
            Some(SoftDigest {
                newctx: transmute::<Function, abi::CipherNewctx>(find(abi::DIGEST_NEWCTX)?),
                freectx: transmute::<Function, abi::CipherFreectx>(find(abi::DIGEST_FREECTX)?),
                dupctx: transmute::<Function, abi::CipherDupctx>(find(abi::DIGEST_DUPCTX)?),
                init: transmute::<Function, abi::DigestInit>(find(abi::DIGEST_INIT)?),
                update: transmute::<Function, abi::DigestUpdate>(find(abi::DIGEST_UPDATE)?),
                finish: transmute::<Function, abi::DigestFinal>(find(abi::DIGEST_FINAL)?),
                set_ctx_params: find(abi::DIGEST_SET_CTX_PARAMS)
                    .map(|f| transmute::<Function, abi::CipherSetCtxParams>(f)),
                settable_ctx_params: find(abi::DIGEST_SETTABLE_CTX_PARAMS)
                    .map(|f| transmute::<Function, abi::CipherCtxParamList>(f)),
            })
        }
    }
}

/// One digest context of the default provider, freed with its owner.
pub(crate) struct SoftContext {
    functions: SoftDigest,
    at: *mut c_void,
}

impl SoftContext {
    /// A new context; `None` when the default provider has none to give.
    pub(super) fn new(functions: SoftDigest, provider_context: *mut c_void) -> Option<SoftContext> {
        if provider_context.is_null() {
            return None;
        }
        // SAFETY: the function belongs to the provider whose context it gets.
        let at = unsafe { (functions.newctx)(provider_context) };
        (!at.is_null()).then_some(SoftContext { functions, at })
    }

    /// A copy with all state.
    pub(super) fn duplicate(&self) -> Option<SoftContext> {
        // SAFETY: `at` is a context of this digest.
        let at = unsafe { (self.functions.dupctx)(self.at) };
        (!at.is_null()).then_some(SoftContext { functions: self.functions, at })
    }

    /// Begins a message.
    ///
    /// # Safety
    /// `params` is null or ends with a null key.
    pub(super) unsafe fn init(&mut self, params: *const Param) -> i32 {
        // SAFETY: `at` is a context of this digest.
        unsafe { (self.functions.init)(self.at, params) }
    }

    /// Takes more of the message in.
    ///
    /// # Safety
    /// `input` is readable for `len` bytes.
    #[inline]
    pub(super) unsafe fn update(&mut self, input: *const u8, len: usize) -> i32 {
        // SAFETY: `at` is a context of this digest; the caller's promise.
        unsafe { (self.functions.update)(self.at, input, len) }
    }

    /// The digest.
    ///
    /// # Safety
    /// `out` is writable for `size` bytes, `len` too.
    pub(super) unsafe fn finish(&mut self, out: *mut u8, len: *mut usize, size: usize) -> i32 {
        // SAFETY: `at` is a context of this digest; the caller's promise.
        unsafe { (self.functions.finish)(self.at, out, len, size) }
    }

    /// # Safety
    /// `params` is null or ends with a null key.
    pub(super) unsafe fn set_params(&mut self, params: *const Param) -> i32 {
        // SAFETY: `at` is a context of this digest; the caller's promise.
        self.functions.set_ctx_params.map_or(0, |set| unsafe { set(self.at, params) })
    }

    /// What a message hashes to. The context has none.
    pub(super) fn digest_of(&self, message: &[u8]) -> Option<Digested> {
        let mut scratch = self.duplicate()?;
        let mut digested = Digested { bytes: [0; 64], len: 0 };
        // SAFETY: the message is readable, the digest writable for its length.
        let done = unsafe {
            scratch.init(null()) == 1
                && scratch.update(message.as_ptr(), message.len()) == 1
                && scratch.finish(digested.bytes.as_mut_ptr(), &mut digested.len, digested.bytes.len()) == 1
        };
        done.then_some(digested)
    }
}

impl Drop for SoftContext {
    fn drop(&mut self) {
        // SAFETY: `at` is a context of this digest and is not used again.
        unsafe { (self.functions.freectx)(self.at) }
    }
}
