//! This provider in a real libcrypto, for the default provider's block cipher.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

use outboard_abi::{CoreHandle, Dispatch};
use outboard_counters::Row;

use super::KEY;
use crate::block_cipher::BlockCipher;
use crate::entry::OSSL_provider_init;
use crate::kinds::Mode;
use crate::provider::Provider;

type Init =
    unsafe extern "C" fn(*const CoreHandle, *const Dispatch, *mut *const Dispatch, *mut *mut c_void) -> c_int;

const LIBRARIES: [&CStr; 2] = [c"libcrypto.so.4", c"libcrypto.so.3"];

/// The loaded provider, until the process ends.
fn provider() -> &'static Provider {
    static PROVIDER: OnceLock<usize> = OnceLock::new();
    let address = PROVIDER.get_or_init(|| load().expose_provenance());
    // SAFETY: the provider is never unloaded.
    unsafe { &*std::ptr::with_exposed_provenance(*address) }
}

fn load() -> *const Provider {
    // SAFETY: opens a library by its name; the functions have the signatures of the OpenSSL 3.0
    // headers.
    unsafe {
        let open = |name: &&CStr| NonNull::new(libc::dlopen(name.as_ptr(), libc::RTLD_NOW));
        let library = LIBRARIES.iter().find_map(open).expect("libcrypto of OpenSSL 3.0 or later");
        let find = |name: &CStr| {
            NonNull::new(libc::dlsym(library.as_ptr(), name.as_ptr())).expect("a function of libcrypto")
        };
        let new: unsafe extern "C" fn() -> *mut c_void = std::mem::transmute(find(c"OSSL_LIB_CTX_new"));
        let add: unsafe extern "C" fn(*mut c_void, *const c_char, Init) -> c_int =
            std::mem::transmute(find(c"OSSL_PROVIDER_add_builtin"));
        let load: unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void =
            std::mem::transmute(find(c"OSSL_PROVIDER_load"));
        let context_of: unsafe extern "C" fn(*const c_void) -> *mut c_void =
            std::mem::transmute(find(c"OSSL_PROVIDER_get0_provider_ctx"));
        let context = new();
        assert!(!load(context, c"default".as_ptr()).is_null(), "the default provider");
        assert_eq!(add(context, c"outboard".as_ptr(), OSSL_provider_init), 1);
        let loaded = load(context, c"outboard".as_ptr());
        assert!(!loaded.is_null(), "this provider");
        context_of(loaded).cast()
    }
}

/// The block cipher with the key.
pub(super) fn reference() -> BlockCipher {
    let provider = provider();
    let ecb = provider.software.cipher("AES-128-ECB").expect("the default provider's AES");
    let software = provider.software.context();
    BlockCipher::new(ecb, software, Mode::Ecb, &KEY).expect("a context")
}

/// Counters of an algorithm.
pub(super) fn row(algorithm: &str) -> &'static Row {
    provider().counters.row(algorithm).expect("an algorithm")
}
