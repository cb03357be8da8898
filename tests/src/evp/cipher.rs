//! A fetched cipher: one algorithm of one provider.

use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::NonNull;

use super::library::library;
use super::library_context::LibraryContext;
use super::params::OsslParam;

/// An `EVP_CIPHER`.
#[derive(Debug)]
pub struct Cipher {
    cipher: NonNull<c_void>,
    world: LibraryContext,
}

// SAFETY: libcrypto counts an EVP_CIPHER's references under a lock and never changes it after the
// fetch.
unsafe impl Send for Cipher {}
// SAFETY: as above.
unsafe impl Sync for Cipher {}

impl Cipher {
    /// `EVP_CIPHER_fetch`; `None` when no provider matches the query.
    pub fn fetch(world: &LibraryContext, algorithm: &str, query: &str) -> Option<Cipher> {
        let algorithm = CString::new(algorithm).expect("an algorithm's name holds no NUL byte");
        let query = CString::new(query).expect("a property query holds no NUL byte");
        // SAFETY: the context is alive; name and query are C strings.
        let cipher =
            unsafe { (library().EVP_CIPHER_fetch)(world.pointer(), algorithm.as_ptr(), query.as_ptr()) };
        NonNull::new(cipher).map(|cipher| Cipher { cipher, world: world.clone() })
    }

    /// The name of its provider.
    pub fn provider(&self) -> String {
        // SAFETY: the cipher is alive; a provider's name lives as long as the provider.
        unsafe {
            let provider = (library().EVP_CIPHER_get0_provider)(self.pointer());
            CStr::from_ptr((library().OSSL_PROVIDER_get0_name)(provider)).to_string_lossy().into_owned()
        }
    }

    /// The key's length in bytes.
    pub fn key_length(&self) -> usize {
        // SAFETY: the cipher is alive.
        let length = unsafe { (library().EVP_CIPHER_get_key_length)(self.pointer()) };
        usize::try_from(length).expect("a key length is not negative")
    }

    /// The block's length in bytes, 1 for a stream.
    pub fn block_size(&self) -> usize {
        // SAFETY: the cipher is alive.
        let length = unsafe { (library().EVP_CIPHER_get_block_size)(self.pointer()) };
        usize::try_from(length).expect("a block size is not negative")
    }

    /// Whether its mode is XTS.
    pub fn is_xts(&self) -> bool {
        /// `EVP_CIPH_XTS_MODE` of openssl/evp.h.
        const XTS: c_int = 0x10001;
        // SAFETY: the cipher is alive.
        unsafe { (library().EVP_CIPHER_get_mode)(self.pointer()) == XTS }
    }

    /// Whether its mode is CCM.
    pub fn is_ccm(&self) -> bool {
        /// `EVP_CIPH_CCM_MODE` of openssl/evp.h.
        const CCM: c_int = 7;
        // SAFETY: the cipher is alive.
        unsafe { (library().EVP_CIPHER_get_mode)(self.pointer()) == CCM }
    }

    /// Key length, IV length, block size, mode and flags: the parameters of a cipher.
    pub fn description(&self) -> [i64; 5] {
        // SAFETY: the cipher is alive.
        unsafe {
            [
                (library().EVP_CIPHER_get_key_length)(self.pointer()).into(),
                (library().EVP_CIPHER_get_iv_length)(self.pointer()).into(),
                (library().EVP_CIPHER_get_block_size)(self.pointer()).into(),
                (library().EVP_CIPHER_get_mode)(self.pointer()).into(),
                i64::try_from((library().EVP_CIPHER_get_flags)(self.pointer())).expect("flags fit"),
            ]
        }
    }

    /// The gettable and the settable parameters of its contexts.
    pub fn parameters(&self) -> [Vec<String>; 2] {
        // SAFETY: the cipher is alive; its lists are terminated and live as long as its provider.
        unsafe {
            [
                OsslParam::names((library().EVP_CIPHER_gettable_ctx_params)(self.pointer())),
                OsslParam::names((library().EVP_CIPHER_settable_ctx_params)(self.pointer())),
            ]
        }
    }

    pub(super) fn world(&self) -> LibraryContext {
        self.world.clone()
    }

    pub(super) fn pointer(&self) -> *const c_void {
        self.cipher.as_ptr()
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: this object owns the reference; contexts hold their own.
        unsafe { (library().EVP_CIPHER_free)(self.cipher.as_ptr()) }
    }
}
