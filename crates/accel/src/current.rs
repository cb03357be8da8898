use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::Error;
use crate::memory::Shared;

/// An open device that can be replaced while other threads use it, without a lock, which a fork
/// could leave held in the child.
///
/// A replaced value is never freed, since another thread may be about to take a reference to it.
/// That happens after the application has closed a descriptor that it did not open, typically once
/// per process.
pub(crate) struct Current<T>(AtomicPtr<()>, PhantomData<Shared<T>>);

impl<T> Current<T> {
    pub(crate) fn new(value: Shared<T>) -> Current<T> {
        Current(AtomicPtr::new(value.into_raw()), PhantomData)
    }

    pub(crate) fn get(&self) -> Shared<T> {
        Self::reference(self.0.load(Ordering::Acquire))
    }

    /// The current value if `ours` accepts it, otherwise that of `open`, or of another thread that
    /// was first.
    pub(crate) fn or_replace(
        &self,
        ours: impl FnOnce(&T) -> bool,
        open: impl FnOnce() -> Result<Shared<T>, Error>,
    ) -> Result<Shared<T>, Error> {
        let known = self.get();
        if ours(&known) { Ok(known) } else { Ok(self.replace(&known, open()?)) }
    }

    /// Returns the current value: another thread may have replaced `known` first.
    fn replace(&self, known: &Shared<T>, fresh: Shared<T>) -> Shared<T> {
        let raw = fresh.clone().into_raw();
        match self.0.compare_exchange(known.as_raw(), raw, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => fresh,
            Err(earlier) => {
                // SAFETY: no other thread has seen the owner that was meant for the pointer.
                drop(unsafe { Shared::<T>::from_raw(raw) });
                Self::reference(earlier)
            }
        }
    }

    fn reference(at: *mut ()) -> Shared<T> {
        // SAFETY: an installed value keeps the owner that it was installed with, so this value must
        // not be dropped.
        let installed = ManuallyDrop::new(unsafe { Shared::from_raw(at) });
        Shared::clone(&installed)
    }
}

impl<T> Drop for Current<T> {
    fn drop(&mut self) {
        // SAFETY: the owner that the pointer was installed with; `&mut self` excludes other users.
        drop(unsafe { Shared::<T>::from_raw(*self.0.get_mut()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn the_first_to_replace_wins_and_the_second_takes_what_is_there() {
        let made = |value| Shared::try_new(value).expect("memory");
        let current = Current::new(made(1));
        let (known, late) = (current.get(), current.get());
        assert_eq!(*current.replace(&known, made(2)), 2);
        assert_eq!(*current.replace(&late, made(3)), 2);
        assert_eq!((*known, *current.get()), (1, 2));
    }

    #[test]
    fn the_last_value_is_freed() {
        let value = Arc::new(());
        let current = Current::new(Shared::try_new(Arc::clone(&value)).expect("memory"));
        drop(current.get());
        drop(current);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
