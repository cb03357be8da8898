//! Numbers and types of the functions that outboard calls or offers (core_dispatch.h).

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::{Algorithm, CoreHandle, Dispatch, Param};

// Functions that the core offers to a provider.

/// `OSSL_FUNC_CORE_GET_PARAMS`
pub const CORE_GET_PARAMS: c_int = 2;
/// `OSSL_FUNC_CORE_NEW_ERROR`
pub const CORE_NEW_ERROR: c_int = 5;
/// `OSSL_FUNC_CORE_SET_ERROR_DEBUG`
pub const CORE_SET_ERROR_DEBUG: c_int = 6;
/// `OSSL_FUNC_CORE_VSET_ERROR`
pub const CORE_VSET_ERROR: c_int = 7;
/// `OSSL_FUNC_CORE_SET_ERROR_MARK`
pub const CORE_SET_ERROR_MARK: c_int = 8;
/// `OSSL_FUNC_CORE_POP_ERROR_TO_MARK`
pub const CORE_POP_ERROR_TO_MARK: c_int = 10;
/// `OSSL_FUNC_PROVIDER_REGISTER_CHILD_CB`
pub const PROVIDER_REGISTER_CHILD_CB: c_int = 105;
/// `OSSL_FUNC_PROVIDER_DEREGISTER_CHILD_CB`
pub const PROVIDER_DEREGISTER_CHILD_CB: c_int = 106;
/// `OSSL_FUNC_PROVIDER_NAME`
pub const PROVIDER_NAME: c_int = 107;
/// `OSSL_FUNC_PROVIDER_GET0_PROVIDER_CTX`
pub const PROVIDER_GET0_PROVIDER_CTX: c_int = 108;
/// `OSSL_FUNC_PROVIDER_GET0_DISPATCH`
pub const PROVIDER_GET0_DISPATCH: c_int = 109;

// Functions that a provider offers to the core.

/// `OSSL_FUNC_PROVIDER_TEARDOWN`
pub const PROVIDER_TEARDOWN: c_int = 1024;
/// `OSSL_FUNC_PROVIDER_GETTABLE_PARAMS`
pub const PROVIDER_GETTABLE_PARAMS: c_int = 1025;
/// `OSSL_FUNC_PROVIDER_GET_PARAMS`
pub const PROVIDER_GET_PARAMS: c_int = 1026;
/// `OSSL_FUNC_PROVIDER_QUERY_OPERATION`
pub const PROVIDER_QUERY_OPERATION: c_int = 1027;

/// `OSSL_OP_CIPHER`
pub const OP_CIPHER: c_int = 2;
/// `OSSL_OP_RAND`
pub const OP_RAND: c_int = 5;

/// `OSSL_FUNC_CIPHER_NEWCTX`
pub const CIPHER_NEWCTX: c_int = 1;
/// `OSSL_FUNC_CIPHER_ENCRYPT_INIT`
pub const CIPHER_ENCRYPT_INIT: c_int = 2;
/// `OSSL_FUNC_CIPHER_DECRYPT_INIT`
pub const CIPHER_DECRYPT_INIT: c_int = 3;
/// `OSSL_FUNC_CIPHER_UPDATE`
pub const CIPHER_UPDATE: c_int = 4;
/// `OSSL_FUNC_CIPHER_FINAL`
pub const CIPHER_FINAL: c_int = 5;
/// `OSSL_FUNC_CIPHER_CIPHER`
pub const CIPHER_CIPHER: c_int = 6;
/// `OSSL_FUNC_CIPHER_FREECTX`
pub const CIPHER_FREECTX: c_int = 7;
/// `OSSL_FUNC_CIPHER_DUPCTX`
pub const CIPHER_DUPCTX: c_int = 8;
/// `OSSL_FUNC_CIPHER_GET_PARAMS`
pub const CIPHER_GET_PARAMS: c_int = 9;
/// `OSSL_FUNC_CIPHER_GET_CTX_PARAMS`
pub const CIPHER_GET_CTX_PARAMS: c_int = 10;
/// `OSSL_FUNC_CIPHER_SET_CTX_PARAMS`
pub const CIPHER_SET_CTX_PARAMS: c_int = 11;
/// `OSSL_FUNC_CIPHER_GETTABLE_PARAMS`
pub const CIPHER_GETTABLE_PARAMS: c_int = 12;
/// `OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS`
pub const CIPHER_GETTABLE_CTX_PARAMS: c_int = 13;
/// `OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS`
pub const CIPHER_SETTABLE_CTX_PARAMS: c_int = 14;

/// `OSSL_FUNC_core_get_params_fn`
pub type CoreGetParams = unsafe extern "C" fn(*const CoreHandle, *mut Param) -> c_int;
/// `OSSL_FUNC_core_new_error_fn`
pub type CoreNewError = unsafe extern "C" fn(*const CoreHandle);
/// `OSSL_FUNC_core_set_error_mark_fn` and `OSSL_FUNC_core_pop_error_to_mark_fn`
pub type CoreErrorMark = unsafe extern "C" fn(*const CoreHandle) -> c_int;
/// `OSSL_FUNC_core_set_error_debug_fn`
pub type CoreSetErrorDebug = unsafe extern "C" fn(*const CoreHandle, *const c_char, c_int, *const c_char);
/// `OSSL_FUNC_core_vset_error_fn`. The last argument is a `va_list`. Every ABI that Linux supports
/// passes it as one pointer-sized word: a pointer to the list, or the list itself where it is a
/// pointer.
pub type CoreVsetError = unsafe extern "C" fn(*const CoreHandle, u32, *const c_char, *mut c_void);

/// Called for each provider that is or becomes active. Returns 1, or 0 to fail its activation.
pub type ChildCreate = unsafe extern "C" fn(*const CoreHandle, *mut c_void) -> c_int;
/// Called when a provider is deactivated.
pub type ChildRemove = unsafe extern "C" fn(*const CoreHandle, *mut c_void) -> c_int;
/// Called when the default properties of the library context change.
pub type ChildGlobalProps = unsafe extern "C" fn(*const c_char, *mut c_void) -> c_int;
/// `OSSL_FUNC_provider_register_child_cb_fn`
pub type ProviderRegisterChildCb = unsafe extern "C" fn(
    *const CoreHandle,
    Option<ChildCreate>,
    Option<ChildRemove>,
    Option<ChildGlobalProps>,
    *mut c_void,
) -> c_int;
/// `OSSL_FUNC_provider_deregister_child_cb_fn`
pub type ProviderDeregisterChildCb = unsafe extern "C" fn(*const CoreHandle);
/// `OSSL_FUNC_provider_name_fn`
pub type ProviderName = unsafe extern "C" fn(*const CoreHandle) -> *const c_char;
/// `OSSL_FUNC_provider_get0_provider_ctx_fn`
pub type ProviderGet0ProviderCtx = unsafe extern "C" fn(*const CoreHandle) -> *mut c_void;
/// `OSSL_FUNC_provider_get0_dispatch_fn`
pub type ProviderGet0Dispatch = unsafe extern "C" fn(*const CoreHandle) -> *const Dispatch;

/// `OSSL_FUNC_provider_teardown_fn`
pub type ProviderTeardown = unsafe extern "C" fn(*mut c_void);
/// `OSSL_FUNC_provider_gettable_params_fn`, and the gettable and settable lists of a cipher, whose
/// first argument is a context or null.
pub type GettableParams = unsafe extern "C" fn(*mut c_void) -> *const Param;
/// `OSSL_FUNC_provider_get_params_fn`, `OSSL_FUNC_cipher_get_ctx_params_fn`
pub type GetCtxParams = unsafe extern "C" fn(*mut c_void, *mut Param) -> c_int;
/// `OSSL_FUNC_provider_query_operation_fn`
pub type ProviderQueryOperation = unsafe extern "C" fn(*mut c_void, c_int, *mut c_int) -> *const Algorithm;

/// `OSSL_FUNC_cipher_newctx_fn`
pub type CipherNewctx = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
/// `OSSL_FUNC_cipher_encrypt_init_fn` and `OSSL_FUNC_cipher_decrypt_init_fn`: context, key, its
/// length, IV, its length, parameters. A null key or IV keeps the value that was set before.
pub type CipherInit =
    unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *const Param) -> c_int;
/// `OSSL_FUNC_cipher_update_fn` and `OSSL_FUNC_cipher_cipher_fn`: context, output, length written,
/// size of output, input, its length.
pub type CipherUpdate =
    unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
/// `OSSL_FUNC_cipher_final_fn`: context, output, length written, size of output.
pub type CipherFinal = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
/// `OSSL_FUNC_cipher_freectx_fn`
pub type CipherFreectx = unsafe extern "C" fn(*mut c_void);
/// `OSSL_FUNC_cipher_dupctx_fn`
pub type CipherDupctx = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
/// `OSSL_FUNC_cipher_get_params_fn`
pub type CipherGetParams = unsafe extern "C" fn(*mut Param) -> c_int;
/// `OSSL_FUNC_cipher_set_ctx_params_fn`
pub type CipherSetCtxParams = unsafe extern "C" fn(*mut c_void, *const Param) -> c_int;
/// `OSSL_FUNC_cipher_gettable_ctx_params_fn` and `..._settable_ctx_params_fn`: context or null,
/// provider context.
pub type CipherCtxParamList = unsafe extern "C" fn(*mut c_void, *mut c_void) -> *const Param;

/// `EVP_CIPH_ECB_MODE` (evp.h): a value of the parameter `mode`.
pub const EVP_CIPH_ECB_MODE: c_uint = 1;
/// `EVP_CIPH_CBC_MODE`
pub const EVP_CIPH_CBC_MODE: c_uint = 2;
/// `EVP_CIPH_CTR_MODE`
pub const EVP_CIPH_CTR_MODE: c_uint = 5;
/// `EVP_CIPH_GCM_MODE`
pub const EVP_CIPH_GCM_MODE: c_uint = 6;
/// `EVP_CIPH_CCM_MODE`
pub const EVP_CIPH_CCM_MODE: c_uint = 7;
/// `EVP_CIPH_XTS_MODE`
pub const EVP_CIPH_XTS_MODE: c_uint = 0x10001;
