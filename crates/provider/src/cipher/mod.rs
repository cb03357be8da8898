//! Cipher contexts.
//!
//! - `kind`: the supported ciphers and the differences between them
//! - `context`: state of a context, copying, freeing
//! - `init`: setting of key, IV and direction
//! - `stream`: update and final
//! - `record`: TLS 1.2 and older, one record per update
//! - `unpad`: removes padding and MAC from a decrypted record in constant time
//! - `offload`: whole blocks processed by the accelerator
//! - `lookahead`: CTR with key stream that was computed before
//! - `pipeline`: several streams with one key, whose requests are submitted together
//! - `params`: gettable and settable parameters

mod context;
pub(crate) mod init;
mod kind;
mod lookahead;
mod offload;
pub(crate) mod params;
mod pipeline;
mod record;
mod stream;
mod unpad;

use std::ffi::c_void;
use std::mem::transmute;

use outboard_abi as abi;
use outboard_abi::{Dispatch, Function};

use context::Context;
pub(crate) use kind::{Block, KINDS, Kind, Mode};
pub(crate) use stream::Request;

use crate::contexts::free;

/// The dispatch table of `KINDS[KIND]`. The core calls some functions without a context, so each
/// algorithm needs its own instance of them: hence a const parameter. The functions for pipelines,
/// which OpenSSL before 3.5 ignores, come last. Without `PIPES` the table ends before them.
const fn functions<const KIND: usize, const PIPES: bool>() -> [Dispatch; 19] {
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
                transmute::<abi::CipherGetParams, Function>(params::get_params::<KIND>),
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
                transmute::<abi::GettableParams, Function>(params::gettable_params),
            ),
            Dispatch::new(
                abi::CIPHER_GETTABLE_CTX_PARAMS,
                transmute::<abi::CipherCtxParamList, Function>(params::gettable_ctx_params::<KIND>),
            ),
            Dispatch::new(
                abi::CIPHER_SETTABLE_CTX_PARAMS,
                transmute::<abi::CipherCtxParamList, Function>(params::settable_ctx_params::<KIND>),
            ),
            if PIPES {
                Dispatch::new(
                    abi::CIPHER_PIPELINE_ENCRYPT_INIT,
                    transmute::<abi::CipherPipelineInit, Function>(pipeline::init::<true>),
                )
            } else {
                Dispatch::END
            },
            Dispatch::new(
                abi::CIPHER_PIPELINE_DECRYPT_INIT,
                transmute::<abi::CipherPipelineInit, Function>(pipeline::init::<false>),
            ),
            Dispatch::new(
                abi::CIPHER_PIPELINE_UPDATE,
                transmute::<abi::CipherPipelineUpdate, Function>(pipeline::update),
            ),
            Dispatch::new(
                abi::CIPHER_PIPELINE_FINAL,
                transmute::<abi::CipherPipelineFinal, Function>(pipeline::finish),
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
