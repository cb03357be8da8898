//! Cipher contexts.

mod context;
mod init;
mod lookahead;
mod offload;
pub(crate) mod params;
mod record;
mod stream;
mod unpad;

use outboard_abi::Dispatch;

use context::Context;

use crate::contexts::{duplicate, free, newctx, set_ctx_params};

pub(crate) const fn functions<const KIND: usize>() -> [Dispatch; 15] {
    [
        Dispatch::cipher_newctx(newctx::<Context, KIND>),
        Dispatch::cipher_freectx(free::<Context>),
        Dispatch::cipher_dupctx(duplicate::<Context>),
        Dispatch::cipher_encrypt_init(init::init::<true>),
        Dispatch::cipher_decrypt_init(init::init::<false>),
        Dispatch::cipher_update(stream::update),
        Dispatch::cipher_final(stream::finish),
        Dispatch::cipher_cipher(stream::cipher),
        Dispatch::cipher_get_params(params::get_params::<KIND>),
        Dispatch::cipher_get_ctx_params(params::get_ctx_params),
        Dispatch::cipher_set_ctx_params(set_ctx_params::<Context>),
        Dispatch::cipher_gettable_params(params::gettable_params),
        Dispatch::cipher_gettable_ctx_params(params::gettable_ctx_params::<KIND>),
        Dispatch::cipher_settable_ctx_params(params::settable_ctx_params::<KIND>),
        Dispatch::END,
    ]
}
