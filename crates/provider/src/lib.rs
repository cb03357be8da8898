//! outboard.so: an OpenSSL provider that offloads requests to an accelerator where that is faster.
//!
//! Software is the default provider's own implementation, called directly. Each cipher context owns
//! a context of the default provider, which holds all state (buffered bytes, padding, TLS
//! parameters). The accelerator processes only the whole blocks in the middle of a large request. A
//! small request therefore costs only one additional comparison and one call, and the default
//! provider implements every rule of EVP.
//!
//! - [`entry`]: `OSSL_provider_init`, the functions that the core calls; `tables`: the dispatch
//!   tables of ciphers and digests
//! - `provider`: what all contexts share; `provider_context`: that, and what is offered
//! - `core`: the functions that the core offers, including errors
//! - `log`: messages for the administrator; `standard_error`: where they are written
//! - `config`: the keys of this provider's section in openssl.cnf; `program`: the running program
//! - `software`: the default provider, found through the core
//! - `hardware`: a driver, its failures, and when it is disabled; `offload`: the sequence of each
//!   request to it; `submitted`: a request of a cipher or an AEAD in it
//! - `jobs`: OpenSSL's asynchronous jobs, paused while the accelerator works
//! - `offer`: which algorithms are offered; `search`: their drivers; `decided`: values computed once
//! - `reserve`: the allocator, with memory for the start; `stack_text`: texts without memory
//! - `contexts`: contexts owned by the core; `counts`: counters of requests in software
//! - `kinds`: the supported ciphers; `request`: arguments of the core's calls; `in_out`: a
//!   text and the place of its result
//! - `cipher`: cipher contexts; `aead`: AEAD contexts
//! - `digest`: digest contexts; `mac`: HMAC contexts; `message`: code shared by both, called by
//!   `message_calls`
//! - `key_session`: the driver session of a context; `sessions`: all sessions of a driver
//! - `spot_check`: recomputes blocks of each result by `block_cipher`; `draws`: random numbers that choose them;
//!   `sampling`: selects results for full comparison
//! - `clock`, `wipe`: time without system calls, overwriting of secrets
//! - `rand`: a seed source from /dev/hwrng
//! - `lookahead`: key stream computed in advance
//!
//! For tests and `fuzz/` there are in `tests/`: `sham_driver`, this provider in a real libcrypto with a
//! driver that has faults; `fuzzing`, streams of key stream over an engine of a script.

mod aead;
mod atomic_slot_id;
mod block_cipher;
mod cipher;
mod clock;
mod config;
mod context_counts;
mod contexts;
mod core;
mod decided;
mod digest;
mod draws;
pub mod entry;
#[cfg(all(test, loom))]
mod explored;
mod hardware;
mod in_out;
mod jobs;
mod key_session;
mod keyed_request;
mod kinds;
mod log;
mod lookahead;
mod mac;
mod message;
mod message_calls;
mod offer;
mod offload;
mod owned_slots;
mod program;
mod provider;
mod provider_context;
mod rand;
mod request;
mod reserve;
mod sampling;
mod search;
mod sessions;
#[cfg(any(test, fuzzing))]
#[path = "../tests/sham_driver/mod.rs"]
#[cfg_attr(fuzzing, allow(dead_code, unused_imports, reason = "unit tests use all of it"))]
mod sham_driver;
mod software;
mod spot_check;
mod stack_text;
mod standard_error;
#[path = "../../accel/src/sync/mod.rs"]
mod sync;
mod tables;
mod trust;
mod unwritten;

#[cfg(fuzzing)]
pub mod fuzzing {
    pub use crate::lookahead::fuzzing::{messages, predictor, stream};
    pub use crate::sham_driver::calls_of_script as calls;
}

use std::panic::{AssertUnwindSafe, catch_unwind};

/// A panic, which would be a bug in this provider, returns `failed` and never unwinds into C.
pub(crate) fn guard<T>(failed: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(failed)
}
