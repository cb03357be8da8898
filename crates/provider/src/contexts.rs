//! Contexts that the core keeps for us, behind pointers that mean nothing to it.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::guard;

/// Hands a new context to the core; null if there is none.
pub(crate) fn hand_over<T>(make: impl FnOnce() -> Option<Box<T>>) -> *mut c_void {
    guard(null_mut(), || make().map_or(null_mut(), |context| Box::into_raw(context).cast()))
}

/// `OSSL_FUNC_*_freectx`
///
/// # Safety
/// `at` is null or came from [`hand_over`] of this `T`, and the core gives it back once.
pub(crate) unsafe extern "C" fn free<T>(at: *mut c_void) {
    if !at.is_null() {
        // SAFETY: the caller's promise.
        guard((), || drop(unsafe { Box::from_raw(at.cast::<T>()) }));
    }
}
