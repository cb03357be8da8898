//! Parameters of ciphers and contexts (provider-cipher(7)).

use std::ffi::{CStr, c_int, c_uint, c_void};

use outboard_abi as abi;
use outboard_abi::{Param, ParamType, Params, Requested, name};
use outboard_accel::Algorithm;

use super::context::Context;
use crate::contexts::{self, SetParams};
use crate::kinds::{KINDS, Kind, Mode};
use crate::provider_context::ProviderContext;
use crate::software::SoftCipher;

const fn number(key: &'static CStr) -> Param {
    Param::describe(key, ParamType::Unsigned, size_of::<usize>())
}

const fn flag(key: &'static CStr) -> Param {
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

pub(crate) unsafe extern "C" fn gettable_params(_provider: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

/// The default provider's list, which depends on the OpenSSL version.
pub(crate) unsafe extern "C" fn gettable_ctx_params<const KIND: usize>(
    _at: *mut c_void,
    provider: *mut c_void,
) -> *const Param {
    // SAFETY: the core guarantees a valid provider context.
    list(unsafe { ProviderContext::at(provider) }, KIND, |soft| soft.gettable_ctx_params)
}

pub(crate) unsafe extern "C" fn settable_ctx_params<const KIND: usize>(
    _at: *mut c_void,
    provider: *mut c_void,
) -> *const Param {
    // SAFETY: the core guarantees a valid provider context.
    list(unsafe { ProviderContext::at(provider) }, KIND, |soft| soft.settable_ctx_params)
}

/// Not inlined, so that the generic callers share one copy.
#[inline(never)]
fn list(
    context: Option<&ProviderContext>,
    kind: usize,
    which: fn(&SoftCipher) -> abi::CipherCtxParamList,
) -> *const Param {
    ProviderContext::list(context, |context| Some(which(&context.offer.get()?.cipher(kind)?.soft)))
}

pub(crate) unsafe extern "C" fn get_params<const KIND: usize>(params: *mut Param) -> c_int {
    // SAFETY: guaranteed by the core.
    describe(&KINDS[KIND], unsafe { Requested::new(params) })
}

#[inline(never)]
fn describe(kind: &Kind, mut params: Requested<'_>) -> c_int {
    // XTS, GCM and CCM: the IV does not continue between updates. Triple DES: a random key needs
    // parity bits, so callers must request one from the cipher.
    let is_aead = kind.mode.is_aead();
    let custom_iv = is_aead || kind.mode == Mode::Xts;
    let rand_key = kind.algorithm == Algorithm::CbcDes3Ede;
    let answers = [
        (name::MODE, u64::from(kind.mode.number())),
        (name::KEYLEN, kind.key_len as u64),
        (name::IVLEN, kind.iv_len() as u64),
        (name::BLOCK_SIZE, kind.evp_block() as u64),
        (name::AEAD, is_aead.into()),
        (name::CUSTOM_IV, custom_iv.into()),
        (name::CTS, 0),
        (name::TLS1_MULTIBLOCK, 0),
        (name::HAS_RAND_KEY, rand_key.into()),
    ];
    c_int::from(answers.into_iter().all(|(key, value)| params.set_unsigned(key, value)))
}

/// The default provider sets the values, except those that only this context has.
pub(super) unsafe extern "C" fn get_ctx_params(at: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: the core guarantees valid contexts and parameters.
    unsafe { contexts::with(at, |context: &mut Context| context.get_params(Requested::new(params))) }
}

impl Context {
    fn get_params(&mut self, mut params: Requested<'_>) -> c_int {
        if !self.sync() {
            return 0;
        }
        // SAFETY: the parameters are passed on unchanged.
        if unsafe { (self.soft.functions.get_ctx_params)(self.soft.at, params.as_mut_ptr()) } != 1 {
            return 0;
        }
        let mut answered = true;
        if self.pushed {
            let iv = &self.original_iv[..self.kind().iv_len()];
            // SAFETY: the IV lives in the context.
            answered &= params.set_octets(name::IV, iv) || unsafe { params.set_pointer(name::IV, iv) };
        }
        if let Some(mac) = &self.tls_mac {
            // SAFETY: the MAC lives in the context until the next record.
            answered &= unsafe { params.set_pointer(name::TLS_MAC, mac.as_slice()) };
        }
        c_int::from(answered)
    }
}

/// Passes the parameters to the default provider and records those that affect offloading.
impl SetParams for Context {
    fn set_params(&mut self, params: Params<'_>) -> c_int {
        // If a parameter is rejected, software continues the stream and needs the current IV.
        if !self.sync() {
            return 0;
        }
        // SAFETY: the parameters are passed on unchanged.
        let done = unsafe { (self.soft.functions.set_ctx_params)(self.soft.at, params.as_ptr()) };
        if done != 1 {
            // It is unknown which parameters took effect before the rejected one.
            self.lose();
            return done;
        }
        let mode = self.kind().mode;
        if mode == Mode::Xts {
            // XTS ignores all of these parameters.
            return done;
        }
        let number = |key| params.get(key).and_then(|value| value.as_u64());
        if let Some(num) = number(name::NUM) {
            match mode {
                Mode::Ctr => self.held = num as usize & self.mask,
                _ => self.num = num as c_uint,
            }
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
        // No known caller uses records in these modes.
        self.lost |= self.tls_version > 0 && mode != Mode::Cbc;
        self.settle();
        done
    }
}
