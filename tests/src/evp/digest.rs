//! Digests: one algorithm of one provider, and its contexts.

use std::ffi::{CStr, CString, c_void};
use std::ptr::{self, NonNull};

use super::context::Outcome;
use super::library::library;
use super::library_context::LibraryContext;
use super::params::OsslParam;

/// The longest digest (EVP_MAX_MD_SIZE).
const LONGEST: usize = 64;

const SSL3_MS: &CStr = c"ssl3-ms";

/// An `EVP_MD`.
#[derive(Debug)]
pub struct Digest {
    digest: NonNull<c_void>,
    world: LibraryContext,
}

// SAFETY: libcrypto counts an EVP_MD's references under a lock and never changes it after the
// fetch.
unsafe impl Send for Digest {}
// SAFETY: as above.
unsafe impl Sync for Digest {}

impl Digest {
    /// `EVP_MD_fetch`; `None` when no provider matches the query.
    pub fn fetch(world: &LibraryContext, algorithm: &str, query: &str) -> Option<Digest> {
        let algorithm = CString::new(algorithm).expect("an algorithm's name holds no NUL byte");
        let query = CString::new(query).expect("a property query holds no NUL byte");
        // SAFETY: the context is alive, both arguments are C strings.
        let digest = unsafe { (library().EVP_MD_fetch)(world.pointer(), algorithm.as_ptr(), query.as_ptr()) };
        NonNull::new(digest).map(|digest| Digest { digest, world: world.clone() })
    }

    /// Size, block size and flags: the parameters of a digest.
    pub fn description(&self) -> [i64; 3] {
        // SAFETY: the digest is alive.
        unsafe {
            [
                (library().EVP_MD_get_size)(self.pointer()).into(),
                (library().EVP_MD_get_block_size)(self.pointer()).into(),
                i64::try_from((library().EVP_MD_get_flags)(self.pointer())).expect("flags fit"),
            ]
        }
    }

    /// Its gettable parameters, and the gettable and settable ones of its contexts.
    pub fn parameters(&self) -> [Vec<String>; 3] {
        // SAFETY: the digest is alive; its lists are terminated and live as long as its provider.
        unsafe {
            [
                OsslParam::names((library().EVP_MD_gettable_params)(self.pointer())),
                OsslParam::names((library().EVP_MD_gettable_ctx_params)(self.pointer())),
                OsslParam::names((library().EVP_MD_settable_ctx_params)(self.pointer())),
            ]
        }
    }

    /// `EVP_Digest`: a whole message at once.
    #[track_caller]
    pub fn of(&self, message: &[u8]) -> Vec<u8> {
        let (mut digest, mut length) = ([0; LONGEST], 0);
        // SAFETY: the message is readable, the digest has room for the longest.
        let returned = unsafe {
            (library().EVP_Digest)(
                message.as_ptr().cast(),
                message.len(),
                digest.as_mut_ptr(),
                &mut length,
                self.pointer(),
                ptr::null_mut(),
            )
        };
        Outcome::of(returned, 0).expect("EVP_Digest");
        digest[..length as usize].to_vec()
    }

    fn pointer(&self) -> *const c_void {
        self.digest.as_ptr()
    }
}

impl Drop for Digest {
    fn drop(&mut self) {
        // SAFETY: this object owns the reference; contexts hold their own.
        unsafe { (library().EVP_MD_free)(self.digest.as_ptr()) }
    }
}

/// An `EVP_MD_CTX`.
#[derive(Debug)]
pub struct DigestContext {
    context: NonNull<c_void>,
    _world: LibraryContext,
}

// SAFETY: a context is not bound to a thread; `&mut self` ensures that one changes it at a time.
unsafe impl Send for DigestContext {}
// SAFETY: methods with `&self` only copy it, which several threads may do at the same time.
unsafe impl Sync for DigestContext {}

impl DigestContext {
    /// One that has begun a message.
    #[track_caller]
    pub fn begun(digest: &Digest) -> DigestContext {
        let mut context = DigestContext::empty(digest.world.clone());
        context.begin(digest).expect("EVP_DigestInit_ex2");
        context
    }

    /// One without a message.
    pub fn new(digest: &Digest) -> DigestContext {
        DigestContext::empty(digest.world.clone())
    }

    fn empty(world: LibraryContext) -> DigestContext {
        // SAFETY: the function has no parameters.
        let context = unsafe { (library().EVP_MD_CTX_new)() };
        DigestContext { context: NonNull::new(context).expect("memory for a digest context"), _world: world }
    }

    /// `EVP_DigestInit_ex2`
    pub fn begin(&mut self, digest: &Digest) -> Outcome {
        // SAFETY: both are alive; no parameters.
        let returned =
            unsafe { (library().EVP_DigestInit_ex2)(self.pointer(), digest.pointer(), ptr::null()) };
        Outcome::of(returned, 0)
    }

    /// `EVP_DigestUpdate`
    pub fn update(&mut self, input: &[u8]) -> Outcome {
        // SAFETY: the context is alive and the input readable.
        let returned =
            unsafe { (library().EVP_DigestUpdate)(self.pointer(), input.as_ptr().cast(), input.len()) };
        Outcome::of(returned, 0)
    }

    /// `EVP_DigestFinal_ex`, and its output.
    pub fn finish(&mut self) -> (Outcome, Vec<u8>) {
        let (mut digest, mut length) = ([0; LONGEST], 0);
        // SAFETY: the context is alive, the digest has room for the longest.
        let returned =
            unsafe { (library().EVP_DigestFinal_ex)(self.pointer(), digest.as_mut_ptr(), &mut length) };
        (Outcome::of(returned, 0), digest[..length as usize].to_vec())
    }

    /// `EVP_MD_CTX_copy_ex` into a new context.
    pub fn copy(&self) -> (DigestContext, Outcome) {
        let copy = DigestContext::empty(self._world.clone());
        // SAFETY: both contexts are alive.
        let returned = unsafe { (library().EVP_MD_CTX_copy_ex)(copy.pointer(), self.pointer()) };
        (copy, Outcome::of(returned, 0))
    }

    /// Declares a message of SSL 3, which only SHA-1 supports: `EVP_MD_CTX_set_params`.
    pub fn set_ssl3_master_secret(&mut self, secret: &mut [u8]) -> Outcome {
        let params = [OsslParam::octets(SSL3_MS, secret), OsslParam::end()];
        // SAFETY: the context is alive; the array is terminated and its bytes outlive the call.
        let returned = unsafe { (library().EVP_MD_CTX_set_params)(self.pointer(), params.as_ptr()) };
        Outcome::of(returned, 0)
    }

    fn pointer(&self) -> *mut c_void {
        self.context.as_ptr()
    }
}

impl Drop for DigestContext {
    fn drop(&mut self) {
        // SAFETY: this object owns the context.
        unsafe { (library().EVP_MD_CTX_free)(self.context.as_ptr()) }
    }
}
