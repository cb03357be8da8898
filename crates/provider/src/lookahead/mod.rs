//! Look-ahead: key stream that an accelerator computes before it is requested.
//!
//! In CTR and GCM mode the key stream is the encryption of counter blocks, which are predictable.
//! Segments of them are encrypted in ECB mode, several in flight, and a request is XORed with key
//! stream that is already there. Software processes what there is none for, in steps: no request
//! waits for the accelerator. An engine with ECB mode only can serve modern ciphers.
//! docs/security/lookahead.md argues that this is safe.

mod budget;
mod counter_stream;
mod counters;
#[cfg(all(test, loom))]
mod explored;
#[cfg(fuzzing)]
#[path = "../../tests/fuzzing/mod.rs"]
pub mod fuzzing;
mod gcm_tag;
#[cfg(test)]
mod late_tests;
mod length_block;
mod mix;
mod nonces;
mod record_stream;
mod segment;
mod supply;
mod text;
mod verifier;

use std::time::Duration;

use outboard_accel::{Error, Session};
use outboard_counters::Row;
use outboard_policy::LookaheadPolicy;

use crate::clock::now_ms;
use crate::decided::Decided;
use crate::hardware::Hardware;
use crate::owned_slots::{Ending, FreeSlot, OwnedSlots};
use budget::Budget;
pub(crate) use counter_stream::{CounterStream, Position};
pub(crate) use counters::FIRST_OF_GCM;
pub(crate) use gcm_tag::GcmTag;
pub(crate) use length_block::is_tag;
pub(crate) use nonces::{NoncePattern, NoncePredictor, Seen};
pub(crate) use record_stream::{RecordStream, Served};
pub(crate) use segment::Stopped;
pub(crate) use supply::Supply;
pub(crate) use verifier::Verifier;

/// Bytes of a text that software processes before it looks again for key stream: small enough that
/// a long text uses what comes meanwhile, and large enough that looking costs little.
pub(crate) const STEP: usize = 2048;

const STREAMS: usize = 1024;

/// A stream that was not used for this time gives its memory back, when another one needs some.
const IDLE: Duration = Duration::from_secs(1);

pub(crate) enum KeyStream {
    Counter(CounterStream),
    Records(RecordStream),
}

impl KeyStream {
    fn is_late(&mut self, now: u32) -> bool {
        match self {
            KeyStream::Counter(stream) => stream.is_late(now),
            KeyStream::Records(stream) => stream.is_late(now),
        }
    }
}

/// Stays in its slot while the driver has some of its memory.
impl Ending for KeyStream {
    fn end(&mut self) -> bool {
        match self {
            KeyStream::Counter(stream) => stream.end(),
            KeyStream::Records(stream) => stream.end(),
        }
    }
}

pub(crate) struct Lookahead {
    budget: Budget,
    /// Of one context, in bytes.
    window: usize,
    streams: Decided<OwnedSlots<KeyStream>>,
}

impl Lookahead {
    pub(crate) fn new(policy: &LookaheadPolicy) -> Lookahead {
        let (budget, window) = (Budget::new(policy.memory), policy.window);
        Lookahead { budget, window, streams: Decided::not_yet() }
    }

    pub(crate) fn supply(&'static self, session: Box<dyn Session>) -> Supply {
        Supply::new(session, &self.budget, self.window)
    }

    /// A place for a new stream, if one may start.
    pub(crate) fn place(&self) -> Option<FreeSlot<'_, KeyStream>> {
        self.streams().filter(|_| self.may_start())?.reserve(true)
    }

    /// Not while the driver is late with what another stream needs: an engine that has stopped
    /// would lose each further request, with its memory.
    pub(crate) fn may_start(&self) -> bool {
        self.may_start_at(now_ms())
    }

    fn may_start_at(&self, now: u32) -> bool {
        let Some(streams) = self.streams() else { return false };
        streams.sweep();
        streams.find(|stream| stream.is_late(now).then_some(())).is_none()
    }

    /// Goes on with a stream after its use, by `refill` if it `needs_more`. `Err`: it must end,
    /// after an error of the driver or without one.
    pub(crate) fn go_on(
        &self,
        stopped: Stopped,
        hardware: &Hardware,
        row: Option<&Row>,
        needs_more: bool,
        refill: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Option<Error>> {
        match stopped {
            Stopped::Complete | Stopped::NotReady => {
                if let Some(streams) = self.streams().filter(|_| needs_more) {
                    while streams.evict_idle() {}
                }
                refill().map_err(Some)
            }
            Stopped::NoAnswer => {
                hardware.has_not_answered(row);
                Err(None)
            }
            // What a driver has computed that was wrong once is not used either.
            Stopped::Elsewhere | Stopped::Wrong => Err(None),
            Stopped::Failed(error) => Err(Some(error)),
        }
    }

    pub(crate) fn streams(&self) -> Option<&OwnedSlots<KeyStream>> {
        self.streams.get().or_else(|| self.streams.set(OwnedSlots::new(STREAMS, IDLE)?))
    }
}
