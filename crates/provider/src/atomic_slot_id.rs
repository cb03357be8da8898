//! A [`SlotId`] that threads share without a lock, on machines without 64-bit atomics too (32-bit
//! MIPS and PowerPC).

use crate::owned_slots::{LEFT, SlotId};
use crate::sync::{AtomicU32, Ordering};

/// Ticket of an ID that a thread is storing. It is no owner's ticket.
const BEING_STORED: u32 = LEFT;

/// An ID, or none. The ticket decides: `place` is written before it and belongs to it, because no
/// ticket is assigned twice within 2^32 values.
#[derive(Default)]
pub(crate) struct AtomicSlotId {
    place: AtomicU32,
    /// 0 if there is no ID.
    ticket: AtomicU32,
}

impl AtomicSlotId {
    /// One that another thread replaces may have the place of the new one: it is that of an evicted
    /// value.
    pub(crate) fn load(&self) -> Option<SlotId> {
        let ticket = self.ticket.load(Ordering::Acquire);
        let place = self.place.load(Ordering::Relaxed);
        (ticket != 0 && ticket != BEING_STORED).then_some(SlotId { place, ticket })
    }

    /// False if there is one, or another thread is storing one: in the child of a fork maybe for
    /// ever.
    pub(crate) fn store_if_none(&self, id: SlotId) -> bool {
        let claimed =
            self.ticket.compare_exchange(0, BEING_STORED, Ordering::Acquire, Ordering::Relaxed).is_ok();
        if claimed {
            self.place.store(id.place, Ordering::Relaxed);
            self.ticket.store(id.ticket, Ordering::Release);
        }
        claimed
    }

    pub(crate) fn remove(&self, id: SlotId) -> bool {
        self.ticket.compare_exchange(id.ticket, 0, Ordering::Release, Ordering::Relaxed).is_ok()
    }

    pub(crate) fn take(&self) -> Option<SlotId> {
        // If another thread replaces the ID between the two calls, the next attempt takes the new
        // one.
        loop {
            let id = self.load()?;
            if self.remove(id) {
                return Some(id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::thread;

    use super::*;

    fn id(place: u32, ticket: u32) -> SlotId {
        SlotId { place, ticket }
    }

    #[test]
    fn an_id_is_stored_once_and_taken_once() {
        let shared = AtomicSlotId::default();
        assert_eq!((shared.load(), shared.take()), (None, None));
        assert!(shared.store_if_none(id(0, 1)));
        assert!(!shared.store_if_none(id(1, 2)));
        assert_eq!(shared.load(), Some(id(0, 1)));
        assert!(!shared.remove(id(1, 2)));
        assert_eq!((shared.take(), shared.take()), (Some(id(0, 1)), None));
        assert!(shared.store_if_none(id(255, LEFT - 1)));
        assert!(shared.remove(id(255, LEFT - 1)));
        assert_eq!(shared.load(), None);
    }

    #[test]
    fn an_id_that_is_being_stored_is_not_visible() {
        let shared = AtomicSlotId { ticket: AtomicU32::new(BEING_STORED), ..AtomicSlotId::default() };
        assert_eq!((shared.load(), shared.take()), (None, None));
        assert!(!shared.store_if_none(id(1, 2)));
    }

    #[test]
    fn threads_take_each_stored_id_once_and_with_its_place() {
        const EACH: u32 = 2000;
        let (shared, taken) = (AtomicSlotId::default(), Mutex::new(HashSet::new()));
        let place_of = |ticket: u32| ticket % 251;
        let stored: u32 = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|thread| {
                    let (shared, taken) = (&shared, &taken);
                    scope.spawn(move || {
                        let mut stored = 0;
                        for ticket in thread * EACH + 1..=(thread + 1) * EACH {
                            stored += u32::from(shared.store_if_none(id(place_of(ticket), ticket)));
                            if let Some(id) = shared.take() {
                                assert_eq!(id.place, place_of(id.ticket));
                                assert!(taken.lock().unwrap().insert(id.ticket), "taken twice");
                            }
                        }
                        stored
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        let left = usize::from(shared.take().is_some());
        assert_eq!(taken.into_inner().unwrap().len() + left, stored as usize);
    }
}
