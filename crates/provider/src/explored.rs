//! All interleavings of threads that share slots, sessions and what is decided once.

use std::io;
use std::time::Duration;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use outboard_accel::{Error, Share};

use crate::atomic_slot_id::AtomicSlotId;
use crate::decided::Decided;
use crate::owned_slots::{Ending, OwnedSlots, SlotId};
use crate::sessions::Sessions;
use crate::sync::explored::{Stopping, explore};
use crate::sync::{AtomicUsize, Ordering};

/// A value of which loom sees each use.
struct Value {
    owner: u32,
    uses: UnsafeCell<()>,
}

// SAFETY: loom sees accesses at the same time.
unsafe impl Sync for Value {}

impl Value {
    fn new(owner: u32) -> Value {
        Value { owner, uses: UnsafeCell::new(()) }
    }

    fn touch(&self) {
        self.uses.with_mut(|_| ());
    }
}

impl Ending for Value {
    fn end(&mut self) -> bool {
        self.touch();
        true
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.touch();
    }
}

fn slots(count: usize) -> Arc<OwnedSlots<Value>> {
    Arc::new(OwnedSlots::new(count, Duration::ZERO).expect("memory"))
}

/// A context's life, with a value of its own or of which it was evicted.
fn live(slots: &OwnedSlots<Value>, owner: u32) {
    let Some(id) = slots.reserve(true).map(|slot| slot.fill(Value::new(owner))) else { return };
    use_it(slots, id, owner);
    slots.close(id);
}

fn use_it(slots: &OwnedSlots<Value>, id: SlotId, owner: u32) {
    if let Some(value) = slots.borrow(id) {
        assert_eq!(value.owner, owner, "a context gets its own value");
        value.touch();
    }
}

/// None is lost, and none is there twice.
fn all_are_free(slots: &OwnedSlots<Value>, count: usize) {
    slots.sweep();
    let reserved: Vec<_> = (0..=count).map_while(|_| slots.reserve(false)).collect();
    assert_eq!(reserved.len(), count);
}

#[test]
fn a_value_is_its_owners_and_one_threads_at_a_time_and_no_slot_is_lost() {
    for (count, preemptions) in [(1, 3), (2, 3)] {
        explore(preemptions, move || {
            let slots = slots(count);
            let first = slots.reserve(false).expect("a slot").fill(Value::new(1));
            let other = {
                let slots = slots.clone();
                thread::spawn(move || live(&slots, 2))
            };
            use_it(&slots, first, 1);
            slots.close(first);
            other.join().expect("it ends");
            all_are_free(&slots, count);
        });
    }
}

#[test]
fn an_evicted_value_is_not_lost_and_not_dropped_twice() {
    explore(3, || {
        let slots = slots(1);
        let id = slots.reserve(false).expect("a slot").fill(Value::new(1));
        let evicts = {
            let slots = slots.clone();
            thread::spawn(move || slots.evict_idle())
        };
        let finds = {
            let slots = slots.clone();
            thread::spawn(move || slots.find(|value| Some(value.touch())))
        };
        use_it(&slots, id, 1);
        slots.close(id);
        evicts.join().expect("it ends");
        finds.join().expect("it ends");
        all_are_free(&slots, 1);
    });
}

#[test]
fn a_child_goes_on_and_gets_no_other_value_at_whatever_step_the_fork_was() {
    for step in 0.. {
        let has_ended = std::sync::Arc::new(std::sync::Mutex::new(false));
        let result = has_ended.clone();
        explore(2, move || {
            let slots = slots(2);
            let id = slots.reserve(false).expect("a slot").fill(Value::new(1));
            let of_parent = {
                let slots = slots.clone();
                Stopping::before(step, move || live(&slots, 2))
            };
            let ended = of_parent.wait();
            *result.lock().expect("one thread") = ended;
            let other = {
                let slots = slots.clone();
                thread::spawn(move || live(&slots, 3))
            };
            use_it(&slots, id, 1);
            slots.close(id);
            other.join().expect("it ends");
            slots.sweep();
            let free = (0..2).map_while(|_| slots.reserve(true)).count();
            assert!(free >= 1, "a slot of a thread that is gone costs only that slot");
            of_parent.end();
        });
        if *has_ended.lock().expect("one thread") {
            return;
        }
    }
}

#[test]
fn an_id_that_threads_share_is_taken_once_and_with_its_place() {
    explore(None, || {
        let shared = Arc::new(AtomicSlotId::default());
        let threads = [1, 2].map(|number| {
            let shared = shared.clone();
            thread::spawn(move || {
                let stored = shared.store_if_none(SlotId { place: number, ticket: 10 * number });
                let taken = shared.take();
                assert!(taken.is_none_or(|id| id.ticket == 10 * id.place));
                (u32::from(stored), taken.map_or(0, |id| id.place))
            })
        });
        let ended = threads.map(|thread| thread.join().expect("it ends"));
        let left = shared.take().map_or(0, |id| id.place);
        let mut taken = [ended[0].1, ended[1].1, left].to_vec();
        taken.retain(|&place| place != 0);
        assert_eq!(taken.len() as u32, ended[0].0 + ended[1].0);
        taken.dedup();
        assert!(taken.len() < 2 || taken[0] != taken[1]);
    });
}

#[test]
fn what_is_decided_is_one_value_which_all_threads_see_complete() {
    explore(None, || {
        let decided = Arc::new(Decided::not_yet());
        let threads = [1, 2].map(|number| {
            let decided = decided.clone();
            thread::spawn(move || {
                let value: &Value = decided.set(Value::new(number)).expect("memory");
                value.uses.with(|_| ());
                value.owner
            })
        });
        let seen = decided.get().map(|value| {
            value.uses.with(|_| ());
            value.owner
        });
        let [first, second] = threads.map(|thread| thread.join().expect("it ends"));
        assert!(first == second && seen.is_none_or(|seen| seen == first));
    });
}

/// A driver with room for some keys. Its calls take time.
#[derive(Clone)]
struct Driver {
    room: usize,
    keys: Arc<AtomicUsize>,
}

struct Key {
    keys: Arc<AtomicUsize>,
    uses: UnsafeCell<()>,
}

// SAFETY: loom sees accesses at the same time.
unsafe impl Sync for Key {}

impl Drop for Key {
    fn drop(&mut self) {
        self.keys.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A session, which one thread uses at a time.
struct Session(std::sync::Arc<Key>, UnsafeCell<()>);

// SAFETY: loom sees accesses at the same time.
unsafe impl Sync for Session {}

impl Share for Session {
    fn share(&self) -> Result<Box<Session>, Error> {
        self.0.uses.with(|_| ());
        Ok(Box::new(Session(self.0.clone(), UnsafeCell::new(()))))
    }
}

impl Driver {
    fn open(&self) -> Result<Box<Session>, Error> {
        let one_more = |keys| (keys < self.room).then_some(keys + 1);
        match self.keys.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more) {
            Ok(_) => {
                let key = Key { keys: self.keys.clone(), uses: UnsafeCell::new(()) };
                Ok(Box::new(Session(std::sync::Arc::new(key), UnsafeCell::new(()))))
            }
            Err(_) => {
                let source = io::Error::from_raw_os_error(libc::ENOSPC);
                Err(Error::KeyRefused { driver: "sham".into(), source })
            }
        }
    }
}

fn open(sessions: &Sessions<Session>, driver: &Driver, key: u8) -> Option<SlotId> {
    sessions.open(&[key], false, || driver.open()).ok().flatten()
}

fn sessions(room: usize) -> (Arc<Sessions<Session>>, Driver) {
    let sessions = Sessions::with(3, Duration::ZERO).expect("memory");
    (Arc::new(sessions), Driver { room, keys: Arc::new(AtomicUsize::new(0)) })
}

#[test]
fn contexts_with_one_key_share_it_and_no_session_is_two_threads_at_once() {
    explore(2, || {
        let (sessions, driver) = sessions(2);
        let threads = [(); 2].map(|()| {
            let (sessions, driver) = (sessions.clone(), driver.clone());
            thread::spawn(move || {
                let Some(id) = open(&sessions, &driver, 1) else { return };
                if let Some(session) = sessions.borrow(id) {
                    session.1.with_mut(|_| ());
                }
                sessions.close(id);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
        sessions.slots.sweep();
        assert_eq!(driver.keys.load(Ordering::Acquire), 0, "all keys are given back");
    });
}

#[test]
fn room_that_a_closed_session_leaves_is_not_overlooked() {
    explore(3, || {
        let (sessions, driver) = sessions(1);
        let first = open(&sessions, &driver, 1).expect("room");
        let other = {
            let (sessions, driver) = (sessions.clone(), driver.clone());
            thread::spawn(move || {
                if let Some(id) = open(&sessions, &driver, 2) {
                    sessions.close(id);
                }
            })
        };
        sessions.close(first);
        other.join().expect("it ends");
        sessions.slots.sweep();
        assert!(open(&sessions, &driver, 3).is_some(), "the driver has room");
    });
}
