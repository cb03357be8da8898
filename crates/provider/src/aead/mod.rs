//! AEAD contexts: GCM and CCM.
//!
//! An accelerator processes a whole message in one request. EVP allows any number of updates.
//! Therefore the first large update is processed as the whole text of its message, which is right
//! for TLS and most programs. The default provider's context stays in the state before it, and a
//! copy of the text is kept. If the message ends there, the context is moved to its end without the
//! text; any other call first passes the text to it.
//!
//! No unverified plaintext comes from the accelerator: it decrypts only if the tag was set before.
//! If it rejects the tag, the default provider repeats the decryption and decides. With look-ahead,
//! plaintext comes before verification only if the application sets the tag after the text
//! (OpenVPN), as by the default provider.

mod catch_up;
mod context;
mod deferred;
mod init;
mod lookahead;
mod message;
mod offload;
mod params;
mod record;
mod short;
mod stream;
mod text_room;

use outboard_abi::Dispatch;

use crate::cipher::params as shared;
use crate::contexts::{duplicate, free, newctx};
use context::Context;

/// The dispatch table of `KINDS[KIND]`; see [`crate::cipher`].
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
        Dispatch::cipher_get_params(shared::get_params::<KIND>),
        Dispatch::cipher_get_ctx_params(params::get_ctx_params),
        Dispatch::cipher_set_ctx_params(params::set_ctx_params),
        Dispatch::cipher_gettable_params(shared::gettable_params),
        Dispatch::cipher_gettable_ctx_params(shared::gettable_ctx_params::<KIND>),
        Dispatch::cipher_settable_ctx_params(shared::settable_ctx_params::<KIND>),
        Dispatch::END,
    ]
}
