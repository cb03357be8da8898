//! AEAD contexts: GCM and CCM.
//!
//! An accelerator processes a whole message in one request and returns or verifies its tag. EVP
//! allows any number of updates. Therefore the first large update of a message is processed as its
//! whole text, which is correct for TLS and most programs. Until the next call, the default
//! provider's context stays in the state before that update, and a copy of the text is kept. If the
//! message ends there, the context is moved to the end of the message without processing the text.
//! Any other call first passes the text to the context, which then continues.
//!
//! Unverified plaintext is never released from the accelerator: it decrypts only if the tag was set
//! before. If it rejects the tag, the default provider repeats the decryption and its result
//! applies. With look-ahead, plaintext is released before verification only if the application
//! requests that, by a tag that it sets after the text (OpenVPN), as by the default provider.
//!
//! - `context`: state of a context, copying, freeing
//! - `init`: setting of key, IV and direction
//! - `stream`: update and final
//! - `record`: TLS 1.2, one record per update
//! - `lookahead`: when a context uses key stream that was computed before; `message`: a message
//!   that does
//! - `offload`: a message processed by the accelerator
//! - `deferred`: calls that the default provider's context receives only when it is needed
//! - `step`: synchronises the default provider's context with the accelerator
//! - `short`: nonces and tags
//! - `text_room`: the memory for the copy of a text
//! - `params`: gettable and settable parameters

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
