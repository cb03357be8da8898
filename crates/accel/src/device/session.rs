//! A key in a driver, and the batch of requests in hand.

use std::io;
use std::ops::Range;
use std::slice;
use std::sync::Arc;
use std::time::{Duration, Instant};

use outboard_uapi as uapi;
use zeroize::Zeroizing;

use super::arena::UNIT;
use super::link::Link;
use super::pieces::{iv_of, pieces};
use super::region::Region;
use super::units::UNITS;
use super::wait::Waiting;
use super::{Driver, INTERFACE, number, refusal};
use crate::{Direction, Error, Request, Session, WaitDescriptor};

/// The longest request that goes down whole, in bytes. Longer ones gain little.
const LONGEST: usize = 64 * 1024;

/// The longest that goes down in pieces: half an arena, so that two threads can do it at the same time.
const LONGEST_CUT: usize = UNIT * UNITS as usize / 2;

const _: () = assert!(LONGEST <= UNIT * UNITS as usize);

/// How long a request may take whose descriptor the application has closed. Else the module's `timeout` holds.
const PATIENCE: Duration = Duration::from_secs(20);

/// A session of the module's.
struct Keyed {
    link: Arc<Link>,
    generation: u32,
    number: u32,
    /// Kept because a fork's child needs a session of its own: its parent may free this one at any time.
    key: Zeroizing<Vec<u8>>,
}

impl Keyed {
    fn new(driver: &Driver, key: &[u8]) -> Result<Arc<Keyed>, Error> {
        let link = driver.link()?;
        let generation = link.generation();
        let made = link.new_session(driver.number, number(driver.algorithm), key);
        let number = made.map_err(|source| refusal::no_session(&driver.name, source))?;
        Ok(Arc::new(Keyed { link, generation, number, key: Zeroizing::new(key.to_vec()) }))
    }

    fn is_of_this_process(&self) -> bool {
        self.link.generation() == self.generation
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        if self.is_of_this_process() {
            self.link.free_session(self.number);
        }
    }
}

/// Where a request of a batch lies.
struct Span {
    slots: Range<u32>,
    unit: u32,
    len: usize,
}

/// A key, and room for one batch of requests.
pub(super) struct DeviceSession {
    driver: Arc<Driver>,
    keyed: Arc<Keyed>,
    /// Of the batch; none while there is no request with any bytes.
    region: Option<Region>,
    spans: Vec<Span>,
}

impl DeviceSession {
    pub(super) fn new(driver: Arc<Driver>, key: &[u8]) -> Result<Self, Error> {
        let keyed = Keyed::new(&driver, key)?;
        Ok(DeviceSession { driver, keyed, region: None, spans: Vec::new() })
    }

    /// Makes a session of this process's own after a fork, and a new one when the application has closed the
    /// descriptor.
    fn settle(&mut self) -> Result<(), Error> {
        if !self.keyed.is_of_this_process() || !self.keyed.link.is_ours() {
            self.keyed = Keyed::new(&self.driver, &self.keyed.key)?;
        }
        Ok(())
    }

    /// Submits; after a failure there is no batch.
    fn start(&mut self, requests: &[Request<'_>], wait: bool) -> Result<(), Error> {
        self.release();
        let started = self.ring(requests, wait);
        if started.is_err() {
            self.release();
        }
        started
    }

    fn ring(&mut self, requests: &[Request<'_>], wait: bool) -> Result<(), Error> {
        let units: usize = requests.iter().map(|request| request.len().div_ceil(UNIT)).sum();
        if requests.len() > self.max_batch() || units > UNITS as usize {
            return Err(Error::Batch { count: requests.len().max(units), max: self.max_batch() });
        }
        for request in requests {
            request.check(self.driver.algorithm, self.max_request(request.direction))?;
        }
        if units == 0 {
            self.spans.extend(requests.iter().map(|_| Span { slots: 0..0, unit: 0, len: 0 }));
            return Ok(());
        }
        self.settle()?;
        let mut region = self.keyed.link.take(units as u32).map_err(|source| self.no_room(source))?;
        self.place(&mut region, requests).map_err(|source| self.failed("mmap", source))?;
        let slots = self.spans.last().map_or(0, |span| span.slots.end);
        let secret = |(span, request): (&Span, &Request<'_>)| match request.direction {
            Direction::Encrypt => 0,
            Direction::Decrypt => span.unit as usize * UNIT + span.len,
        };
        let secret = self.spans.iter().zip(requests).map(secret).max().unwrap_or(0);
        region.ring(slots, wait, secret).map_err(|source| self.failed("write", source))?;
        self.region = Some(region);
        Ok(())
    }

    /// Copies the requests into the region, one behind the other, and fills a slot for each piece.
    fn place(&mut self, region: &mut Region, requests: &[Request<'_>]) -> io::Result<()> {
        let (mut unit, mut slot) = (0, 0);
        for request in requests {
            let (from, len) = (slot, request.len());
            let at = region.fill(unit, request)?;
            for piece in pieces(self.driver.algorithm, request) {
                let asked = uapi::Slot {
                    session: self.keyed.number,
                    op: match request.direction {
                        Direction::Encrypt => uapi::ENCRYPT,
                        Direction::Decrypt => uapi::DECRYPT,
                    },
                    input: at + piece.start as u32,
                    output: at + piece.start as u32,
                    length: piece.len() as u32,
                    iv: iv_of(self.driver.algorithm, request, piece.start),
                    ..uapi::Slot::EMPTY
                };
                region.ask(slot, &asked)?;
                slot += 1;
            }
            self.spans.push(Span { slots: from..slot, unit, len });
            unit += len.div_ceil(UNIT) as u32;
        }
        Ok(())
    }

    fn failed(&self, call: &'static str, source: io::Error) -> Error {
        let driver = self.driver.name.clone();
        match source.raw_os_error() {
            Some(libc::ENODEV) => Error::Away { driver, source },
            _ => Error::Request { call, driver, source },
        }
    }

    fn no_room(&self, source: io::Error) -> Error {
        Error::NoRoom { interface: INTERFACE, driver: self.driver.name.clone(), source }
    }
}

impl Session for DeviceSession {
    fn max_request(&self, direction: Direction) -> usize {
        if self.driver.algorithm.can_be_cut(direction) { LONGEST_CUT } else { LONGEST }
    }

    fn max_batch(&self) -> usize {
        UNITS as usize
    }

    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        self.start(requests, false)
    }

    fn is_done(&mut self) -> bool {
        let slots = self.spans.last().map_or(0, |span| span.slots.end);
        self.region.as_ref().is_none_or(|region| !region.is_in_flight(0..slots))
    }

    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        let Some(span) = self.spans.get(index) else {
            return Err(Error::Batch { count: index + 1, max: self.spans.len() });
        };
        let Some(region) = &self.region else { return Ok(&[]) };
        let patient_until = Instant::now() + PATIENCE;
        while region.is_in_flight(span.slots.clone()) && Instant::now() < patient_until {
            region.wait(span.slots.clone()).map_err(|source| self.failed("write", source))?;
        }
        let mut statuses = span.slots.clone().map(|slot| region.status(slot));
        statuses
            .find_map(Result::err)
            .map_or_else(|| region.bytes(span.unit, span.len), Err)
            .map_err(|source| self.failed("a request", source))
    }

    fn release(&mut self) {
        self.region = None;
        self.spans.clear();
    }

    fn wait_descriptor(&self) -> Option<io::Result<Box<dyn WaitDescriptor>>> {
        Some(Waiting::new().map(|waiting| Box::new(waiting) as Box<dyn WaitDescriptor>))
    }

    fn notify(&mut self, descriptor: &dyn WaitDescriptor) -> Result<(), Error> {
        let slots = self.spans.last().map_or(0, |span| span.slots.end);
        let Some(region) = &self.region else { return Ok(()) };
        let slot = (0..slots).find(|&slot| region.is_in_flight(slot..slot + 1)).unwrap_or(0);
        let told = descriptor.event().and_then(|event| region.notify(slot, event));
        told.map_err(|source| self.failed("write", source))
    }

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        let (driver, keyed) = (Arc::clone(&self.driver), Arc::clone(&self.keyed));
        Ok(Box::new(DeviceSession { driver, keyed, region: None, spans: Vec::new() }))
    }

    /// With the doorbell that waits: one system call instead of two or more.
    fn crypt(&mut self, request: &Request<'_>) -> Result<&[u8], Error> {
        self.start(slice::from_ref(request), true)?;
        self.result(0)
    }
}
