//! Requests to OpenSSL as applications make them: EVP_CipherUpdate on a context with a key.
//!
//! libcrypto is opened when it is wanted and never linked: the command serves machines with any of its versions, or none.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{NonNull, null};

/// The newest first, as applications are built for.
const NAMES: [&CStr; 2] = [c"libcrypto.so.4", c"libcrypto.so.3"];

/// `EVP_CIPH_*_MODE` of openssl/evp.h: where each update is a request by itself, and no tag ends a message.
const MODES: [(c_int, &str); 4] = [(1, "ECB"), (2, "CBC"), (5, "CTR"), (0x10001, "XTS")];

/// Why OpenSSL cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is none.
    NoLibrary,
    /// It lacks a function.
    NoFunction(&'static str),
    /// A function failed.
    Failed(&'static str),
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
        }
    }
}

impl std::error::Error for Error {}

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// libcrypto's functions under libcrypto's names.
        #[allow(non_snake_case)]
        pub struct Library {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Library {
            fn find(handle: NonNull<c_void>) -> Result<Library, Error> {
                Ok(Library {
                    $($name: {
                        let name = concat!(stringify!($name), "\0").as_ptr().cast();
                        // SAFETY: the handle is open, the name a C string.
                        let at = NonNull::new(unsafe { libc::dlsym(handle.as_ptr(), name) });
                        let at = at.ok_or(Error::NoFunction(stringify!($name)))?;
                        // SAFETY: the signature is that of OpenSSL 3.0's headers, which later releases keep.
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
    EVP_CIPHER_fetch: fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    EVP_CIPHER_free: fn(*mut c_void);
    EVP_CIPHER_get_mode: fn(*const c_void) -> c_int;
    EVP_CIPHER_get_key_length: fn(*const c_void) -> c_int;
    EVP_CIPHER_CTX_new: fn() -> *mut c_void;
    EVP_CIPHER_CTX_free: fn(*mut c_void);
    EVP_CIPHER_CTX_set_padding: fn(*mut c_void, c_int) -> c_int;
    EVP_CipherInit_ex2: fn(*mut c_void, *const c_void, *const c_uchar, *const c_uchar, c_int, *const c_void) -> c_int;
    EVP_CipherUpdate: fn(*mut c_void, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
    ERR_clear_error: fn();
}

impl Library {
    /// The newest that is installed. It stays open.
    pub fn open() -> Result<Library, Error> {
        let open = |name: &&CStr| {
            // SAFETY: a C string; libcrypto's constructors ask nothing of the caller.
            NonNull::new(unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) })
        };
        Library::find(NAMES.iter().find_map(open).ok_or(Error::NoLibrary)?)
    }

    /// `OpenSSL 3.5.4 30 Sep 2025`
    pub fn version(&self) -> String {
        // SAFETY: the function takes any number and answers with a static string.
        unsafe { CStr::from_ptr((self.OpenSSL_version)(0)) }.to_string_lossy().into_owned()
    }
}

/// A library context: an OpenSSL of its own inside the process.
pub struct Context<'a> {
    library: &'a Library,
    at: NonNull<c_void>,
}

impl<'a> Context<'a> {
    fn new(library: &'a Library) -> Result<Context<'a>, Error> {
        // SAFETY: the function takes nothing.
        let at = NonNull::new(unsafe { (library.OSSL_LIB_CTX_new)() });
        Ok(Context { library, at: at.ok_or(Error::Failed("OSSL_LIB_CTX_new"))? })
    }

    /// With the default provider alone.
    pub fn software(library: &'a Library) -> Result<Context<'a>, Error> {
        let context = Context::new(library)?;
        // SAFETY: the context is alive; the provider is unloaded with it.
        let provider = unsafe { (library.OSSL_PROVIDER_load)(context.at.as_ptr(), c"default".as_ptr()) };
        if provider.is_null() { Err(Error::Failed("OSSL_PROVIDER_load")) } else { Ok(context) }
    }

    /// As an openssl.cnf says.
    pub fn configured(library: &'a Library, file: &Path) -> Result<Context<'a>, Error> {
        const LOAD: &str = "OSSL_LIB_CTX_load_config";
        let context = Context::new(library)?;
        let file = CString::new(file.as_os_str().as_bytes()).map_err(|_| Error::Failed(LOAD))?;
        // SAFETY: the context is alive, the path a C string.
        let loaded = unsafe { (library.OSSL_LIB_CTX_load_config)(context.at.as_ptr(), file.as_ptr()) } == 1;
        if loaded { Ok(context) } else { Err(Error::Failed(LOAD)) }
    }

    /// A cipher that a query finds, if any.
    pub fn cipher(&'a self, name: &str, query: &str) -> Option<Cipher<'a>> {
        let (name, query) = (CString::new(name).ok()?, CString::new(query).ok()?);
        // SAFETY: the context is alive, the texts are C strings.
        let at = unsafe { (self.library.EVP_CIPHER_fetch)(self.at.as_ptr(), name.as_ptr(), query.as_ptr()) };
        // SAFETY: always allowed.
        unsafe { (self.library.ERR_clear_error)() };
        NonNull::new(at).map(|at| Cipher { library: self.library, at })
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: ours, and what was fetched from it borrows it.
        unsafe { (self.library.OSSL_LIB_CTX_free)(self.at.as_ptr()) }
    }
}

/// A fetched cipher.
pub struct Cipher<'a> {
    library: &'a Library,
    at: NonNull<c_void>,
}

impl<'a> Cipher<'a> {
    /// Whether [`Work`] can do it.
    pub fn is_stream_of_requests(&self) -> bool {
        // SAFETY: the cipher is alive.
        let mode = unsafe { (self.library.EVP_CIPHER_get_mode)(self.at.as_ptr()) };
        MODES.iter().any(|(known, _)| *known == mode)
    }

    /// Bytes of its key.
    pub fn key_length(&self) -> usize {
        // SAFETY: the cipher is alive.
        let length = unsafe { (self.library.EVP_CIPHER_get_key_length)(self.at.as_ptr()) };
        usize::try_from(length).unwrap_or(0)
    }

    /// A context with a key, for requests of so many bytes, whole blocks.
    pub fn work(&'a self, encrypt: bool, bytes: usize) -> Result<Work<'a>, Error> {
        let library = self.library;
        // SAFETY: the function takes nothing.
        let at = NonNull::new(unsafe { (library.EVP_CIPHER_CTX_new)() });
        let at = at.ok_or(Error::Failed("EVP_CIPHER_CTX_new"))?;
        let mut work = Work { library, at, input: Vec::new(), output: Vec::new() };
        let key = sample_key(self.key_length());
        let iv = [0x5a_u8; 16];
        // SAFETY: context and cipher are alive; key and IV are as long as the cipher wants them, or longer.
        let done = unsafe {
            let (context, cipher) = (work.at.as_ptr(), self.at.as_ptr());
            let direction = c_int::from(encrypt);
            (library.EVP_CipherInit_ex2)(context, cipher, key.as_ptr(), iv.as_ptr(), direction, null()) == 1
                && (library.EVP_CIPHER_CTX_set_padding)(context, 0) == 1
        };
        work.resize(bytes);
        if done { Ok(work) } else { Err(Error::Failed("EVP_CipherInit_ex2")) }
    }
}

/// A key that every cipher takes: no two halves or thirds of it are equal, which XTS and triple DES refuse.
pub fn sample_key(bytes: usize) -> Vec<u8> {
    (1..=u8::try_from(bytes).unwrap_or(u8::MAX)).map(|n| n.wrapping_mul(37)).collect()
}

impl Drop for Cipher<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference is ours; contexts hold their own.
        unsafe { (self.library.EVP_CIPHER_free)(self.at.as_ptr()) }
    }
}

/// A cipher context and its buffers.
pub struct Work<'a> {
    library: &'a Library,
    at: NonNull<c_void>,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Work<'_> {
    /// Requests have so many bytes from now on.
    pub fn resize(&mut self, bytes: usize) {
        self.input = (0..bytes).map(|at| at as u8).collect();
        // A block more than any update gives out.
        self.output = vec![0; bytes + 16];
    }

    /// Bytes of a request.
    pub fn bytes(&self) -> usize {
        self.input.len()
    }

    /// So many requests.
    pub fn run(&mut self, requests: u32) -> Result<(), Error> {
        for _ in 0..requests {
            let mut written: c_int = 0;
            // SAFETY: the context is alive, the output longer than what can come out.
            let done = unsafe {
                (self.library.EVP_CipherUpdate)(
                    self.at.as_ptr(),
                    self.output.as_mut_ptr(),
                    &mut written,
                    self.input.as_ptr(),
                    self.input.len() as c_int,
                )
            };
            if done != 1 || written as usize != self.input.len() {
                return Err(Error::Failed("EVP_CipherUpdate"));
            }
        }
        Ok(())
    }

    /// What came of the last request.
    pub fn output(&self) -> &[u8] {
        &self.output[..self.input.len()]
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { (self.library.EVP_CIPHER_CTX_free)(self.at.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openssl_does_requests_one_after_another() {
        let library = Library::open().expect("the tests' machine has OpenSSL");
        assert!(library.version().starts_with("OpenSSL "));
        let context = Context::software(&library).unwrap();
        assert!(context.cipher("AES-128-CBC", "provider=outboard").is_none());
        for name in ["AES-128-CBC", "AES-192-CTR", "AES-256-ECB", "AES-256-XTS", "DES-EDE3-CBC"] {
            let cipher = context.cipher(name, "").unwrap();
            assert!(cipher.is_stream_of_requests(), "{name}");
            for encrypt in [true, false] {
                let mut work = cipher.work(encrypt, 64).unwrap();
                work.run(1).unwrap();
                let first = work.output().to_vec();
                work.resize(4096);
                work.run(3).unwrap();
                assert_eq!((work.bytes(), work.output().len()), (4096, 4096));
                assert!(
                    first != work.output()[..64] || name.ends_with("ECB") || name.ends_with("XTS"),
                    "{name}"
                );
            }
        }
        assert!(!context.cipher("AES-128-GCM", "").unwrap().is_stream_of_requests());
    }

    #[test]
    fn a_configuration_that_is_not_there_is_an_error() {
        let library = Library::open().unwrap();
        let error = Context::configured(&library, Path::new("/nowhere/openssl.cnf")).err();
        assert_eq!(error.unwrap().to_string(), "OSSL_LIB_CTX_load_config failed");
    }
}
