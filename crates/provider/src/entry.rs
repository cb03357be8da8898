//! `OSSL_provider_init` and the functions that the core calls.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::null;

use outboard_abi as abi;
use outboard_abi::{CoreHandle, Dispatch, Param, ParamType, Requested, name};
use outboard_accel::memory::try_box;
use outboard_policy::Digests;

use crate::config::Config;
use crate::core::Core;
use crate::decided::Decided;
use crate::digest::offer::DigestOffer;
use crate::guard;
use crate::jobs::{self, Jobs};
use crate::lookahead::Lookahead;
use crate::mac;
use crate::offer::Offer;
use crate::program;
use crate::provider::Provider;
use crate::provider_context::ProviderContext;
use crate::rand;
use crate::reserve::with_reserve;
use crate::software::Software;
use crate::tables;

const NAME: &CStr = c"outboard: hardware crypto accelerators, where they win";
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

static FUNCTIONS: [Dispatch; 5] = [
    Dispatch::provider_teardown(teardown),
    Dispatch::provider_gettable_params(gettable_params),
    Dispatch::provider_get_params(get_params),
    Dispatch::provider_query_operation(query_operation),
    Dispatch::END,
];

static GETTABLE: [Param; 5] = [
    Param::describe(name::PROVIDER_NAME, ParamType::Utf8Ptr, 0),
    Param::describe(name::PROVIDER_VERSION, ParamType::Utf8Ptr, 0),
    Param::describe(name::PROVIDER_BUILDINFO, ParamType::Utf8Ptr, 0),
    Param::describe(name::PROVIDER_STATUS, ParamType::Integer, size_of::<c_int>()),
    abi::end(),
];

/// The only exported symbol of the module (provider-base(7)).
///
/// # Safety
/// Called by the core of OpenSSL 3.0 or later: `table` ends with number 0; `out` and `context` are
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const CoreHandle,
    table: *const Dispatch,
    out: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    let start = || {
        // SAFETY: guaranteed by the core.
        let Some(core) = (unsafe { Core::new(handle, table) }) else { return 0 };
        let Some(Config { policy, log, counters }) = Config::read(&core) else { return 0 };
        let lookahead = Lookahead::new(&policy.lookahead);
        let is_allowed = policy.programs.contains(program::name());
        // The core may call this module after the provider has ended: see `software`.
        let stays_loaded = jobs::stay_loaded();
        let Some(software) = Software::watch(core) else {
            core.raise_no_memory();
            return 0;
        };
        let jobs = Jobs::find(&core).filter(|_| stays_loaded);
        let made = try_box(ProviderContext {
            provider: Provider { core, policy, log, lookahead, counters, software, jobs },
            is_allowed,
            offer: Decided::not_yet(),
            digests: Decided::not_yet(),
        });
        let Some(made) = made.map(Box::into_raw) else {
            // SAFETY: no other reference is left, and this is called once.
            unsafe { software.end() };
            core.raise_no_memory();
            return 0;
        };
        // SAFETY: guaranteed by the core.
        unsafe {
            *out = FUNCTIONS.as_ptr();
            *context = made.cast();
        }
        1
    };
    guard(0, || with_reserve(start))
}

unsafe extern "C" fn teardown(context: *mut c_void) {
    guard((), || {
        // SAFETY: the core calls this once with the context, when no object of this provider is
        // left.
        let context = unsafe { Box::from_raw(context.cast::<ProviderContext>()) };
        let software = context.provider.software;
        drop(context);
        // SAFETY: the provider is gone, and this is called once.
        unsafe { software.end() };
        outboard_accel::device::close_unused();
    });
}

unsafe extern "C" fn gettable_params(_context: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

unsafe extern "C" fn get_params(_context: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: guaranteed by the core.
    let mut params = unsafe { Requested::new(params) };
    let texts = [
        (name::PROVIDER_NAME, NAME.to_bytes_with_nul()),
        (name::PROVIDER_VERSION, VERSION.as_bytes()),
        (name::PROVIDER_BUILDINFO, VERSION.as_bytes()),
    ];
    // SAFETY: the texts are constants, each with a NUL behind it.
    let set = |(key, text): (_, &[u8])| unsafe { params.set_pointer(key, &text[..text.len() - 1]) };
    c_int::from(texts.into_iter().all(set) && params.set_unsigned(name::PROVIDER_STATUS, 1))
}

unsafe extern "C" fn query_operation(
    context: *mut c_void,
    operation: c_int,
    no_cache: *mut c_int,
) -> *const abi::Algorithm {
    let nothing = || {
        // No caching: the default provider may be activated later, and then algorithms can be
        // offered.
        // SAFETY: guaranteed by the core.
        unsafe { *no_cache = 1 };
        null()
    };
    guard(null(), || {
        // SAFETY: the core passes this provider's context.
        let Some(context) = (unsafe { ProviderContext::at(context) }) else { return null() };
        let ciphers = || context.decide(&context.offer, |provider| Offer::decide(provider, &tables::CIPHERS));
        let digests =
            || context.decide(&context.digests, |provider| DigestOffer::decide(provider, &tables::DIGESTS));
        let rows = match operation {
            _ if !context.is_allowed => Some(null()),
            abi::OP_CIPHER => ciphers().and_then(Offer::rows),
            abi::OP_DIGEST | abi::OP_MAC if context.provider.policy.digests == Digests::default() => {
                Some(null())
            }
            abi::OP_DIGEST => digests().and_then(DigestOffer::rows),
            abi::OP_MAC => digests().and_then(|offer| offer.soft_hmac.and(Some(mac::ROWS.as_ptr()))),
            abi::OP_RAND => Some(rand::ROWS.as_ptr()),
            _ => Some(null()),
        };
        match rows {
            Some(rows) => {
                // SAFETY: guaranteed by the core.
                unsafe { *no_cache = 0 };
                rows
            }
            None => nothing(),
        }
    })
}
