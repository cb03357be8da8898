//! For tests of contexts: a driver that returns what the default provider computes, with faults, and
//! this provider in a real libcrypto with that driver behind its ciphers.
//!
//! - `calls`: the calls of an application, of a context of this provider or of the default one
//! - `bench`: a provider whose ciphers have the driver
//! - `interrupted`: a default provider that fails, or during whose calls something else happens
//! - `libcrypto`: this provider in the libcrypto of the machine
//! - `sequences`: any calls, compared with the default provider

mod bench;
mod calls;
mod interrupted;
pub(crate) mod libcrypto;
mod sequences;

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use outboard_accel::{Accelerator, Algorithm, Direction, Error, InFlight, Request, Session};

pub(crate) use bench::{Bench, policy, provider};
pub(crate) use calls::{Message, bytes, cipher, finish, kind, software, update};
pub(crate) use interrupted::interrupting;
#[cfg(fuzzing)]
pub use sequences::calls_of_script;

use crate::kinds::{KINDS, Kind};

/// What is wrong with a submission or, one after the other, with its requests.
#[derive(Clone, Copy)]
pub(crate) enum Fault {
    Nothing,
    /// The submission fails.
    Refused(fn() -> Error),
    /// The request fails.
    Failed(fn() -> Error),
    /// The result is wrong.
    Wrong(fn(&mut [u8])),
    /// The tag is not verified.
    Unverified,
}

/// What the driver can do, and what was requested.
pub(crate) struct State {
    pub(crate) max_request: usize,
    /// Whether there is room for another key.
    pub(crate) has_room: bool,
    /// Those of the next requests.
    pub(crate) faults: VecDeque<Fault>,
    /// The lengths of the requests of each submission.
    pub(crate) submitted: Vec<Vec<usize>>,
    /// The length of the chunks into which the last one may be cut.
    pub(crate) piece: usize,
    /// Number of requests for key stream, and whether it is not completed.
    pub(crate) ahead: usize,
    pub(crate) is_late: bool,
    /// How often that has changed, in a test where it does so more than once.
    changes: usize,
    /// Number of sessions opened with a key, and of those that exist.
    pub(crate) opened: usize,
    sessions: usize,
    /// Number of sessions that have results.
    pub(crate) unreleased: usize,
}

/// A driver. Copies are the same one.
#[derive(Clone)]
pub(crate) struct Sham {
    name: String,
    algorithm: Algorithm,
    state: Arc<Mutex<State>>,
}

impl Sham {
    /// A driver without faults.
    pub(crate) fn new(name: String, algorithm: Algorithm) -> Sham {
        let state = Arc::new(Mutex::new(State {
            max_request: 1 << 20,
            has_room: true,
            faults: VecDeque::new(),
            submitted: Vec::new(),
            piece: 0,
            ahead: 0,
            is_late: false,
            changes: 0,
            opened: 0,
            sessions: 0,
            unreleased: 0,
        }));
        Sham { name, algorithm, state }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it has the lock")
    }

    pub(super) fn change_lateness(&self) {
        let mut state = self.state();
        (state.is_late, state.changes) = (!state.is_late, state.changes + 1);
    }

    fn session(&self, key: &[u8], tag_len: usize) -> Box<dyn Session> {
        let mut state = self.state();
        state.sessions += 1;
        Box::new(ShamSession {
            sham: self.clone(),
            key: key.to_vec(),
            tag_len,
            results: Vec::new(),
            blocks: Vec::new(),
            late_since: None,
            longest: AtomicUsize::new(state.max_request),
        })
    }
}

/// Errors of drivers.
pub(crate) mod errors {
    use super::*;

    const NAME: &str = "sham";

    fn cause(errno: i32) -> io::Error {
        io::Error::from_raw_os_error(errno)
    }
    pub(crate) fn failed() -> Error {
        Error::Request { call: "a request", driver: NAME.into(), source: cause(libc::EIO) }
    }
    pub(crate) fn away() -> Error {
        Error::Away { driver: NAME.into(), source: cause(libc::ENODEV) }
    }
    pub(crate) fn stopped() -> Error {
        Error::Stopped { driver: NAME.into() }
    }
    pub(crate) fn no_room() -> Error {
        Error::NoRoom { interface: "none", driver: NAME.into(), source: cause(libc::ENOMEM) }
    }
    pub(crate) fn full() -> Error {
        Error::KeyRefused { driver: NAME.into(), source: cause(libc::ENOSPC) }
    }
    pub(crate) fn forged() -> Error {
        Error::Forged { driver: NAME.into() }
    }
}

impl Accelerator for Sham {
    fn driver(&self) -> &str {
        &self.name
    }
    fn interface(&self) -> &'static str {
        "none"
    }
    fn open(&self, key: &[u8]) -> Result<Box<dyn Session>, Error> {
        self.open_with_tag(key, 16)
    }
    fn open_with_tag(&self, key: &[u8], tag_len: usize) -> Result<Box<dyn Session>, Error> {
        if !self.state().has_room {
            return Err(errors::full());
        }
        self.state().opened += 1;
        Ok(self.session(key, tag_len))
    }
    fn computes_key_stream(&self) -> bool {
        self.algorithm == Algorithm::EcbAes
    }
}

struct ShamSession {
    sham: Sham,
    key: Vec<u8>,
    tag_len: usize,
    results: Vec<Result<Vec<u8>, Error>>,
    /// Key stream, and the changes until it was submitted if the driver was late then.
    blocks: Vec<u128>,
    late_since: Option<usize>,
    /// What a request may have in bytes, as the provider has been told last.
    longest: AtomicUsize,
}

impl ShamSession {
    /// What the driver should return.
    fn right(&self, request: &Request<'_>) -> Result<Vec<u8>, Error> {
        let is_its = |kind: &&Kind| kind.algorithm == self.sham.algorithm && kind.key_len == self.key.len();
        let kind = KINDS.iter().find(is_its).expect("a cipher");
        let message = Message {
            encrypt: request.direction == Direction::Encrypt,
            iv: request.iv,
            aad: request.aad,
            tag: request.tag,
            tag_len: self.tag_len,
            ..Message::new(kind, &self.key)
        };
        let text = [request.head, request.input].concat();
        message.process(&software(kind), &text).ok_or_else(errors::forged)
    }

    /// The plaintext of any message. Its key stream encrypts as it decrypts.
    fn unverified(&self, request: &Request<'_>) -> Result<Vec<u8>, Error> {
        let mut result = self.right(&Request { direction: Direction::Encrypt, tag: &[], ..*request })?;
        result.truncate(request.len());
        Ok(result)
    }
}

impl Drop for ShamSession {
    fn drop(&mut self) {
        self.release();
        self.sham.state().sessions -= 1;
    }
}

impl InFlight for ShamSession {
    fn is_done(&self) -> bool {
        let state = self.sham.state();
        !state.is_late || self.late_since != Some(state.changes)
    }
}

impl Session for ShamSession {
    fn max_request(&self, _direction: Direction) -> usize {
        let longest = self.sham.state().max_request;
        self.longest.store(longest, Ordering::Relaxed);
        longest
    }

    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        self.release();
        let mut state = self.sham.state();
        assert_eq!(requests.len(), 1);
        let longest = self.longest.load(Ordering::Relaxed);
        assert!(requests.iter().all(|request| request.len() <= longest));
        state.submitted.push(requests.iter().map(Request::len).collect());
        state.piece = requests[requests.len() - 1].piece;
        if let Some(Fault::Refused(error)) = state.faults.front() {
            let error = error();
            state.faults.pop_front();
            return Err(error);
        }
        let faults: Vec<Option<Fault>> = requests.iter().map(|_| state.faults.pop_front()).collect();
        state.unreleased += 1;
        drop(state);
        for (request, fault) in requests.iter().zip(faults) {
            self.results.push(match fault {
                Some(Fault::Failed(error)) => Err(error()),
                Some(Fault::Unverified) => self.unverified(request),
                Some(Fault::Wrong(change)) => self.right(request).map(|mut result| {
                    change(&mut result);
                    result
                }),
                _ => self.right(request),
            });
        }
        Ok(())
    }

    fn submit_counters(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        self.blocks = vec![0; len / 16];
        // SAFETY: any bits are bytes.
        fill(unsafe { self.blocks.align_to_mut().1 });
        // SAFETY: as above.
        let counters: &[u8] = unsafe { self.blocks.align_to().1 };
        let encrypted = self.right(&Request::new(Direction::Encrypt, &[], counters))?;
        for (block, bytes) in self.blocks.iter_mut().zip(encrypted.chunks_exact(16)) {
            *block = u128::from_ne_bytes(bytes.try_into().expect("a block"));
        }
        let mut state = self.sham.state();
        state.ahead += 1;
        self.late_since = state.is_late.then_some(state.changes);
        drop(state);
        Ok(())
    }

    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        assert!(self.is_done(), "no request waits for key stream");
        if !self.blocks.is_empty() {
            // SAFETY: as above.
            return Ok(unsafe { self.blocks.align_to().1 });
        }
        match &mut self.results[index] {
            Ok(result) => Ok(result),
            failed => Err(std::mem::replace(failed, Err(errors::failed())).expect_err("it failed")),
        }
    }

    fn release(&mut self) {
        if !self.results.is_empty() {
            self.sham.state().unreleased -= 1;
        }
        self.results.clear();
        self.blocks.clear();
    }

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        Ok(self.sham.session(&self.key, self.tag_len))
    }
}
