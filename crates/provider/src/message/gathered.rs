//! A message gathered in memory.

use std::sync::atomic::{AtomicUsize, Ordering};

use outboard_accel::wipe;

/// Maximum length of a gathered message, in bytes.
pub(super) const MOST: usize = 1 << 20;

/// Maximum memory for messages of a process, in bytes. Further messages are hashed in software.
const ALL: usize = 16 * MOST;

/// Minimum capacity that is allocated, in bytes.
const LEAST: usize = 1024;

/// Capacity allocated in all contexts of the process, in bytes.
static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// The bytes of a message; wiped when they are no longer needed.
#[derive(Default)]
pub(super) struct Gathered(Vec<u8>);

impl Gathered {
    /// Appends data. False if the message becomes too long or memory is exhausted: nothing is
    /// changed.
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

    /// Wipes the message. Keeps the buffer only if it is small.
    pub(super) fn clear(&mut self) {
        if self.0.capacity() > LEAST {
            self.replace(Vec::new());
        } else {
            wipe(&mut self.0);
            self.0.clear();
        }
    }

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
        // The sum includes concurrent additions of other threads, so it never exceeds the limit.
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

    /// Replaces the buffer. The caller has already added the capacity of `other` to `IN_USE`.
    fn replace(&mut self, other: Vec<u8>) {
        let mut before = std::mem::replace(&mut self.0, other);
        wipe(&mut before);
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

    /// The limit applies to the process, so the tests run one at a time. A failed test must not
    /// make the next one fail.
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
