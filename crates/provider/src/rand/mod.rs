//! `OUTBOARD-HWRNG`: a seed source for OpenSSL's random generators that reads /dev/hwrng
//! (provider-rand(7)).
//!
//! OpenSSL's own DRBG processes the output (SP 800-90A): applications never get bytes of the device
//! as random numbers. A parent cannot be set, so that this source cannot be used as a DRBG.
//!
//! - `context`: the functions that the core calls
//! - `outboard_rng`: the device, its health tests, its assumed entropy

mod context;

use std::mem::transmute;

use outboard_abi as abi;
use outboard_abi::{Algorithm, Dispatch, Function};

use crate::contexts::free;

// SAFETY: the core casts each function back to the type that core_dispatch.h defines for its
// number.
static FUNCTIONS: [Dispatch; 14] = unsafe {
    [
        Dispatch::new(abi::RAND_NEWCTX, transmute::<abi::RandNewctx, Function>(context::newctx)),
        Dispatch::new(abi::RAND_FREECTX, transmute::<abi::RandFreectx, Function>(free::<context::Context>)),
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

/// The table for the core, identical on every machine. Whether this process can open the device is
/// checked, and an error reported, when OpenSSL instantiates the source. A check here would cost
/// time in every process that uses random numbers.
pub(crate) static ROWS: [Algorithm; 2] = [
    Algorithm {
        names: c"OUTBOARD-HWRNG".as_ptr(),
        properties: c"provider=outboard".as_ptr(),
        implementation: FUNCTIONS.as_ptr(),
        description: c"a seed source: /dev/hwrng with the health tests of SP 800-90B".as_ptr(),
    },
    Algorithm::END,
];
