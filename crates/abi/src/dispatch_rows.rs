//! Rows of dispatch tables: for each number the type of function that core_dispatch.h defines.

use std::mem::transmute;

use crate::*;

macro_rules! rows {
    ($($name:ident: $id:ident, $type:ty;)*) => {
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
    cipher_newctx: CIPHER_NEWCTX, CipherNewctx;
    cipher_encrypt_init: CIPHER_ENCRYPT_INIT, CipherInit;
    cipher_decrypt_init: CIPHER_DECRYPT_INIT, CipherInit;
    cipher_update: CIPHER_UPDATE, CipherUpdate;
    cipher_final: CIPHER_FINAL, CipherFinal;
    cipher_cipher: CIPHER_CIPHER, CipherUpdate;
    cipher_freectx: CIPHER_FREECTX, CipherFreectx;
    cipher_dupctx: CIPHER_DUPCTX, CipherDupctx;
    cipher_get_params: CIPHER_GET_PARAMS, CipherGetParams;
    cipher_get_ctx_params: CIPHER_GET_CTX_PARAMS, GetCtxParams;
    cipher_set_ctx_params: CIPHER_SET_CTX_PARAMS, CipherSetCtxParams;
    cipher_gettable_params: CIPHER_GETTABLE_PARAMS, GettableParams;
    cipher_gettable_ctx_params: CIPHER_GETTABLE_CTX_PARAMS, CipherCtxParamList;
    cipher_settable_ctx_params: CIPHER_SETTABLE_CTX_PARAMS, CipherCtxParamList;
    digest_newctx: DIGEST_NEWCTX, CipherNewctx;
    digest_init: DIGEST_INIT, DigestInit;
    digest_update: DIGEST_UPDATE, DigestUpdate;
    digest_final: DIGEST_FINAL, DigestFinal;
    digest_freectx: DIGEST_FREECTX, CipherFreectx;
    digest_dupctx: DIGEST_DUPCTX, CipherDupctx;
    digest_get_params: DIGEST_GET_PARAMS, CipherGetParams;
    digest_set_ctx_params: DIGEST_SET_CTX_PARAMS, CipherSetCtxParams;
    digest_gettable_params: DIGEST_GETTABLE_PARAMS, GettableParams;
    digest_settable_ctx_params: DIGEST_SETTABLE_CTX_PARAMS, CipherCtxParamList;
    mac_newctx: MAC_NEWCTX, CipherNewctx;
    mac_init: MAC_INIT, MacInit;
    mac_update: MAC_UPDATE, DigestUpdate;
    mac_final: MAC_FINAL, DigestFinal;
    mac_freectx: MAC_FREECTX, CipherFreectx;
    mac_dupctx: MAC_DUPCTX, CipherDupctx;
    mac_get_ctx_params: MAC_GET_CTX_PARAMS, GetCtxParams;
    mac_set_ctx_params: MAC_SET_CTX_PARAMS, CipherSetCtxParams;
    mac_gettable_ctx_params: MAC_GETTABLE_CTX_PARAMS, CipherCtxParamList;
    mac_settable_ctx_params: MAC_SETTABLE_CTX_PARAMS, CipherCtxParamList;
    provider_teardown: PROVIDER_TEARDOWN, ProviderTeardown;
    provider_gettable_params: PROVIDER_GETTABLE_PARAMS, GettableParams;
    provider_get_params: PROVIDER_GET_PARAMS, GetCtxParams;
    provider_query_operation: PROVIDER_QUERY_OPERATION, ProviderQueryOperation;
    rand_newctx: RAND_NEWCTX, RandNewctx;
    rand_freectx: RAND_FREECTX, RandFreectx;
    rand_instantiate: RAND_INSTANTIATE, RandInstantiate;
    rand_uninstantiate: RAND_UNINSTANTIATE, RandPlain;
    rand_generate: RAND_GENERATE, RandGenerate;
    rand_get_seed: RAND_GET_SEED, RandGetSeed;
    rand_clear_seed: RAND_CLEAR_SEED, RandClearSeed;
    rand_enable_locking: RAND_ENABLE_LOCKING, RandPlain;
    rand_lock: RAND_LOCK, RandPlain;
    rand_unlock: RAND_UNLOCK, RandFreectx;
    rand_gettable_ctx_params: RAND_GETTABLE_CTX_PARAMS, CipherCtxParamList;
    rand_get_ctx_params: RAND_GET_CTX_PARAMS, GetCtxParams;
    rand_verify_zeroization: RAND_VERIFY_ZEROIZATION, RandPlain;
}
