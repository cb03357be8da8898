//! A value that is computed once, when it is first needed.

use std::marker::PhantomData;
use std::ptr::null_mut;

use outboard_accel::memory::try_box;

use crate::sync::{AtomicPtr, Ordering};

/// A value that never changes after it is set. No lock: a fork during an access must not leave a
/// lock held in the child.
pub(crate) struct Decided<T>(AtomicPtr<T>, PhantomData<Box<T>>);

impl<T> Decided<T> {
    pub(crate) fn not_yet() -> Self {
        Decided(AtomicPtr::new(null_mut()), PhantomData)
    }

    pub(crate) fn get(&self) -> Option<&T> {
        // SAFETY: a stored value is valid until this is dropped.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Returns the stored value: that of another thread if it was first. `None` without memory.
    pub(crate) fn set(&self, value: T) -> Option<&T> {
        let made = Box::into_raw(try_box(value)?);
        let at = match self.0.compare_exchange(null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => made,
            Err(earlier) => {
                // SAFETY: another thread was first, so no other reference to this value exists.
                drop(unsafe { Box::from_raw(made) });
                earlier
            }
        };
        // SAFETY: the value is stored, so it is valid until this is dropped.
        Some(unsafe { &*at })
    }
}

impl<T> Drop for Decided<T> {
    fn drop(&mut self) {
        let at = self.0.load(Ordering::Relaxed);
        if !at.is_null() {
            // SAFETY: it came from a box, and no reference to it is left.
            drop(unsafe { Box::from_raw(at) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_stays() {
        let decided = Decided::not_yet();
        assert_eq!(decided.get(), None);
        assert_eq!((decided.set(1), decided.set(2), decided.get()), (Some(&1), Some(&1), Some(&1)));
    }
}
