//! Contexts that the core stores as opaque pointers.

use std::ffi::c_void;
use std::ptr::null_mut;

use outboard_accel::memory::try_box;

use crate::core::Core;
use crate::guard;

/// Returns a new context as a pointer for the core; null if `make` returns none. Raises an error if
/// there is no memory for it.
pub(crate) fn hand_over<T>(core: &Core, make: impl FnOnce() -> Option<T>) -> *mut c_void {
    guard(null_mut(), || {
        let Some(context) = make() else { return null_mut() };
        match try_box(context) {
            Some(context) => Box::into_raw(context).cast(),
            None => {
                core.raise_no_memory();
                null_mut()
            }
        }
    })
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
