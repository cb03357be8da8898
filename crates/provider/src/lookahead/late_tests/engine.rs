//! A driver that answers when the test says so, as the provider has it. Its session panics where it
//! would wait.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use outboard_accel::{Accelerator, Direction, Error, InFlight, Request, Session};

use crate::block_cipher::{BlockEncryption, toy::Toy};
use crate::clock::now_ms;
use crate::decided::Decided;
use crate::hardware::Hardware;
use crate::in_out::InOut;
use crate::log::Log;
use crate::lookahead::budget::Budget;
use crate::lookahead::counters::BLOCK;
use crate::lookahead::{KeyStream, Lookahead, STREAMS, Supply, Verifier};
use crate::owned_slots::OwnedSlots;

pub(super) const WINDOW: usize = 16 * 1024;
pub(super) const SEGMENT: usize = WINDOW / 4;

#[derive(Clone, Default)]
pub(super) struct Driver(Arc<Mutex<State>>);

#[derive(Default)]
pub(super) struct State {
    pub(super) is_holding: bool,
    pub(super) requests: Vec<Submitted>,
    /// The number of a request that never completes.
    pub(super) lost: Option<usize>,
}

pub(super) struct Submitted {
    pub(super) first: u128,
    pub(super) len: usize,
    pub(super) is_complete: bool,
}

impl Driver {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("one thread")
    }

    /// Completes no request, or all but the one that is lost.
    pub(super) fn hold(&self, is_so: bool) {
        let mut state = self.state();
        state.is_holding = is_so;
        if !is_so {
            let lost = state.lost;
            let all = state.requests.iter_mut().enumerate();
            all.for_each(|(number, request)| request.is_complete |= Some(number) != lost);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.state().requests.len()
    }

    pub(super) fn first_of(&self, number: usize) -> u128 {
        self.state().requests[number].first
    }
}

impl Accelerator for Driver {
    fn driver(&self) -> &str {
        "late"
    }
    fn interface(&self) -> &'static str {
        "nothing"
    }
    fn open(&self, _key: &[u8]) -> Result<Box<dyn Session>, Error> {
        Ok(Box::new(Requested { driver: self.clone(), bytes: Vec::new(), number: 0 }))
    }
}

pub(super) struct Requested {
    pub(super) driver: Driver,
    bytes: Vec<u128>,
    number: usize,
}

impl InFlight for Requested {
    fn is_done(&self) -> bool {
        self.driver.state().requests[self.number].is_complete
    }
}

/// # Panics
/// If the numbers are not aligned for it, which they are.
pub(super) fn as_bytes(numbers: &mut [u128]) -> &mut [u8] {
    // SAFETY: any bits are bytes.
    unsafe { numbers.align_to_mut().1 }
}

impl Session for Requested {
    fn max_request(&self, _direction: Direction) -> usize {
        SEGMENT
    }
    fn submit(&mut self, _requests: &[Request<'_>]) -> Result<(), Error> {
        unreachable!("key stream only")
    }
    fn submit_counters(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        self.bytes = vec![0; len / BLOCK];
        fill(as_bytes(&mut self.bytes));
        let first = u128::from_be(self.bytes[0]);
        let mut state = self.driver.state();
        self.number = state.requests.len();
        let is_complete = !state.is_holding && state.lost != Some(self.number);
        state.requests.push(Submitted { first, len, is_complete });
        drop(state);
        Toy::default().encrypt(as_bytes(&mut self.bytes));
        Ok(())
    }
    fn result(&mut self, _index: usize) -> Result<&[u8], Error> {
        assert!(self.is_done(), "the application would wait");
        Ok(as_bytes(&mut self.bytes))
    }
    fn release(&mut self) {}
    fn share(&self) -> Result<Box<dyn Session>, Error> {
        self.driver.open(&[])
    }
}

/// A driver as the provider has it, and the key stream of a process.
pub(super) struct Engine {
    pub(super) driver: Driver,
    pub(super) hardware: Hardware,
    pub(super) lookahead: &'static Lookahead,
    /// The counters of the blocks of key stream that were used.
    pub(super) used: RefCell<HashSet<u128>>,
}

pub(super) const MEMORY: usize = 1 << 20;

impl Engine {
    pub(super) fn new() -> Engine {
        Engine::with_window(WINDOW)
    }

    pub(super) fn with_window(window: usize) -> Engine {
        let driver = Driver::default();
        let hardware = Hardware::new(Box::new(driver.clone()), 0, Log::silent()).expect("memory");
        let streams = Decided::not_yet();
        // A stream may be evicted at once.
        streams.set(OwnedSlots::new(STREAMS, Duration::ZERO).expect("memory"));
        let lookahead = Lookahead { budget: Budget::new(MEMORY), window, streams };
        Engine { driver, hardware, lookahead: Box::leak(Box::new(lookahead)), used: RefCell::default() }
    }

    pub(super) fn supply(&self) -> Supply {
        self.lookahead.supply(self.driver.open(&[]).expect("a session"))
    }

    pub(super) fn streams(&self) -> &'static OwnedSlots<KeyStream> {
        self.lookahead.streams().expect("memory")
    }

    /// Whether a stream may start when so much time has passed.
    pub(super) fn may_start_in(&self, milliseconds: u32) -> bool {
        self.lookahead.may_start_at(now_ms().wrapping_add(milliseconds))
    }

    /// Whether `bytes` of the process's memory are in use.
    pub(super) fn has_in_use(&self, bytes: usize) -> bool {
        let lease = |bytes| self.lookahead.budget.lease(bytes).is_some();
        lease(MEMORY - bytes) && !lease(MEMORY - bytes + 1)
    }

    /// Calls `mix` for a text of `len` bytes whose key stream begins with this counter, and compares
    /// what was written: the bytes of the returned range.
    pub(super) fn mix<T>(
        &self,
        counter: u128,
        len: usize,
        mix: impl FnOnce(InOut<'_>, &Verifier<'_>) -> (Range<usize>, T),
    ) -> (usize, T) {
        let (text, mut out) = (vec![0; len], vec![0; len]);
        // SAFETY: two buffers of this length, which live through the call.
        let job = unsafe { InOut::new(text.as_ptr(), out.as_mut_ptr(), len) };
        let reference = Toy::default();
        let (hardware, algorithm) = (&self.hardware, "AES");
        let (range, stopped) = mix(job, &Verifier { hardware, reference: &reference, algorithm, row: None });
        let mut expected: Vec<u128> = (counter..).take(len / BLOCK).collect();
        let mut used = self.used.borrow_mut();
        for counter in &mut expected[range.start / BLOCK..range.end / BLOCK] {
            assert!(used.insert(*counter), "key stream of counter {counter} was used twice");
        }
        expected.iter_mut().for_each(|counter| *counter = counter.to_be());
        reference.encrypt(as_bytes(&mut expected));
        assert_eq!(out[range.clone()], as_bytes(&mut expected)[range.clone()]);
        assert!([&out[..range.start], &out[range.end..]].concat().iter().all(|byte| *byte == 0));
        (range.len(), stopped)
    }
}
