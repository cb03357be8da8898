//! Look-ahead: key stream that an accelerator computes before it is requested.
//!
//! In CTR and GCM mode the key stream is the encryption of counter blocks. It does not depend on the
//! text, and the next counter blocks are predictable. Segments of them are encrypted in ECB mode,
//! several in flight, and a request is XORed with key stream that is already there. Requests
//! rarely wait for the accelerator, and an engine with ECB mode only can serve modern ciphers.
//! docs/security/lookahead.md argues that this is safe.
//!
//! - `counters`: the counter blocks of a segment
//! - `nonces`: predicts the nonces of GCM messages
//! - `mix`: XORs key stream with a text, and compares each block with its counter block
//! - `text`: words of a text at the alignment that it has
//! - `segment`: a segment and its use; `verifier`: the blocks that software recomputes
//! - `supply`, `budget`: how much is computed, and the memory for it
//! - `counter_stream`: CTR; `record_stream`: GCM; `gcm_tag`, `length_block`: the tag of a message

mod budget;
mod counter_stream;
mod counters;
#[cfg(fuzzing)]
pub mod fuzzing;
mod gcm_tag;
mod length_block;
mod mix;
mod nonces;
mod record_stream;
mod segment;
mod supply;
mod text;
mod verifier;

use std::time::Duration;

use outboard_policy::LookaheadPolicy;

use crate::decided::Decided;
use crate::owned_slots::OwnedSlots;
use budget::Budget;
pub(crate) use counter_stream::{CounterStream, Position};
pub(crate) use counters::FIRST_OF_GCM;
pub(crate) use gcm_tag::GcmTag;
pub(crate) use length_block::is_tag;
pub(crate) use nonces::{NoncePattern, NoncePredictor, Seen};
pub(crate) use record_stream::RecordStream;
pub(crate) use segment::Stopped;
pub(crate) use verifier::Verifier;

/// Maximum number of streams of a process.
const STREAMS: usize = 1024;

/// A stream that was not used for this time gives its memory back, when another one needs some.
const IDLE: Duration = Duration::from_secs(1);

/// Key stream of one context.
pub(crate) enum KeyStream {
    Counter(CounterStream),
    Records(RecordStream),
}

/// The key stream of a process.
pub(crate) struct Lookahead {
    budget: Budget,
    /// Maximum number of bytes of key stream of one context.
    pub(crate) window: usize,
    streams: Decided<OwnedSlots<KeyStream>>,
}

impl Lookahead {
    pub(crate) fn new(policy: &LookaheadPolicy) -> Lookahead {
        let (budget, window) = (Budget::new(policy.memory), policy.window);
        Lookahead { budget, window, streams: Decided::not_yet() }
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The streams of all contexts. `None` without memory.
    pub(crate) fn streams(&self) -> Option<&OwnedSlots<KeyStream>> {
        self.streams.get().or_else(|| self.streams.set(OwnedSlots::new(STREAMS, IDLE)?))
    }
}
