//! What all threads use, and one of them replaces.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// An open device that can be replaced while others use it. No lock: a fork must not leave one held.
///
/// What was replaced keeps its count for ever, since another thread may be about to take a reference. That happens
/// when an application closes what it does not know, so once in a process.
pub(crate) struct Current<T>(AtomicPtr<T>, PhantomData<Arc<T>>);

impl<T> Current<T> {
    pub(crate) fn new(value: T) -> Current<T> {
        Current(AtomicPtr::new(Arc::into_raw(Arc::new(value)).cast_mut()), PhantomData)
    }

    pub(crate) fn get(&self) -> Arc<T> {
        Self::reference(self.0.load(Ordering::Acquire))
    }

    /// What is there if it is still `ours`; else what `open` gives, which then is there for all.
    pub(crate) fn or_replace<E>(
        &self,
        ours: impl FnOnce(&T) -> bool,
        open: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let known = self.get();
        if ours(&known) { Ok(known) } else { Ok(self.replace(&known, open()?)) }
    }

    /// Puts `fresh` in the place of `known`, and answers what is there now: another thread may have been first.
    fn replace(&self, known: &Arc<T>, fresh: T) -> Arc<T> {
        let fresh = Arc::new(fresh);
        let raw = Arc::into_raw(Arc::clone(&fresh)).cast_mut();
        let known = Arc::as_ptr(known).cast_mut();
        match self.0.compare_exchange(known, raw, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => fresh,
            Err(earlier) => {
                // SAFETY: nobody has seen the count that was meant for the place.
                drop(unsafe { Arc::from_raw(raw) });
                Self::reference(earlier)
            }
        }
    }

    fn reference(at: *mut T) -> Arc<T> {
        // SAFETY: what has been in the place keeps the count that it came with.
        unsafe {
            Arc::increment_strong_count(at);
            Arc::from_raw(at)
        }
    }
}

impl<T> Drop for Current<T> {
    fn drop(&mut self) {
        // SAFETY: the count that the pointer came with, and nobody looks at it any more.
        drop(unsafe { Arc::from_raw(*self.0.get_mut()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_to_replace_wins_and_the_second_takes_what_is_there() {
        let current = Current::new(1);
        let (known, late) = (current.get(), current.get());
        assert_eq!(*current.replace(&known, 2), 2);
        assert_eq!(*current.replace(&late, 3), 2);
        assert_eq!((*known, *current.get()), (1, 2));
    }

    #[test]
    fn what_is_there_at_the_end_is_freed() {
        let value = Arc::new(());
        let current = Current::new(Arc::clone(&value));
        drop(current.get());
        drop(current);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
