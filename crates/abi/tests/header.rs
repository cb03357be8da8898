//! Compares the numbers, names and struct layouts of this crate with the installed OpenSSL headers
//! (libssl-dev).

use std::fmt::Display;
use std::mem::{offset_of, size_of};
use std::process::Command;

use outboard_abi as abi;
use outboard_abi::{Algorithm, Dispatch, Param, ParamType, name};

const HEADERS: &str = "
#include <stddef.h>
#include <stdio.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)
";

/// Values of `expressions` in a C program that includes OpenSSL's headers, each printed by
/// `format`.
fn evaluate_in_c(expressions: &[impl Display], format: &str) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let (source, program) = (directory.path().join("expressions.c"), directory.path().join("expressions"));
    let prints: String =
        expressions.iter().map(|e| format!("printf(\"{format}\\n\", {}({e}));\n", cast(format))).collect();
    std::fs::write(&source, format!("{HEADERS}int main(void) {{\n{prints}return 0; }}\n")).unwrap();
    let compiler = Command::new("cc").arg("-o").arg(&program).arg(&source).output().expect("cc is installed");
    assert!(compiler.status.success(), "libssl-dev installed? {}", String::from_utf8_lossy(&compiler.stderr));
    let answer = Command::new(&program).output().unwrap();
    String::from_utf8(answer.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn cast(format: &str) -> &'static str {
    if format == "%s" { "(const char *)" } else { "(long long)" }
}

#[test]
fn numbers_match_the_headers() {
    let ours = [
        ("OSSL_FUNC_CORE_GET_PARAMS", abi::CORE_GET_PARAMS),
        ("OSSL_FUNC_CORE_NEW_ERROR", abi::CORE_NEW_ERROR),
        ("OSSL_FUNC_CORE_SET_ERROR_DEBUG", abi::CORE_SET_ERROR_DEBUG),
        ("OSSL_FUNC_CORE_VSET_ERROR", abi::CORE_VSET_ERROR),
        ("OSSL_FUNC_PROVIDER_REGISTER_CHILD_CB", abi::PROVIDER_REGISTER_CHILD_CB),
        ("OSSL_FUNC_PROVIDER_DEREGISTER_CHILD_CB", abi::PROVIDER_DEREGISTER_CHILD_CB),
        ("OSSL_FUNC_PROVIDER_NAME", abi::PROVIDER_NAME),
        ("OSSL_FUNC_PROVIDER_GET0_PROVIDER_CTX", abi::PROVIDER_GET0_PROVIDER_CTX),
        ("OSSL_FUNC_PROVIDER_GET0_DISPATCH", abi::PROVIDER_GET0_DISPATCH),
        ("OSSL_FUNC_PROVIDER_TEARDOWN", abi::PROVIDER_TEARDOWN),
        ("OSSL_FUNC_PROVIDER_GETTABLE_PARAMS", abi::PROVIDER_GETTABLE_PARAMS),
        ("OSSL_FUNC_PROVIDER_GET_PARAMS", abi::PROVIDER_GET_PARAMS),
        ("OSSL_FUNC_PROVIDER_QUERY_OPERATION", abi::PROVIDER_QUERY_OPERATION),
        ("OSSL_OP_CIPHER", abi::OP_CIPHER),
        ("OSSL_OP_RAND", abi::OP_RAND),
        ("OSSL_OP_DIGEST", abi::OP_DIGEST),
        ("OSSL_OP_MAC", abi::OP_MAC),
        ("OSSL_FUNC_MAC_NEWCTX", abi::MAC_NEWCTX),
        ("OSSL_FUNC_MAC_DUPCTX", abi::MAC_DUPCTX),
        ("OSSL_FUNC_MAC_FREECTX", abi::MAC_FREECTX),
        ("OSSL_FUNC_MAC_INIT", abi::MAC_INIT),
        ("OSSL_FUNC_MAC_UPDATE", abi::MAC_UPDATE),
        ("OSSL_FUNC_MAC_FINAL", abi::MAC_FINAL),
        ("OSSL_FUNC_MAC_GET_CTX_PARAMS", abi::MAC_GET_CTX_PARAMS),
        ("OSSL_FUNC_MAC_SET_CTX_PARAMS", abi::MAC_SET_CTX_PARAMS),
        ("OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS", abi::MAC_GETTABLE_CTX_PARAMS),
        ("OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS", abi::MAC_SETTABLE_CTX_PARAMS),
        ("OSSL_FUNC_DIGEST_NEWCTX", abi::DIGEST_NEWCTX),
        ("OSSL_FUNC_DIGEST_INIT", abi::DIGEST_INIT),
        ("OSSL_FUNC_DIGEST_UPDATE", abi::DIGEST_UPDATE),
        ("OSSL_FUNC_DIGEST_FINAL", abi::DIGEST_FINAL),
        ("OSSL_FUNC_DIGEST_FREECTX", abi::DIGEST_FREECTX),
        ("OSSL_FUNC_DIGEST_DUPCTX", abi::DIGEST_DUPCTX),
        ("OSSL_FUNC_DIGEST_GET_PARAMS", abi::DIGEST_GET_PARAMS),
        ("OSSL_FUNC_DIGEST_SET_CTX_PARAMS", abi::DIGEST_SET_CTX_PARAMS),
        ("OSSL_FUNC_DIGEST_GETTABLE_PARAMS", abi::DIGEST_GETTABLE_PARAMS),
        ("OSSL_FUNC_DIGEST_SETTABLE_CTX_PARAMS", abi::DIGEST_SETTABLE_CTX_PARAMS),
        ("OSSL_FUNC_CIPHER_NEWCTX", abi::CIPHER_NEWCTX),
        ("OSSL_FUNC_CIPHER_ENCRYPT_INIT", abi::CIPHER_ENCRYPT_INIT),
        ("OSSL_FUNC_CIPHER_DECRYPT_INIT", abi::CIPHER_DECRYPT_INIT),
        ("OSSL_FUNC_CIPHER_UPDATE", abi::CIPHER_UPDATE),
        ("OSSL_FUNC_CIPHER_FINAL", abi::CIPHER_FINAL),
        ("OSSL_FUNC_CIPHER_CIPHER", abi::CIPHER_CIPHER),
        ("OSSL_FUNC_CIPHER_FREECTX", abi::CIPHER_FREECTX),
        ("OSSL_FUNC_CIPHER_DUPCTX", abi::CIPHER_DUPCTX),
        ("OSSL_FUNC_CIPHER_GET_PARAMS", abi::CIPHER_GET_PARAMS),
        ("OSSL_FUNC_CIPHER_GET_CTX_PARAMS", abi::CIPHER_GET_CTX_PARAMS),
        ("OSSL_FUNC_CIPHER_SET_CTX_PARAMS", abi::CIPHER_SET_CTX_PARAMS),
        ("OSSL_FUNC_CIPHER_GETTABLE_PARAMS", abi::CIPHER_GETTABLE_PARAMS),
        ("OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS", abi::CIPHER_GETTABLE_CTX_PARAMS),
        ("OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS", abi::CIPHER_SETTABLE_CTX_PARAMS),
        ("OSSL_FUNC_RAND_NEWCTX", abi::RAND_NEWCTX),
        ("OSSL_FUNC_RAND_FREECTX", abi::RAND_FREECTX),
        ("OSSL_FUNC_RAND_INSTANTIATE", abi::RAND_INSTANTIATE),
        ("OSSL_FUNC_RAND_UNINSTANTIATE", abi::RAND_UNINSTANTIATE),
        ("OSSL_FUNC_RAND_GENERATE", abi::RAND_GENERATE),
        ("OSSL_FUNC_RAND_ENABLE_LOCKING", abi::RAND_ENABLE_LOCKING),
        ("OSSL_FUNC_RAND_LOCK", abi::RAND_LOCK),
        ("OSSL_FUNC_RAND_UNLOCK", abi::RAND_UNLOCK),
        ("OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS", abi::RAND_GETTABLE_CTX_PARAMS),
        ("OSSL_FUNC_RAND_GET_CTX_PARAMS", abi::RAND_GET_CTX_PARAMS),
        ("OSSL_FUNC_RAND_VERIFY_ZEROIZATION", abi::RAND_VERIFY_ZEROIZATION),
        ("OSSL_FUNC_RAND_GET_SEED", abi::RAND_GET_SEED),
        ("OSSL_FUNC_RAND_CLEAR_SEED", abi::RAND_CLEAR_SEED),
        ("EVP_RAND_STATE_UNINITIALISED", abi::EVP_RAND_STATE_UNINITIALISED),
        ("EVP_RAND_STATE_READY", abi::EVP_RAND_STATE_READY),
        ("EVP_RAND_STATE_ERROR", abi::EVP_RAND_STATE_ERROR),
        ("OSSL_PARAM_INTEGER", ParamType::Integer as i32),
        ("OSSL_PARAM_UNSIGNED_INTEGER", ParamType::Unsigned as i32),
        ("OSSL_PARAM_UTF8_STRING", ParamType::Utf8String as i32),
        ("OSSL_PARAM_OCTET_STRING", ParamType::OctetString as i32),
        ("OSSL_PARAM_UTF8_PTR", ParamType::Utf8Ptr as i32),
        ("OSSL_PARAM_OCTET_PTR", ParamType::OctetPtr as i32),
        ("EVP_CIPH_ECB_MODE", abi::EVP_CIPH_ECB_MODE as i32),
        ("EVP_CIPH_CBC_MODE", abi::EVP_CIPH_CBC_MODE as i32),
        ("EVP_CIPH_CTR_MODE", abi::EVP_CIPH_CTR_MODE as i32),
        ("EVP_CIPH_GCM_MODE", abi::EVP_CIPH_GCM_MODE as i32),
        ("EVP_CIPH_CCM_MODE", abi::EVP_CIPH_CCM_MODE as i32),
        ("EVP_CIPH_XTS_MODE", abi::EVP_CIPH_XTS_MODE as i32),
    ];
    let theirs = evaluate_in_c(&ours.map(|(name, _)| name), "%lld");
    for ((name, ours), theirs) in ours.iter().zip(&theirs) {
        assert_eq!(&ours.to_string(), theirs, "{name}");
    }
    assert_eq!(ours.len(), theirs.len());
}

#[test]
fn parameter_names_match_the_headers() {
    let ours = [
        ("OSSL_CIPHER_PARAM_PADDING", name::PADDING),
        ("OSSL_CIPHER_PARAM_NUM", name::NUM),
        ("OSSL_CIPHER_PARAM_IV", name::IV),
        ("OSSL_CIPHER_PARAM_UPDATED_IV", name::UPDATED_IV),
        ("OSSL_CIPHER_PARAM_TLS_VERSION", name::TLS_VERSION),
        ("OSSL_CIPHER_PARAM_TLS_MAC_SIZE", name::TLS_MAC_SIZE),
        ("OSSL_CIPHER_PARAM_TLS_MAC", name::TLS_MAC),
        ("OSSL_CIPHER_PARAM_AEAD_TAG", name::AEAD_TAG),
        ("OSSL_CIPHER_PARAM_AEAD_TLS1_AAD", name::AEAD_TLS1_AAD),
        ("OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED", name::AEAD_TLS1_IV_FIXED),
        ("OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN", name::AEAD_TLS1_GET_IV_GEN),
        ("OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV", name::AEAD_TLS1_SET_IV_INV),
        ("OSSL_CIPHER_PARAM_MODE", name::MODE),
        ("OSSL_CIPHER_PARAM_KEYLEN", name::KEYLEN),
        ("OSSL_CIPHER_PARAM_IVLEN", name::IVLEN),
        ("OSSL_CIPHER_PARAM_BLOCK_SIZE", name::BLOCK_SIZE),
        ("OSSL_CIPHER_PARAM_AEAD", name::AEAD),
        ("OSSL_CIPHER_PARAM_CUSTOM_IV", name::CUSTOM_IV),
        ("OSSL_CIPHER_PARAM_CTS", name::CTS),
        ("OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK", name::TLS1_MULTIBLOCK),
        ("OSSL_CIPHER_PARAM_HAS_RAND_KEY", name::HAS_RAND_KEY),
        ("OSSL_DIGEST_PARAM_SIZE", name::DIGEST_SIZE),
        ("OSSL_DIGEST_PARAM_BLOCK_SIZE", name::DIGEST_BLOCK_SIZE),
        ("OSSL_DIGEST_PARAM_XOF", name::DIGEST_XOF),
        ("OSSL_DIGEST_PARAM_ALGID_ABSENT", name::DIGEST_ALGID_ABSENT),
        ("OSSL_RAND_PARAM_STATE", name::RAND_STATE),
        ("OSSL_RAND_PARAM_STRENGTH", name::RAND_STRENGTH),
        ("OSSL_RAND_PARAM_MAX_REQUEST", name::RAND_MAX_REQUEST),
        ("OSSL_PROV_PARAM_NAME", name::PROVIDER_NAME),
        ("OSSL_PROV_PARAM_VERSION", name::PROVIDER_VERSION),
        ("OSSL_PROV_PARAM_BUILDINFO", name::PROVIDER_BUILDINFO),
        ("OSSL_PROV_PARAM_STATUS", name::PROVIDER_STATUS),
        ("OSSL_PROV_PARAM_CORE_VERSION", name::CORE_VERSION),
        ("OSSL_PROV_PARAM_CORE_PROV_NAME", name::CORE_PROVIDER_NAME),
    ];
    let theirs = evaluate_in_c(&ours.map(|(macro_name, _)| macro_name), "%s");
    for ((macro_name, ours), theirs) in ours.iter().zip(&theirs) {
        assert_eq!(&ours.to_string_lossy(), theirs, "{macro_name}");
    }
    assert_eq!(ours.len(), theirs.len());
}

#[test]
fn struct_layouts_match_the_headers() {
    let ours = [
        ("sizeof(OSSL_DISPATCH)", size_of::<Dispatch>()),
        ("offsetof(OSSL_DISPATCH, function)", offset_of!(Dispatch, function)),
        ("sizeof(OSSL_ALGORITHM)", size_of::<Algorithm>()),
        ("offsetof(OSSL_ALGORITHM, property_definition)", offset_of!(Algorithm, properties)),
        ("offsetof(OSSL_ALGORITHM, implementation)", offset_of!(Algorithm, implementation)),
        ("offsetof(OSSL_ALGORITHM, algorithm_description)", offset_of!(Algorithm, description)),
        ("sizeof(OSSL_PARAM)", size_of::<Param>()),
        ("offsetof(OSSL_PARAM, data_type)", offset_of!(Param, data_type)),
        ("offsetof(OSSL_PARAM, data)", offset_of!(Param, data)),
        ("offsetof(OSSL_PARAM, data_size)", offset_of!(Param, data_size)),
        ("offsetof(OSSL_PARAM, return_size)", offset_of!(Param, return_size)),
    ];
    let theirs = evaluate_in_c(&ours.map(|(expression, _)| expression), "%lld");
    for ((expression, ours), theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours.to_string(), *theirs, "{expression}");
    }
    assert_eq!(ours.len(), theirs.len());
}
