//! The default provider's digests.

use std::ffi::{c_int, c_void};
use std::mem::transmute;

use outboard_abi as abi;
use outboard_abi::{Dispatch, Function, Param};

use crate::message::{SoftContext, SoftFunctions};

/// The functions of a digest in the default provider.
#[derive(Clone, Copy)]
pub(crate) struct SoftDigest {
    newctx: abi::CipherNewctx,
    init: abi::DigestInit,
    set_ctx_params: Option<abi::CipherSetCtxParams>,
    pub(super) settable_ctx_params: Option<abi::CipherCtxParamList>,
    common: SoftFunctions,
}

impl SoftDigest {
    /// # Safety
    /// `table` is the dispatch table of a digest.
    pub(super) unsafe fn new(table: *const Dispatch) -> Option<SoftDigest> {
        let common = [abi::DIGEST_FREECTX, abi::DIGEST_DUPCTX, abi::DIGEST_UPDATE, abi::DIGEST_FINAL];
        // SAFETY: a dispatch table ends with number 0.
        let find = |id| unsafe { abi::find(table, id) };
        // SAFETY: core_dispatch.h defines for each number the type of the field that receives the
        // function.
        unsafe {
            Some(SoftDigest {
                newctx: transmute::<Function, abi::CipherNewctx>(find(abi::DIGEST_NEWCTX)?),
                init: transmute::<Function, abi::DigestInit>(find(abi::DIGEST_INIT)?),
                set_ctx_params: find(abi::DIGEST_SET_CTX_PARAMS)
                    .map(|f| transmute::<Function, abi::CipherSetCtxParams>(f)),
                settable_ctx_params: find(abi::DIGEST_SETTABLE_CTX_PARAMS)
                    .map(|f| transmute::<Function, abi::CipherCtxParamList>(f)),
                common: SoftFunctions::new(table, common)?,
            })
        }
    }

    /// A new context; `None` if the default provider is not active or cannot allocate one.
    pub(super) fn context(&self, provider_context: *mut c_void) -> Option<SoftContext> {
        if provider_context.is_null() {
            return None;
        }
        // SAFETY: the function belongs to the provider of the context.
        SoftContext::new(self.common, unsafe { (self.newctx)(provider_context) })
    }

    /// Begins a message.
    ///
    /// # Safety
    /// `params` is null or ends with a null key; the context is of this digest.
    pub(super) unsafe fn init(&self, context: &mut SoftContext, params: *const Param) -> c_int {
        // SAFETY: guaranteed by the caller.
        unsafe { (self.init)(context.at, params) }
    }

    /// # Safety
    /// As for [`init`](Self::init).
    pub(super) unsafe fn set_params(&self, context: &mut SoftContext, params: *const Param) -> c_int {
        // SAFETY: guaranteed by the caller.
        self.set_ctx_params.map_or(0, |set| unsafe { set(context.at, params) })
    }
}
