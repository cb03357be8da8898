use std::io;

use outboard_uapi as uapi;

use super::keyed::{KeyParts, Keyed};
use super::link::{ARENAS, Link};
use super::mapping::UNIT;
use super::region::Region;
use super::units::UNITS;
use super::wait::Waiting;
use super::{OutboardDriver, OutboardHashDriver};
use crate::hash::fits;
use crate::memory::{Shared, boxed};
use crate::{Digest, Error, HashSession, InFlight, Meanwhile, WaitDescriptor};

/// An arena with any fragmentation can pass it to a driver.
const LONGEST: usize = 64 * 1024;

const MOST_UNITS: u32 = (LONGEST / UNIT) as u32;

const _: () = assert!(LONGEST % UNIT == 0 && MOST_UNITS <= UNITS);

pub(super) struct DeviceHash {
    with: OutboardHashDriver,
    keyed: Shared<Keyed>,
}

impl DeviceHash {
    pub(super) fn new(with: &OutboardHashDriver, key: &[u8]) -> Result<Self, Error> {
        let keyed = Keyed::new(&with.driver, KeyParts { bytes: key, tag: 0 })?;
        Ok(DeviceHash { with: with.clone(), keyed })
    }

    fn whole(&self) -> uapi::Slot {
        uapi::Slot { session: self.keyed.number, op: uapi::DIGEST, ..uapi::Slot::EMPTY }
    }

    fn whole_meanwhile(&mut self, message: &[u8], meanwhile: Option<Meanwhile<'_>>) -> Result<Digest, Error> {
        Keyed::settle(&mut self.keyed, &self.with.driver)?;
        let region = self.with.run(&self.keyed.link, message, &self.whole(), meanwhile)?;
        self.with.digest(&region, 0)
    }
}

impl HashSession for DeviceHash {
    fn max_request(&self) -> usize {
        self.with.longest()
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

    fn wait_descriptor(&self) -> Option<io::Result<Box<dyn WaitDescriptor>>> {
        Some(Waiting::boxed())
    }

    fn digest(&mut self, message: &[u8]) -> Result<Digest, Error> {
        self.whole_meanwhile(message, None)
    }

    fn digest_meanwhile(&mut self, message: &[u8], meanwhile: Meanwhile<'_>) -> Result<Digest, Error> {
        self.whole_meanwhile(message, Some(meanwhile))
    }

    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        Ok(boxed(DeviceHash { with: self.with.clone(), keyed: Shared::clone(&self.keyed) })?)
    }
}

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

/// At least 1: a message that is too long is rejected when it is submitted.
fn fitting(messages: &[&[u8]]) -> usize {
    let mut units = 0;
    let is_in = |message: &&&[u8]| {
        units += units_of(message);
        units <= UNITS
    };
    messages.iter().take_while(is_in).count().max(1)
}

impl OutboardHashDriver {
    fn longest(&self) -> usize {
        self.driver.longest(LONGEST)
    }

    /// Submits a request like `slot` for each message; with `wait`, blocks until all complete.
    fn submit(
        &self,
        link: &Shared<Link>,
        messages: &[&[u8]],
        slot: &uapi::Slot,
        wait: bool,
    ) -> Result<Region, Error> {
        let max = self.longest();
        messages.iter().try_for_each(|message| fits(message, self.algorithm.kernel_name(), max))?;
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
        let digest = region.digest(slot).map_err(|source| self.driver.failed("a request", source))?;
        Ok(Digest::new(digest, self.algorithm.hash.digest_len()))
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
