//! Function numbers and function types of digests (core_dispatch.h, provider-digest(7)). Types that
//! ciphers share with digests are in `function`.

use std::ffi::{c_int, c_void};

use crate::Param;

/// `OSSL_OP_DIGEST`
pub const OP_DIGEST: c_int = 1;

/// `OSSL_FUNC_DIGEST_NEWCTX`
pub const DIGEST_NEWCTX: c_int = 1;
/// `OSSL_FUNC_DIGEST_INIT`
pub const DIGEST_INIT: c_int = 2;
/// `OSSL_FUNC_DIGEST_UPDATE`
pub const DIGEST_UPDATE: c_int = 3;
/// `OSSL_FUNC_DIGEST_FINAL`
pub const DIGEST_FINAL: c_int = 4;
/// `OSSL_FUNC_DIGEST_FREECTX`
pub const DIGEST_FREECTX: c_int = 6;
/// `OSSL_FUNC_DIGEST_DUPCTX`
pub const DIGEST_DUPCTX: c_int = 7;
/// `OSSL_FUNC_DIGEST_GET_PARAMS`
pub const DIGEST_GET_PARAMS: c_int = 8;
/// `OSSL_FUNC_DIGEST_SET_CTX_PARAMS`
pub const DIGEST_SET_CTX_PARAMS: c_int = 9;
/// `OSSL_FUNC_DIGEST_GETTABLE_PARAMS`
pub const DIGEST_GETTABLE_PARAMS: c_int = 11;
/// `OSSL_FUNC_DIGEST_SETTABLE_CTX_PARAMS`
pub const DIGEST_SETTABLE_CTX_PARAMS: c_int = 12;

/// `OSSL_FUNC_digest_init_fn`: context, parameters.
pub type DigestInit = unsafe extern "C" fn(*mut c_void, *const Param) -> c_int;
/// `OSSL_FUNC_digest_update_fn` and `OSSL_FUNC_mac_update_fn`: context, input, its length.
pub type DigestUpdate = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int;
/// `OSSL_FUNC_digest_final_fn` and `OSSL_FUNC_mac_final_fn`: context, output, length written, size
/// of output.
pub type DigestFinal = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
