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
pub(crate) mod software;

use outboard_abi::{Algorithm, Dispatch};

use crate::contexts::{duplicate, free, newctx, set_ctx_params};
use crate::message_calls::{finish, update};

static FUNCTIONS: [Dispatch; 11] = [
    Dispatch::mac_newctx(newctx::<context::Context, 0>),
    Dispatch::mac_freectx(free::<context::Context>),
    Dispatch::mac_dupctx(duplicate::<context::Context>),
    Dispatch::mac_init(context::init),
    Dispatch::mac_update(update::<context::Context>),
    Dispatch::mac_final(finish::<context::Context>),
    Dispatch::mac_get_ctx_params(params::get_ctx_params),
    Dispatch::mac_set_ctx_params(set_ctx_params::<context::Context>),
    Dispatch::mac_gettable_ctx_params(params::gettable_ctx_params),
    Dispatch::mac_settable_ctx_params(params::settable_ctx_params),
    Dispatch::END,
];

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
