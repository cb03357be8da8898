//! An engine of ECB mode. The script determines for each request when it completes and what is
//! wrong with it.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use outboard_accel::{Accelerator, Direction, Error, InFlight, Request, Session};

use super::super::counters::BLOCK;
use super::aes::Aes;
use super::{KEY, Script};

const NAME: &str = "scripted";

/// Length of a line in bytes: what a cache or a controller writes at once.
const LINE: usize = 64;

/// Length of a page in bytes.
const PAGE: usize = 4096;

/// The engine. Copies share its clock.
#[derive(Clone)]
pub(super) struct Engine {
    state: Arc<Mutex<State>>,
}

struct State {
    script: Arc<Mutex<Script>>,
    aes: Aes,
    now: u64,
    /// Counter blocks of which the result was wrong while the rest of its request was right.
    wrong_blocks: HashSet<u128>,
}

/// What is wrong with a request.
#[derive(Clone, Copy)]
enum Flaw {
    None,
    /// It completes with an error.
    Fails,
    /// Bytes that are not written: a multiple of four, at most a line.
    Unwritten {
        from: usize,
        len: usize,
    },
    /// All blocks belong to other counters.
    OtherCounters,
    /// One block is wrong.
    WrongBlock(usize),
    /// The page with this byte is wrong: no request that uses any of it may get its key stream.
    WrongPage(usize),
}

impl Engine {
    pub(super) fn new(script: Arc<Mutex<Script>>) -> Engine {
        let state = State { script, aes: Aes::new(&KEY), now: 0, wrong_blocks: HashSet::new() };
        Engine { state: Arc::new(Mutex::new(state)) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("one thread")
    }

    pub(super) fn session(&self) -> Box<dyn Session> {
        let (lines, flaw) = (Vec::new(), Flaw::None);
        Box::new(Scripted { engine: self.clone(), lines, len: 0, due: 0, flaw, is_encrypted: false })
    }

    /// Lets time pass.
    pub(super) fn wait(&self, ticks: u64) {
        self.state().now += ticks;
    }

    pub(super) fn encrypt(&self, counter: u128) -> [u8; BLOCK] {
        self.state().aes.encrypt(counter.to_be_bytes())
    }

    /// Whether the result for a counter block may be wrong without being detected.
    pub(super) fn may_be_wrong(&self, counter: u128) -> bool {
        self.state().wrong_blocks.contains(&counter)
    }
}

impl Accelerator for Engine {
    fn driver(&self) -> &str {
        NAME
    }

    fn interface(&self) -> &'static str {
        "none"
    }

    fn open(&self, _key: &[u8]) -> Result<Box<dyn Session>, Error> {
        Ok(self.session())
    }
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

struct Scripted {
    engine: Engine,
    /// Empty, or the request or its result.
    lines: Vec<Line>,
    len: usize,
    /// When the request completes.
    due: u64,
    flaw: Flaw,
    /// Whether the request was encrypted: when its result is read first.
    is_encrypted: bool,
}

impl Scripted {
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the lines are as long, without padding, and borrowed for as long as the slice.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }

    /// Encrypts in place, with the flaw.
    fn encrypt(&mut self) {
        let (engine, flaw) = (self.engine.clone(), self.flaw);
        let mut state = engine.state();
        let (unwritten, offset) = match flaw {
            Flaw::Unwritten { from, len } => (from..from + len, 0),
            Flaw::OtherCounters => (0..0, 1),
            _ => (0..0, 0),
        };
        for (index, block) in self.bytes().chunks_exact_mut(BLOCK).enumerate() {
            let number = u128::from_be_bytes((&*block).try_into().expect("a block"));
            let mut result = state.aes.encrypt(number.wrapping_add(offset).to_be_bytes());
            if matches!(flaw, Flaw::WrongBlock(wrong) if wrong == index) {
                result[index % BLOCK] ^= 1;
                state.wrong_blocks.insert(number);
            }
            if matches!(flaw, Flaw::WrongPage(byte) if byte / PAGE == index * BLOCK / PAGE) {
                result[index % BLOCK] ^= 1;
            }
            for (at, byte) in block.iter_mut().enumerate() {
                if !unwritten.contains(&(index * BLOCK + at)) {
                    *byte = result[at];
                }
            }
        }
    }
}

fn failure(call: &'static str) -> Error {
    Error::Request { call, driver: NAME.into(), source: io::Error::from_raw_os_error(libc::EIO) }
}

impl InFlight for Scripted {
    fn is_done(&self) -> bool {
        self.engine.state().now >= self.due
    }
}

impl Session for Scripted {
    fn max_request(&self, _direction: Direction) -> usize {
        outboard_accel::LONGEST_PIECE
    }

    fn submit(&mut self, _requests: &[Request<'_>]) -> Result<(), Error> {
        Err(failure("submit"))
    }

    fn submit_counters(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        assert!(len > 0 && len % BLOCK == 0 && len <= outboard_accel::LONGEST_PIECE);
        let (kind, delay, place) = {
            let state = self.engine.state();
            let mut script = state.script.lock().expect("one thread");
            (script.byte(), script.byte(), usize::from(script.byte()) * 4)
        };
        self.lines = vec![Line([0; LINE]); len.div_ceil(LINE)];
        (self.len, self.is_encrypted) = (len, false);
        fill(self.bytes());
        let word = place % len & !3;
        self.flaw = match kind % 16 {
            1 => return Err(failure("submit")),
            2 => {
                let source = io::Error::from_raw_os_error(libc::ENOMEM);
                return Err(Error::NoRoom { interface: "none", driver: NAME.into(), source });
            }
            3 => Flaw::Fails,
            4 => Flaw::Unwritten { from: word & !(LINE - 1), len: LINE },
            5 => Flaw::Unwritten { from: word, len: 4 },
            6 => Flaw::OtherCounters,
            7 => Flaw::WrongBlock(word / BLOCK),
            8 => Flaw::WrongPage(word),
            _ => Flaw::None,
        };
        self.due = self.engine.state().now + u64::from(delay % 16);
        Ok(())
    }

    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        assert!(index == 0 && self.len > 0, "a result of nothing");
        {
            let mut state = self.engine.state();
            state.now = state.now.max(self.due);
        }
        if matches!(self.flaw, Flaw::Fails) {
            return Err(failure("result"));
        }
        if !self.is_encrypted {
            self.is_encrypted = true;
            self.encrypt();
        }
        Ok(self.bytes())
    }

    fn release(&mut self) {
        self.len = 0;
    }

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        Ok(self.engine.session())
    }
}
