//! Numbers and types of the functions that outboard calls or offers (core_dispatch.h). A type
//! without another comment is `OSSL_FUNC_*_fn` of its name.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::{Algorithm, CoreHandle, Dispatch, Param};

/// Defines numbers, each documented with its name in OpenSSL's headers.
macro_rules! numbers {
    ($type:ty, $prefix:literal: $($name:ident = $number:literal;)*) => {
        $(
            #[doc = concat!("`", $prefix, stringify!($name), "`")]
            pub const $name: $type = $number;
        )*
    };
}
pub(crate) use numbers;

// Functions that the core or another provider offers. `dispatch_rows` has those that outboard offers.
numbers! {
    c_int, "OSSL_FUNC_":
    CORE_GET_PARAMS = 2;
    CORE_NEW_ERROR = 5;
    CORE_SET_ERROR_DEBUG = 6;
    CORE_VSET_ERROR = 7;
    CORE_SET_ERROR_MARK = 8;
    CORE_POP_ERROR_TO_MARK = 10;
    PROVIDER_REGISTER_CHILD_CB = 105;
    PROVIDER_DEREGISTER_CHILD_CB = 106;
    PROVIDER_NAME = 107;
    PROVIDER_GET0_PROVIDER_CTX = 108;
    PROVIDER_GET0_DISPATCH = 109;
}

numbers! {
    c_int, "OSSL_":
    OP_DIGEST = 1;
    OP_CIPHER = 2;
    OP_MAC = 3;
    OP_RAND = 5;
}

// Values of the parameter `mode` (evp.h).
numbers! {
    c_uint, "":
    EVP_CIPH_ECB_MODE = 1;
    EVP_CIPH_CBC_MODE = 2;
    EVP_CIPH_CTR_MODE = 5;
    EVP_CIPH_GCM_MODE = 6;
    EVP_CIPH_CCM_MODE = 7;
    EVP_CIPH_XTS_MODE = 0x10001;
}

pub type CoreGetParams = unsafe extern "C" fn(*const CoreHandle, *mut Param) -> c_int;
pub type CoreNewError = unsafe extern "C" fn(*const CoreHandle);
/// `OSSL_FUNC_core_set_error_mark_fn` and `OSSL_FUNC_core_pop_error_to_mark_fn`
pub type CoreErrorMark = unsafe extern "C" fn(*const CoreHandle) -> c_int;
pub type CoreSetErrorDebug = unsafe extern "C" fn(*const CoreHandle, *const c_char, c_int, *const c_char);
/// The last argument is a `va_list`. Every ABI that Linux supports passes it as one pointer-sized
/// word: a pointer to the list, or the list itself where it is a pointer.
pub type CoreVsetError = unsafe extern "C" fn(*const CoreHandle, u32, *const c_char, *mut c_void);

/// Called for each provider that is or becomes active. Returns 1, or 0 to fail its activation.
pub type ChildCreate = unsafe extern "C" fn(*const CoreHandle, *mut c_void) -> c_int;
/// Called when a provider is deactivated.
pub type ChildRemove = unsafe extern "C" fn(*const CoreHandle, *mut c_void) -> c_int;
/// Called when the default properties of the library context change.
pub type ChildGlobalProps = unsafe extern "C" fn(*const c_char, *mut c_void) -> c_int;
pub type ProviderRegisterChildCb = unsafe extern "C" fn(
    *const CoreHandle,
    Option<ChildCreate>,
    Option<ChildRemove>,
    Option<ChildGlobalProps>,
    *mut c_void,
) -> c_int;
pub type ProviderDeregisterChildCb = unsafe extern "C" fn(*const CoreHandle);
pub type ProviderName = unsafe extern "C" fn(*const CoreHandle) -> *const c_char;
pub type ProviderGet0ProviderCtx = unsafe extern "C" fn(*const CoreHandle) -> *mut c_void;
pub type ProviderGet0Dispatch = unsafe extern "C" fn(*const CoreHandle) -> *const Dispatch;

pub type ProviderTeardown = unsafe extern "C" fn(*mut c_void);
/// Also the gettable and settable lists of a cipher, whose first argument is a context or null.
pub type GettableParams = unsafe extern "C" fn(*mut c_void) -> *const Param;
pub type GetCtxParams = unsafe extern "C" fn(*mut c_void, *mut Param) -> c_int;
pub type ProviderQueryOperation = unsafe extern "C" fn(*mut c_void, c_int, *mut c_int) -> *const Algorithm;

pub type CipherNewctx = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
/// Context, key, its length, IV, its length, parameters. A null key or IV keeps the value that was
/// set before.
pub type CipherInit =
    unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *const Param) -> c_int;
/// Also `OSSL_FUNC_cipher_cipher_fn`: context, output, length written, size of output, input, its
/// length.
pub type CipherUpdate =
    unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
/// Context, output, length written, size of output.
pub type CipherFinal = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
pub type CipherFreectx = unsafe extern "C" fn(*mut c_void);
pub type CipherDupctx = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
pub type CipherGetParams = unsafe extern "C" fn(*mut Param) -> c_int;
pub type CipherSetCtxParams = unsafe extern "C" fn(*mut c_void, *const Param) -> c_int;
/// Also of settable parameters: context or null, provider context.
pub type CipherCtxParamList = unsafe extern "C" fn(*mut c_void, *mut c_void) -> *const Param;

/// Context, parameters.
pub type DigestInit = unsafe extern "C" fn(*mut c_void, *const Param) -> c_int;
/// Also `OSSL_FUNC_mac_update_fn`: context, input, its length.
pub type DigestUpdate = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int;
/// Also `OSSL_FUNC_mac_final_fn`: context, output, length written, size of output.
pub type DigestFinal = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;

/// Context, key, its length, parameters.
pub type MacInit = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const Param) -> c_int;
