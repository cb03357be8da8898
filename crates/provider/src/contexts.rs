//! Contexts that the core stores as opaque pointers.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use outboard_abi::{Param, Params};
use outboard_accel::memory::try_box;

use crate::core::Core;
use crate::guard;
use crate::provider_context::ProviderContext;

/// Null if `make` returns none. Raises an error if there is no memory for it.
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

pub(crate) trait Create: Sized {
    /// `None` if the algorithm is not offered, or the default provider makes no context.
    fn create(context: &'static ProviderContext, kind: usize) -> Option<Self>;
}

pub(crate) unsafe extern "C" fn newctx<T: Create, const KIND: usize>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: the core passes the context that OSSL_provider_init returned.
    created::<T>(unsafe { ProviderContext::at(provider) }, KIND)
}

/// Not inlined, so that the algorithms of a kind share one copy.
#[inline(never)]
fn created<T: Create>(context: Option<&'static ProviderContext>, kind: usize) -> *mut c_void {
    let Some(context) = context else { return null_mut() };
    hand_over(&context.provider.core, || T::create(context, kind))
}

/// `None` for null: there was no memory for it, and the application goes on.
///
/// # Safety
/// `at` is null or was returned by [`hand_over`] for this `T`, was not freed, and no other
/// reference to it is in use: one thread at a time changes a context.
#[inline]
pub(crate) unsafe fn context<'a, T>(at: *mut c_void) -> Option<&'a mut T> {
    // SAFETY: guaranteed by the caller.
    unsafe { at.cast::<T>().as_mut() }
}

/// Returns 0 without a context, and after a panic.
///
/// # Safety
/// As for [`context`].
pub(crate) unsafe fn with<T>(at: *mut c_void, body: impl FnOnce(&mut T) -> c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    guard(0, || unsafe { context(at) }.map_or(0, body))
}

pub(crate) trait Duplicate: Sized {
    fn core(&self) -> &Core;

    /// Several threads may copy it at the same time.
    fn duplicate(&self) -> Option<Self>;
}

/// # Safety
/// As for [`context`], but other threads may copy it too.
pub(crate) unsafe extern "C" fn duplicate<T: Duplicate>(at: *mut c_void) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    let Some(context) = (unsafe { at.cast::<T>().as_ref() }) else { return null_mut() };
    hand_over(context.core(), || context.duplicate())
}

/// # Safety
/// `at` is null or was returned by [`hand_over`] for this `T`, and the core frees it once.
pub(crate) unsafe extern "C" fn free<T>(at: *mut c_void) {
    if !at.is_null() {
        // SAFETY: guaranteed by the caller.
        guard((), || drop(unsafe { Box::from_raw(at.cast::<T>()) }));
    }
}

pub(crate) trait SetParams {
    fn set_params(&mut self, params: Params<'_>) -> c_int;
}

pub(crate) unsafe extern "C" fn set_ctx_params<T: SetParams>(at: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: the core guarantees valid contexts and parameters.
    unsafe { with(at, |context: &mut T| context.set_params(Params::new(params))) }
}
