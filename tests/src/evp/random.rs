//! Separate random sources (EVP_RAND), and those of a library context.

use std::ffi::{CString, c_int, c_uint, c_void};
use std::ptr::{self, NonNull};

use super::library::library;
use super::library_context::LibraryContext;
use super::params::OsslParam;

/// `EVP_RAND_STATE_*`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomState {
    /// `EVP_RAND_STATE_UNINITIALISED`
    Uninitialised,
    /// `EVP_RAND_STATE_READY`
    Ready,
    /// `EVP_RAND_STATE_ERROR`
    Error,
}

impl RandomState {
    fn from(number: c_int) -> RandomState {
        match number {
            0 => RandomState::Uninitialised,
            1 => RandomState::Ready,
            2 => RandomState::Error,
            other => panic!("a random source in state {other}"),
        }
    }
}

/// An `EVP_RAND_CTX` without a parent.
#[derive(Debug)]
pub struct Random {
    context: NonNull<c_void>,
    _world: LibraryContext,
}

// SAFETY: the tests share only sources that need no lock.
unsafe impl Send for Random {}
// SAFETY: as above.
unsafe impl Sync for Random {}

impl Random {
    /// `EVP_RAND_fetch` and `EVP_RAND_CTX_new`; `None` when no provider matches the query.
    pub fn new(world: &LibraryContext, algorithm: &str, query: &str) -> Option<Random> {
        let algorithm = CString::new(algorithm).expect("an algorithm's name holds no NUL byte");
        let query = CString::new(query).expect("a property query holds no NUL byte");
        // SAFETY: the library context is alive and both arguments are C strings; the context keeps
        // the algorithm.
        let context = unsafe {
            let random = (library().EVP_RAND_fetch)(world.pointer(), algorithm.as_ptr(), query.as_ptr());
            let context = (library().EVP_RAND_CTX_new)(NonNull::new(random)?.as_ptr(), ptr::null_mut());
            (library().EVP_RAND_free)(random);
            context
        };
        NonNull::new(context).map(|context| Random { context, _world: world.clone() })
    }

    /// `EVP_RAND_instantiate`
    pub fn instantiate(&self) -> bool {
        // SAFETY: the context is alive; no strings and no parameters.
        unsafe { (library().EVP_RAND_instantiate)(self.pointer(), 0, 0, ptr::null(), 0, ptr::null()) == 1 }
    }

    /// `EVP_RAND_uninstantiate`
    pub fn uninstantiate(&self) -> bool {
        // SAFETY: the context is alive.
        unsafe { (library().EVP_RAND_uninstantiate)(self.pointer()) == 1 }
    }

    /// `EVP_RAND_generate` of `length` bytes with this strength; `None` when it fails.
    pub fn generate(&self, length: usize, strength: u32, additional: &[u8]) -> Option<Vec<u8>> {
        let mut out = vec![0; length];
        // SAFETY: the context is alive, both buffers have their length.
        let done = unsafe {
            (library().EVP_RAND_generate)(
                self.pointer(),
                out.as_mut_ptr(),
                length,
                strength,
                0,
                additional.as_ptr(),
                additional.len(),
            )
        };
        (done == 1).then_some(out)
    }

    /// `EVP_RAND_get_state`
    pub fn state(&self) -> RandomState {
        // SAFETY: the context is alive.
        RandomState::from(unsafe { (library().EVP_RAND_get_state)(self.pointer()) })
    }

    /// `EVP_RAND_get_strength`, and the parameter `max_request`.
    pub fn limits(&self) -> (u32, usize) {
        let mut most = 0_usize;
        let mut params = [OsslParam::size(c"max_request", &mut most), OsslParam::end()];
        // SAFETY: the context is alive; the array is terminated and has a place for the value.
        unsafe {
            assert_eq!((library().EVP_RAND_CTX_get_params)(self.pointer(), params.as_mut_ptr()), 1);
            ((library().EVP_RAND_get_strength)(self.pointer()), most)
        }
    }

    /// `EVP_RAND_verify_zeroization`
    pub fn is_wiped(&self) -> bool {
        // SAFETY: the context is alive.
        unsafe { (library().EVP_RAND_verify_zeroization)(self.pointer()) == 1 }
    }

    fn pointer(&self) -> *mut c_void {
        self.context.as_ptr()
    }
}

impl Drop for Random {
    fn drop(&mut self) {
        // SAFETY: this object owns the context.
        unsafe { (library().EVP_RAND_CTX_free)(self.context.as_ptr()) }
    }
}

/// `RAND_bytes_ex`: the random bytes of applications. `None` when it fails.
pub fn random_bytes(world: &LibraryContext, length: usize) -> Option<Vec<u8>> {
    let mut out = vec![0; length];
    // SAFETY: the library context is alive, the buffer has its length.
    let done = unsafe { (library().RAND_bytes_ex)(world.pointer(), out.as_mut_ptr(), length, 0 as c_uint) };
    (done == 1).then_some(out)
}

/// Reseeds the generator that seeds all others of a library context.
pub fn reseed(world: &LibraryContext) -> bool {
    // SAFETY: the library context is alive and owns its generator; no strings.
    unsafe {
        let primary = (library().RAND_get0_primary)(world.pointer());
        !primary.is_null() && (library().EVP_RAND_reseed)(primary, 1, ptr::null(), 0, ptr::null(), 0) == 1
    }
}
