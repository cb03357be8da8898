//! A message, as far as it has come.

use std::sync::atomic::{AtomicUsize, Ordering};

use zeroize::Zeroize;

/// The longest message that is kept, in bytes.
pub(super) const MOST: usize = 1 << 20;

/// The memory for messages of a process, in bytes: who finds it used up goes to software.
const ALL: usize = 16 * MOST;

/// The first room that is made.
const LEAST: usize = 1024;

/// The room in all contexts of the process.
static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// The bytes of a message; wiped when they are no longer wanted.
#[derive(Default)]
pub(super) struct Gathered(Vec<u8>);

impl Gathered {
    /// Takes more of the message in; false, and nothing is changed, if it becomes too long, or memory is short.
    pub(super) fn add(&mut self, more: &[u8]) -> bool {
        let len = self.0.len() + more.len();
        if len > self.0.capacity() && !self.make_room(len) {
            return false;
        }
        self.0.extend_from_slice(more);
        true
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Forgets the message and keeps the room, if it is not large.
    pub(super) fn clear(&mut self) {
        self.0.zeroize();
        if self.0.capacity() > LEAST {
            self.replace(Vec::new());
        }
    }

    /// Another one with the same bytes; `None` if memory is short.
    pub(super) fn copy(&self) -> Option<Gathered> {
        let mut copy = Gathered::default();
        copy.add(&self.0).then_some(copy)
    }

    #[cold]
    fn make_room(&mut self, len: usize) -> bool {
        if len > MOST {
            return false;
        }
        let capacity = len.next_power_of_two().max(LEAST);
        let mut larger = Vec::new();
        // What others add at the same moment counts too, so the sum is never more than it may be.
        let in_use = IN_USE.fetch_add(capacity, Ordering::Relaxed);
        if in_use + capacity > ALL || larger.try_reserve_exact(capacity).is_err() {
            IN_USE.fetch_sub(capacity, Ordering::Relaxed);
            return false;
        }
        IN_USE.fetch_add(larger.capacity() - capacity, Ordering::Relaxed);
        larger.extend_from_slice(&self.0);
        self.replace(larger);
        true
    }

    /// The room of `other` has been counted already.
    fn replace(&mut self, other: Vec<u8>) {
        let mut before = std::mem::replace(&mut self.0, other);
        before.zeroize();
        IN_USE.fetch_sub(before.capacity(), Ordering::Relaxed);
    }
}

impl Drop for Gathered {
    fn drop(&mut self) {
        self.replace(Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::*;

    /// The memory is the process's, so the tests take turns; one that fails is no reason for the next to fail.
    fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn a_message_grows_to_its_most_and_not_beyond() {
        let _alone = alone();
        let mut message = Gathered::default();
        assert!(message.add(&[]) && message.bytes().is_empty());
        assert!(message.add(&[1; 700]) && message.add(&[2; 700]));
        assert!(message.bytes()[..700] == [1; 700] && message.bytes()[700..] == [2; 700]);
        assert!(message.add(&vec![3; MOST - 1400]));
        assert!(!message.add(&[4]) && message.bytes().len() == MOST && message.bytes()[MOST - 1] == 3);
        assert!(!Gathered::default().add(&vec![0; MOST + 1]));
        message.clear();
        assert!(message.bytes().is_empty() && message.add(&[5; 10]) && message.bytes() == [5; 10]);
    }

    #[test]
    fn copies_are_independent_and_memory_is_given_back() {
        let _alone = alone();
        let mut message = Gathered::default();
        assert!(message.add(&[1; 5000]));
        let mut copy = message.copy().expect("memory");
        assert!(copy.add(&[2]) && message.add(&[3, 3]));
        assert_eq!((copy.bytes().len(), message.bytes().len()), (5001, 5002));
        drop((message, copy));
        let mut all: Vec<_> = (0..ALL / MOST).map(|_| Gathered::default()).collect();
        assert!(all.iter_mut().all(|message| message.add(&vec![0; MOST])));
        let mut one_more = Gathered::default();
        assert!(!one_more.add(&[1]) && one_more.bytes().is_empty() && all[0].copy().is_none());
        drop(all);
        assert!(one_more.add(&vec![0; MOST]));
    }
}
