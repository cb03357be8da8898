//! Rows of dispatch tables: numbers of functions that outboard offers, and for each the type that
//! core_dispatch.h defines.

use std::ffi::c_int;
use std::mem::transmute;

use crate::function::numbers;
use crate::*;

macro_rules! rows {
    ($($name:ident: $id:ident = $number:literal, $type:ty;)*) => {
        numbers! { c_int, "OSSL_FUNC_": $($id = $number;)* }

        impl Dispatch {
            $(
                #[doc = concat!("A row with the number `OSSL_FUNC_", stringify!($id), "`.")]
                pub const fn $name(function: $type) -> Dispatch {
                    // SAFETY: a pointer to a function keeps its value. The core calls it with the
                    // type that core_dispatch.h defines for the number, which is the type here.
                    Dispatch::new($id, unsafe { transmute::<$type, Function>(function) })
                }
            )*
        }
    };
}

rows! {
    cipher_newctx: CIPHER_NEWCTX = 1, CipherNewctx;
    cipher_encrypt_init: CIPHER_ENCRYPT_INIT = 2, CipherInit;
    cipher_decrypt_init: CIPHER_DECRYPT_INIT = 3, CipherInit;
    cipher_update: CIPHER_UPDATE = 4, CipherUpdate;
    cipher_final: CIPHER_FINAL = 5, CipherFinal;
    cipher_cipher: CIPHER_CIPHER = 6, CipherUpdate;
    cipher_freectx: CIPHER_FREECTX = 7, CipherFreectx;
    cipher_dupctx: CIPHER_DUPCTX = 8, CipherDupctx;
    cipher_get_params: CIPHER_GET_PARAMS = 9, CipherGetParams;
    cipher_get_ctx_params: CIPHER_GET_CTX_PARAMS = 10, GetCtxParams;
    cipher_set_ctx_params: CIPHER_SET_CTX_PARAMS = 11, CipherSetCtxParams;
    cipher_gettable_params: CIPHER_GETTABLE_PARAMS = 12, GettableParams;
    cipher_gettable_ctx_params: CIPHER_GETTABLE_CTX_PARAMS = 13, CipherCtxParamList;
    cipher_settable_ctx_params: CIPHER_SETTABLE_CTX_PARAMS = 14, CipherCtxParamList;
    digest_newctx: DIGEST_NEWCTX = 1, CipherNewctx;
    digest_init: DIGEST_INIT = 2, DigestInit;
    digest_update: DIGEST_UPDATE = 3, DigestUpdate;
    digest_final: DIGEST_FINAL = 4, DigestFinal;
    digest_freectx: DIGEST_FREECTX = 6, CipherFreectx;
    digest_dupctx: DIGEST_DUPCTX = 7, CipherDupctx;
    digest_get_params: DIGEST_GET_PARAMS = 8, CipherGetParams;
    digest_set_ctx_params: DIGEST_SET_CTX_PARAMS = 9, CipherSetCtxParams;
    digest_gettable_params: DIGEST_GETTABLE_PARAMS = 11, GettableParams;
    digest_settable_ctx_params: DIGEST_SETTABLE_CTX_PARAMS = 12, CipherCtxParamList;
    mac_newctx: MAC_NEWCTX = 1, CipherNewctx;
    mac_init: MAC_INIT = 4, MacInit;
    mac_update: MAC_UPDATE = 5, DigestUpdate;
    mac_final: MAC_FINAL = 6, DigestFinal;
    mac_freectx: MAC_FREECTX = 3, CipherFreectx;
    mac_dupctx: MAC_DUPCTX = 2, CipherDupctx;
    mac_get_ctx_params: MAC_GET_CTX_PARAMS = 8, GetCtxParams;
    mac_set_ctx_params: MAC_SET_CTX_PARAMS = 9, CipherSetCtxParams;
    mac_gettable_ctx_params: MAC_GETTABLE_CTX_PARAMS = 11, CipherCtxParamList;
    mac_settable_ctx_params: MAC_SETTABLE_CTX_PARAMS = 12, CipherCtxParamList;
    provider_teardown: PROVIDER_TEARDOWN = 1024, ProviderTeardown;
    provider_gettable_params: PROVIDER_GETTABLE_PARAMS = 1025, GettableParams;
    provider_get_params: PROVIDER_GET_PARAMS = 1026, GetCtxParams;
    provider_query_operation: PROVIDER_QUERY_OPERATION = 1027, ProviderQueryOperation;
    rand_newctx: RAND_NEWCTX = 1, RandNewctx;
    rand_freectx: RAND_FREECTX = 2, RandFreectx;
    rand_instantiate: RAND_INSTANTIATE = 3, RandInstantiate;
    rand_uninstantiate: RAND_UNINSTANTIATE = 4, RandPlain;
    rand_generate: RAND_GENERATE = 5, RandGenerate;
    rand_get_seed: RAND_GET_SEED = 18, RandGetSeed;
    rand_clear_seed: RAND_CLEAR_SEED = 19, RandClearSeed;
    rand_enable_locking: RAND_ENABLE_LOCKING = 8, RandPlain;
    rand_lock: RAND_LOCK = 9, RandPlain;
    rand_unlock: RAND_UNLOCK = 10, RandFreectx;
    rand_gettable_ctx_params: RAND_GETTABLE_CTX_PARAMS = 12, CipherCtxParamList;
    rand_get_ctx_params: RAND_GET_CTX_PARAMS = 15, GetCtxParams;
    rand_verify_zeroization: RAND_VERIFY_ZEROIZATION = 17, RandPlain;
}
