//! A shared value that one thread may replace while others use it.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// An open device that can be replaced while other threads use it. It has no lock, because a fork
/// could leave a lock held in the child.
///
/// A replaced value is never freed, since another thread may be about to take a reference to it. A
/// value is replaced after the application has closed a descriptor that it did not open, typically
/// once per process.
pub(crate) struct Current<T>(AtomicPtr<T>, PhantomData<Arc<T>>);

impl<T> Current<T> {
    pub(crate) fn new(value: T) -> Current<T> {
        Current(AtomicPtr::new(Arc::into_raw(Arc::new(value)).cast_mut()), PhantomData)
    }

    pub(crate) fn get(&self) -> Arc<T> {
        Self::reference(self.0.load(Ordering::Acquire))
    }

    /// Returns the current value if `ours` accepts it. Otherwise replaces it by the value of
    /// `open`, unless another thread has replaced it first. Fails with the error of `open`.
    pub(crate) fn or_replace<E>(
        &self,
        ours: impl FnOnce(&T) -> bool,
        open: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let known = self.get();
        if ours(&known) { Ok(known) } else { Ok(self.replace(&known, open()?)) }
    }

    /// Installs `fresh` in place of `known` and returns the current value: another thread may have
    /// replaced `known` first.
    fn replace(&self, known: &Arc<T>, fresh: T) -> Arc<T> {
        let fresh = Arc::new(fresh);
        let raw = Arc::into_raw(Arc::clone(&fresh)).cast_mut();
        let known = Arc::as_ptr(known).cast_mut();
        match self.0.compare_exchange(known, raw, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => fresh,
            Err(earlier) => {
                // SAFETY: no other thread has seen the reference count that was meant for the
                // pointer.
                drop(unsafe { Arc::from_raw(raw) });
                Self::reference(earlier)
            }
        }
    }

    fn reference(at: *mut T) -> Arc<T> {
        // SAFETY: an installed value keeps the reference count that it was installed with.
        unsafe {
            Arc::increment_strong_count(at);
            Arc::from_raw(at)
        }
    }
}

impl<T> Drop for Current<T> {
    fn drop(&mut self) {
        // SAFETY: the count that the pointer was installed with; `&mut self` excludes other users.
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
