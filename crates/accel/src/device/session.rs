use std::io;
use std::ops::Range;
use std::sync::Arc;

use outboard_uapi as uapi;

use super::OutboardDriver;
use super::keyed::{KeyParts, Keyed};
use super::link::Link;
use super::mapping::{ALIGN, UNIT};
use super::pieces::{iv_of, pieces};
use super::refusal::is_late;
use super::region::Region;
use super::units::UNITS;
use super::wait::Waiting;
use crate::memory::{Shared, boxed};
use crate::{
    Algorithm, Direction, DriverName, Error, InFlight, LONGEST_PIECE, Request, Session, WaitDescriptor,
};

/// That is submitted whole. Longer requests gain little.
const LONGEST: usize = 64 * 1024;

/// That is split into chunks: half an arena, so that two threads can submit one at the same time.
const LONGEST_CUT: usize = UNIT * UNITS as usize / 2;

const _: () = assert!(LONGEST <= UNIT * UNITS as usize);

#[derive(Clone, Copy, Default)]
struct Span {
    first_slot: u8,
    slots_end: u8,
    unit: u8,
    len: u32,
}

impl Span {
    fn new(slots: Range<u32>, unit: u32, len: usize) -> Span {
        const { assert!(UNITS <= u8::MAX as u32 && UNIT * UNITS as usize <= u32::MAX as usize) };
        let [first_slot, slots_end, unit] = [slots.start, slots.end, unit].map(|number| number as u8);
        Span { first_slot, slots_end, unit, len: len as u32 }
    }

    fn slots(self) -> Range<u32> {
        self.first_slot.into()..self.slots_end.into()
    }
}

pub(super) struct DeviceSession {
    driver: Arc<OutboardDriver>,
    algorithm: Algorithm,
    keyed: Shared<Keyed>,
    /// For decryption, where sessions have one direction. Opened when it is needed.
    decrypting: Option<Shared<Keyed>>,
    /// None if no request has any bytes.
    region: Option<Region>,
    spans: [Span; UNITS as usize],
    count: usize,
}

impl DeviceSession {
    pub(super) fn new(
        driver: Arc<OutboardDriver>,
        algorithm: Algorithm,
        key: KeyParts<'_>,
    ) -> Result<Self, Error> {
        let keyed = Keyed::new(&driver, key)?;
        Ok(Self::with(driver, algorithm, keyed))
    }

    fn with(driver: Arc<OutboardDriver>, algorithm: Algorithm, keyed: Shared<Keyed>) -> Self {
        let spans = [Span::default(); UNITS as usize];
        DeviceSession { driver, algorithm, keyed, decrypting: None, region: None, spans, count: 0 }
    }

    fn spans(&self) -> &[Span] {
        &self.spans[..self.count]
    }

    fn add(&mut self, span: Span) {
        self.spans[self.count] = span;
        self.count += 1;
    }

    /// After its data and tag.
    fn aad_at(&self, request: &Request<'_>) -> usize {
        let text = request.len() + self.keyed.tag_len;
        if request.aad.is_empty() { text } else { text.next_multiple_of(ALIGN) }
    }

    fn units(&self, request: &Request<'_>) -> usize {
        (self.aad_at(request) + request.aad.len()).div_ceil(UNIT)
    }

    /// After a failure there is no batch.
    fn start(&mut self, requests: &[Request<'_>], wait: bool) -> Result<(), Error> {
        self.release();
        let started = self.ring(requests, wait);
        if started.is_err() {
            self.release();
        }
        started
    }

    fn ring(&mut self, requests: &[Request<'_>], wait: bool) -> Result<(), Error> {
        let units: usize = requests.iter().map(|request| self.units(request)).sum();
        if requests.len() > self.max_batch() || units > UNITS as usize {
            return Err(Error::Batch { count: requests.len().max(units), max: self.max_batch() });
        }
        for request in requests {
            let max = self.max_request(request.direction);
            request.check(self.algorithm, self.keyed.tag_len, max)?;
        }
        if units == 0 {
            requests.iter().for_each(|_| self.add(Span::default()));
            return Ok(());
        }
        Keyed::settle(&mut self.keyed, &self.driver)?;
        if self.driver.bounds.one_direction
            && requests.iter().any(|request| request.direction == Direction::Decrypt)
        {
            self.open_decrypting()?;
        }
        let mut region =
            Link::allocate(&self.keyed.link, units as u32).map_err(|source| self.driver.no_room(source))?;
        self.place(&mut region, requests).map_err(|source| self.failed("mmap", source))?;
        let slots = self.spans().last().map_or(0, |span| span.slots().end);
        let secret = |(span, request): (&Span, &Request<'_>)| match request.direction {
            Direction::Encrypt => 0,
            Direction::Decrypt => usize::from(span.unit) * UNIT + span.len as usize,
        };
        let secret = self.spans().iter().zip(requests).map(secret).max().unwrap_or(0);
        region.ring(slots, wait, secret).map_err(|source| self.failed("write", source))?;
        self.region = Some(region);
        Ok(())
    }

    /// `old` is used if it fits, which saves wiping it.
    fn ring_counters(
        &mut self,
        old: Option<Region>,
        len: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Error> {
        let max = self.driver.longest(LONGEST);
        if len == 0 || len > max || len % self.algorithm.block_len() != 0 || self.keyed.tag_len > 0 {
            let algorithm = self.algorithm.kernel_name();
            return Err(Error::Misfit { len, iv_len: 0, algorithm, max });
        }
        Keyed::settle(&mut self.keyed, &self.driver)?;
        let units = len.div_ceil(UNIT) as u32;
        let mut region = match old.and_then(|old| old.renew(&self.keyed.link, units)) {
            Some(old) => old,
            None => Link::allocate(&self.keyed.link, units).map_err(|source| self.driver.no_room(source))?,
        };
        let mut place = |region: &mut Region| {
            let at = region.fill_with(len, fill)?;
            let asked = uapi::Slot {
                session: self.keyed.number,
                op: uapi::ENCRYPT,
                input: at,
                output: at,
                length: len as u32,
                ..uapi::Slot::EMPTY
            };
            region.ask(0, &asked)
        };
        place(&mut region).map_err(|source| self.failed("mmap", source))?;
        region.ring(1, false, len).map_err(|source| self.failed("write", source))?;
        self.add(Span::new(0..1, 0, len));
        self.region = Some(region);
        Ok(())
    }

    /// One after the other, with a slot for each chunk.
    fn place(&mut self, region: &mut Region, requests: &[Request<'_>]) -> io::Result<()> {
        let (mut unit, mut slot) = (0, 0);
        for request in requests {
            let (from, aad_at) = (slot, self.aad_at(request));
            let at = region.fill(unit, request, aad_at)?;
            for piece in pieces(self.algorithm, request, self.driver.longest(LONGEST_PIECE)) {
                let asked = uapi::Slot {
                    session: self.number(request.direction),
                    op: match request.direction {
                        Direction::Encrypt => uapi::ENCRYPT,
                        Direction::Decrypt => uapi::DECRYPT,
                    },
                    input: at + piece.start as u32,
                    output: at + piece.start as u32,
                    length: piece.len() as u32,
                    aad: if request.aad.is_empty() { 0 } else { at + aad_at as u32 },
                    aad_length: request.aad.len() as u32,
                    iv: iv_of(self.algorithm, request, piece.start),
                    ..uapi::Slot::EMPTY
                };
                region.ask(slot, &asked)?;
                slot += 1;
            }
            let tag = if request.direction == Direction::Encrypt { self.keyed.tag_len } else { 0 };
            self.add(Span::new(from..slot, unit, request.len() + tag));
            unit += self.units(request) as u32;
        }
        Ok(())
    }

    #[cold]
    fn open_decrypting(&mut self) -> Result<(), Error> {
        match &mut self.decrypting {
            Some(keyed) => Keyed::settle(keyed, &self.driver),
            None => {
                self.decrypting = Some(self.keyed.again(&self.driver)?);
                Ok(())
            }
        }
    }

    fn number(&self, direction: Direction) -> u32 {
        match &self.decrypting {
            Some(keyed) if direction == Direction::Decrypt => keyed.number,
            _ => self.keyed.number,
        }
    }

    fn failed(&self, call: &'static str, source: io::Error) -> Error {
        match source.raw_os_error() {
            Some(libc::EBADMSG) if self.keyed.tag_len > 0 => {
                Error::Forged { driver: DriverName::clone(&self.driver.name) }
            }
            _ => self.driver.failed(call, source),
        }
    }
}

impl InFlight for DeviceSession {
    fn is_done(&self) -> bool {
        self.region.as_ref().is_none_or(|region| !region.is_any_in_flight())
    }

    fn notify(&self, descriptor: &dyn WaitDescriptor) -> Result<(), Error> {
        let Some(region) = &self.region else { return Ok(()) };
        region.notify(descriptor).map_err(|source| self.failed("write", source))
    }
}

impl Session for DeviceSession {
    fn max_request(&self, direction: Direction) -> usize {
        let longest = self.driver.longest(LONGEST);
        // A request has no more slots than units.
        if self.algorithm.can_be_cut(direction) && longest >= UNIT { LONGEST_CUT } else { longest }
    }

    fn max_batch(&self) -> usize {
        UNITS as usize
    }

    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        self.start(requests, false)
    }

    fn submit_counters(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        let old = self.region.take();
        self.release();
        self.ring_counters(old, len, fill)
    }

    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        let Some(span) = self.spans().get(index).copied() else {
            return Err(Error::Batch { count: index + 1, max: self.count });
        };
        let Some(region) = &self.region else { return Ok(&[]) };
        let bytes = || region.bytes(span.slots(), span.unit.into(), span.len as usize);
        let mut result = bytes();
        if result.as_ref().is_err_and(is_late) {
            region.finish(span.slots()).map_err(|source| self.failed("write", source))?;
            result = bytes();
        }
        result.map_err(|source| self.failed("a request", source))
    }

    fn release(&mut self) {
        self.region = None;
        self.count = 0;
    }

    fn wait_descriptor(&self) -> Option<io::Result<Box<dyn WaitDescriptor>>> {
        Some(Waiting::boxed())
    }

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        let keyed = Shared::clone(&self.keyed);
        let mut shared = boxed(Self::with(Arc::clone(&self.driver), self.algorithm, keyed))?;
        shared.decrypting.clone_from(&self.decrypting);
        Ok(shared)
    }

    /// Uses the doorbell that waits: one system call instead of two or more.
    fn submit_and_wait(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        self.start(requests, true)
    }
}
