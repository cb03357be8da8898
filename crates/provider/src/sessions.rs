//! The sessions of a process with one driver. A device has room for a limited number of keys
//! (virtio-crypto: 128), and opening one takes hundreds of microseconds. Therefore sessions are
//! kept, and when the device is full, one that was not used for a while is evicted.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use outboard_accel::Wiped;
use outboard_accel::memory::try_copy;
use outboard_accel::{Error, Session, Share};
use subtle::ConstantTimeEq;

use crate::owned_slots::{Ending, OwnedSlots, SlotGuard, SlotId};
use crate::sync::{AtomicU32, Ordering};

/// Of a process with a driver. Devices have fewer, or more than a process needs.
const PLACES: usize = 256;

/// A session that was not used for this time may be evicted for another key.
const IDLE: Duration = Duration::from_secs(1);

pub(crate) struct Sessions<S: ?Sized = dyn Session> {
    pub(crate) slots: OwnedSlots<OpenSession<S>>,
    /// Odd: the driver had no room at the last attempt, and no session of this process was closed
    /// since. Each change adds 1 or 2.
    room: AtomicU32,
}

pub(crate) struct OpenSession<S: ?Sized> {
    session: Box<S>,
    key: Wiped<Vec<u8>>,
}

impl<S: ?Sized> Ending for OpenSession<S> {}

pub(crate) type SessionId = SlotId;

pub(crate) struct SessionGuard<'a, S: ?Sized = dyn Session>(SlotGuard<'a, OpenSession<S>>);

impl<S: ?Sized> Deref for SessionGuard<'_, S> {
    type Target = S;
    fn deref(&self) -> &Self::Target {
        &self.0.session
    }
}

impl<S: ?Sized> DerefMut for SessionGuard<'_, S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0.session
    }
}

impl<S: ?Sized + Share> Sessions<S> {
    pub(crate) fn new() -> Option<Self> {
        Self::with(PLACES, IDLE)
    }

    pub(crate) fn with(places: usize, idle: Duration) -> Option<Self> {
        Some(Sessions { slots: OwnedSlots::new(places, idle)?, room: AtomicU32::new(0) })
    }

    /// `None` if it was evicted, or if another thread has its slot locked.
    pub(crate) fn borrow(&self, id: SessionId) -> Option<SessionGuard<'_, S>> {
        self.slots.borrow(id).map(SessionGuard)
    }

    pub(crate) fn is_given_up(&self, id: SessionId) -> bool {
        self.slots.is_evicted(id)
    }

    /// Whether there is a place for another session, or an idle one may be evicted for it.
    pub(crate) fn has_place(&self, urgent: bool) -> bool {
        urgent || self.slots.has_free()
    }

    /// Shared with an existing session for the same key, or created by `open`, but not without a
    /// place for it here. If there is none, or the driver has no room, an `urgent` caller evicts an
    /// idle session; others return without a request to the driver, because a rejected one takes
    /// time too.
    pub(crate) fn open(
        &self,
        key: &[u8],
        urgent: bool,
        open: impl Fn() -> Result<Box<S>, Error>,
    ) -> Result<Option<SessionId>, Error> {
        let Some(place) = self.slots.reserve(urgent) else { return Ok(None) };
        self.slots.sweep();
        let session = match self.shared(key) {
            Some(session) => session,
            None => {
                let room = self.room.load(Ordering::Acquire);
                if !urgent && room % 2 == 1 {
                    return Ok(None);
                }
                let opened = match open() {
                    Err(Error::KeyRefused { .. }) if urgent && self.slots.evict_idle() => open(),
                    opened => opened,
                };
                let is_full = matches!(opened, Err(Error::KeyRefused { .. }));
                if is_full != (room % 2 == 1) {
                    let next = room.wrapping_add(1);
                    // Fails if a session was closed meanwhile: the driver may have room.
                    let _ = self.room.compare_exchange(room, next, Ordering::Release, Ordering::Relaxed);
                }
                opened?
            }
        };
        let key = Wiped::new(try_copy(key).ok_or(Error::NoMemory)?);
        Ok(Some(place.fill(OpenSession { session, key })))
    }

    pub(crate) fn copy(&self, id: SessionId) -> Option<SessionId> {
        let place = self.slots.reserve(false)?;
        let guard = self.slots.borrow(id)?;
        let key = Wiped::new(try_copy(&guard.key)?);
        Some(place.fill(OpenSession { session: guard.session.share().ok()?, key }))
    }

    pub(crate) fn close(&self, id: SessionId) {
        if self.slots.close(id) {
            let closed = |room: u32| Some((room | 1).wrapping_add(1));
            let _ = self.room.fetch_update(Ordering::AcqRel, Ordering::Relaxed, closed);
        }
    }

    #[cfg(any(test, fuzzing))]
    pub(crate) fn forget_refusal(&self) {
        self.room.store(0, Ordering::Release);
    }

    fn shared(&self, key: &[u8]) -> Option<Box<S>> {
        self.slots.find(|open| if bool::from(open.key.ct_eq(key)) { open.session.share().ok() } else { None })
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

    fn room_for(places: usize, idle: Duration) -> Sessions {
        Sessions::with(places, idle).expect("memory")
    }

    fn open(sessions: &Sessions, driver: &Driver, key: u8, urgent: bool) -> Option<SessionId> {
        sessions.open(&[key; 16], urgent, || driver.open()).ok().flatten()
    }

    #[test]
    fn equal_keys_take_one_of_the_drivers_places() {
        let (sessions, driver) = (room_for(4, NEVER), Driver::new(1));
        let first = open(&sessions, &driver, 1, false).expect("room");
        let second = open(&sessions, &driver, 1, false).expect("the same key");
        let copy = sessions.copy(first).expect("a copy");
        assert!(first != second && second != copy && driver.keys() == 1);
        assert!(open(&sessions, &driver, 2, true).is_none());
        assert!(sessions.open(&[2; 16], false, || panic!("not urgent, so nothing is opened")).is_ok());
        for hold in [first, second] {
            sessions.close(hold);
            assert!(driver.keys() == 1 && sessions.borrow(hold).is_none());
        }
        sessions.close(copy);
        assert_eq!(driver.keys(), 0);
        assert!(open(&sessions, &driver, 2, false).is_some());
    }

    #[test]
    fn an_idle_session_is_closed_for_an_urgent_one_and_its_holder_notices() {
        let (sessions, driver) = (room_for(4, Duration::ZERO), Driver::new(2));
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
    fn a_session_in_use_or_used_recently_stays() {
        let (sessions, driver) = (room_for(4, NEVER), Driver::new(1));
        let hold = open(&sessions, &driver, 1, false).expect("room");
        assert!(open(&sessions, &driver, 2, true).is_none());

        let (sessions, driver) = (room_for(4, Duration::ZERO), Driver::new(1));
        let first = open(&sessions, &driver, 1, false).expect("room");
        let borrowed = sessions.borrow(first).expect("kept");
        assert!(open(&sessions, &driver, 2, true).is_none(), "in use");
        assert!(sessions.borrow(first).is_none() && !sessions.is_given_up(first), "{hold:?} is another's");
        drop(borrowed);
        assert!(open(&sessions, &driver, 2, true).is_some() && sessions.borrow(first).is_none());
    }

    #[test]
    fn the_places_of_a_process_are_shared_out_like_those_of_the_driver() {
        let (sessions, driver) = (room_for(2, Duration::ZERO), Driver::new(100));
        let holds = [1, 2].map(|key| open(&sessions, &driver, key, false).expect("room"));
        assert!(open(&sessions, &driver, 3, false).is_none());
        assert!(open(&sessions, &driver, 3, true).is_some());
        assert_eq!(holds.into_iter().filter(|&hold| sessions.borrow(hold).is_some()).count(), 1);
        assert_eq!(driver.keys(), 2);
    }

    #[test]
    fn threads_never_use_one_session_at_the_same_time() {
        let (sessions, driver) = (room_for(3, Duration::ZERO), Driver::new(2));
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                let (sessions, driver) = (&sessions, &driver);
                scope.spawn(move || {
                    for round in 0..500_u16 {
                        let key = thread + (round % 3) as u8;
                        let Some(hold) = open(sessions, driver, key, true) else { continue };
                        if let Some(borrowed) = sessions.borrow(hold) {
                            assert_eq!(borrowed.0.key[0], key);
                        }
                        sessions.close(hold);
                    }
                });
            }
        });
        // A session that was locked by another thread when its owner closed it is closed by the
        // next `open`.
        sessions.slots.sweep();
        assert_eq!(driver.keys(), 0);
    }
}
