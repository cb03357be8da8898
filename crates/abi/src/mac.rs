//! Function numbers and function types of MACs (provider-mac(7)).

use std::ffi::{c_int, c_void};

use crate::Param;

/// `OSSL_OP_MAC`
pub const OP_MAC: c_int = 3;

/// `OSSL_FUNC_MAC_NEWCTX`
pub const MAC_NEWCTX: c_int = 1;
/// `OSSL_FUNC_MAC_DUPCTX`
pub const MAC_DUPCTX: c_int = 2;
/// `OSSL_FUNC_MAC_FREECTX`
pub const MAC_FREECTX: c_int = 3;
/// `OSSL_FUNC_MAC_INIT`
pub const MAC_INIT: c_int = 4;
/// `OSSL_FUNC_MAC_UPDATE`
pub const MAC_UPDATE: c_int = 5;
/// `OSSL_FUNC_MAC_FINAL`
pub const MAC_FINAL: c_int = 6;
/// `OSSL_FUNC_MAC_GET_CTX_PARAMS`
pub const MAC_GET_CTX_PARAMS: c_int = 8;
/// `OSSL_FUNC_MAC_SET_CTX_PARAMS`
pub const MAC_SET_CTX_PARAMS: c_int = 9;
/// `OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS`
pub const MAC_GETTABLE_CTX_PARAMS: c_int = 11;
/// `OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS`
pub const MAC_SETTABLE_CTX_PARAMS: c_int = 12;

/// `OSSL_FUNC_mac_init_fn`: context, key, its length, parameters.
pub type MacInit = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const Param) -> c_int;
