use outboard_abi as abi;
use outboard_abi::Dispatch;

use crate::message::SoftFunctions;

abi::functions! {
    /// The functions of a MAC in the default provider that a digest does not have.
    pub(crate) struct MacFunctions {
        pub(super) init: MacInit = MAC_INIT;
        pub(super) get_ctx_params: GetCtxParams = MAC_GET_CTX_PARAMS;
        pub(super) set_ctx_params: CipherSetCtxParams = MAC_SET_CTX_PARAMS;
        pub(super) gettable_ctx_params: CipherCtxParamList = MAC_GETTABLE_CTX_PARAMS;
        pub(super) settable_ctx_params: CipherCtxParamList = MAC_SETTABLE_CTX_PARAMS;
    }
}

#[derive(Clone, Copy)]
pub(crate) struct SoftMac {
    pub(super) functions: MacFunctions,
    pub(super) common: SoftFunctions,
}

impl SoftMac {
    /// # Safety
    /// `table` is the dispatch table of a MAC.
    pub(crate) unsafe fn new(table: *const Dispatch) -> Option<SoftMac> {
        let common = [abi::MAC_NEWCTX, abi::MAC_FREECTX, abi::MAC_DUPCTX, abi::MAC_UPDATE, abi::MAC_FINAL];
        // SAFETY: guaranteed by the caller.
        unsafe {
            Some(SoftMac { functions: MacFunctions::new(table)?, common: SoftFunctions::new(table, common)? })
        }
    }
}
