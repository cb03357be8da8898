use std::ffi::c_int;

use outboard_abi as abi;
use outboard_abi::{Dispatch, Params};

use crate::message::{SoftContext, SoftFunctions};

#[derive(Clone, Copy)]
pub(crate) struct SoftDigest {
    init: abi::DigestInit,
    set_ctx_params: Option<abi::CipherSetCtxParams>,
    pub(super) settable_ctx_params: Option<abi::CipherCtxParamList>,
    pub(super) common: SoftFunctions,
}

impl SoftDigest {
    /// # Safety
    /// `table` is the dispatch table of a digest.
    pub(super) unsafe fn new(table: *const Dispatch) -> Option<SoftDigest> {
        let common = [
            abi::DIGEST_NEWCTX,
            abi::DIGEST_FREECTX,
            abi::DIGEST_DUPCTX,
            abi::DIGEST_UPDATE,
            abi::DIGEST_FINAL,
        ];
        // SAFETY: a dispatch table ends with number 0; core_dispatch.h defines for each number the type
        // of the field that receives the function.
        unsafe {
            Some(SoftDigest {
                init: abi::find(table, abi::DIGEST_INIT)?,
                set_ctx_params: abi::find(table, abi::DIGEST_SET_CTX_PARAMS),
                settable_ctx_params: abi::find(table, abi::DIGEST_SETTABLE_CTX_PARAMS),
                common: SoftFunctions::new(table, common)?,
            })
        }
    }

    /// Begins a message. The context is of this digest.
    pub(super) fn begin(&self, context: &mut SoftContext, params: Params<'_>) -> c_int {
        // SAFETY: a context of this digest.
        unsafe { (self.init)(context.at, params.as_ptr()) }
    }

    /// The context is of this digest.
    pub(super) fn set_params(&self, context: &mut SoftContext, params: Params<'_>) -> c_int {
        // SAFETY: as above.
        self.set_ctx_params.map_or(0, |set| unsafe { set(context.at, params.as_ptr()) })
    }
}
