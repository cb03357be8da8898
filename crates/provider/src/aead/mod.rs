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
//! - `lookahead`: a message processed with key stream that was computed before
//! - `offload`: a message processed by the accelerator
//! - `step`: synchronises the default provider's context with the accelerator
//! - `params`: gettable and settable parameters

mod context;
mod init;
mod lookahead;
mod offload;
mod params;
mod record;
mod step;
mod stream;

use std::ffi::c_void;
use std::mem::transmute;

use outboard_abi as abi;
use outboard_abi::{Dispatch, Function};

use crate::cipher::params as shared;
use crate::contexts::free;
use context::Context;

/// The dispatch table of `KINDS[KIND]`; see [`crate::cipher`].
pub(crate) const fn functions<const KIND: usize>() -> [Dispatch; 15] {
    // SAFETY: each function has the type that core_dispatch.h defines for its number; the core
    // casts it back to that type.
    unsafe {
        [
            Dispatch::new(
                abi::CIPHER_NEWCTX,
                transmute::<abi::CipherNewctx, Function>(context::newctx::<KIND>),
            ),
            Dispatch::new(abi::CIPHER_FREECTX, transmute::<abi::CipherFreectx, Function>(free::<Context>)),
            Dispatch::new(abi::CIPHER_DUPCTX, transmute::<abi::CipherDupctx, Function>(context::dupctx)),
            Dispatch::new(
                abi::CIPHER_ENCRYPT_INIT,
                transmute::<abi::CipherInit, Function>(init::init::<true>),
            ),
            Dispatch::new(
                abi::CIPHER_DECRYPT_INIT,
                transmute::<abi::CipherInit, Function>(init::init::<false>),
            ),
            Dispatch::new(abi::CIPHER_UPDATE, transmute::<abi::CipherUpdate, Function>(stream::update)),
            Dispatch::new(abi::CIPHER_FINAL, transmute::<abi::CipherFinal, Function>(stream::finish)),
            Dispatch::new(abi::CIPHER_CIPHER, transmute::<abi::CipherUpdate, Function>(stream::cipher)),
            Dispatch::new(
                abi::CIPHER_GET_PARAMS,
                transmute::<abi::CipherGetParams, Function>(shared::get_params::<KIND>),
            ),
            Dispatch::new(
                abi::CIPHER_GET_CTX_PARAMS,
                transmute::<abi::GetCtxParams, Function>(params::get_ctx_params),
            ),
            Dispatch::new(
                abi::CIPHER_SET_CTX_PARAMS,
                transmute::<abi::CipherSetCtxParams, Function>(params::set_ctx_params),
            ),
            Dispatch::new(
                abi::CIPHER_GETTABLE_PARAMS,
                transmute::<abi::GettableParams, Function>(shared::gettable_params),
            ),
            Dispatch::new(
                abi::CIPHER_GETTABLE_CTX_PARAMS,
                transmute::<abi::CipherCtxParamList, Function>(shared::gettable_ctx_params::<KIND>),
            ),
            Dispatch::new(
                abi::CIPHER_SETTABLE_CTX_PARAMS,
                transmute::<abi::CipherCtxParamList, Function>(shared::settable_ctx_params::<KIND>),
            ),
            Dispatch::END,
        ]
    }
}

/// The context at a pointer that the core stores.
///
/// # Safety
/// `at` came from [`context::newctx`] or [`context::dupctx`], was not freed, and no other reference
/// to it is in use: EVP contexts are not shared between threads.
unsafe fn context<'a>(at: *mut c_void) -> &'a mut Context {
    // SAFETY: guaranteed by the caller.
    unsafe { &mut *at.cast::<Context>() }
}
