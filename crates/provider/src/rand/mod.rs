//! `OUTBOARD-HWRNG`: a seed source for OpenSSL's random generators that reads /dev/hwrng
//! (provider-rand(7)).
//!
//! OpenSSL's own DRBG processes the output (SP 800-90A): applications never get bytes of the device
//! as random numbers. A parent cannot be set, so that this source cannot be used as a DRBG.

mod context;

use outboard_abi::{Algorithm, Dispatch};

use crate::contexts::free;

static FUNCTIONS: [Dispatch; 14] = [
    Dispatch::rand_newctx(context::newctx),
    Dispatch::rand_freectx(free::<context::Context>),
    Dispatch::rand_instantiate(context::instantiate),
    Dispatch::rand_uninstantiate(context::uninstantiate),
    Dispatch::rand_generate(context::generate),
    Dispatch::rand_get_seed(context::get_seed),
    Dispatch::rand_clear_seed(context::clear_seed),
    Dispatch::rand_enable_locking(context::lock),
    Dispatch::rand_lock(context::lock),
    Dispatch::rand_unlock(context::unlock),
    Dispatch::rand_gettable_ctx_params(context::gettable_ctx_params),
    Dispatch::rand_get_ctx_params(context::get_ctx_params),
    Dispatch::rand_verify_zeroization(context::verify_zeroization),
    Dispatch::END,
];

/// Identical on every machine. Whether this process can open the device is seen when OpenSSL
/// instantiates the source: a check here would cost time in every process that uses random numbers.
pub(crate) static ROWS: [Algorithm; 2] = [
    Algorithm {
        names: c"OUTBOARD-HWRNG".as_ptr(),
        properties: c"provider=outboard".as_ptr(),
        implementation: FUNCTIONS.as_ptr(),
        description: c"a seed source: /dev/hwrng with the health tests of SP 800-90B".as_ptr(),
    },
    Algorithm::END,
];
