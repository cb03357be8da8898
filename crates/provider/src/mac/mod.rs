//! HMAC contexts, each with its own message (`message`) and a key.
//!
//! In OpenSSL, HMAC is one algorithm with the digest as a parameter. Therefore this provider gets
//! all HMACs of a process. If no driver supports the digest or the key, the default provider
//! computes the HMAC from the first byte on.
//!
//! - `context`: state of a context
//! - `params`: gettable and settable parameters
//! - `software`: the default provider's HMAC

mod context;
mod params;
mod software;

use std::mem::transmute;

use outboard_abi as abi;
use outboard_abi::{Algorithm, Dispatch, Function};

use crate::contexts::free;

pub(crate) use software::SoftMac;

// SAFETY: the core casts each function back to the type that core_dispatch.h defines for its
// number.
static FUNCTIONS: [Dispatch; 11] = unsafe {
    [
        Dispatch::new(abi::MAC_NEWCTX, transmute::<abi::CipherNewctx, Function>(context::newctx)),
        Dispatch::new(abi::MAC_FREECTX, transmute::<abi::CipherFreectx, Function>(free::<context::Context>)),
        Dispatch::new(abi::MAC_DUPCTX, transmute::<abi::CipherDupctx, Function>(context::dupctx)),
        Dispatch::new(abi::MAC_INIT, transmute::<abi::MacInit, Function>(context::init)),
        Dispatch::new(abi::MAC_UPDATE, transmute::<abi::DigestUpdate, Function>(context::update)),
        Dispatch::new(abi::MAC_FINAL, transmute::<abi::DigestFinal, Function>(context::finish)),
        Dispatch::new(
            abi::MAC_GET_CTX_PARAMS,
            transmute::<abi::GetCtxParams, Function>(params::get_ctx_params),
        ),
        Dispatch::new(
            abi::MAC_SET_CTX_PARAMS,
            transmute::<abi::CipherSetCtxParams, Function>(params::set_ctx_params),
        ),
        Dispatch::new(
            abi::MAC_GETTABLE_CTX_PARAMS,
            transmute::<abi::CipherCtxParamList, Function>(params::gettable_ctx_params),
        ),
        Dispatch::new(
            abi::MAC_SETTABLE_CTX_PARAMS,
            transmute::<abi::CipherCtxParamList, Function>(params::settable_ctx_params),
        ),
        Dispatch::END,
    ]
};

/// The table for the core.
pub(crate) static ROWS: [Algorithm; 2] = [
    Algorithm {
        names: c"HMAC".as_ptr(),
        properties: c"provider=outboard".as_ptr(),
        implementation: FUNCTIONS.as_ptr(),
        description: c"by an accelerator where it wins, else by the default provider".as_ptr(),
    },
    Algorithm::END,
];
