//! The driver session of a context's key: opened when a request needs it, and again after it was
//! evicted.

use std::sync::atomic::{AtomicBool, Ordering};

use outboard_accel::Error;
use outboard_counters::{Row, SoftwareReason};

use crate::block_cipher::BlockCipher;
use crate::hardware::Hardware;
use crate::lookahead::{KeyStream, Lookahead, Supply};
use crate::offer::Cipher;
use crate::owned_slots::FreeSlot;
use crate::provider::Provider;
use crate::sessions::{SessionGuard, SessionId};

/// Requests in software after which a context may evict an idle session: to open one costs as much.
const BUSY: u32 = 16;

/// The session with a driver that computes key stream. The owner must close it.
#[derive(Default)]
pub(crate) struct SessionPlace(State);

/// The session with the driver of the cipher, and what is known about the key. The owner must close
/// it.
#[derive(Default)]
pub(crate) struct KeySession {
    place: SessionPlace,
    bytes: usize,
    /// The key has as many bytes as [`KeyUse::from`].
    has_enough: bool,
    /// Whether a result of this key has been compared with software in full.
    pub(crate) was_compared: AtomicBool,
    /// Reference for checks of results of this key, created for the first result.
    reference: Option<BlockCipher>,
}

#[derive(Clone, Copy, Default)]
enum State {
    /// No session was requested yet: for a key with few bytes it costs more than it saves.
    #[default]
    Counting,
    Open(SessionId),
    /// The driver had no room for the key, or evicted it: the number of requests in software since
    /// then.
    Waiting(u32),
}

#[derive(Clone, Copy)]
pub(crate) struct KeyUse {
    pub(crate) bytes: usize,
    /// Bytes of a key from which it gets a session.
    pub(crate) from: usize,
}

impl SessionPlace {
    /// Calls `open` at the first time that it `may_open`, and again after every [`BUSY`] calls, then
    /// with `true` as urgent.
    fn session(
        &mut self,
        hardware: &'static Hardware,
        may_open: bool,
        open: impl FnOnce(bool) -> Option<SessionId>,
    ) -> Option<SessionGuard<'static>> {
        if let State::Open(hold) = self.0 {
            if hardware.sessions.is_given_up(hold) {
                self.0 = State::Waiting(0);
            }
            return hardware.sessions.borrow(hold);
        }
        self.0 = match self.0 {
            State::Waiting(requests) if requests < BUSY => State::Waiting(requests + 1),
            State::Counting if !may_open => State::Counting,
            before => open(matches!(before, State::Waiting(_))).map_or(State::Waiting(0), State::Open),
        };
        let State::Open(hold) = self.0 else { return None };
        hardware.sessions.borrow(hold)
    }

    /// A place for a stream and its source. No session is opened while no stream may start.
    pub(crate) fn stream(
        &mut self,
        hardware: &'static Hardware,
        key: &[u8],
        lookahead: &'static Lookahead,
    ) -> Option<(FreeSlot<'static, KeyStream>, Supply)> {
        let open = |urgent| {
            let may_open = hardware.sessions.has_place(urgent) && lookahead.may_start();
            if may_open { hardware.open(key, urgent) } else { None }
        };
        let session = self.session(hardware, true, open)?;
        Some((lookahead.place()?, lookahead.supply(session.share().ok()?)))
    }

    /// In the child of a fork, requests of the parent are no failure.
    pub(crate) fn key_stream_failed(&mut self, hardware: &Hardware, error: &Error, row: Option<&Row>) {
        if error.is_of_parent() {
            return;
        }
        hardware.failed(error, row);
        if error.is_away() {
            self.went_away(hardware);
        }
    }

    pub(crate) fn close(&mut self, hardware: &Hardware) {
        if let State::Open(hold) = std::mem::take(&mut self.0) {
            hardware.sessions.close(hold);
        }
    }

    /// The removal of the device ends the session.
    fn went_away(&mut self, hardware: &Hardware) {
        self.close(hardware);
        self.0 = State::Waiting(0);
    }
}

impl KeySession {
    /// If the key has enough bytes, or keys before it had, and the driver has room.
    pub(crate) fn session(
        &mut self,
        hardware: &'static Hardware,
        key_use: KeyUse,
        open: impl FnOnce(bool) -> Option<SessionId>,
    ) -> Option<SessionGuard<'static>> {
        self.bytes = self.bytes.saturating_add(key_use.bytes);
        if !self.has_enough && self.bytes >= key_use.from {
            self.has_enough = true;
            if key_use.bytes > 0 {
                hardware.expect_long_keys(true);
            }
        }
        self.place.session(hardware, self.has_enough || hardware.expects_long_keys(), open)
    }

    pub(crate) fn refusal(&self) -> SoftwareReason {
        match self.place.0 {
            State::Counting => SoftwareReason::FewKeyBytes,
            State::Open(_) | State::Waiting(_) => SoftwareReason::DriverBusy,
        }
    }

    pub(crate) fn copy(&self, hardware: &Hardware) -> KeySession {
        let place = SessionPlace(match self.place.0 {
            State::Open(hold) => hardware.sessions.copy(hold).map_or(State::Counting, State::Open),
            other => other,
        });
        let was_compared = AtomicBool::new(self.was_compared.load(Ordering::Relaxed));
        KeySession { place, was_compared, reference: None, ..*self }
    }

    /// The reference for checks of results. `None` if the default provider cannot allocate it.
    pub(crate) fn reference(
        &mut self,
        provider: &Provider,
        cipher: &'static Cipher,
        key: &[u8],
    ) -> Option<&BlockCipher> {
        if self.reference.is_none() {
            let software = provider.software.context();
            let new = || BlockCipher::new(&cipher.ecb, software, cipher.kind.mode, key);
            self.reference = provider.core.without_errors(new);
        }
        self.reference.as_ref()
    }

    pub(crate) fn close(&mut self, hardware: &Hardware) {
        self.place.close(hardware);
        let ended = std::mem::take(self);
        if ended.bytes > 0 && !ended.has_enough {
            hardware.expect_long_keys(false);
        }
    }

    /// The removal of the device ends the session.
    pub(crate) fn went_away(&mut self, hardware: &Hardware) {
        self.close(hardware);
        self.place.went_away(hardware);
    }
}
