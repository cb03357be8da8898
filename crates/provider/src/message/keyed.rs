//! A driver of a digest or HMAC with its key. Each session processes one message at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use outboard_accel::Wiped;
use outboard_accel::memory::try_copy;
use outboard_accel::{Digest, Error, Hash, HashAlgorithm, HashSession};
use outboard_counters::SoftwareReason;
use subtle::ConstantTimeEq;

use crate::atomic_slot_id::AtomicSlotId;
use crate::hardware::Hardware;
use crate::jobs::Jobs;
use crate::offload::Offload;
use crate::provider::Provider;
use crate::sessions::{SessionGuard, SessionId};
use crate::spot_check::Verdict;

/// Threads and paused jobs that may hash at the same time with the same key, or without one.
const AT_ONCE: usize = 32;

/// Messages in software after the driver rejected a session, before the next attempt.
const PAUSE: u32 = 16;

pub(crate) struct HashDriver {
    pub(crate) name: &'static str,
    pub(crate) hardware: Arc<Hardware<dyn HashSession>>,
    /// Shortest message in bytes that goes to the driver.
    pub(crate) threshold: usize,
    pub(crate) digest_len: usize,
    /// Longest key in bytes that is passed to the driver.
    pub(crate) longest_key: usize,
    /// Whether a job may be paused during a request. Not for SHA-1: libcrypto computes the
    /// fingerprint of a certificate with the certificate's lock held
    /// (`ossl_x509v3_cache_extensions`), which another job of the thread may need.
    may_pause: bool,
}

impl HashDriver {
    pub(crate) fn new(
        name: &'static str,
        algorithm: HashAlgorithm,
        hardware: Arc<Hardware<dyn HashSession>>,
        threshold: usize,
    ) -> HashDriver {
        let (digest_len, longest_key) = (algorithm.hash.digest_len(), algorithm.hash.block_len());
        let may_pause = algorithm.hmac || algorithm.hash != Hash::Sha1;
        HashDriver { name, hardware, threshold, digest_len, longest_key, may_pause }
    }
}

/// Shared by all copies of the context in which the key was set. Digests have an empty key.
pub(crate) struct Keyed {
    pub(crate) hash_driver: Arc<HashDriver>,
    key: Wiped<Vec<u8>>,
    /// Available to any thread. Sessions stay open.
    sessions: [AtomicSlotId; AT_ONCE],
    /// 0, or one more than the number of messages in software since a session was rejected.
    refused: AtomicU32,
    was_compared: AtomicBool,
}

impl Keyed {
    pub(crate) fn new(hash_driver: &Arc<HashDriver>, key: &[u8]) -> Option<Keyed> {
        Some(Keyed {
            hash_driver: Arc::clone(hash_driver),
            key: Wiped::new(try_copy(key)?),
            sessions: Default::default(),
            refused: AtomicU32::new(0),
            was_compared: AtomicBool::new(false),
        })
    }

    pub(crate) fn has(&self, key: &[u8]) -> bool {
        bool::from(self.key.ct_eq(key))
    }

    /// `Err`: why software must compute it. `recompute` does so for comparison.
    pub(super) fn digest(
        &self,
        provider: &Provider,
        message: &[u8],
        recompute: impl Fn() -> Option<Digested>,
    ) -> Result<Digest, SoftwareReason> {
        let HashDriver { name, hardware, .. } = &*self.hash_driver;
        let mut session = self.session().ok_or(SoftwareReason::DriverBusy)?;
        if message.len() > session.max_request() {
            return Err(SoftwareReason::AboveLimit);
        }
        let row = provider.counters.row(name);
        let recompute = &|| provider.core.without_errors(&recompute);
        let jobs = provider.jobs.as_ref();
        let mut whole = Whole { keyed: self, jobs, session: &mut *session, message, recompute, digest: None };
        match (hardware.offload(name, row, message.len(), &mut whole), whole.digest) {
            (Ok(()), Some(digest)) => Ok(digest),
            (Err(refusal), _) => {
                if refusal.is_away() {
                    drop(session);
                    self.close_all();
                }
                Err(refusal.why())
            }
            (Ok(()), None) => Err(SoftwareReason::DriverFailed),
        }
    }

    /// A session that is not in use. Opens one if necessary and possible.
    fn session(&self) -> Option<SessionGuard<'_, dyn HashSession>> {
        let sessions = &self.hash_driver.hardware.sessions;
        for place in &self.sessions {
            let hold = match place.load() {
                Some(hold) => hold,
                None => self.make(place)?,
            };
            if let Some(session) = sessions.borrow(hold) {
                return Some(session);
            }
            if sessions.is_given_up(hold) {
                place.remove(hold);
            }
        }
        None
    }

    fn make(&self, place: &AtomicSlotId) -> Option<SessionId> {
        let refused = self.refused.load(Ordering::Relaxed);
        if (1..PAUSE).contains(&refused) {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let Some(hold) = self.hash_driver.hardware.open(&self.key, refused > 0) else {
            self.refused.store(1, Ordering::Relaxed);
            return None;
        };
        self.refused.store(0, Ordering::Relaxed);
        if !place.store_if_none(hold) {
            // Another thread was first.
            self.hash_driver.hardware.sessions.close(hold);
            return None;
        }
        Some(hold)
    }

    /// The sessions of a removed device do not become valid again with a new one.
    fn close_all(&self) {
        for place in &self.sessions {
            if let Some(hold) = place.take() {
                self.hash_driver.hardware.sessions.close(hold);
            }
        }
        self.refused.store(1, Ordering::Relaxed);
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        self.close_all();
    }
}

/// A message as one request to the driver. It is in memory that the application cannot change.
struct Whole<'a> {
    keyed: &'a Keyed,
    jobs: Option<&'a Jobs>,
    session: &'a mut dyn HashSession,
    message: &'a [u8],
    recompute: &'a dyn Fn() -> Option<Digested>,
    digest: Option<Digest>,
}

impl Offload for Whole<'_> {
    fn process(&mut self) -> Result<(), Error> {
        let HashDriver { hardware, may_pause, .. } = &*self.keyed.hash_driver;
        let jobs = self.jobs.filter(|_| *may_pause);
        self.digest = Some(Jobs::digest(jobs, self.session, self.message, hardware.driver())?);
        Ok(())
    }

    fn was_compared(&self) -> &AtomicBool {
        &self.keyed.was_compared
    }

    fn verify(&mut self, is_full: bool) -> Verdict {
        if !is_full {
            return Verdict::Right;
        }
        let (Some(expected), Some(digest)) = ((self.recompute)(), &self.digest) else {
            return Verdict::Unknown;
        };
        Verdict::of(expected.as_slice(), digest.as_slice())
    }

    fn repeat(&mut self) -> Result<Verdict, Error> {
        self.digest = Some(self.session.digest(self.message)?);
        Ok(self.verify(true))
    }
}

pub(super) struct Digested {
    pub(super) bytes: Wiped<[u8; 64]>,
    pub(super) len: usize,
}

impl Digested {
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len.min(64)]
    }
}
