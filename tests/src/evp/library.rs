//! Opens libcrypto and finds its functions, once per process.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_uint, c_ulong, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

use super::params::OsslParam;

/// Names another libcrypto than the newest of the machine.
const OVERRIDE: &str = "OUTBOARD_LIBCRYPTO";

/// `OPENSSL_MODULES_DIR` of openssl/crypto.h.
const MODULES_DIR: c_int = 8;

macro_rules! functions {
    ($(#[$about:meta])* $library:ident: $($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        $(#[$about])*
        #[allow(non_snake_case)]
        pub struct $library {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $library {
            fn find(handle: *mut c_void) -> Result<$library, String> {
                Ok($library {
                    $($name: {
                        let address = symbol(handle, stringify!($name))?;
                        // SAFETY: the signature is that of the function of this name in the headers
                        // of the OpenSSL that first had it, which later releases keep.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >(address)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    /// libcrypto's functions under libcrypto's names, as OpenSSL 3.0 has them.
    Library:
    OpenSSL_version: fn(c_int) -> *const c_char;
    OPENSSL_cleanup: fn();
    OSSL_LIB_CTX_new: fn() -> *mut c_void;
    OSSL_LIB_CTX_free: fn(*mut c_void);
    OSSL_LIB_CTX_load_config: fn(*mut c_void, *const c_char) -> c_int;
    OSSL_PROVIDER_load: fn(*mut c_void, *const c_char) -> *mut c_void;
    OSSL_PROVIDER_unload: fn(*mut c_void) -> c_int;
    OSSL_PROVIDER_available: fn(*mut c_void, *const c_char) -> c_int;
    OSSL_PROVIDER_get0_name: fn(*const c_void) -> *const c_char;
    EVP_CIPHER_fetch: fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    EVP_CIPHER_free: fn(*mut c_void);
    EVP_CIPHER_get0_provider: fn(*const c_void) -> *const c_void;
    EVP_CIPHER_get_key_length: fn(*const c_void) -> c_int;
    EVP_CIPHER_get_iv_length: fn(*const c_void) -> c_int;
    EVP_CIPHER_get_block_size: fn(*const c_void) -> c_int;
    EVP_CIPHER_get_mode: fn(*const c_void) -> c_int;
    EVP_CIPHER_get_flags: fn(*const c_void) -> c_ulong;
    EVP_CIPHER_gettable_ctx_params: fn(*const c_void) -> *const OsslParam;
    EVP_CIPHER_settable_ctx_params: fn(*const c_void) -> *const OsslParam;
    EVP_CIPHER_CTX_new: fn() -> *mut c_void;
    EVP_CIPHER_CTX_free: fn(*mut c_void);
    EVP_CIPHER_CTX_copy: fn(*mut c_void, *const c_void) -> c_int;
    EVP_CIPHER_CTX_reset: fn(*mut c_void) -> c_int;
    EVP_CIPHER_CTX_get0_cipher: fn(*const c_void) -> *const c_void;
    EVP_CIPHER_CTX_get_key_length: fn(*const c_void) -> c_int;
    EVP_CIPHER_CTX_set_key_length: fn(*mut c_void, c_int) -> c_int;
    EVP_CIPHER_CTX_set_padding: fn(*mut c_void, c_int) -> c_int;
    EVP_CIPHER_CTX_get_num: fn(*const c_void) -> c_int;
    EVP_CIPHER_CTX_set_num: fn(*mut c_void, c_int) -> c_int;
    EVP_CIPHER_CTX_get_original_iv: fn(*mut c_void, *mut c_void, usize) -> c_int;
    EVP_CIPHER_CTX_get_updated_iv: fn(*mut c_void, *mut c_void, usize) -> c_int;
    EVP_CIPHER_CTX_get_params: fn(*mut c_void, *mut OsslParam) -> c_int;
    EVP_CIPHER_CTX_set_params: fn(*mut c_void, *const OsslParam) -> c_int;
    EVP_CIPHER_CTX_ctrl: fn(*mut c_void, c_int, c_int, *mut c_void) -> c_int;
    EVP_CIPHER_CTX_get_iv_length: fn(*const c_void) -> c_int;
    EVP_CipherInit_ex2: fn(*mut c_void, *const c_void, *const c_uchar, *const c_uchar, c_int, *const OsslParam) -> c_int;
    EVP_CipherUpdate: fn(*mut c_void, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
    EVP_CipherFinal_ex: fn(*mut c_void, *mut c_uchar, *mut c_int) -> c_int;
    EVP_Cipher: fn(*mut c_void, *mut c_uchar, *const c_uchar, c_uint) -> c_int;
    EVP_MAC_fetch: fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    EVP_MAC_free: fn(*mut c_void);
    EVP_MAC_gettable_ctx_params: fn(*const c_void) -> *const OsslParam;
    EVP_MAC_settable_ctx_params: fn(*const c_void) -> *const OsslParam;
    EVP_MAC_CTX_new: fn(*mut c_void) -> *mut c_void;
    EVP_MAC_CTX_free: fn(*mut c_void);
    EVP_MAC_CTX_dup: fn(*const c_void) -> *mut c_void;
    EVP_MAC_CTX_set_params: fn(*mut c_void, *const OsslParam) -> c_int;
    EVP_MAC_CTX_get_mac_size: fn(*mut c_void) -> usize;
    EVP_MAC_init: fn(*mut c_void, *const c_uchar, usize, *const OsslParam) -> c_int;
    EVP_MAC_update: fn(*mut c_void, *const c_uchar, usize) -> c_int;
    EVP_MAC_final: fn(*mut c_void, *mut c_uchar, *mut usize, usize) -> c_int;
    EVP_MD_fetch: fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    EVP_MD_free: fn(*mut c_void);
    EVP_MD_get_size: fn(*const c_void) -> c_int;
    EVP_MD_get_block_size: fn(*const c_void) -> c_int;
    EVP_MD_get_flags: fn(*const c_void) -> c_ulong;
    EVP_MD_gettable_params: fn(*const c_void) -> *const OsslParam;
    EVP_MD_gettable_ctx_params: fn(*const c_void) -> *const OsslParam;
    EVP_MD_settable_ctx_params: fn(*const c_void) -> *const OsslParam;
    EVP_MD_CTX_new: fn() -> *mut c_void;
    EVP_MD_CTX_free: fn(*mut c_void);
    EVP_MD_CTX_copy_ex: fn(*mut c_void, *const c_void) -> c_int;
    EVP_MD_CTX_set_params: fn(*mut c_void, *const OsslParam) -> c_int;
    EVP_DigestInit_ex2: fn(*mut c_void, *const c_void, *const OsslParam) -> c_int;
    EVP_DigestUpdate: fn(*mut c_void, *const c_void, usize) -> c_int;
    EVP_DigestFinal_ex: fn(*mut c_void, *mut c_uchar, *mut c_uint) -> c_int;
    EVP_Digest: fn(*const c_void, usize, *mut c_uchar, *mut c_uint, *const c_void, *mut c_void) -> c_int;
    EVP_RAND_fetch: fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    EVP_RAND_free: fn(*mut c_void);
    EVP_RAND_CTX_new: fn(*mut c_void, *mut c_void) -> *mut c_void;
    EVP_RAND_CTX_free: fn(*mut c_void);
    EVP_RAND_CTX_get_params: fn(*mut c_void, *mut OsslParam) -> c_int;
    EVP_RAND_instantiate: fn(*mut c_void, c_uint, c_int, *const c_uchar, usize, *const OsslParam) -> c_int;
    EVP_RAND_uninstantiate: fn(*mut c_void) -> c_int;
    EVP_RAND_generate: fn(*mut c_void, *mut c_uchar, usize, c_uint, c_int, *const c_uchar, usize) -> c_int;
    EVP_RAND_reseed: fn(*mut c_void, c_int, *const c_uchar, usize, *const c_uchar, usize) -> c_int;
    EVP_RAND_get_state: fn(*mut c_void) -> c_int;
    EVP_RAND_get_strength: fn(*mut c_void) -> c_uint;
    EVP_RAND_verify_zeroization: fn(*mut c_void) -> c_int;
    RAND_bytes_ex: fn(*mut c_void, *mut c_uchar, usize, c_uint) -> c_int;
    RAND_get0_primary: fn(*mut c_void) -> *mut c_void;
    ASYNC_WAIT_CTX_new: fn() -> *mut c_void;
    ASYNC_WAIT_CTX_free: fn(*mut c_void);
    ASYNC_WAIT_CTX_get_all_fds: fn(*mut c_void, *mut c_int, *mut usize) -> c_int;
    ASYNC_start_job: fn(*mut *mut c_void, *mut c_void, *mut c_int, unsafe extern "C" fn(*mut c_void) -> c_int, *mut c_void, usize) -> c_int;
    ASYNC_block_pause: fn();
    ASYNC_unblock_pause: fn();
    ERR_get_error_all: fn(*mut *const c_char, *mut c_int, *mut *const c_char, *mut *const c_char, *mut c_int) -> c_ulong;
    ERR_reason_error_string: fn(c_ulong) -> *const c_char;
    ERR_error_string_n: fn(c_ulong, *mut c_char, usize);
    ERR_clear_error: fn();
}

functions! {
    /// The functions for keys as objects, new in OpenSSL 3.5.
    KeyObjects:
    EVP_SKEY_import_raw_key: fn(*mut c_void, *const c_char, *mut c_uchar, usize, *const c_char) -> *mut c_void;
    EVP_SKEY_free: fn(*mut c_void);
    EVP_CipherInit_SKEY: fn(*mut c_void, *const c_void, *mut c_void, *const c_uchar, usize, c_int, *const OsslParam) -> c_int;
}

/// The machine's libcrypto.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| open().and_then(Library::find).unwrap_or_else(|problem| panic!("{problem}")))
}

/// The functions of this libcrypto for keys as objects, or an error that names the first missing one.
pub(super) fn key_objects() -> Result<&'static KeyObjects, String> {
    static KEY_OBJECTS: OnceLock<Result<KeyObjects, String>> = OnceLock::new();
    KEY_OBJECTS.get_or_init(|| open().and_then(KeyObjects::find)).as_ref().map_err(String::clone)
}

/// The version line of the libcrypto under test.
pub fn version() -> String {
    // SAFETY: OpenSSL_version accepts any number and returns a static string.
    unsafe { CStr::from_ptr((library().OpenSSL_version)(0)) }.to_string_lossy().into_owned()
}

/// The file of the libcrypto under test, by the name under which the loader knows it.
pub fn file() -> PathBuf {
    // SAFETY: the structure is plain pointers, and the function is in the library.
    let name = unsafe {
        let mut found: libc::Dl_info = std::mem::zeroed();
        assert!(libc::dladdr(library().OpenSSL_version as *const c_void, &mut found) != 0, "dladdr");
        CStr::from_ptr(found.dli_fname)
    };
    PathBuf::from(name.to_string_lossy().into_owned())
}

/// The first number of OpenSSL's version.
pub fn major_version() -> u32 {
    let version = version();
    let number = version.split_whitespace().nth(1).and_then(|text| text.split('.').next());
    number.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no version number in \"{version}\""))
}

/// The directory in which this libcrypto looks for provider modules.
pub fn modules_dir() -> Option<PathBuf> {
    // SAFETY: as in `version`.
    let answer = unsafe { CStr::from_ptr((library().OpenSSL_version)(MODULES_DIR)) }.to_string_lossy();
    answer.split('"').nth(1).map(PathBuf::from)
}

fn open() -> Result<*mut c_void, String> {
    let chosen = std::env::var(OVERRIDE).ok();
    let names = match &chosen {
        Some(path) => vec![path.as_str()],
        None => vec!["libcrypto.so.4", "libcrypto.so.3"],
    };
    for name in &names {
        let name = CString::new(*name).map_err(|_| format!("{OVERRIDE} holds a NUL byte"))?;
        // SAFETY: the name is a C string; libcrypto's constructors require nothing of the caller.
        // The library is never closed, so pointers into it stay valid.
        // RTLD_GLOBAL, as in a program that is linked with it: tpm2-openssl's module uses libcrypto
        // without naming it.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if !handle.is_null() {
            return Ok(handle);
        }
    }
    Err(format!(
        "cannot open {}: install OpenSSL 3.0 or later, or name a libcrypto in {OVERRIDE}",
        names.join(" or ")
    ))
}

fn symbol(handle: *mut c_void, name: &str) -> Result<*mut c_void, String> {
    let c_name = CString::new(name).expect("a function's name holds no NUL byte");
    // SAFETY: the handle is open and the name is a C string.
    let address = unsafe { libc::dlsym(handle, c_name.as_ptr()) };
    if address.is_null() { Err(format!("this libcrypto has no {name}")) } else { Ok(address) }
}
