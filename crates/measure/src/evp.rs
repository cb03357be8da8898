//! Requests to OpenSSL through its API, as applications make them.
//!
//! libcrypto is opened at run time and never linked, so that the command works with every version
//! of it, and without it.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_uint, c_ulong, c_void};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{NonNull, null, null_mut};

use outboard_abi::Param;

mod digest;
mod hashing;
mod hmac;
mod work;

pub use digest::Digest;
pub use hashing::Hashing;
pub use hmac::Hmac;
pub use work::{Example, SAMPLE_IV, Work};

const NAMES: [&CStr; 2] = [c"libcrypto.so.4", c"libcrypto.so.3"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    NoLibrary,
    NoFunction(&'static str),
    Failed(&'static str),
    Inactive(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoLibrary => f.write_str(
                "neither libcrypto.so.4 nor libcrypto.so.3 can be opened: install OpenSSL 3.0 or later",
            ),
            Error::NoFunction(name) => {
                write!(f, "this libcrypto has no {name}: it is not OpenSSL 3.0 or later")
            }
            Error::Failed(name) => write!(f, "{name} failed"),
            Error::Inactive(name) => write!(f, "the provider {name} is not active"),
        }
    }
}

impl std::error::Error for Error {}

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case)]
        pub struct Library {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Library {
            fn find(handle: NonNull<c_void>) -> Result<Library, Error> {
                Ok(Library {
                    $($name: {
                        let name = concat!(stringify!($name), "\0").as_ptr().cast();
                        // SAFETY: the handle is open, and the name is a C string.
                        let at = NonNull::new(unsafe { libc::dlsym(handle.as_ptr(), name) });
                        let at = at.ok_or(Error::NoFunction(stringify!($name)))?;
                        // SAFETY: the signature is that of the OpenSSL 3.0 headers, which later
                        // releases keep.
                        unsafe {
                            std::mem::transmute::<
                                NonNull<c_void>,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >(at)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    OpenSSL_version: fn(c_int) -> *const c_char;
    OSSL_LIB_CTX_new: fn() -> *mut c_void;
    OSSL_LIB_CTX_free: fn(*mut c_void);
    OSSL_LIB_CTX_load_config: fn(*mut c_void, *const c_char) -> c_int;
    OSSL_PROVIDER_load: fn(*mut c_void, *const c_char) -> *mut c_void;
    OSSL_PROVIDER_unload: fn(*mut c_void) -> c_int;
    OSSL_PROVIDER_available: fn(*mut c_void, *const c_char) -> c_int;
    OSSL_PROVIDER_query_operation: fn(*const c_void, c_int, *mut c_int) -> *const c_void;
    OSSL_PROVIDER_unquery_operation: fn(*const c_void, c_int, *const c_void);
    EVP_CIPHER_fetch: fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    EVP_CIPHER_free: fn(*mut c_void);
    EVP_CIPHER_get_mode: fn(*const c_void) -> c_int;
    EVP_CIPHER_get_flags: fn(*const c_void) -> c_ulong;
    EVP_CIPHER_get_key_length: fn(*const c_void) -> c_int;
    EVP_CIPHER_CTX_new: fn() -> *mut c_void;
    EVP_CIPHER_CTX_free: fn(*mut c_void);
    EVP_CIPHER_CTX_set_padding: fn(*mut c_void, c_int) -> c_int;
    EVP_CipherInit_ex2: fn(*mut c_void, *const c_void, *const c_uchar, *const c_uchar, c_int, *const c_void) -> c_int;
    EVP_CipherUpdate: fn(*mut c_void, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
    EVP_CipherFinal_ex: fn(*mut c_void, *mut c_uchar, *mut c_int) -> c_int;
    EVP_CIPHER_CTX_ctrl: fn(*mut c_void, c_int, c_int, *mut c_void) -> c_int;
    EVP_MD_fetch: fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    EVP_MD_free: fn(*mut c_void);
    EVP_MD_get_size: fn(*const c_void) -> c_int;
    EVP_MD_CTX_new: fn() -> *mut c_void;
    EVP_MD_CTX_free: fn(*mut c_void);
    EVP_DigestInit_ex2: fn(*mut c_void, *const c_void, *const c_void) -> c_int;
    EVP_DigestUpdate: fn(*mut c_void, *const c_void, usize) -> c_int;
    EVP_DigestFinal_ex: fn(*mut c_void, *mut c_uchar, *mut c_uint) -> c_int;
    EVP_MAC_fetch: fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    EVP_MAC_free: fn(*mut c_void);
    EVP_MAC_CTX_new: fn(*mut c_void) -> *mut c_void;
    EVP_MAC_CTX_free: fn(*mut c_void);
    EVP_MAC_init: fn(*mut c_void, *const c_uchar, usize, *const Param) -> c_int;
    EVP_MAC_update: fn(*mut c_void, *const c_uchar, usize) -> c_int;
    EVP_MAC_final: fn(*mut c_void, *mut c_uchar, *mut usize, usize) -> c_int;
    ERR_clear_error: fn();
    ERR_get_error_all: fn(*mut *const c_char, *mut c_int, *mut *const c_char, *mut *const c_char, *mut c_int) -> c_ulong;
    ERR_reason_error_string: fn(c_ulong) -> *const c_char;
}

impl Library {
    /// Opens the newest installed libcrypto. It stays open.
    pub fn open() -> Result<Library, Error> {
        let open = |name: &&CStr| {
            // SAFETY: the name is a C string; libcrypto's constructors have no requirements.
            NonNull::new(unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) })
        };
        Library::find(NAMES.iter().find_map(open).ok_or(Error::NoLibrary)?)
    }

    /// `OpenSSL 3.5.4 30 Sep 2025`
    pub fn version(&self) -> String {
        // SAFETY: the function accepts any number and returns a static string.
        unsafe { CStr::from_ptr((self.OpenSSL_version)(0)) }.to_string_lossy().into_owned()
    }
}

impl Library {
    /// Removes all entries of this thread's error queue and returns their texts, the oldest first.
    pub fn errors(&self) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            let mut data = null();
            // SAFETY: pointers to unwanted outputs may be null; `data` is writable.
            let code = unsafe {
                (self.ERR_get_error_all)(null_mut(), null_mut(), null_mut(), &mut data, null_mut())
            };
            if code == 0 {
                return all;
            }
            // SAFETY: the function accepts any code.
            let reason = unsafe { (self.ERR_reason_error_string)(code) };
            // SAFETY: null, or a C string that is valid until this thread's next error replaces it.
            let text = |at: *const c_char| unsafe {
                (!at.is_null()).then(|| CStr::from_ptr(at).to_string_lossy().into_owned())
            };
            // The data, if any, is the complete text.
            all.extend(text(data).filter(|data| !data.is_empty()).or_else(|| text(reason)));
        }
    }
}

/// A library context: an independent OpenSSL instance within the process.
pub struct Context<'a> {
    library: &'a Library,
    at: NonNull<c_void>,
}

impl<'a> Context<'a> {
    fn new(library: &'a Library) -> Result<Context<'a>, Error> {
        // SAFETY: the function has no arguments.
        let at = NonNull::new(unsafe { (library.OSSL_LIB_CTX_new)() });
        Ok(Context { library, at: at.ok_or(Error::Failed("OSSL_LIB_CTX_new"))? })
    }

    pub fn software(library: &'a Library) -> Result<Context<'a>, Error> {
        let context = Context::new(library)?;
        // SAFETY: the context is alive; the provider is unloaded with it.
        let provider = unsafe { (library.OSSL_PROVIDER_load)(context.at.as_ptr(), c"default".as_ptr()) };
        if provider.is_null() { Err(Error::Failed("OSSL_PROVIDER_load")) } else { Ok(context) }
    }

    pub fn configured(library: &'a Library, file: &Path) -> Result<Context<'a>, Error> {
        const LOAD: &str = "OSSL_LIB_CTX_load_config";
        let context = Context::new(library)?;
        let file = CString::new(file.as_os_str().as_bytes()).map_err(|_| Error::Failed(LOAD))?;
        // SAFETY: the context is alive, and the path is a C string.
        let loaded = unsafe { (library.OSSL_LIB_CTX_load_config)(context.at.as_ptr(), file.as_ptr()) } == 1;
        if loaded { Ok(context) } else { Err(Error::Failed(LOAD)) }
    }

    /// Makes an active provider decide which digests and ciphers it offers.
    pub fn have_decided(&self, provider: &CStr) -> Result<(), Error> {
        /// OSSL_OP_DIGEST, which also decides about HMAC, and OSSL_OP_CIPHER
        /// (openssl/core_dispatch.h).
        const OPERATIONS: [c_int; 2] = [1, 2];
        let library = self.library;
        // SAFETY: the context is alive, and the name is a C string.
        let is_active =
            unsafe { (library.OSSL_PROVIDER_available)(self.at.as_ptr(), provider.as_ptr()) } == 1;
        if !is_active {
            return Err(Error::Inactive(provider.to_string_lossy().into_owned()));
        }
        // SAFETY: as above; the call adds a reference to a loaded provider, which is released
        // below.
        let at = unsafe { (library.OSSL_PROVIDER_load)(self.at.as_ptr(), provider.as_ptr()) };
        if at.is_null() {
            return Err(Error::Failed("OSSL_PROVIDER_load"));
        }
        for operation in OPERATIONS {
            let mut no_cache = 0;
            // SAFETY: the provider is loaded, and the rows that it returns are released.
            unsafe {
                let rows = (library.OSSL_PROVIDER_query_operation)(at, operation, &mut no_cache);
                (library.OSSL_PROVIDER_unquery_operation)(at, operation, rows);
            }
        }
        // SAFETY: the reference belongs to this function.
        unsafe { (library.OSSL_PROVIDER_unload)(at) };
        Ok(())
    }

    pub fn cipher(&'a self, name: &str, query: &str) -> Option<Cipher<'a>> {
        let (name, query) = (CString::new(name).ok()?, CString::new(query).ok()?);
        // SAFETY: the context is alive, and name and query are C strings.
        let at = unsafe { (self.library.EVP_CIPHER_fetch)(self.at.as_ptr(), name.as_ptr(), query.as_ptr()) };
        // SAFETY: the call has no requirements.
        unsafe { (self.library.ERR_clear_error)() };
        NonNull::new(at).map(|at| Cipher { library: self.library, at })
    }

    pub fn digest(&'a self, name: &str, query: &str) -> Option<Digest<'a>> {
        let (name, query) = (CString::new(name).ok()?, CString::new(query).ok()?);
        // SAFETY: the context is alive, and name and query are C strings.
        let at = unsafe { (self.library.EVP_MD_fetch)(self.at.as_ptr(), name.as_ptr(), query.as_ptr()) };
        // SAFETY: the call has no requirements.
        unsafe { (self.library.ERR_clear_error)() };
        NonNull::new(at).map(|at| Digest { library: self.library, at })
    }

    /// Fetches the HMAC of a digest; `None` if the query does not match both.
    pub fn hmac(&'a self, digest: &str, query: &str) -> Option<Hmac<'a>> {
        let size = self.digest(digest, query)?.size().ok()?;
        let (digest, query) = (CString::new(digest).ok()?, CString::new(query).ok()?);
        // SAFETY: the context is alive, and name and query are C strings.
        let at = unsafe { (self.library.EVP_MAC_fetch)(self.at.as_ptr(), c"HMAC".as_ptr(), query.as_ptr()) };
        // SAFETY: the call has no requirements.
        unsafe { (self.library.ERR_clear_error)() };
        NonNull::new(at).map(|at| Hmac { library: self.library, at, digest, size })
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: this value owns the context, and fetched methods borrow it.
        unsafe { (self.library.OSSL_LIB_CTX_free)(self.at.as_ptr()) }
    }
}

pub struct Cipher<'a> {
    library: &'a Library,
    at: NonNull<c_void>,
}

// SAFETY: threads may use a fetched method at the same time (openssl-threads(7)).
unsafe impl Sync for Cipher<'_> {}

impl<'a> Cipher<'a> {
    /// The cipher's mode, which determines the form of its requests.
    fn mode(&self) -> c_int {
        // SAFETY: the cipher is alive.
        unsafe { (self.library.EVP_CIPHER_get_mode)(self.at.as_ptr()) }
    }

    fn is_aead(&self) -> bool {
        /// openssl/evp.h
        const EVP_CIPH_FLAG_AEAD_CIPHER: c_ulong = 0x20_0000;
        // SAFETY: the cipher is alive.
        let flags = unsafe { (self.library.EVP_CIPHER_get_flags)(self.at.as_ptr()) };
        flags & EVP_CIPH_FLAG_AEAD_CIPHER != 0
    }

    pub fn key_length(&self) -> usize {
        // SAFETY: the cipher is alive.
        let length = unsafe { (self.library.EVP_CIPHER_get_key_length)(self.at.as_ptr()) };
        usize::try_from(length).unwrap_or(0)
    }
}

/// A key that every cipher accepts: no two halves or thirds of it are equal, which XTS and triple
/// DES reject.
pub fn sample_key(bytes: usize) -> Vec<u8> {
    (1..=u8::try_from(bytes).unwrap_or(u8::MAX)).map(|n| n.wrapping_mul(37)).collect()
}

impl Drop for Cipher<'_> {
    fn drop(&mut self) {
        // SAFETY: this value owns the reference; contexts hold their own.
        unsafe { (self.library.EVP_CIPHER_free)(self.at.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_that_is_not_there_is_an_error() {
        let library = Library::open().unwrap();
        let error = Context::configured(&library, Path::new("/nowhere/openssl.cnf")).err();
        assert_eq!(error.unwrap().to_string(), "OSSL_LIB_CTX_load_config failed");
    }
}
