//! Contexts that the core stores as opaque pointers.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::guard;

/// Returns a new context as a pointer for the core; null if `make` returns none.
pub(crate) fn hand_over<T>(make: impl FnOnce() -> Option<Box<T>>) -> *mut c_void {
    guard(null_mut(), || make().map_or(null_mut(), |context| Box::into_raw(context).cast()))
}

/// `OSSL_FUNC_*_freectx`
///
/// # Safety
/// `at` is null or was returned by [`hand_over`] for this `T`, and the core frees it once.
pub(crate) unsafe extern "C" fn free<T>(at: *mut c_void) {
    if !at.is_null() {
        // SAFETY: guaranteed by the caller.
        guard((), || drop(unsafe { Box::from_raw(at.cast::<T>()) }));
    }
}
