//! outboard.so: the OpenSSL provider that hands requests to an accelerator where that wins.
//!
//! Software means the default provider's own implementation, called directly: each cipher context owns
//! one of the default provider's, which keeps all state (buffered bytes, padding, TLS parameters), and the
//! accelerator only does the whole blocks in the middle of a large request. So a small request pays one
//! comparison and one call, and every rule of EVP is the default provider's by construction.
//!
//! - [`entry`]: `OSSL_provider_init`, the functions that the core calls
//! - `core`: the functions that the core offers, errors included
//! - `config`: the keys of our section in openssl.cnf
//! - `software`: the default provider, found through the core
//! - `hardware`: the driver, its failures, its rest
//! - `jobs`: OpenSSL's jobs, paused while the accelerator works
//! - `offer`: which algorithms are offered; `decided`: what is found out once
//! - `contexts`: contexts handed to the core and taken back; `soft_counts`: what each does in software
//! - `cipher`: cipher contexts; `aead`: those of ciphers that authenticate
//! - `digest`: digest contexts; `mac`: those of HMAC; `message`: what both do with a message
//! - `key_session`: a context's key in the driver; `sessions`: all of them
//! - `spot_check`: blocks of each result recomputed; `sampling`: which results are compared in full
//! - `clock`, `wipe`: time without system calls, secrets overwritten
//! - `rand`: a seed source from /dev/hwrng

mod aead;
mod cipher;
mod clock;
mod config;
mod contexts;
mod core;
mod decided;
mod digest;
pub mod entry;
mod hardware;
mod jobs;
mod key_session;
mod log;
mod mac;
mod message;
mod offer;
mod rand;
mod sampling;
mod sessions;
mod soft_counts;
mod software;
mod spot_check;
mod wipe;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `body`; a panic, which would be a bug of ours, becomes `failed` and never crosses into C.
pub(crate) fn guard<T>(failed: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(failed)
}
