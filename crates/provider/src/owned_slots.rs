//! A fixed number of slots, each with a value that belongs to one context, which any thread may
//! evict when it was not used for a while.
//!
//! No function waits for a lock: a caller that finds a slot locked continues without it. A fork may
//! leave slots locked for ever in the child, which costs only these.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use outboard_accel::memory::try_vec;

use crate::clock::now_ms;
use crate::sync::{AtomicBool, AtomicU32, AtomicUsize, Ordering, spin_loop};

/// Attempts to lock a slot that another thread has locked, normally for a short time.
const LOOKS: u32 = if cfg!(all(test, loom)) { 2 } else { 100 };

/// Ticket of a value that was closed while another thread had its slot locked, or that could not be
/// dropped then.
pub(crate) const LEFT: u32 = u32::MAX;

pub(crate) trait Ending {
    /// Ends its use. False if it must stay in its slot until a later call.
    fn end(&mut self) -> bool {
        true
    }
}

pub(crate) struct OwnedSlots<T> {
    slots: Vec<OwnedSlot<T>>,
    /// Number of slots without a value. A slot that is reserved does not count.
    free: AtomicUsize,
    tickets: AtomicU32,
    idle: Duration,
}

/// A free slot, reserved by this thread for a value. It is free again if this is dropped.
pub(crate) struct FreeSlot<'a, T: Ending> {
    slots: &'a OwnedSlots<T>,
    lock: SlotLock<'a, T>,
    place: u32,
}

impl<T: Ending> FreeSlot<'_, T> {
    pub(crate) fn fill(mut self, value: T) -> SlotId {
        *self.lock.value() = Some(value);
        let (slot, ticket) = (self.lock.0, self.slots.next_ticket());
        slot.ticket.store(ticket, Ordering::Relaxed);
        slot.last_used.store(now_ms(), Ordering::Relaxed);
        SlotId { place: self.place, ticket }
    }
}

impl<T: Ending> Drop for FreeSlot<'_, T> {
    fn drop(&mut self) {
        if self.lock.value().is_none() {
            self.slots.free.fetch_add(1, Ordering::Relaxed);
        }
    }
}

struct OwnedSlot<T> {
    locked: AtomicBool,
    /// Of the owner; 0 if the slot is free. Changed only while `locked` is set, except by an owner
    /// that closes the value.
    ticket: AtomicU32,
    /// In milliseconds of [`now_ms`], which wraps.
    last_used: AtomicU32,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: only the thread that has set `locked` accesses `value`, whose content may move between
// threads.
unsafe impl<T: Send> Sync for OwnedSlot<T> {}

/// Identifies a context's value, until it is evicted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SlotId {
    pub(crate) place: u32,
    /// Neither 0 nor [`LEFT`].
    pub(crate) ticket: u32,
}

/// A slot locked by this thread.
struct SlotLock<'a, T>(&'a OwnedSlot<T>);

impl<T> SlotLock<'_, T> {
    fn value(&mut self) -> &mut Option<T> {
        // SAFETY: only the thread with the lock has access; the borrow is limited to that of this
        // value.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T: Ending> SlotLock<'_, T> {
    /// False if there is no value, or if it must stay: [`OwnedSlots::sweep`] drops it later.
    fn empty(&mut self, slots: &OwnedSlots<T>) -> bool {
        if self.value().as_mut().is_some_and(|value| !value.end()) {
            self.0.ticket.store(LEFT, Ordering::Relaxed);
            return false;
        }
        self.0.ticket.store(0, Ordering::Relaxed);
        let had_value = self.value().take().is_some();
        slots.free.fetch_add(usize::from(had_value), Ordering::Relaxed);
        had_value
    }
}

impl<T> Drop for SlotLock<'_, T> {
    fn drop(&mut self) {
        self.0.locked.store(false, Ordering::Release);
    }
}

pub(crate) struct SlotGuard<'a, T>(SlotLock<'a, T>);

impl<T> Deref for SlotGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: as in `SlotLock::value`; shared, because `self` is.
        unsafe { &*self.0.0.value.get() }.as_ref().expect("a borrowed slot has a value")
    }
}

impl<T> DerefMut for SlotGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.value().as_mut().expect("a borrowed slot has a value")
    }
}

impl<T> Drop for SlotGuard<'_, T> {
    fn drop(&mut self) {
        self.0.0.last_used.store(now_ms(), Ordering::Relaxed);
    }
}

impl<T: Ending> OwnedSlots<T> {
    /// A value that was not used for the time `idle` may be evicted. `None` without memory.
    pub(crate) fn new(count: usize, idle: Duration) -> Option<Self> {
        let (free, tickets) = (AtomicUsize::new(count), AtomicU32::new(1));
        Some(OwnedSlots { slots: try_vec(count)?, free, tickets, idle })
    }

    /// `None` if it was evicted, or if another thread has its slot locked.
    pub(crate) fn borrow(&self, id: SlotId) -> Option<SlotGuard<'_, T>> {
        for _ in 0..LOOKS {
            if self.is_evicted(id) {
                break;
            }
            if let Some(lock) = self.slot(id).lock() {
                return self.guard(lock, id);
            }
            spin_loop();
        }
        None
    }

    /// If the value is still this one: another context's may be there.
    fn guard<'a>(&self, lock: SlotLock<'a, T>, id: SlotId) -> Option<SlotGuard<'a, T>> {
        (!self.is_evicted(id)).then(|| SlotGuard(lock))
    }

    fn slot(&self, id: SlotId) -> &OwnedSlot<T> {
        &self.slots[id.place as usize]
    }

    pub(crate) fn is_evicted(&self, id: SlotId) -> bool {
        self.slot(id).ticket.load(Ordering::Relaxed) != id.ticket
    }

    pub(crate) fn has_free(&self) -> bool {
        self.free.load(Ordering::Relaxed) > 0
    }

    /// Of an idle value if `urgent`. `None`: there is none, which costs little if nothing is
    /// urgent.
    pub(crate) fn reserve(&self, urgent: bool) -> Option<FreeSlot<'_, T>> {
        if !self.has_free() {
            if !urgent {
                return None;
            }
            self.sweep();
            if !self.has_free() && !self.evict_idle() {
                return None;
            }
        }
        for (place, slot) in self.slots.iter().enumerate().filter(|(_, slot)| !slot.is_occupied()) {
            let Some(mut lock) = slot.lock() else { continue };
            if lock.value().is_none() {
                self.free.fetch_sub(1, Ordering::Relaxed);
                return Some(FreeSlot { slots: self, lock, place: place as u32 });
            }
        }
        None
    }

    /// False if the value was evicted before, or must stay; [`sweep`](Self::sweep) drops it then.
    pub(crate) fn close(&self, id: SlotId) -> bool {
        if let Some(mut guard) = self.borrow(id) {
            return guard.0.empty(self);
        }
        // Fails if the value was evicted.
        let ticket = &self.slot(id).ticket;
        let _ = ticket.compare_exchange(id.ticket, LEFT, Ordering::Relaxed, Ordering::Relaxed);
        false
    }

    /// Drops the values that could not be dropped before, as far as they may be dropped now.
    pub(crate) fn sweep(&self) {
        let left = self.slots.iter().filter(|slot| slot.ticket.load(Ordering::Relaxed) == LEFT);
        for mut lock in left.filter_map(OwnedSlot::lock) {
            if lock.0.ticket.load(Ordering::Relaxed) == LEFT {
                lock.empty(self);
            }
        }
    }

    /// The first result of `look` for a value whose slot is not locked.
    pub(crate) fn find<R>(&self, look: impl Fn(&mut T) -> Option<R>) -> Option<R> {
        let occupied = self.slots.iter().filter(|slot| slot.is_occupied());
        occupied.filter_map(OwnedSlot::lock).find_map(|mut lock| look(lock.value().as_mut()?))
    }

    /// The one that has been idle for the longest time. Returns whether it was dropped.
    pub(crate) fn evict_idle(&self) -> bool {
        let now = now_ms();
        let occupied = self.slots.len().saturating_sub(self.free.load(Ordering::Relaxed));
        let longest = self
            .slots
            .iter()
            .filter(|slot| slot.has_owner())
            .take(occupied)
            .filter(|slot| !slot.locked.load(Ordering::Relaxed))
            .max_by_key(|slot| slot.idle_ms(now));
        let Some(slot) = longest.filter(|slot| u128::from(slot.idle_ms(now)) >= self.idle.as_millis()) else {
            return false;
        };
        slot.lock().is_some_and(|mut lock| lock.empty(self))
    }

    fn next_ticket(&self) -> u32 {
        self.tickets.fetch_add(1, Ordering::Relaxed) % (LEFT - 1) + 1
    }
}

impl<T> Default for OwnedSlot<T> {
    fn default() -> Self {
        let (locked, ticket, last_used) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
        OwnedSlot { locked, ticket, last_used, value: UnsafeCell::new(None) }
    }
}

impl<T> OwnedSlot<T> {
    fn lock(&self) -> Option<SlotLock<'_, T>> {
        let mine = self.locked.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
        mine.is_ok().then(|| SlotLock(self))
    }

    fn is_occupied(&self) -> bool {
        self.ticket.load(Ordering::Relaxed) != 0
    }

    fn has_owner(&self) -> bool {
        ![0, LEFT].contains(&self.ticket.load(Ordering::Relaxed))
    }

    fn idle_ms(&self, now: u32) -> u32 {
        now.wrapping_sub(self.last_used.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Ending for &'static str {}

    fn insert<T: Ending>(slots: &OwnedSlots<T>, value: T, urgent: bool) -> Option<SlotId> {
        slots.reserve(urgent).map(|slot| slot.fill(value))
    }

    fn one_slot() -> OwnedSlots<&'static str> {
        OwnedSlots::new(1, Duration::ZERO).expect("memory")
    }

    #[test]
    fn a_value_that_is_evicted_before_the_slot_is_locked_is_not_returned_nor_its_successor() {
        let slots = one_slot();
        let first = insert(&slots, "the first context's", false).expect("a slot");
        assert_eq!(*slots.borrow(first).expect("it is there"), "the first context's");
        let other = insert(&slots, "another's", true).expect("the idle one's slot");
        assert_eq!(first.place, other.place);
        // What the owner of the first one finds when it was interrupted before the lock.
        let lock = slots.slot(first).lock().expect("not locked");
        assert!(slots.guard(lock, first).is_none());
        assert!(slots.borrow(first).is_none() && slots.is_evicted(first) && !slots.close(first));
        assert_eq!(*slots.borrow(other).expect("it is there"), "another's");
    }

    #[test]
    fn a_value_that_was_closed_while_it_was_in_use_is_dropped_by_a_sweep() {
        let slots = one_slot();
        let id = insert(&slots, "in use", false).expect("a slot");
        let guard = slots.borrow(id).expect("it is there");
        assert!(!slots.close(id) && insert(&slots, "another's", true).is_none());
        drop(guard);
        assert!(slots.borrow(id).is_none() && insert(&slots, "another's", false).is_none());
        slots.sweep();
        assert!(insert(&slots, "another's", false).is_some());
    }

    #[test]
    fn a_reserved_slot_is_no_other_callers_and_is_free_again_if_it_is_not_filled() {
        let slots = one_slot();
        let reserved = slots.reserve(false).expect("a slot");
        assert!(slots.reserve(false).is_none() && slots.reserve(true).is_none() && !slots.evict_idle());
        drop(reserved);
        let id = slots.reserve(false).expect("it is free").fill("a value");
        assert!(slots.reserve(false).is_none() && *slots.borrow(id).expect("it is there") == "a value");
        assert!(slots.close(id) && slots.reserve(false).is_some());
    }

    struct Unfinished(bool);

    impl Ending for Unfinished {
        fn end(&mut self) -> bool {
            !self.0
        }
    }

    #[test]
    fn a_value_that_must_stay_keeps_its_slot_without_an_owner_until_a_sweep_may_drop_it() {
        for is_evicted in [false, true] {
            let slots = OwnedSlots::new(2, Duration::ZERO).expect("memory");
            let other = insert(&slots, Unfinished(false), false).expect("a slot");
            let id = insert(&slots, Unfinished(true), false).expect("a slot");
            slots.slot(id).last_used.store(now_ms().wrapping_sub(1000), Ordering::Relaxed);
            assert!(!if is_evicted { slots.evict_idle() } else { slots.close(id) });
            assert!(slots.is_evicted(id) && slots.borrow(id).is_none() && other.place != id.place);
            slots.sweep();
            assert!(slots.evict_idle(), "the one that stays does not prevent the eviction of another");
            assert!(!slots.evict_idle());
            slots.find(|value| {
                value.0 = false;
                Some(())
            });
            slots.sweep();
            assert!([0, 1].map(|_| insert(&slots, Unfinished(false), false)).iter().all(Option::is_some));
        }
    }

    #[test]
    fn the_value_that_is_idle_for_the_longest_time_is_evicted_and_none_that_was_used_lately() {
        let slots = OwnedSlots::new(3, Duration::from_millis(500)).expect("memory");
        let ids = ["young", "old", "oldest"].map(|value| insert(&slots, value, false).expect("a slot"));
        assert!(!slots.evict_idle() && insert(&slots, "urgent", true).is_none(), "all were used now");
        let age = |id: SlotId, ms| {
            slots.slot(id).last_used.store(now_ms().wrapping_sub(ms), Ordering::Relaxed);
        };
        [100, 10_000, 20_000].into_iter().zip(ids).for_each(|(ms, id)| age(id, ms));
        assert!(slots.evict_idle() && slots.is_evicted(ids[2]) && !slots.is_evicted(ids[1]));
        // The end of a use counts.
        drop(slots.borrow(ids[1]).expect("it is there"));
        assert!(!slots.evict_idle());
        age(ids[0], 10_000);
        assert!(slots.evict_idle() && slots.is_evicted(ids[0]));
    }

    #[test]
    fn a_ticket_is_never_that_of_a_free_slot_nor_that_of_one_without_an_owner() {
        let slots = one_slot();
        slots.tickets.store(LEFT - 3, Ordering::Relaxed);
        assert_eq!([(); 4].map(|()| slots.next_ticket()), [LEFT - 2, LEFT - 1, 1, 2]);
    }
}
