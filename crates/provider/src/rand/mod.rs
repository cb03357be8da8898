//! `OUTBOARD-HWRNG`: a seed source for OpenSSL's random generators, from /dev/hwrng (provider-rand(7)).
//!
//! OpenSSL's own DRBG conditions what comes from here (SP 800-90A): bytes of the device never reach an application as
//! random numbers, and no parent may be set, so that this cannot be used as a DRBG.
//!
//! - `context`: the functions that the core calls
//! - `outboard_rng`: the device, its tests, how much entropy it has

mod context;

use std::mem::transmute;

use outboard_abi as abi;
use outboard_abi::{Algorithm, Dispatch, Function};

use crate::entry::Provider;
use crate::log::Level;

/// The name for `seed =` in the random section of openssl.cnf.
const NAME: &str = "OUTBOARD-HWRNG";

// SAFETY: the core casts each function back to the type that core_dispatch.h gives to its number.
static FUNCTIONS: [Dispatch; 14] = unsafe {
    [
        Dispatch::new(abi::RAND_NEWCTX, transmute::<abi::RandNewctx, Function>(context::newctx)),
        Dispatch::new(abi::RAND_FREECTX, transmute::<abi::RandFreectx, Function>(context::freectx)),
        Dispatch::new(
            abi::RAND_INSTANTIATE,
            transmute::<abi::RandInstantiate, Function>(context::instantiate),
        ),
        Dispatch::new(abi::RAND_UNINSTANTIATE, transmute::<abi::RandPlain, Function>(context::uninstantiate)),
        Dispatch::new(abi::RAND_GENERATE, transmute::<abi::RandGenerate, Function>(context::generate)),
        Dispatch::new(abi::RAND_GET_SEED, transmute::<abi::RandGetSeed, Function>(context::get_seed)),
        Dispatch::new(abi::RAND_CLEAR_SEED, transmute::<abi::RandClearSeed, Function>(context::clear_seed)),
        Dispatch::new(abi::RAND_ENABLE_LOCKING, transmute::<abi::RandPlain, Function>(context::lock)),
        Dispatch::new(abi::RAND_LOCK, transmute::<abi::RandPlain, Function>(context::lock)),
        Dispatch::new(abi::RAND_UNLOCK, transmute::<abi::RandFreectx, Function>(context::unlock)),
        Dispatch::new(
            abi::RAND_GETTABLE_CTX_PARAMS,
            transmute::<abi::CipherCtxParamList, Function>(context::gettable_ctx_params),
        ),
        Dispatch::new(
            abi::RAND_GET_CTX_PARAMS,
            transmute::<abi::GetCtxParams, Function>(context::get_ctx_params),
        ),
        Dispatch::new(
            abi::RAND_VERIFY_ZEROIZATION,
            transmute::<abi::RandPlain, Function>(context::verify_zeroization),
        ),
        Dispatch::END,
    ]
};

static ROWS: [Algorithm; 2] = [
    Algorithm {
        names: c"OUTBOARD-HWRNG".as_ptr(),
        properties: c"provider=outboard".as_ptr(),
        implementation: FUNCTIONS.as_ptr(),
        description: c"a seed source: /dev/hwrng with the health tests of SP 800-90B".as_ptr(),
    },
    Algorithm::END,
];

/// The table for the core; `None` while this process cannot have the device. Asked for whenever OpenSSL looks for a
/// random generator that it has not found before, and OpenSSL keeps what it found: that is a few times in a process.
pub(crate) fn rows(provider: &Provider) -> Option<*const Algorithm> {
    let available = outboard_rng::available();
    match &available {
        Ok(()) => provider.log.line(
            Level::Info,
            format_args!("offers {NAME} with {} bits of entropy to a byte", provider.policy.hwrng_entropy),
        ),
        Err(why) => provider.log.line(Level::Info, format_args!("does not offer {NAME}: {why}")),
    }
    available.is_ok().then_some(ROWS.as_ptr())
}
