//! Digests and HMAC: whole messages in one request, and messages in chunks through a hash handle in
//! the kernel.

use std::io;

use outboard_uapi as uapi;

use super::arena::UNIT;
use super::keyed::{KeyParts, Keyed};
use super::link::{ARENAS, Link};
use super::region::Region;
use super::units::UNITS;
use super::wait::Waiting;
use super::{OutboardDriver, OutboardHashDriver};
use crate::hash::before_the_last_piece;
use crate::memory::{Shared, boxed};
use crate::{Digest, DriverName, Error, HashSession, HashState, InFlight, Meanwhile, WaitDescriptor};

/// The maximum chunk of a message, in bytes: an arena with any fragmentation can pass it to a
/// driver.
const LONGEST: usize = 64 * 1024;

/// Units of the longest chunk.
const MOST_UNITS: u32 = (LONGEST / UNIT) as u32;

const _: () = assert!(LONGEST % UNIT == 0 && MOST_UNITS <= UNITS);

/// A session with a driver for digests, or for HMAC under a key.
pub(super) struct DeviceHash {
    with: OutboardHashDriver,
    keyed: Shared<Keyed>,
}

impl DeviceHash {
    pub(super) fn new(with: &OutboardHashDriver, key: &[u8]) -> Result<Self, Error> {
        let keyed = Keyed::new(&with.driver, KeyParts { bytes: key, mac: 0, tag: 0 })?;
        Ok(DeviceHash { with: with.clone(), keyed })
    }

    /// The slot of a request for a whole message.
    fn whole(&self) -> uapi::Slot {
        uapi::Slot { session: self.keyed.number, op: uapi::HASH_DIGEST, ..uapi::Slot::EMPTY }
    }

    /// The digest of a message of at most [`LONGEST`] bytes.
    fn whole_meanwhile(&mut self, message: &[u8], meanwhile: Option<Meanwhile<'_>>) -> Result<Digest, Error> {
        Keyed::settle(&mut self.keyed, &self.with.driver)?;
        let region = self.with.run(&self.keyed.link, message, &self.whole(), meanwhile)?;
        self.with.digest(&region, 0)
    }

    fn handle(&mut self) -> Result<Handle, Error> {
        Keyed::settle(&mut self.keyed, &self.with.driver)?;
        let record = uapi::Object { op: uapi::HASH_NEW, from: self.keyed.number, ..uapi::Object::default() };
        Handle::new(&self.with, &self.keyed, &record, false)
    }
}

impl HashSession for DeviceHash {
    fn max_request(&self) -> usize {
        LONGEST
    }

    fn max_batch(&self) -> usize {
        ARENAS * (UNITS / MOST_UNITS) as usize
    }

    fn digests(&mut self, messages: &[&[u8]]) -> Result<Vec<Digest>, Error> {
        Keyed::settle(&mut self.keyed, &self.with.driver)?;
        let slot = self.whole();
        if messages.is_empty() {
            return Err(Error::Batch { count: 0, max: self.max_batch() });
        }
        let (mut submitted, mut rest, mut outcome) = (Vec::new(), messages, Ok(()));
        // All messages are submitted before the first is waited for.
        while !rest.is_empty() && outcome.is_ok() {
            let batch;
            (batch, rest) = rest.split_at(fitting(rest));
            match self.with.submit(&self.keyed.link, batch, &slot, rest.is_empty()) {
                Ok(region) => submitted.push((region, batch.len() as u32)),
                Err(error) => outcome = Err(error),
            }
        }
        let mut digests = Vec::with_capacity(messages.len());
        // Also after a failure: requests in flight cannot be cancelled.
        for (region, count) in &submitted {
            if let Err(source) = region.finish(0..*count) {
                outcome = outcome.and(Err(self.with.driver.failed("write", source)));
            }
            for slot in 0..*count {
                match self.with.digest(region, slot) {
                    Ok(digest) => digests.push(digest),
                    Err(error) => outcome = outcome.and(Err(error)),
                }
            }
        }
        outcome.map(|()| digests)
    }

    fn begin(&mut self) -> Result<Box<dyn HashState>, Error> {
        Ok(boxed(self.handle()?)?)
    }

    fn wait_descriptor(&self) -> Option<io::Result<Box<dyn WaitDescriptor>>> {
        Some(Waiting::boxed())
    }

    fn whole_message(&mut self, message: &[u8]) -> Result<Digest, Error> {
        self.whole_meanwhile(message, None)
    }

    fn digest_meanwhile(&mut self, message: &[u8], meanwhile: Meanwhile<'_>) -> Result<Digest, Error> {
        if message.len() <= LONGEST {
            return self.whole_meanwhile(message, Some(meanwhile));
        }
        let mut handle = self.handle()?;
        let (before, rest) = before_the_last_piece(message, LONGEST);
        before.chunks(LONGEST).try_for_each(|piece| handle.take_in(piece, Some(&mut *meanwhile)))?;
        handle.end(rest, Some(meanwhile))
    }

    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        Ok(boxed(DeviceHash { with: self.with.clone(), keyed: Shared::clone(&self.keyed) })?)
    }
}

/// A hash handle in the kernel.
struct Handle {
    with: OutboardHashDriver,
    keyed: Shared<Keyed>,
    number: u32,
    /// Whether a message has begun.
    open: bool,
}

impl Handle {
    fn new(
        with: &OutboardHashDriver,
        keyed: &Shared<Keyed>,
        record: &uapi::Object,
        open: bool,
    ) -> Result<Handle, Error> {
        let made = keyed.link.new_handle(record);
        let number = made.map_err(|source| with.refused(source))?;
        Ok(Handle { with: with.clone(), keyed: Shared::clone(keyed), number, open })
    }

    /// After a fork the handle belongs to the parent; it ends when the descriptor is closed.
    fn check(&self) -> Result<(), Error> {
        let driver = || DriverName::clone(&self.with.driver.name);
        if !self.keyed.is_of_this_process() {
            return Err(Error::Forked { driver: driver() });
        }
        if self.keyed.link.is_ours() { Ok(()) } else { Err(Error::DescriptorLost { driver: driver() }) }
    }

    fn run(&mut self, op: u8, piece: &[u8], meanwhile: Option<Meanwhile<'_>>) -> Result<Region, Error> {
        self.check()?;
        let flags = if self.open { 0 } else { uapi::HASH_FIRST };
        let slot = uapi::Slot { op, flags, hash: self.number, ..uapi::Slot::EMPTY };
        // An error also ends the message in the kernel.
        self.open = false;
        self.with.run(&self.keyed.link, piece, &slot, meanwhile)
    }

    fn take_in(&mut self, piece: &[u8], meanwhile: Option<Meanwhile<'_>>) -> Result<(), Error> {
        let region = self.run(uapi::HASH_UPDATE, piece, meanwhile)?;
        region.status(0).map_err(|source| self.with.refused(source))?;
        self.open = true;
        Ok(())
    }

    fn end(&mut self, last: &[u8], meanwhile: Option<Meanwhile<'_>>) -> Result<Digest, Error> {
        let region = self.run(uapi::HASH_FINAL, last, meanwhile)?;
        self.with.digest(&region, 0)
    }
}

impl HashState for Handle {
    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        self.take_in(piece, None)
    }

    fn try_clone(&self) -> Result<Box<dyn HashState>, Error> {
        self.check()?;
        let record = uapi::Object { op: uapi::HASH_CLONE, from: self.number, ..uapi::Object::default() };
        Ok(boxed(Handle::new(&self.with, &self.keyed, &record, self.open)?)?)
    }

    fn finish(&mut self, last: &[u8]) -> Result<Digest, Error> {
        self.end(last, None)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.keyed.is_of_this_process() {
            self.keyed.link.free_handle(self.number);
        }
    }
}

/// One submitted request.
struct Submitted<'r> {
    region: &'r Region,
    driver: &'r OutboardDriver,
}

impl InFlight for Submitted<'_> {
    fn is_done(&self) -> bool {
        !self.region.is_any_in_flight()
    }

    fn notify(&self, descriptor: &dyn WaitDescriptor) -> Result<(), Error> {
        self.region.notify(descriptor).map_err(|source| self.driver.failed("write", source))
    }
}

/// An empty message needs a unit too.
fn units_of(message: &[u8]) -> u32 {
    message.len().div_ceil(UNIT).max(1) as u32
}

/// How many of these messages fit an arena, at least 1. A message too long for an arena is rejected
/// when it is submitted.
fn fitting(messages: &[&[u8]]) -> usize {
    let mut units = 0;
    let is_in = |message: &&&[u8]| {
        units += units_of(message);
        units <= UNITS
    };
    messages.iter().take_while(is_in).count().max(1)
}

impl OutboardHashDriver {
    /// Submits a request like `slot` for each message; with `wait`, blocks until all complete. The
    /// data is wiped with the region.
    fn submit(
        &self,
        link: &Shared<Link>,
        messages: &[&[u8]],
        slot: &uapi::Slot,
        wait: bool,
    ) -> Result<Region, Error> {
        if messages.iter().any(|message| message.len() > LONGEST) {
            let len = messages.iter().map(|message| message.len()).max().unwrap_or(0);
            return Err(Error::Misfit {
                len,
                iv_len: 0,
                algorithm: self.algorithm.kernel_name(),
                max: LONGEST,
            });
        }
        let units: u32 = messages.iter().map(|message| units_of(message)).sum();
        let mut region = Link::allocate(link, units).map_err(|source| self.driver.no_room(source))?;
        let mut fill = || {
            let mut unit = 0;
            for (number, message) in messages.iter().enumerate() {
                let input = region.put(unit, message)?;
                region.ask(number as u32, &uapi::Slot { input, length: message.len() as u32, ..*slot })?;
                unit += units_of(message);
            }
            region.ring(messages.len() as u32, wait, units as usize * UNIT)
        };
        fill().map_err(|source| self.driver.failed("write", source))?;
        Ok(region)
    }

    /// Submits one request and waits until it completes.
    fn run(
        &self,
        link: &Shared<Link>,
        message: &[u8],
        slot: &uapi::Slot,
        meanwhile: Option<Meanwhile<'_>>,
    ) -> Result<Region, Error> {
        let region = self.submit(link, &[message], slot, meanwhile.is_none())?;
        if let Some(meanwhile) = meanwhile {
            meanwhile(&Submitted { region: &region, driver: &self.driver })?;
            region.finish(0..1).map_err(|source| self.driver.failed("write", source))?;
        }
        Ok(region)
    }

    fn digest(&self, region: &Region, slot: u32) -> Result<Digest, Error> {
        let digest = region.digest(slot).map_err(|source| self.refused(source))?;
        Ok(Digest::new(digest, self.algorithm.hash.digest_len()))
    }

    /// The error for a request that the driver did not process, or for a handle that the module did
    /// not create.
    fn refused(&self, source: io::Error) -> Error {
        match source.raw_os_error() {
            Some(libc::EOPNOTSUPP) => Error::NoState { driver: DriverName::clone(&self.driver.name), source },
            Some(libc::EMFILE | libc::ENOMEM) => self.driver.no_room(source),
            _ => self.driver.failed("a request", source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cut_into_what_an_arena_holds() {
        let (short, long) = ([0; 16], vec![0; LONGEST]);
        assert_eq!(fitting(&[&[]]), 1);
        assert_eq!(fitting(&[&short[..]; 64]), 32);
        assert_eq!(fitting(&[&long[..]; 20]), (UNITS / MOST_UNITS) as usize);
        assert_eq!(fitting(&[&[&short[..]; 30][..], &[&long], &[&short]].concat()), 30);
        assert_eq!(fitting(&[&[0; 2 * UNITS as usize * UNIT]]), 1, "to be refused");
    }
}
