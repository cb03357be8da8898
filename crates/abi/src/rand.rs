//! Function types of random sources (core_dispatch.h, provider-rand(7)).

use std::ffi::{c_int, c_uint, c_void};

use crate::function::numbers;
use crate::{Dispatch, Param};

// The states of a generator (evp.h).
numbers! {
    c_int, "":
    EVP_RAND_STATE_UNINITIALISED = 0;
    EVP_RAND_STATE_READY = 1;
    EVP_RAND_STATE_ERROR = 2;
}

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
