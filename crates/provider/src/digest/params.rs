//! Gettable and settable parameters of digests and contexts (provider-digest(7)).

use std::ffi::{c_int, c_void};

use outboard_abi as abi;
use outboard_abi::{Param, ParamType, name};

use super::context::Context;
use super::kind::{KINDS, Kind};
use crate::contexts;
use crate::provider_context::ProviderContext;

static GETTABLE: [Param; 5] = [
    Param::describe(name::DIGEST_BLOCK_SIZE, ParamType::Unsigned, size_of::<usize>()),
    Param::describe(name::DIGEST_SIZE, ParamType::Unsigned, size_of::<usize>()),
    Param::describe(name::DIGEST_XOF, ParamType::Integer, size_of::<c_int>()),
    Param::describe(name::DIGEST_ALGID_ABSENT, ParamType::Integer, size_of::<c_int>()),
    abi::end(),
];

/// `OSSL_FUNC_digest_gettable_params`
pub(super) unsafe extern "C" fn gettable_params(_provider: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

/// `OSSL_FUNC_digest_get_params`: values that apply to each context of the algorithm.
pub(super) unsafe extern "C" fn get_params<const KIND: usize>(params: *mut Param) -> c_int {
    // SAFETY: guaranteed by the core.
    unsafe { describe(&KINDS[KIND], params) }
}

/// # Safety
/// `params` is null or ends with a null key, and its buffers are writable.
#[inline(never)]
unsafe fn describe(kind: &Kind, params: *mut Param) -> c_int {
    let answers = [
        (name::DIGEST_BLOCK_SIZE, kind.hash.block_len() as u64),
        (name::DIGEST_SIZE, kind.hash.digest_len() as u64),
        (name::DIGEST_XOF, 0),
        (name::DIGEST_ALGID_ABSENT, 1),
    ];
    let all = answers.into_iter().all(|(key, value)| {
        // SAFETY: guaranteed by the caller.
        unsafe { abi::locate_mut(params, key).is_none_or(|param| abi::set_unsigned(param, value)) }
    });
    c_int::from(all)
}

/// `OSSL_FUNC_digest_set_ctx_params`: used for the message hash of SSL 3.
pub(super) unsafe extern "C" fn set_ctx_params(at: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: the core guarantees valid contexts; the parameters are passed on unchanged.
    unsafe { contexts::with(at, |context: &mut Context| context.set_params(params)) }
}

/// `OSSL_FUNC_digest_settable_ctx_params`: the default provider's list for SHA-1.
pub(super) unsafe extern "C" fn settable_ctx_params(_at: *mut c_void, provider: *mut c_void) -> *const Param {
    let choose = |context: &ProviderContext| context.digests.get()?.digest(0)?.soft.settable_ctx_params;
    // SAFETY: the core guarantees a valid provider context.
    unsafe { ProviderContext::list(provider, choose) }
}
