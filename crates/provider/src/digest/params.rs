use std::ffi::{c_int, c_void};

use outboard_abi as abi;
use outboard_abi::{Param, ParamType, Requested, name};

use super::kind::{KINDS, Kind};
use crate::provider_context::ProviderContext;

static GETTABLE: [Param; 5] = [
    Param::describe(name::DIGEST_BLOCK_SIZE, ParamType::Unsigned, size_of::<usize>()),
    Param::describe(name::DIGEST_SIZE, ParamType::Unsigned, size_of::<usize>()),
    Param::describe(name::DIGEST_XOF, ParamType::Integer, size_of::<c_int>()),
    Param::describe(name::DIGEST_ALGID_ABSENT, ParamType::Integer, size_of::<c_int>()),
    abi::end(),
];

pub(super) unsafe extern "C" fn gettable_params(_provider: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

/// `OSSL_FUNC_digest_get_params`: values that apply to each context of the algorithm.
pub(super) unsafe extern "C" fn get_params<const KIND: usize>(params: *mut Param) -> c_int {
    // SAFETY: guaranteed by the core.
    describe(&KINDS[KIND], unsafe { Requested::new(params) })
}

#[inline(never)]
fn describe(kind: &Kind, mut params: Requested<'_>) -> c_int {
    let answers = [
        (name::DIGEST_BLOCK_SIZE, kind.hash.block_len() as u64),
        (name::DIGEST_SIZE, kind.hash.digest_len() as u64),
        (name::DIGEST_XOF, 0),
        (name::DIGEST_ALGID_ABSENT, 1),
    ];
    c_int::from(answers.into_iter().all(|(key, value)| params.set_unsigned(key, value)))
}

/// The default provider's list for SHA-1.
pub(super) unsafe extern "C" fn settable_ctx_params(_at: *mut c_void, provider: *mut c_void) -> *const Param {
    let choose = |context: &ProviderContext| context.digests.get()?.digest(0)?.soft.settable_ctx_params;
    // SAFETY: the core guarantees a valid provider context.
    ProviderContext::list(unsafe { ProviderContext::at(provider) }, choose)
}
