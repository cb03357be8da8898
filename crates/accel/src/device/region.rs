//! Part of an arena, for the requests of one batch.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use outboard_uapi as uapi;

use super::arena::{Arena, UNIT};
use super::link::Link;
use crate::{Request, WaitDescriptor};

/// The status of a slot that the module has not touched: no request may pass for done because the doorbell rang
/// elsewhere.
const UNTOUCHED: i32 = -libc::ENODATA;

/// How long a request may take whose descriptor the application has closed. Else the module's `timeout` holds.
const PATIENCE: Duration = Duration::from_secs(20);

/// Units that follow each other, with the slots of the same numbers. Gone with a fork: the child has no mapping.
pub(super) struct Region {
    link: Arc<Link>,
    generation: u32,
    arena: *const Arena,
    first: u32,
    count: u32,
    /// How many of the slots were submitted.
    rung: u32,
    /// Where plaintext lies that the accelerator wrote.
    secret: usize,
}

// SAFETY: an arena may be shared, and the units are this value's own.
unsafe impl Send for Region {}

impl Region {
    /// Part of an arena of `link`'s, taken under this generation.
    pub(super) fn new(link: Arc<Link>, generation: u32, arena: *const Arena, first: u32, count: u32) -> Self {
        Region { link, generation, arena, first, count, rung: 0, secret: 0 }
    }

    /// The arena, where it is mapped: in the process that took the units.
    fn arena(&self) -> io::Result<&Arena> {
        if self.link.generation() == self.generation {
            // SAFETY: of this process, and it lives as long as the link.
            Ok(unsafe { &*self.arena })
        } else {
            Err(io::Error::from_raw_os_error(libc::ECHILD))
        }
    }

    /// Copies the text of a request into the units from `unit` on, and its additional data `aad_at` bytes behind, and
    /// answers its place from the start of the mapping.
    pub(super) fn fill(&mut self, unit: u32, request: &Request<'_>, aad_at: usize) -> io::Result<u32> {
        let arena = self.arena()?;
        let (len, end) = (request.len() + request.tag.len(), aad_at + request.aad.len());
        assert!(self.rung == 0 && len <= aad_at, "the parts do not overlap");
        assert!(end <= (self.count - unit) as usize * UNIT, "it was measured before");
        // SAFETY: the units are ours, mapped and initialised, nothing is in flight there, and there is room.
        let room = unsafe { std::slice::from_raw_parts_mut(arena.data(self.first + unit), end) };
        request.copy_to(&mut room[..len]);
        room[aad_at..].copy_from_slice(request.aad);
        Ok(arena.offset(self.first + unit))
    }

    /// Copies bytes into the units from `unit` on, and answers their place from the start of the mapping.
    pub(super) fn put(&mut self, unit: u32, bytes: &[u8]) -> io::Result<u32> {
        let arena = self.arena()?;
        assert!(
            self.rung == 0 && bytes.len() <= (self.count - unit) as usize * UNIT,
            "it was measured before"
        );
        // SAFETY: the units are ours, mapped and initialised, nothing is in flight there, and there is room.
        unsafe { std::slice::from_raw_parts_mut(arena.data(self.first + unit), bytes.len()) }
            .copy_from_slice(bytes);
        Ok(arena.offset(self.first + unit))
    }

    /// Writes a request into a slot.
    pub(super) fn ask(&mut self, slot: u32, request: &uapi::Slot) -> io::Result<()> {
        let arena = self.arena()?;
        assert!(self.rung == 0 && slot < self.count, "a region has as many slots as units");
        // SAFETY: the slot is ours and not in flight.
        unsafe { arena.slot(self.first + slot).write(uapi::Slot { status: UNTOUCHED, ..*request }) };
        Ok(())
    }

    /// Submits the first `count` slots, and waits for them if asked to. `secret` bytes from the front on will be
    /// plaintext.
    pub(super) fn ring(&mut self, count: u32, wait: bool, secret: usize) -> io::Result<()> {
        let number = self.arena()?.number;
        assert!(count <= self.count && secret <= self.count as usize * UNIT);
        (self.rung, self.secret) = (count, secret);
        self.link.ring(number, self.first, count, wait)
    }

    /// Whether some of these slots are in flight; in a fork's child none is.
    pub(super) fn is_in_flight(&self, slots: Range<u32>) -> bool {
        let in_flight =
            |arena: &Arena| slots.into_iter().any(|s| arena.status(self.first + s) == uapi::IN_FLIGHT);
        self.arena().is_ok_and(in_flight)
    }

    /// Whether some of what was submitted is.
    pub(super) fn is_any_in_flight(&self) -> bool {
        self.is_in_flight(0..self.rung)
    }

    /// What the driver answered for a slot.
    pub(super) fn status(&self, slot: u32) -> io::Result<()> {
        match self.arena()?.status(self.first + slot) {
            0 => Ok(()),
            error if error < 0 => Err(io::Error::from_raw_os_error(-error)),
            _ => Err(io::Error::from_raw_os_error(libc::ETIMEDOUT)),
        }
    }

    /// The digest in a slot, as far as it goes, when its request has succeeded. It is wiped there: it may be a key.
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

    /// `len` bytes from a unit on. None of them is in flight.
    pub(super) fn bytes(&self, unit: u32, len: usize) -> io::Result<&[u8]> {
        let arena = self.arena()?;
        assert!(len <= (self.count - unit) as usize * UNIT, "no result is longer than its request");
        // SAFETY: the units are ours, mapped and initialised; the caller has seen the status of all that writes there.
        Ok(unsafe { std::slice::from_raw_parts(arena.data(self.first + unit), len) })
    }

    /// Makes a descriptor readable when one of those in flight is done; at once, if none is left.
    pub(super) fn notify(&self, descriptor: &dyn WaitDescriptor) -> io::Result<()> {
        // The last, since the others are done before it as a rule.
        let slot = (0..self.rung).rfind(|&slot| self.is_in_flight(slot..slot + 1)).unwrap_or(0);
        self.link.notify(self.arena()?.number, self.first + slot, descriptor.event()?)
    }

    /// Sleeps until these slots are done, or for as long as that may take; with them the rest of the batch, since who wants one
    /// result wants the others next, and to wake up for each costs more than it saves.
    pub(super) fn finish(&self, slots: Range<u32>) -> io::Result<()> {
        let mut began = None;
        while self.is_in_flight(slots.clone()) {
            let waited =
                self.link.wait(self.arena()?.number, self.first + slots.start, self.rung - slots.start);
            if !self.is_in_flight(slots.clone()) {
                break;
            }
            waited?;
            if began.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                break;
            }
        }
        Ok(())
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // A driver that never answered may still write there: then the units are lost to this process, which costs
        // less than memory that changes under another request.
        if self.is_any_in_flight() {
            return;
        }
        if let Ok(arena) = self.arena() {
            // SAFETY: the units are ours, and nothing is in flight there. The compiler cannot leave it out: the
            // memory is a mapping that it knows nothing about.
            unsafe { arena.data(self.first).write_bytes(0, self.secret) };
            arena.units.give(self.first, self.count);
        }
    }
}
