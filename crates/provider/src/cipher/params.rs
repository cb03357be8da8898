//! What can be asked of a cipher and set on a context (provider-cipher(7)).

use std::ffi::{c_int, c_uint, c_void};

use outboard_abi as abi;
use outboard_abi::{Param, ParamType, name};

use super::context::Context;
use super::{BLOCK, CBC_AES};
use crate::guard;

const fn number(key: &'static std::ffi::CStr) -> Param {
    Param::describe(key, ParamType::Unsigned, size_of::<usize>())
}

const fn flag(key: &'static std::ffi::CStr) -> Param {
    Param::describe(key, ParamType::Integer, size_of::<c_int>())
}

static GETTABLE: [Param; 10] = [
    Param::describe(name::MODE, ParamType::Unsigned, size_of::<c_int>()),
    number(name::KEYLEN),
    number(name::IVLEN),
    number(name::BLOCK_SIZE),
    flag(name::AEAD),
    flag(name::CUSTOM_IV),
    flag(name::CTS),
    flag(name::TLS1_MULTIBLOCK),
    flag(name::HAS_RAND_KEY),
    abi::end(),
];

static GETTABLE_CTX: [Param; 8] = [
    number(name::KEYLEN),
    number(name::IVLEN),
    Param::describe(name::PADDING, ParamType::Unsigned, size_of::<c_int>()),
    Param::describe(name::NUM, ParamType::Unsigned, size_of::<c_int>()),
    Param::describe(name::IV, ParamType::OctetString, 0),
    Param::describe(name::UPDATED_IV, ParamType::OctetString, 0),
    Param::describe(name::TLS_MAC, ParamType::OctetPtr, 0),
    abi::end(),
];

static SETTABLE_CTX: [Param; 6] = [
    Param::describe(name::PADDING, ParamType::Unsigned, size_of::<c_int>()),
    Param::describe(name::NUM, ParamType::Unsigned, size_of::<c_int>()),
    Param::describe(c"use-bits", ParamType::Unsigned, size_of::<c_int>()),
    Param::describe(name::TLS_VERSION, ParamType::Unsigned, size_of::<c_int>()),
    number(name::TLS_MAC_SIZE),
    abi::end(),
];

/// `OSSL_FUNC_cipher_gettable_params`
pub(super) unsafe extern "C" fn gettable_params(_provider: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

/// `OSSL_FUNC_cipher_gettable_ctx_params`
pub(super) unsafe extern "C" fn gettable_ctx_params(
    _at: *mut c_void,
    _provider: *mut c_void,
) -> *const Param {
    GETTABLE_CTX.as_ptr()
}

/// `OSSL_FUNC_cipher_settable_ctx_params`
pub(super) unsafe extern "C" fn settable_ctx_params(
    _at: *mut c_void,
    _provider: *mut c_void,
) -> *const Param {
    SETTABLE_CTX.as_ptr()
}

/// `OSSL_FUNC_cipher_get_params`: what holds for each context of the algorithm. Flags are all zero.
pub(super) unsafe extern "C" fn get_params<const KIND: usize>(params: *mut Param) -> c_int {
    let answers = [
        (name::MODE, u64::from(abi::EVP_CIPH_CBC_MODE)),
        (name::KEYLEN, CBC_AES[KIND].key_len as u64),
        (name::IVLEN, BLOCK as u64),
        (name::BLOCK_SIZE, BLOCK as u64),
        (name::AEAD, 0),
        (name::CUSTOM_IV, 0),
        (name::CTS, 0),
        (name::TLS1_MULTIBLOCK, 0),
        (name::HAS_RAND_KEY, 0),
    ];
    let all = answers.into_iter().all(|(key, value)| {
        // SAFETY: the core's array ends with a null key and its buffers are writable.
        unsafe { abi::locate_mut(params, key).is_none_or(|param| abi::set_unsigned(param, value)) }
    });
    c_int::from(all)
}

/// `OSSL_FUNC_cipher_get_ctx_params`: the default provider answers, but for what it cannot know.
pub(super) unsafe extern "C" fn get_ctx_params(at: *mut c_void, params: *mut Param) -> c_int {
    guard(0, || {
        // SAFETY: the core's promise about contexts.
        let context = unsafe { super::context(at) };
        if !context.sync() {
            return 0;
        }
        // SAFETY: the parameters go on as they came.
        if unsafe { (context.soft.functions.get_ctx_params)(context.soft.at, params) } != 1 {
            return 0;
        }
        let mut answered = true;
        if context.pushed {
            // SAFETY: the core's array; the IV lives in the context.
            answered &= unsafe {
                abi::locate_mut(params, name::IV).is_none_or(|p| abi::set_octets(p, &context.original_iv))
            };
        }
        if let Some(mac) = &context.tls_mac {
            let mac = mac.as_slice();
            // SAFETY: the core's array; the MAC lives in the context until the next record.
            answered &= unsafe {
                abi::locate_mut(params, name::TLS_MAC)
                    .is_none_or(|p| abi::set_pointer(p, mac.as_ptr(), mac.len()))
            };
        }
        c_int::from(answered)
    })
}

/// `OSSL_FUNC_cipher_set_ctx_params`
pub(super) unsafe extern "C" fn set_ctx_params(at: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: the core's promise about contexts and parameters.
    guard(0, || unsafe { super::context(at).set_params(params) })
}

impl Context {
    /// The default provider takes what it takes; what concerns us is noted.
    ///
    /// # Safety
    /// `params` is null or ends with a null key.
    pub(super) unsafe fn set_params(&mut self, params: *const Param) -> c_int {
        // If one of them is refused, the stream goes on in software: it must know from where.
        if !self.sync() {
            return 0;
        }
        // SAFETY: the parameters go on as they came.
        let done = unsafe { (self.soft.functions.set_ctx_params)(self.soft.at, params) };
        if done != 1 {
            // Which of them took effect before the wrong one is the default provider's secret.
            self.lose();
            return done;
        }
        // SAFETY: the caller's promise.
        let number = |key| unsafe { abi::locate(params, key).and_then(|param| abi::get_u64(param)) };
        if let Some(num) = number(name::NUM) {
            self.num = num as c_uint;
        }
        if let Some(padding) = number(name::PADDING) {
            self.padding = padding != 0;
        }
        if let Some(version) = number(name::TLS_VERSION) {
            self.tls_version = version as u32;
        }
        if let Some(size) = number(name::TLS_MAC_SIZE) {
            self.tls_mac_size = size as usize;
        }
        self.settle();
        done
    }
}
