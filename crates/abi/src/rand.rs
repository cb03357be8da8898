//! Function numbers and function types of random sources (core_dispatch.h, provider-rand(7)).

use std::ffi::{c_int, c_uint, c_void};

use crate::{Dispatch, Param};

/// `OSSL_FUNC_RAND_NEWCTX`
pub const RAND_NEWCTX: c_int = 1;
/// `OSSL_FUNC_RAND_FREECTX`
pub const RAND_FREECTX: c_int = 2;
/// `OSSL_FUNC_RAND_INSTANTIATE`
pub const RAND_INSTANTIATE: c_int = 3;
/// `OSSL_FUNC_RAND_UNINSTANTIATE`
pub const RAND_UNINSTANTIATE: c_int = 4;
/// `OSSL_FUNC_RAND_GENERATE`
pub const RAND_GENERATE: c_int = 5;
/// `OSSL_FUNC_RAND_ENABLE_LOCKING`
pub const RAND_ENABLE_LOCKING: c_int = 8;
/// `OSSL_FUNC_RAND_LOCK`
pub const RAND_LOCK: c_int = 9;
/// `OSSL_FUNC_RAND_UNLOCK`
pub const RAND_UNLOCK: c_int = 10;
/// `OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS`
pub const RAND_GETTABLE_CTX_PARAMS: c_int = 12;
/// `OSSL_FUNC_RAND_GET_CTX_PARAMS`
pub const RAND_GET_CTX_PARAMS: c_int = 15;
/// `OSSL_FUNC_RAND_VERIFY_ZEROIZATION`
pub const RAND_VERIFY_ZEROIZATION: c_int = 17;
/// `OSSL_FUNC_RAND_GET_SEED`
pub const RAND_GET_SEED: c_int = 18;
/// `OSSL_FUNC_RAND_CLEAR_SEED`
pub const RAND_CLEAR_SEED: c_int = 19;

/// `EVP_RAND_STATE_UNINITIALISED` (evp.h)
pub const EVP_RAND_STATE_UNINITIALISED: c_int = 0;
/// `EVP_RAND_STATE_READY` (evp.h)
pub const EVP_RAND_STATE_READY: c_int = 1;
/// `EVP_RAND_STATE_ERROR` (evp.h)
pub const EVP_RAND_STATE_ERROR: c_int = 2;

/// `OSSL_FUNC_rand_newctx_fn`: provider context, context of the parent or null, dispatch table of
/// the parent or null.
pub type RandNewctx = unsafe extern "C" fn(*mut c_void, *mut c_void, *const Dispatch) -> *mut c_void;
/// `OSSL_FUNC_rand_freectx_fn` and `OSSL_FUNC_rand_unlock_fn`
pub type RandFreectx = unsafe extern "C" fn(*mut c_void);
/// `OSSL_FUNC_rand_instantiate_fn`: context, strength in bits, prediction resistance,
/// personalisation string, its length, parameters.
pub type RandInstantiate =
    unsafe extern "C" fn(*mut c_void, c_uint, c_int, *const u8, usize, *const Param) -> c_int;
/// `OSSL_FUNC_rand_generate_fn`: context, output, its length, strength in bits, prediction
/// resistance, additional input, its length.
pub type RandGenerate =
    unsafe extern "C" fn(*mut c_void, *mut u8, usize, c_uint, c_int, *const u8, usize) -> c_int;
/// `OSSL_FUNC_rand_uninstantiate_fn`, `..._enable_locking_fn`, `..._lock_fn` and
/// `..._verify_zeroization_fn`
pub type RandPlain = unsafe extern "C" fn(*mut c_void) -> c_int;
/// `OSSL_FUNC_rand_get_seed_fn`: context, pointer that receives the buffer, entropy in bits,
/// minimum and maximum length in bytes, prediction resistance, additional input, its length.
/// Returns the length of the buffer, or 0.
pub type RandGetSeed =
    unsafe extern "C" fn(*mut c_void, *mut *mut u8, c_int, usize, usize, c_int, *const u8, usize) -> usize;
/// `OSSL_FUNC_rand_clear_seed_fn`: context, a buffer returned by `get_seed`, its length.
pub type RandClearSeed = unsafe extern "C" fn(*mut c_void, *mut u8, usize);
