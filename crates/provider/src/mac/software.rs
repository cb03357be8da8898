//! The default provider's HMAC.

use outboard_abi as abi;
use outboard_abi::Dispatch;

use crate::message::SoftFunctions;

/// The functions of a MAC in the default provider.
#[derive(Clone, Copy)]
pub(crate) struct SoftMac {
    pub(super) init: abi::MacInit,
    pub(super) get_ctx_params: abi::GetCtxParams,
    pub(super) set_ctx_params: abi::CipherSetCtxParams,
    pub(super) gettable_ctx_params: abi::CipherCtxParamList,
    pub(super) settable_ctx_params: abi::CipherCtxParamList,
    pub(super) common: SoftFunctions,
}

impl SoftMac {
    /// # Safety
    /// `table` is the dispatch table of a MAC.
    pub(crate) unsafe fn new(table: *const Dispatch) -> Option<SoftMac> {
        let common = [abi::MAC_NEWCTX, abi::MAC_FREECTX, abi::MAC_DUPCTX, abi::MAC_UPDATE, abi::MAC_FINAL];
        // SAFETY: a dispatch table ends with number 0; core_dispatch.h defines for each number the type
        // of the field that receives the function.
        unsafe {
            Some(SoftMac {
                init: abi::find(table, abi::MAC_INIT)?,
                get_ctx_params: abi::find(table, abi::MAC_GET_CTX_PARAMS)?,
                set_ctx_params: abi::find(table, abi::MAC_SET_CTX_PARAMS)?,
                gettable_ctx_params: abi::find(table, abi::MAC_GETTABLE_CTX_PARAMS)?,
                settable_ctx_params: abi::find(table, abi::MAC_SETTABLE_CTX_PARAMS)?,
                common: SoftFunctions::new(table, common)?,
            })
        }
    }
}
