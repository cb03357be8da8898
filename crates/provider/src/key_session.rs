//! A context's key in the driver: asked for at the first request that wants it, kept, asked for again when it was given up.

use crate::entry::Provider;
use crate::hardware::Hardware;
use crate::offer::Cipher;
use crate::sessions::{SessionGuard, SessionId};
use crate::spot_check::BlockCipher;

/// After so many requests in software a context is busy enough for the room of one that is idle: a session costs as much
/// as many requests.
const BUSY: u32 = 16;

/// What a context has of the driver. Its owner closes it.
#[derive(Default)]
pub(crate) struct KeySession {
    state: State,
    /// A result of this key was compared with software's in full.
    pub(crate) was_compared: bool,
    /// What results of this key are checked with, from the first one on.
    reference: Option<BlockCipher>,
}

/// How far a context has got with the driver.
#[derive(Clone, Copy, Default)]
enum State {
    /// Not asked yet.
    #[default]
    Unasked,
    /// The driver took the key.
    Open(SessionId),
    /// The driver had no room for the key, or another key has the room now. So many requests have gone to software since.
    Waiting(u32),
}

impl KeySession {
    /// The key's session, if the driver has room for it. It is asked by `open` at the first request, and then from time to
    /// time; then it is urgent.
    pub(crate) fn session(
        &mut self,
        hardware: &'static Hardware,
        open: impl FnOnce(bool) -> Option<SessionId>,
    ) -> Option<SessionGuard<'static>> {
        if let State::Open(hold) = self.state {
            if hardware.sessions.is_given_up(hold) {
                self.state = State::Waiting(0);
            }
            return hardware.sessions.borrow(hold);
        }
        self.state = match self.state {
            State::Waiting(requests) if requests < BUSY => State::Waiting(requests + 1),
            before => open(matches!(before, State::Waiting(_))).map_or(State::Waiting(0), State::Open),
        };
        let State::Open(hold) = self.state else { return None };
        hardware.sessions.borrow(hold)
    }

    /// The same key for a copy of the context.
    pub(crate) fn copy(&self, hardware: &Hardware) -> KeySession {
        let state = match self.state {
            State::Open(hold) => hardware.sessions.copy(hold).map_or(State::Unasked, State::Open),
            other => other,
        };
        KeySession { state, was_compared: self.was_compared, reference: None }
    }

    /// What results of the key are checked with. `None` if the default provider has no memory for it.
    pub(crate) fn reference(
        &mut self,
        provider: &Provider,
        cipher: &Cipher,
        key: &[u8],
    ) -> Option<&BlockCipher> {
        if self.reference.is_none() {
            let software = provider.software.context(&provider.core);
            self.reference = BlockCipher::new(cipher.ecb, software, cipher.kind.mode, key);
        }
        self.reference.as_ref()
    }

    /// Gives the session back; the next request asks for another.
    pub(crate) fn close(&mut self, hardware: &Hardware) {
        if let State::Open(hold) = std::mem::take(self).state {
            hardware.sessions.close(hold);
        }
    }

    /// The device went away, and the session with it.
    pub(crate) fn went_away(&mut self, hardware: &Hardware) {
        self.close(hardware);
        self.state = State::Waiting(0);
    }
}
