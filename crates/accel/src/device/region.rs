//! Part of an arena, for the requests of one batch.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use outboard_uapi as uapi;

use super::arena::Arena;
use super::link::Link;
use super::mapping::UNIT;
use super::refusal::{is_late, late};
use crate::memory::Shared;
use crate::{Request, WaitDescriptor};

/// A slot that the module has not processed: the doorbell write may have gone to another file.
const UNTOUCHED: i32 = -libc::ENODATA;

const WRONG_TAG: i32 = -libc::EBADMSG;

/// For a request after the application has closed the descriptor. Otherwise the module's `timeout`
/// applies.
const CLOSED_WAIT: Duration = Duration::from_secs(20);

/// For a check, after the module has given a request up: on a machine that was stopped, or is very
/// busy, it completes, and the driver is right.
const LATE_WAIT: Duration = Duration::from_secs(3);

static WAITS_FOR_LATE: AtomicBool = AtomicBool::new(false);

/// This process checks drivers, and waits longer than the module.
pub(crate) fn wait_for_late_requests() {
    WAITS_FOR_LATE.store(true, Ordering::Relaxed);
}

/// Consecutive units and their slots. Not usable after a fork, since the child does not have the
/// mapping.
pub(super) struct Region {
    link: Shared<Link>,
    generation: u32,
    pub(super) arena: *const Arena,
    first: u32,
    count: u32,
    rung: u32,
    /// Bytes from the start that may contain plaintext, to be wiped.
    secret: usize,
}

// SAFETY: an arena may be shared, and the units belong to this value alone.
unsafe impl Send for Region {}

impl Region {
    pub(super) fn new(
        link: Shared<Link>,
        generation: u32,
        arena: *const Arena,
        first: u32,
        count: u32,
    ) -> Self {
        Region { link, generation, arena, first, count, rung: 0, secret: 0 }
    }

    /// For a next request, if this process has them, they are `count` units of `link`, and no
    /// driver writes there. Otherwise they are given back, wiped.
    pub(super) fn renew(mut self, link: &Shared<Link>, count: u32) -> Option<Region> {
        let fits = self.link.is_same(link) && self.count == count;
        let is_free =
            fits && !self.is_any_in_flight() && self.arena().is_ok_and(|arena| !self.has_failed(arena));
        is_free.then(|| {
            self.rung = 0;
            self
        })
    }

    /// ECHILD in another process than that which allocated the units.
    fn arena(&self) -> io::Result<&Arena> {
        if self.link.generation() == self.generation {
            // SAFETY: this process mapped it, and it lives as long as the link.
            Ok(unsafe { &*self.arena })
        } else {
            Err(io::Error::from_raw_os_error(libc::ECHILD))
        }
    }

    /// To the units from `unit` on, additional data `aad_at` bytes after that. Returns the offset
    /// within the mapping.
    pub(super) fn fill(&mut self, unit: u32, request: &Request<'_>, aad_at: usize) -> io::Result<u32> {
        let arena = self.arena()?;
        let (len, end) = (request.len() + request.tag.len(), aad_at + request.aad.len());
        assert!(self.rung == 0 && len <= aad_at, "the parts do not overlap");
        assert!(end <= (self.count - unit) as usize * UNIT, "it was measured before");
        // SAFETY: the units are ours, mapped and initialised; nothing is in flight there, and there
        // is room.
        let room = unsafe { std::slice::from_raw_parts_mut(arena.data(self.first + unit), end) };
        request.copy_to(&mut room[..len]);
        room[aad_at..].copy_from_slice(request.aad);
        Ok(arena.offset(self.first + unit))
    }

    /// Returns the offset within the mapping.
    pub(super) fn put(&mut self, unit: u32, bytes: &[u8]) -> io::Result<u32> {
        let arena = self.arena()?;
        assert!(
            self.rung == 0 && bytes.len() <= (self.count - unit) as usize * UNIT,
            "it was measured before"
        );
        // SAFETY: the units are ours, mapped and initialised; nothing is in flight there, and there
        // is room.
        unsafe { std::slice::from_raw_parts_mut(arena.data(self.first + unit), bytes.len()) }
            .copy_from_slice(bytes);
        Ok(arena.offset(self.first + unit))
    }

    /// From the start of the region. Returns the offset within the mapping.
    pub(super) fn fill_with(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> io::Result<u32> {
        let arena = self.arena()?;
        assert!(self.rung == 0 && len <= self.count as usize * UNIT, "it was measured before");
        // SAFETY: the units are ours, mapped and initialised; nothing is in flight there, and there
        // is room.
        fill(unsafe { std::slice::from_raw_parts_mut(arena.data(self.first), len) });
        Ok(arena.offset(self.first))
    }

    pub(super) fn ask(&mut self, slot: u32, request: &uapi::Slot) -> io::Result<()> {
        let arena = self.arena()?;
        assert!(self.rung == 0 && slot < self.count, "a region has as many slots as units");
        // SAFETY: the slot is ours and not in flight.
        unsafe { arena.write_slot(self.first + slot, &uapi::Slot { status: UNTOUCHED, ..*request }) };
        Ok(())
    }

    /// With `wait`, blocks until the first `count` slots complete. The first `secret` bytes will be
    /// plaintext.
    pub(super) fn ring(&mut self, count: u32, wait: bool, secret: usize) -> io::Result<()> {
        let number = self.arena()?.number();
        assert!(count <= self.count && secret <= self.count as usize * UNIT);
        (self.rung, self.secret) = (count, self.secret.max(secret));
        let rung = self.link.ring(number, self.first, count, wait);
        self.wait_if_late(rung, 0..count)
    }

    /// Where the module has given the slots up, a check waits.
    fn wait_if_late(&self, rung: io::Result<()>, slots: Range<u32>) -> io::Result<()> {
        match rung {
            Err(error) if is_waited_for(&error) => self.finish(slots),
            rung => rung,
        }
    }

    /// In the child of a fork none is.
    pub(super) fn is_in_flight(&self, slots: Range<u32>) -> bool {
        let in_flight =
            |arena: &Arena| slots.into_iter().any(|s| arena.status(self.first + s) == uapi::IN_FLIGHT);
        self.arena().is_ok_and(in_flight)
    }

    pub(super) fn is_any_in_flight(&self) -> bool {
        self.is_in_flight(0..self.rung)
    }

    pub(super) fn status(&self, slot: u32) -> io::Result<()> {
        result_of(self.arena()?.status(self.first + slot))
    }

    /// Padded with zeros. It is wiped in the slot, since it may be a key.
    pub(super) fn digest(&self, slot: u32) -> io::Result<[u8; uapi::DIGEST_SIZE]> {
        self.status(slot)?;
        let slot = self.arena()?.slot(self.first + slot);
        // SAFETY: the slot is ours and not in flight, as its status says.
        unsafe {
            let digest = (&raw const (*slot).digest).read();
            (&raw mut (*slot).digest).write_volatile([0; uapi::DIGEST_SIZE]);
            Ok(digest)
        }
    }

    /// The result of slots, from `unit` on, or the first error: late while one is in flight.
    pub(super) fn bytes(&self, slots: Range<u32>, unit: u32, len: usize) -> io::Result<&[u8]> {
        let arena = self.arena()?;
        assert!(len <= (self.count - unit) as usize * UNIT, "no result is longer than its request");
        let mut statuses = slots.map(|slot| arena.status(self.first + slot));
        if statuses.clone().any(|status| status == uapi::IN_FLIGHT) {
            return Err(late());
        }
        statuses.try_for_each(result_of)?;
        // SAFETY: the units are ours, mapped and initialised, and no request writes there.
        Ok(unsafe { std::slice::from_raw_parts(arena.data(self.first + unit), len) })
    }

    /// When a request in flight completes, or at once if none is in flight.
    pub(super) fn notify(&self, descriptor: &dyn WaitDescriptor) -> io::Result<()> {
        // The last slot, since the others usually complete before it.
        let slot = (0..self.rung).rfind(|&slot| self.is_in_flight(slot..slot + 1)).unwrap_or(0);
        self.link.notify(self.arena()?.number(), self.first + slot, descriptor.event()?)
    }

    /// Waits for the rest of the batch too: the caller usually needs the other results next, and
    /// one wake-up per result costs more than it saves.
    pub(super) fn finish(&self, slots: Range<u32>) -> io::Result<()> {
        let mut began = None;
        while self.is_in_flight(slots.clone()) {
            let waited =
                self.link.wait(self.arena()?.number(), self.first + slots.start, self.rung - slots.start);
            if !self.is_in_flight(slots.clone()) {
                break;
            }
            let limit = limit_after(waited)?;
            if began.get_or_insert_with(Instant::now).elapsed() > limit {
                break;
            }
        }
        Ok(())
    }
}

/// A slot still in flight is late.
fn result_of(status: i32) -> io::Result<()> {
    match status {
        0 => Ok(()),
        error if error < 0 => Err(io::Error::from_raw_os_error(-error)),
        _ => Err(late()),
    }
}

fn is_waited_for(error: &io::Error) -> bool {
    is_late(error) && WAITS_FOR_LATE.load(Ordering::Relaxed)
}

/// In all, after the module was asked to wait.
fn limit_after(waited: io::Result<()>) -> io::Result<Duration> {
    match waited {
        Err(error) if is_waited_for(&error) => Ok(LATE_WAIT),
        waited => waited.map(|()| CLOSED_WAIT),
    }
}

impl Region {
    /// After an error the driver may still write to the memory. A wrong tag is no error.
    fn has_failed(&self, arena: &Arena) -> bool {
        let is_harmless = |status| matches!(status, 0 | UNTOUCHED | WRONG_TAG);
        (0..self.rung).any(|slot| !is_harmless(arena.status(self.first + slot)))
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        let Ok(arena) = self.arena() else { return };
        // The arena keeps the units until the driver has completed the requests, and for some time
        // after that.
        if self.is_any_in_flight() {
            arena.abandon(self.first, self.count, self.rung);
            return;
        }
        // A request that failed, or was not submitted, leaves its input: maybe plaintext.
        let all_succeeded = self.rung > 0 && (0..self.rung).all(|s| arena.status(self.first + s) == 0);
        let wiped = if all_succeeded { self.secret } else { self.count as usize * UNIT };
        // SAFETY: the units are ours, and nothing is in flight there. The compiler cannot remove the
        // write, because the memory is a mapping that it knows nothing about.
        unsafe { arena.data(self.first).write_bytes(0, wiped) };
        if self.has_failed(arena) {
            arena.abandon(self.first, self.count, self.rung);
        } else {
            arena.units.give(self.first, self.count);
        }
    }
}

#[cfg(test)]
mod tests;
