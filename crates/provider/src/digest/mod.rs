//! Digest contexts, each with its own message (`message`).

mod context;
pub(crate) mod kind;
pub(crate) mod offer;
mod params;
mod software;

use outboard_abi::Dispatch;

use crate::contexts::{duplicate, free, newctx, set_ctx_params};
use crate::message_calls::{finish, update};
use context::Context;

/// The core calls some functions without a context: hence a const parameter.
pub(crate) const fn functions<const KIND: usize>() -> [Dispatch; 12] {
    [
        Dispatch::digest_newctx(newctx::<Context, KIND>),
        Dispatch::digest_freectx(free::<Context>),
        Dispatch::digest_dupctx(duplicate::<Context>),
        Dispatch::digest_init(context::init),
        Dispatch::digest_update(update::<Context>),
        Dispatch::digest_final(finish::<Context>),
        Dispatch::digest_get_params(params::get_params::<KIND>),
        Dispatch::digest_gettable_params(params::gettable_params),
        // Only SHA-1 has settable parameters, so the table of the others ends here.
        if KIND == 0 { Dispatch::digest_set_ctx_params(set_ctx_params::<Context>) } else { Dispatch::END },
        Dispatch::digest_settable_ctx_params(params::settable_ctx_params),
        Dispatch::END,
        Dispatch::END,
    ]
}
