//! All interleavings of a stream of key stream with its driver and with threads that need its memory.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use outboard_accel::{Accelerator, Direction, Error, InFlight, Request, Session};

use super::KeyStream;
use super::budget::Budget;
use super::counter_stream::{CounterStream, Position};
use super::counters::BLOCK;
use super::supply::Supply;
use super::verifier::Verifier;
use crate::block_cipher::{BlockEncryption, toy::Toy};
use crate::hardware::Hardware;
use crate::in_out::InOut;
use crate::log::Log;
use crate::owned_slots::OwnedSlots;
use crate::sync::explored::explore;
use crate::sync::{AtomicBool, Ordering};

/// In bytes: two segments of a block each.
const WINDOW: usize = 2 * BLOCK;

const MEMORY: usize = 4 * BLOCK;

/// Memory that the driver reads and writes until it has completed the request.
struct Submitted {
    blocks: UnsafeCell<Vec<u8>>,
    is_done: AtomicBool,
}

// SAFETY: loom sees accesses at the same time.
unsafe impl Sync for Submitted {}

/// A driver. Copies are the same one.
#[derive(Clone, Default)]
struct Driver(std::sync::Arc<std::sync::Mutex<VecDeque<std::sync::Arc<Submitted>>>>);

impl Driver {
    /// Completes the requests that it has, the last one first if `reverse`.
    fn complete(&self, reverse: bool) {
        let mut requests: Vec<_> = self.0.lock().expect("one thread").drain(..).collect();
        if reverse {
            requests.reverse();
        }
        for request in requests {
            // SAFETY: the memory is the driver's until it is done.
            request.blocks.with_mut(|blocks| Toy::default().encrypt(unsafe { &mut *blocks }));
            request.is_done.store(true, Ordering::Release);
        }
    }
}

impl Accelerator for Driver {
    fn driver(&self) -> &str {
        "explored"
    }
    fn interface(&self) -> &'static str {
        "none"
    }
    fn open(&self, _key: &[u8]) -> Result<Box<dyn Session>, Error> {
        Ok(Box::new(Stream { driver: self.clone(), submitted: None }))
    }
}

struct Stream {
    driver: Driver,
    submitted: Option<std::sync::Arc<Submitted>>,
}

impl InFlight for Stream {
    fn is_done(&self) -> bool {
        self.submitted.as_ref().is_none_or(|submitted| submitted.is_done.load(Ordering::Acquire))
    }
}

impl Session for Stream {
    fn max_request(&self, _direction: Direction) -> usize {
        WINDOW
    }
    fn submit(&mut self, _requests: &[Request<'_>]) -> Result<(), Error> {
        unreachable!("key stream only")
    }
    fn submit_counters(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        let mut blocks = vec![0; len];
        fill(&mut blocks);
        let (blocks, is_done) = (UnsafeCell::new(blocks), AtomicBool::new(false));
        let submitted = std::sync::Arc::new(Submitted { blocks, is_done });
        self.driver.0.lock().expect("one thread").push_back(submitted.clone());
        self.submitted = Some(submitted);
        Ok(())
    }
    fn result(&mut self, _index: usize) -> Result<&[u8], Error> {
        let submitted = self.submitted.as_ref().expect("it was submitted");
        // SAFETY: loom sees accesses of the driver at the same time; the session keeps the memory.
        Ok(submitted.blocks.with(|blocks| unsafe { &*blocks }))
    }
    fn release(&mut self) {
        self.submitted = None;
    }
    fn share(&self) -> Result<Box<dyn Session>, Error> {
        self.driver.open(&[])
    }
}

struct Text<'a> {
    hardware: &'a Hardware,
    used: HashSet<u128>,
}

impl Text<'_> {
    /// A block of a text. Each byte that is written is right, after a comparison, by key stream that no
    /// other text had.
    fn block(&mut self, stream: &mut CounterStream, counter: u128) {
        let (text, mut out) = ([7; BLOCK], [0; BLOCK]);
        let reference = Toy::default();
        let verifier =
            Verifier { hardware: self.hardware, reference: &reference, algorithm: "AES", row: None };
        let position = Position { counter, used: 0 };
        let (done, _) = stream.mix(position, InOut::apart(&text, &mut out), &verifier);
        if done == 0 {
            assert_eq!(out, [0; BLOCK]);
        } else {
            assert!(reference.count.get() > 0, "nothing is released before a comparison");
            let mut expected = counter.to_be_bytes();
            Toy::default().encrypt(&mut expected);
            expected.iter_mut().for_each(|byte| *byte ^= 7);
            assert_eq!((done, out), (BLOCK, expected));
            assert!(self.used.insert(counter), "no two texts get the same key stream");
        }
        let _ = stream.refill(position.after(BLOCK));
    }
}

fn at(stream: &mut KeyStream) -> &mut CounterStream {
    match stream {
        KeyStream::Counter(stream) => stream,
        KeyStream::Records(_) => unreachable!("no stream of records"),
    }
}

/// A stream with texts while the driver completes segments, and while another thread takes its memory
/// if `evicts`.
fn explore_stream(preemptions: usize, reverse: bool, evicts: bool) {
    explore(preemptions, move || {
        let driver = Driver::default();
        let hardware = Hardware::new(Box::new(driver.clone()), 0, Log::silent()).expect("memory");
        let budget: &'static Budget = Box::leak(Box::new(Budget::new(MEMORY)));
        let slots = Arc::new(OwnedSlots::new(1, Duration::ZERO).expect("memory"));
        let supply = Supply::new(driver.open(&[]).expect("a session"), budget, WINDOW);
        let stream = KeyStream::Counter(CounterStream::new(supply, None));
        let id = slots.reserve(false).expect("a slot").fill(stream);
        let mut text = Text { hardware: &hardware, used: HashSet::new() };
        if let Some(mut stream) = slots.borrow(id) {
            let _ = at(&mut stream).refill(Position { counter: 5, used: 0 });
        }
        let engine = {
            let driver = driver.clone();
            thread::spawn(move || driver.complete(reverse))
        };
        let other = evicts.then(|| {
            let slots = slots.clone();
            thread::spawn(move || {
                slots.sweep();
                while slots.evict_idle() {}
            })
        });
        // The second one again, as a context does that was reset.
        for &counter in if evicts { &[6][..] } else { &[5, 6, 6, 7] } {
            if let Some(mut stream) = slots.borrow(id) {
                text.block(at(&mut stream), counter);
            }
        }
        slots.close(id);
        engine.join().expect("it ends");
        other.into_iter().for_each(|other| other.join().expect("it ends"));
        driver.complete(false);
        slots.sweep();
        while slots.evict_idle() {}
        assert!(slots.has_free(), "a stream ends when its driver has");
        assert!(budget.lease(MEMORY).is_some(), "all leases are returned");
    });
}

#[test]
fn key_stream_is_used_once_and_after_its_check_whenever_the_driver_completes_it() {
    explore_stream(2, false, false);
    explore_stream(2, true, false);
}

#[test]
fn a_stream_that_is_evicted_meanwhile_returns_its_memory_when_the_driver_has_ended() {
    explore_stream(1, false, true);
}

#[test]
fn leases_never_exceed_the_memory_and_are_returned() {
    explore(None, || {
        let budget: &'static Budget = Box::leak(Box::new(Budget::new(100)));
        let in_use = std::sync::Arc::new(std::sync::Mutex::new(0));
        let threads = [60, 50].map(|bytes| {
            let in_use = in_use.clone();
            thread::spawn(move || {
                let Some(lease) = budget.lease(bytes) else { return };
                *in_use.lock().expect("one thread") += bytes;
                assert!(*in_use.lock().expect("one thread") <= 100);
                thread::yield_now();
                *in_use.lock().expect("one thread") -= bytes;
                drop(lease);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
        assert!(budget.lease(100).is_some());
    });
}
