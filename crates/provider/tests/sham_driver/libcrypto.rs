//! This provider in a real libcrypto, for tests and fuzzers.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

use outboard_abi::{CoreHandle, Dispatch};

use crate::entry::OSSL_provider_init;
use crate::provider::Provider;
use crate::provider_context::ProviderContext;

type Init =
    unsafe extern "C" fn(*const CoreHandle, *const Dispatch, *mut *const Dispatch, *mut *mut c_void) -> c_int;

const LIBRARIES: [&CStr; 2] = [c"libcrypto.so.4", c"libcrypto.so.3"];

/// The loaded provider, with the default provider next to it, until the process ends.
pub(crate) fn provider() -> &'static Provider {
    static CONTEXT: OnceLock<usize> = OnceLock::new();
    let address = CONTEXT.get_or_init(|| load().expose_provenance());
    // SAFETY: the provider is never unloaded.
    let context = unsafe { &*std::ptr::with_exposed_provenance::<ProviderContext>(*address) };
    &context.provider
}

fn load() -> *const ProviderContext {
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
