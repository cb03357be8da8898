//! One message through a driver.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use outboard_accel::{Digest, Error, HashSession};

use crate::entry::Provider;
use crate::hardware::Hardware;
use crate::sessions::{Borrowed, Hold};

/// As many threads hash at the same time with a driver that takes no key.
const THREADS: usize = 8;

/// After a refusal so many messages go to software before the driver is asked again.
const PAUSE: u32 = 16;

/// A driver of a digest, and when it is asked.
pub(super) struct Driven {
    /// OpenSSL's name, for counters, policy and log.
    pub(super) name: &'static str,
    pub(super) hardware: Arc<Hardware<dyn HashSession>>,
    /// The shortest message in bytes that goes to the driver.
    pub(super) threshold: usize,
    /// The driver gives no state out, so a message has to fit one request.
    whole_only: AtomicBool,
    /// Sessions without a key, for whoever wants one; they stay. 0: none.
    keyless: [AtomicU64; THREADS],
    /// 0, or one more than the messages that went to software since the driver had no session to give.
    refused: AtomicU32,
    /// Of sessions without a key: so many results were compared.
    compared: AtomicU32,
}

/// Why there is no digest.
#[derive(PartialEq)]
enum Missing {
    /// The driver is away: its sessions are of no more use.
    Away,
    /// Anything else.
    Failed,
}

impl Driven {
    pub(super) fn new(
        name: &'static str,
        hardware: Arc<Hardware<dyn HashSession>>,
        threshold: usize,
    ) -> Driven {
        Driven {
            name,
            hardware,
            threshold,
            whole_only: AtomicBool::new(false),
            keyless: Default::default(),
            refused: AtomicU32::new(0),
            compared: AtomicU32::new(0),
        }
    }

    /// The digest of a message by a driver that takes no key; `None`: software has to do it, which answers by `expect` too,
    /// with which some results are compared.
    pub(super) fn digest(
        &self,
        provider: &Provider,
        message: &[u8],
        expect: impl FnOnce() -> Option<Digested>,
    ) -> Option<Digest> {
        let mut session = self.keyless_session()?;
        let compared = self.compared.load(Ordering::Relaxed);
        let counts = self.hardware.is_to_be_compared(compared);
        // With nothing to compare with, it would be shown unverified.
        let expected = if counts { Some(expect()?) } else { None };
        match self.run(provider, &mut session, message, expected) {
            Ok(digest) => {
                if counts {
                    self.compared.fetch_add(1, Ordering::Relaxed);
                }
                Some(digest)
            }
            Err(missing) => {
                drop(session);
                if missing == Missing::Away {
                    self.close_all();
                }
                None
            }
        }
    }

    /// One message through a session. The digest is right as far as `expected` tells.
    fn run(
        &self,
        provider: &Provider,
        session: &mut Borrowed<'_, dyn HashSession>,
        message: &[u8],
        expected: Option<Digested>,
    ) -> Result<Digest, Missing> {
        if self.whole_only.load(Ordering::Relaxed) && message.len() > session.max_request() {
            return Err(Missing::Failed);
        }
        let row = provider.counters.row(self.name);
        let digest = match session.digest(message) {
            Ok(digest) => digest,
            Err(Error::NoState { .. }) => {
                self.whole_only.store(true, Ordering::Relaxed);
                return Err(Missing::Failed);
            }
            Err(error) => {
                self.hardware.failed(&error);
                if !error.is_scarcity() {
                    row.inspect(|row| row.add_failure());
                }
                return Err(if error.is_away() { Missing::Away } else { Missing::Failed });
            }
        };
        if expected.is_some_and(|expected| expected.as_slice() != digest.as_slice()) {
            self.hardware.mismatched(self.name, message.len());
            row.inspect(|row| row.add_mismatch());
            return Err(Missing::Failed);
        }
        row.inspect(|row| row.add_hw(1, message.len() as u64));
        Ok(digest)
    }

    /// One of the sessions that take no key, made if there is none that nobody uses.
    fn keyless_session(&self) -> Option<Borrowed<'_, dyn HashSession>> {
        let sessions = &self.hardware.sessions;
        for place in &self.keyless {
            let bits = place.load(Ordering::Relaxed);
            let hold = match Hold::from_bits(bits) {
                Some(hold) => hold,
                None => self.make(place)?,
            };
            if let Some(session) = sessions.borrow(hold) {
                return Some(session);
            }
            if sessions.is_given_up(hold) {
                let _ = place.compare_exchange(bits, 0, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
        None
    }

    fn make(&self, place: &AtomicU64) -> Option<Hold> {
        let refused = self.refused.load(Ordering::Relaxed);
        if (1..PAUSE).contains(&refused) {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let Some(hold) = self.hardware.open(&[], refused > 0) else {
            self.refused.store(1, Ordering::Relaxed);
            return None;
        };
        self.refused.store(0, Ordering::Relaxed);
        if place.compare_exchange(0, hold.to_bits(), Ordering::Relaxed, Ordering::Relaxed).is_err() {
            // Another thread was first.
            self.hardware.sessions.close(hold);
            return None;
        }
        Some(hold)
    }

    /// Sessions of a driver that went away do not come back with it.
    fn close_all(&self) {
        for place in &self.keyless {
            if let Some(hold) = Hold::from_bits(place.swap(0, Ordering::Relaxed)) {
                self.hardware.sessions.close(hold);
            }
        }
        self.refused.store(1, Ordering::Relaxed);
    }
}

/// What software makes of a message.
pub(super) struct Digested {
    pub(super) bytes: [u8; 64],
    pub(super) len: usize,
}

impl Digested {
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len.min(64)]
    }
}
