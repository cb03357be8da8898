//! Allocations that may fail.
//!
//! The provider runs in other people's processes, which [`Box::new`],
//! [`Arc::new`](std::sync::Arc::new) and `vec!` end without memory (`handle_alloc_error`). Rust
//! 1.85 has no stable replacement except [`Vec::try_reserve_exact`].

use std::alloc::{Layout, alloc};
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::ptr::NonNull;

use crate::Error;
use crate::sync::{AtomicUsize, Ordering, fence};

pub fn try_box<T>(value: T) -> Option<Box<T>> {
    let layout = Layout::new::<T>();
    if layout.size() == 0 {
        // Allocates nothing.
        return Some(Box::new(value));
    }
    // SAFETY: the size of the layout is not zero.
    let at = NonNull::new(unsafe { alloc(layout) })?.cast::<T>();
    // SAFETY: the memory was allocated with the layout of a `T` by the allocator of boxes.
    unsafe {
        at.write(value);
        Some(Box::from_raw(at.as_ptr()))
    }
}

pub fn try_vec<T: Default>(count: usize) -> Option<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).ok()?;
    values.resize_with(count, T::default);
    Some(values)
}

pub fn try_copy(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).ok()?;
    copy.extend_from_slice(bytes);
    Some(copy)
}

/// A text made of its parts. Without memory it says so.
pub(crate) fn text(parts: fmt::Arguments<'_>) -> Cow<'static, str> {
    struct Text(String);
    impl fmt::Write for Text {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            self.0.try_reserve(part.len()).map_err(|_| fmt::Error)?;
            self.0.push_str(part);
            Ok(())
        }
    }
    let mut text = Text(String::new());
    match fmt::Write::write_fmt(&mut text, parts) {
        Ok(()) => Cow::Owned(text.0),
        Err(fmt::Error) => Cow::Borrowed("no memory for the reason"),
    }
}

pub(crate) fn boxed<T>(value: T) -> Result<Box<T>, Error> {
    try_box(value).ok_or(Error::NoMemory)
}

/// As [`Arc`](std::sync::Arc), which cannot be created without the risk of an abort, but without
/// weak references.
pub struct Shared<T>(NonNull<Counted<T>>);

struct Counted<T> {
    owners: AtomicUsize,
    value: T,
}

// SAFETY: owners in several threads share the value, and the last one drops it.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub fn try_new(value: T) -> Option<Shared<T>> {
        let counted = try_box(Counted { owners: AtomicUsize::new(1), value })?;
        Some(Shared(NonNull::from(Box::leak(counted))))
    }

    pub(crate) fn new(value: T) -> Result<Shared<T>, Error> {
        Self::try_new(value).ok_or(Error::NoMemory)
    }

    pub fn is_same(&self, other: &Shared<T>) -> bool {
        self.0 == other.0
    }

    /// The caller prevents that another owner is made meanwhile.
    pub(crate) fn has_one_owner(&self) -> bool {
        self.counted().owners.load(Ordering::Acquire) == 1
    }

    /// Keeps this owner until [`from_raw`](Self::from_raw).
    pub(crate) fn into_raw(self) -> *mut () {
        let at = self.0;
        std::mem::forget(self);
        at.as_ptr().cast()
    }

    pub(crate) fn as_raw(&self) -> *mut () {
        self.0.as_ptr().cast()
    }

    /// # Safety
    /// `at` came from [`into_raw`](Self::into_raw), and is not used for this more than once.
    pub(crate) unsafe fn from_raw(at: *mut ()) -> Shared<T> {
        // SAFETY: guaranteed by the caller: it is not null.
        Shared(unsafe { NonNull::new_unchecked(at.cast()) })
    }

    fn counted(&self) -> &Counted<T> {
        // SAFETY: the value lives as long as it has an owner.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        self.counted().owners.fetch_add(1, Ordering::Relaxed);
        Shared(self.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.counted().value
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if self.counted().owners.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            // SAFETY: it came from a box, and this was the last owner.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_box_and_copies_hold_what_they_were_made_of() {
        assert_eq!(try_box([7_u64; 3]).as_deref(), Some(&[7; 3]));
        assert!(try_box(()).is_some());
        assert_eq!(try_vec::<u32>(3), Some(vec![0; 3]));
        assert_eq!(try_copy(&[1, 2, 3]).map(|copy| (copy.capacity(), copy)), Some((3, vec![1, 2, 3])));
    }

    #[test]
    fn a_text_is_made_of_its_parts() {
        assert_eq!(text(format_args!("{} and {}", "one", 2)), "one and 2");
    }

    #[test]
    fn memory_that_does_not_exist_is_none() {
        assert!(try_vec::<u8>(isize::MAX as usize).is_none());
        assert!(try_vec::<u64>(usize::MAX).is_none());
    }

    #[test]
    fn the_last_owner_drops_the_value() {
        let value = Arc::new(());
        let first = Shared::try_new(Arc::clone(&value)).expect("memory");
        let second = first.clone();
        assert!(first.is_same(&second) && !first.has_one_owner());
        drop(first);
        assert!(Arc::strong_count(&value) == 2 && second.has_one_owner());
        // SAFETY: the pointer of `into_raw`, used once.
        let second = unsafe { Shared::<Arc<()>>::from_raw(second.into_raw()) };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let own = second.clone();
                scope.spawn(move || assert_eq!(Arc::strong_count(&own), 2));
            }
        });
        drop(second);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
