//! The default provider's HMAC.

use std::ffi::c_void;
use std::mem::transmute;

use outboard_abi as abi;
use outboard_abi::{Dispatch, Function};

use crate::message::{SoftContext, SoftFunctions};

/// The functions of a MAC in the default provider.
#[derive(Clone, Copy)]
pub(crate) struct SoftMac {
    newctx: abi::CipherNewctx,
    pub(super) init: abi::MacInit,
    pub(super) get_ctx_params: abi::GetCtxParams,
    pub(super) set_ctx_params: abi::CipherSetCtxParams,
    pub(super) gettable_ctx_params: abi::CipherCtxParamList,
    pub(super) settable_ctx_params: abi::CipherCtxParamList,
    common: SoftFunctions,
}

impl SoftMac {
    /// # Safety
    /// `table` is the dispatch table of a MAC.
    pub(crate) unsafe fn new(table: *const Dispatch) -> Option<SoftMac> {
        let common = [abi::MAC_FREECTX, abi::MAC_DUPCTX, abi::MAC_UPDATE, abi::MAC_FINAL];
        // SAFETY: a dispatch table ends with number 0.
        let find = |id| unsafe { abi::find(table, id) };
        // SAFETY: core_dispatch.h defines for each number the type of the field that receives the
        // function.
        unsafe {
            Some(SoftMac {
                newctx: transmute::<Function, abi::CipherNewctx>(find(abi::MAC_NEWCTX)?),
                init: transmute::<Function, abi::MacInit>(find(abi::MAC_INIT)?),
                get_ctx_params: transmute::<Function, abi::GetCtxParams>(find(abi::MAC_GET_CTX_PARAMS)?),
                set_ctx_params: transmute::<Function, abi::CipherSetCtxParams>(find(
                    abi::MAC_SET_CTX_PARAMS,
                )?),
                gettable_ctx_params: transmute::<Function, abi::CipherCtxParamList>(find(
                    abi::MAC_GETTABLE_CTX_PARAMS,
                )?),
                settable_ctx_params: transmute::<Function, abi::CipherCtxParamList>(find(
                    abi::MAC_SETTABLE_CTX_PARAMS,
                )?),
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
}
