//! Setting of key, IV and direction.

use std::ffi::{c_int, c_void};
use std::ptr::null;

use outboard_abi::Param;
use outboard_accel::Wiped;
use subtle::ConstantTimeEq;

use super::context::{Context, Stage};
use crate::cipher::init::Given;
use crate::guard;

/// `OSSL_FUNC_cipher_encrypt_init`
pub(super) unsafe extern "C" fn encrypt_init(
    at: *mut c_void,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    let (key, iv) = (Given { at: key, len: key_len }, Given { at: iv, len: iv_len });
    // SAFETY: the core guarantees valid contexts, keys, IVs and parameters.
    guard(0, || unsafe { super::context(at).init(true, key, iv, params) })
}

/// `OSSL_FUNC_cipher_decrypt_init`
pub(super) unsafe extern "C" fn decrypt_init(
    at: *mut c_void,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    let (key, iv) = (Given { at: key, len: key_len }, Given { at: iv, len: iv_len });
    // SAFETY: the core guarantees valid contexts, keys, IVs and parameters.
    guard(0, || unsafe { super::context(at).init(false, key, iv, params) })
}

impl Context {
    /// # Safety
    /// `key` and `iv` are null or readable; `params` is null or ends with a null key.
    #[inline(never)]
    unsafe fn init(&mut self, encrypt: bool, key: Given, iv: Given, params: *const Param) -> c_int {
        if !self.catch_up() {
            return 0;
        }
        let init = if encrypt { self.soft.functions.encrypt_init } else { self.soft.functions.decrypt_init };
        // SAFETY: the core's arguments are passed on unchanged, except the parameters: they are set
        // below, because otherwise only the default provider would see them.
        let done = unsafe { init(self.soft.at, key.at, key.len, iv.at, iv.len, null()) } == 1;
        let turned = self.form.encrypt != encrypt;
        self.form.encrypt = encrypt;
        self.record = None;
        self.refused = false;
        if !done {
            // It is unknown which settings took effect before the error. A new key and a new IV end
            // that state.
            self.key = Wiped::new(Vec::new());
            self.tag = None;
            self.leave();
            return 0;
        }
        // SAFETY: guaranteed by the core.
        let key = unsafe { key.bytes() };
        if let Some(key) = key {
            // A driver session supports tags of one length.
            let others = self.key_form.tag_len != self.form.tag_len;
            self.key_form = self.form;
            if others || !bool::from(self.key.ct_eq(key)) {
                self.key = Wiped::new(key.to_vec());
                self.key_session.close(&self.cipher.hardware);
                self.reset_lookahead();
            }
        }
        // SAFETY: as above.
        match unsafe { iv.bytes() } {
            Some(nonce) => self.open(nonce),
            // The change occurs within a message, which would mix old and new settings.
            None if (turned || key.is_some()) && self.has_begun() => self.leave(),
            None => self.settle(),
        }
        if params.is_null() {
            return 1;
        }
        // SAFETY: guaranteed by the core.
        unsafe { self.set_params(params) }
    }

    fn has_begun(&self) -> bool {
        self.stage == Stage::Open && (!self.aad.is_empty() || self.announced.is_some())
    }
}
