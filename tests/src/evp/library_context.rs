//! Library contexts, and the providers in them.

use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::library::library;

/// An `OSSL_LIB_CTX`: a separate OpenSSL inside the process. Objects that are created in it keep it
/// alive.
#[derive(Clone, Debug)]
pub struct LibraryContext(Arc<Owned>);

/// Null: the default context of the process, which is not freed.
#[derive(Debug)]
struct Owned(AtomicPtr<c_void>);

impl LibraryContext {
    /// An empty one.
    pub fn new() -> LibraryContext {
        // SAFETY: the function has no parameters.
        let context = unsafe { (library().OSSL_LIB_CTX_new)() };
        assert!(!context.is_null(), "memory for a library context");
        LibraryContext(Arc::new(Owned(AtomicPtr::new(context))))
    }

    /// The default context.
    pub fn default_of_the_process() -> LibraryContext {
        LibraryContext(Arc::new(Owned(AtomicPtr::new(null_mut()))))
    }

    /// Reads an openssl.cnf; false when OpenSSL reports a failure (a provider that does not load
    /// need not be one).
    pub fn load_config(&self, path: &Path) -> bool {
        let path = CString::new(path.as_os_str().as_bytes()).expect("a path holds no NUL byte");
        // SAFETY: the context is alive and the path is a C string.
        unsafe { (library().OSSL_LIB_CTX_load_config)(self.pointer(), path.as_ptr()) == 1 }
    }

    /// `OSSL_PROVIDER_load`; the reasons for `None` are in the error queue.
    pub fn load_provider(&self, name: &str) -> Option<Provider<'_>> {
        let name = CString::new(name).expect("a provider's name holds no NUL byte");
        // SAFETY: the context is alive and the name is a C string.
        let provider = unsafe { (library().OSSL_PROVIDER_load)(self.pointer(), name.as_ptr()) };
        NonNull::new(provider).map(|provider| Provider { provider, _context: self })
    }

    /// Whether a provider of this name is active.
    pub fn has_provider(&self, name: &str) -> bool {
        let name = CString::new(name).expect("a provider's name holds no NUL byte");
        // SAFETY: the context is alive and the name is a C string.
        unsafe { (library().OSSL_PROVIDER_available)(self.pointer(), name.as_ptr()) == 1 }
    }

    pub(super) fn pointer(&self) -> *mut c_void {
        self.0.0.load(Ordering::Relaxed)
    }

    /// `OSSL_LIB_CTX_free` before its objects are freed, as applications do it too. Afterwards they
    /// can only be freed.
    pub fn free_before_its_objects(self) {
        let context = self.0.0.swap(null_mut(), Ordering::Relaxed);
        // SAFETY: this object owns the context; objects of libcrypto that exist do not need it.
        unsafe { (library().OSSL_LIB_CTX_free)(context) }
    }
}

impl Default for LibraryContext {
    fn default() -> LibraryContext {
        LibraryContext::new()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: this object owns the context and nothing uses it any more; null is ignored.
        unsafe { (library().OSSL_LIB_CTX_free)(*self.0.get_mut()) }
    }
}

/// `OPENSSL_cleanup`: the cleanup of libcrypto that exit(3) runs. Afterwards no object of it can be
/// used or freed.
pub fn cleanup() {
    // SAFETY: the function has no parameters.
    unsafe { (library().OPENSSL_cleanup)() }
}

/// A loaded provider; unloaded when dropped.
#[derive(Debug)]
pub struct Provider<'context> {
    provider: NonNull<c_void>,
    _context: &'context LibraryContext,
}

impl Drop for Provider<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle came from OSSL_PROVIDER_load and is released once.
        unsafe { (library().OSSL_PROVIDER_unload)(self.provider.as_ptr()) };
    }
}
