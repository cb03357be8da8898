//! The sessions of a process with one driver. Sessions are scarce: a device has room for a limited
//! number of keys (virtio-crypto: 128), and opening one takes hundreds of microseconds. Therefore
//! sessions are kept, and when the device is full, one that was not used for a while is evicted.
//!
//! No function waits for a lock: a caller that finds a slot locked continues without it. A fork may
//! leave slots locked permanently in the child, which costs only these slots.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use outboard_accel::{Error, Session, Share};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::clock::now_ms;

/// Maximum number of sessions of a process with a driver. Devices either have fewer, or so many
/// that they are not the limit.
const PLACES: usize = 256;

/// A session that was not used for this time may be evicted for another key.
const IDLE: Duration = Duration::from_secs(1);

/// Number of attempts to lock a slot that another thread has locked, normally for a short time. In
/// the child of a fork the slot may stay locked permanently.
const LOOKS: u32 = 100;

/// Ticket of a session that its owner closed while another thread had its slot locked.
const LEFT: u32 = u32::MAX;

/// Sessions, each owned by one context.
pub(crate) struct Sessions<S: ?Sized = dyn Session> {
    places: Box<[SessionSlot<S>]>,
    tickets: AtomicU32,
    idle: Duration,
    /// The driver had no room at the last attempt, and no session of this process was closed since.
    full: AtomicBool,
}

/// Storage for one session.
struct SessionSlot<S: ?Sized> {
    taken: AtomicBool,
    /// Identifies the owner; 0 if the slot is free. Changed only while `taken` is set, except by an
    /// owner that closes the session.
    ticket: AtomicU32,
    /// In milliseconds of [`now_ms`], which wraps.
    last_used: AtomicU32,
    kept: UnsafeCell<Option<OpenSession<S>>>,
}

struct OpenSession<S: ?Sized> {
    session: Box<S>,
    key: Zeroizing<Vec<u8>>,
}

// SAFETY: only the thread that has set `taken` accesses `kept`, whose content may move between
// threads.
unsafe impl<S: ?Sized + Send> Sync for SessionSlot<S> {}

/// Identifies a context's session, until the session is evicted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SessionId {
    place: usize,
    ticket: u32,
}

impl SessionId {
    /// The ID as a number other than 0.
    pub(crate) fn to_bits(self) -> u64 {
        (self.place as u64) << 32 | u64::from(self.ticket)
    }

    /// The inverse of [`to_bits`](Self::to_bits); `None` for 0.
    pub(crate) fn from_bits(bits: u64) -> Option<SessionId> {
        (bits != 0).then_some(SessionId { place: (bits >> 32) as usize, ticket: bits as u32 })
    }
}

/// A slot locked by this thread.
struct SlotGuard<'a, S: ?Sized>(&'a SessionSlot<S>);

impl<S: ?Sized> SlotGuard<'_, S> {
    fn kept(&mut self) -> &mut Option<OpenSession<S>> {
        // SAFETY: only the thread with the lock has access; the borrow is limited to that of this
        // value.
        unsafe { &mut *self.0.kept.get() }
    }
}

impl<S: ?Sized> Drop for SlotGuard<'_, S> {
    fn drop(&mut self) {
        self.0.taken.store(false, Ordering::Release);
    }
}

/// A session in use by this thread.
pub(crate) struct SessionGuard<'a, S: ?Sized = dyn Session>(SlotGuard<'a, S>);

impl<S: ?Sized> Deref for SessionGuard<'_, S> {
    type Target = S;
    fn deref(&self) -> &Self::Target {
        // SAFETY: as in `SlotGuard::kept`; shared, because `self` is.
        let kept = unsafe { &*self.0.0.kept.get() };
        &kept.as_ref().expect("a borrowed place holds a session").session
    }
}

impl<S: ?Sized> DerefMut for SessionGuard<'_, S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0.kept().as_mut().expect("a borrowed place holds a session").session
    }
}

impl<S: ?Sized> Drop for SessionGuard<'_, S> {
    fn drop(&mut self) {
        self.0.0.last_used.store(now_ms(), Ordering::Relaxed);
    }
}

impl<S: ?Sized + Share> Sessions<S> {
    pub(crate) fn new() -> Self {
        Self::with(PLACES, IDLE)
    }

    fn with(places: usize, idle: Duration) -> Self {
        let places = (0..places).map(|_| SessionSlot::default()).collect();
        Sessions { places, tickets: AtomicU32::new(1), idle, full: AtomicBool::new(false) }
    }

    /// Locks a session for use. `None` if it was evicted, or if another thread has its slot locked.
    pub(crate) fn borrow(&self, hold: SessionId) -> Option<SessionGuard<'_, S>> {
        for _ in 0..LOOKS {
            if self.is_given_up(hold) {
                break;
            }
            if let Some(taken) = self.places[hold.place].take() {
                return (!self.is_given_up(hold)).then(|| SessionGuard(taken));
            }
            std::hint::spin_loop();
        }
        None
    }

    /// Whether the session was evicted.
    pub(crate) fn is_given_up(&self, hold: SessionId) -> bool {
        self.places[hold.place].ticket.load(Ordering::Relaxed) != hold.ticket
    }

    /// A session for `key`: shared with an existing session for the same key, or created by `open`.
    /// If the driver has no room, an `urgent` caller evicts an idle session. Other callers then
    /// return without a request to the driver, because a rejected request takes time too.
    pub(crate) fn open(
        &self,
        key: &[u8],
        urgent: bool,
        open: impl Fn() -> Result<Box<S>, Error>,
    ) -> Result<Option<SessionId>, Error> {
        self.sweep();
        let session = match self.shared(key) {
            Some(session) => session,
            None if !urgent && self.full.load(Ordering::Relaxed) => return Ok(None),
            None => {
                let opened = match open() {
                    Err(Error::KeyRefused { .. }) if urgent && self.give_up_idle() => open(),
                    opened => opened,
                };
                self.full.store(matches!(opened, Err(Error::KeyRefused { .. })), Ordering::Relaxed);
                opened?
            }
        };
        let kept = OpenSession { session, key: Zeroizing::new(key.to_vec()) };
        Ok(self.keep(kept, urgent))
    }

    /// A second session with the same key, if the first one still exists.
    pub(crate) fn copy(&self, hold: SessionId) -> Option<SessionId> {
        let mut borrowed = self.borrow(hold)?;
        let kept = borrowed.0.kept().as_ref()?;
        let copy = OpenSession { session: kept.session.share().ok()?, key: kept.key.clone() };
        drop(borrowed);
        self.keep(copy, false)
    }

    /// Closes a session.
    pub(crate) fn close(&self, hold: SessionId) {
        if let Some(mut borrowed) = self.borrow(hold) {
            borrowed.0.empty();
            self.full.store(false, Ordering::Relaxed);
        } else {
            // Fails if the session was evicted.
            let ticket = &self.places[hold.place].ticket;
            let _ = ticket.compare_exchange(hold.ticket, LEFT, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Closes the sessions that owners marked with [`LEFT`].
    fn sweep(&self) {
        let left = self.places.iter().filter(|place| place.ticket.load(Ordering::Relaxed) == LEFT);
        for mut taken in left.filter_map(SessionSlot::take) {
            if taken.0.ticket.load(Ordering::Relaxed) == LEFT {
                taken.empty();
            }
        }
    }

    /// A session that shares the key of an existing one.
    fn shared(&self, key: &[u8]) -> Option<Box<S>> {
        self.places.iter().filter(|place| place.is_occupied()).find_map(|place| {
            let mut taken = place.take()?;
            let kept = taken.kept().as_ref()?;
            if bool::from(kept.key.ct_eq(key)) { kept.session.share().ok() } else { None }
        })
    }

    /// Stores a session in a free slot, or if `urgent` in that of an idle session. `None`: the
    /// session is closed again.
    fn keep(&self, kept: OpenSession<S>, urgent: bool) -> Option<SessionId> {
        let mut kept = Some(kept);
        for _ in 0..2 {
            for (index, place) in self.places.iter().enumerate().filter(|(_, place)| !place.is_occupied()) {
                let Some(mut taken) = place.take() else { continue };
                if taken.kept().is_some() {
                    continue;
                }
                *taken.kept() = kept.take();
                let ticket = self.next_ticket();
                place.ticket.store(ticket, Ordering::Relaxed);
                place.last_used.store(now_ms(), Ordering::Relaxed);
                return Some(SessionId { place: index, ticket });
            }
            if !urgent || !self.give_up_idle() {
                break;
            }
        }
        None
    }

    /// Evicts the session that has been idle for the longest time, if it has been idle long enough.
    fn give_up_idle(&self) -> bool {
        let now = now_ms();
        let idle = |place: &SessionSlot<S>| now.wrapping_sub(place.last_used.load(Ordering::Relaxed));
        let longest = self
            .places
            .iter()
            .filter(|place| place.is_occupied() && !place.taken.load(Ordering::Relaxed))
            .max_by_key(|place| idle(place));
        let Some(place) = longest.filter(|place| u128::from(idle(place)) >= self.idle.as_millis()) else {
            return false;
        };
        place.take().is_some_and(|mut taken| taken.empty())
    }

    /// The next ticket: neither 0 nor [`LEFT`].
    fn next_ticket(&self) -> u32 {
        self.tickets.fetch_add(1, Ordering::Relaxed) % (LEFT - 1) + 1
    }
}

impl<S: ?Sized> Default for SessionSlot<S> {
    fn default() -> Self {
        let (taken, ticket, last_used) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
        SessionSlot { taken, ticket, last_used, kept: UnsafeCell::new(None) }
    }
}

impl<S: ?Sized> SessionSlot<S> {
    fn take(&self) -> Option<SlotGuard<'_, S>> {
        let mine = self.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
        mine.is_ok().then(|| SlotGuard(self))
    }

    fn is_occupied(&self) -> bool {
        self.ticket.load(Ordering::Relaxed) != 0
    }
}

impl<S: ?Sized> SlotGuard<'_, S> {
    /// Closes the session in the slot. Returns false if there is none.
    fn empty(&mut self) -> bool {
        self.0.ticket.store(0, Ordering::Relaxed);
        self.kept().take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use outboard_accel::{Direction, InFlight, Request};

    const NEVER: Duration = Duration::from_secs(86_400);

    /// A driver with room for `room` keys.
    #[derive(Clone)]
    struct Driver {
        room: usize,
        keys: Arc<AtomicUsize>,
    }

    struct Key(Arc<AtomicUsize>);

    impl Drop for Key {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    struct Sham(Arc<Key>);

    impl Driver {
        fn new(room: usize) -> Driver {
            Driver { room, keys: Arc::default() }
        }

        fn open(&self) -> Result<Box<dyn Session>, Error> {
            if self.keys.load(Ordering::Relaxed) == self.room {
                let source = io::Error::from_raw_os_error(libc::ENOSPC);
                return Err(Error::KeyRefused { driver: "sham".into(), source });
            }
            self.keys.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Sham(Arc::new(Key(Arc::clone(&self.keys))))))
        }

        fn keys(&self) -> usize {
            self.keys.load(Ordering::Relaxed)
        }
    }

    impl InFlight for Sham {}

    impl Session for Sham {
        fn max_request(&self, _direction: Direction) -> usize {
            16
        }
        fn submit(&mut self, _requests: &[Request<'_>]) -> Result<(), Error> {
            Ok(())
        }
        fn result(&mut self, _index: usize) -> Result<&[u8], Error> {
            Ok(&[])
        }
        fn release(&mut self) {}
        fn share(&self) -> Result<Box<dyn Session>, Error> {
            Ok(Box::new(Sham(Arc::clone(&self.0))))
        }
    }

    fn open(sessions: &Sessions, driver: &Driver, key: u8, urgent: bool) -> Option<SessionId> {
        sessions.open(&[key; 16], urgent, || driver.open()).ok().flatten()
    }

    #[test]
    fn equal_keys_take_one_of_the_drivers_places() {
        let (sessions, driver) = (Sessions::with(4, NEVER), Driver::new(1));
        let first = open(&sessions, &driver, 1, false).expect("room");
        let second = open(&sessions, &driver, 1, false).expect("the same key");
        let copy = sessions.copy(first).expect("a copy");
        assert!(first != second && second != copy && driver.keys() == 1);
        assert!(open(&sessions, &driver, 2, true).is_none());
        assert!(sessions.open(&[2; 16], false, || panic!("who is not urgent asks in vain")).is_ok());
        for hold in [first, second] {
            sessions.close(hold);
            assert!(driver.keys() == 1 && sessions.borrow(hold).is_none());
        }
        sessions.close(copy);
        assert_eq!(driver.keys(), 0);
        assert!(open(&sessions, &driver, 2, false).is_some());
    }

    #[test]
    fn what_is_idle_goes_for_those_who_are_urgent_and_its_holder_notices() {
        let (sessions, driver) = (Sessions::with(4, Duration::ZERO), Driver::new(2));
        let holds = [1, 2].map(|key| open(&sessions, &driver, key, false).expect("room"));
        assert!(open(&sessions, &driver, 3, false).is_none(), "not urgent");
        let third = open(&sessions, &driver, 3, true).expect("one of the others is idle");
        assert!(sessions.borrow(third).is_some());
        assert_eq!(holds.into_iter().filter(|&hold| sessions.borrow(hold).is_some()).count(), 1);
        assert_eq!(driver.keys(), 2);
        // The owner of an evicted session has no access to the session that replaced it.
        holds.into_iter().for_each(|hold| sessions.close(hold));
        assert!(sessions.borrow(third).is_some() && driver.keys() == 1);
    }

    #[test]
    fn what_was_used_just_now_or_is_in_use_stays() {
        let (sessions, driver) = (Sessions::with(4, NEVER), Driver::new(1));
        let hold = open(&sessions, &driver, 1, false).expect("room");
        assert!(open(&sessions, &driver, 2, true).is_none());

        let (sessions, driver) = (Sessions::with(4, Duration::ZERO), Driver::new(1));
        let first = open(&sessions, &driver, 1, false).expect("room");
        let borrowed = sessions.borrow(first).expect("kept");
        assert!(open(&sessions, &driver, 2, true).is_none(), "in use");
        assert!(sessions.borrow(first).is_none() && !sessions.is_given_up(first), "{hold:?} is another's");
        drop(borrowed);
        assert!(open(&sessions, &driver, 2, true).is_some() && sessions.borrow(first).is_none());
    }

    #[test]
    fn the_places_of_a_process_are_shared_out_like_those_of_the_driver() {
        let (sessions, driver) = (Sessions::with(2, Duration::ZERO), Driver::new(100));
        let holds = [1, 2].map(|key| open(&sessions, &driver, key, false).expect("room"));
        assert!(open(&sessions, &driver, 3, false).is_none());
        assert!(open(&sessions, &driver, 3, true).is_some());
        assert_eq!(holds.into_iter().filter(|&hold| sessions.borrow(hold).is_some()).count(), 1);
        assert_eq!(driver.keys(), 2);
    }

    #[test]
    fn threads_never_use_one_session_at_the_same_time() {
        let (sessions, driver) = (Sessions::with(3, Duration::ZERO), Driver::new(2));
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                let (sessions, driver) = (&sessions, &driver);
                scope.spawn(move || {
                    for round in 0..500_u16 {
                        let key = thread + (round % 3) as u8;
                        let Some(hold) = open(sessions, driver, key, true) else { continue };
                        if let Some(mut borrowed) = sessions.borrow(hold) {
                            assert_eq!(borrowed.0.kept().as_ref().expect("kept").key[0], key);
                        }
                        sessions.close(hold);
                    }
                });
            }
        });
        // A session that was locked by another thread when its owner closed it is closed by the
        // next `open`.
        sessions.sweep();
        assert_eq!(driver.keys(), 0);
    }
}
