//! Key, IV and direction.

use std::ffi::{c_int, c_void};
use std::ptr::null;

use outboard_abi::Param;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::context::Context;
use super::kind::Mode;
use crate::guard;

/// A key or an IV as the core hands it over: null means that what was set before stays.
#[derive(Clone, Copy)]
pub(crate) struct Given {
    pub(crate) at: *const u8,
    pub(crate) len: usize,
}

impl Given {
    /// The bytes, if there are any.
    ///
    /// # Safety
    /// `at` is null or readable for `len` bytes for `'a`.
    pub(crate) unsafe fn bytes<'a>(self) -> Option<&'a [u8]> {
        // SAFETY: the caller's promise.
        (!self.at.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.at, self.len) })
    }
}

/// `OSSL_FUNC_cipher_encrypt_init` and `..._decrypt_init`
pub(super) unsafe extern "C" fn init<const ENCRYPT: bool>(
    at: *mut c_void,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    let (key, iv) = (Given { at: key, len: key_len }, Given { at: iv, len: iv_len });
    // SAFETY: the core's promise about contexts, keys, IVs and parameters.
    guard(0, || unsafe { super::context(at).init_alone(ENCRYPT, key, iv, params) })
}

impl Context {
    /// As a context of one stream, whatever it was before.
    ///
    /// # Safety
    /// `key` and `iv` are null or readable; `params` is null or ends with a null key.
    unsafe fn init_alone(&mut self, encrypt: bool, key: Given, iv: Given, params: *const Param) -> c_int {
        self.pipes.clear();
        // SAFETY: the caller's promise.
        unsafe { self.init(encrypt, key, iv, params) }
    }

    /// # Safety
    /// As for `init_alone`.
    pub(super) unsafe fn init(
        &mut self,
        encrypt: bool,
        key: Given,
        iv: Given,
        params: *const Param,
    ) -> c_int {
        self.soft_counts.flush();
        if !self.sync() {
            return 0;
        }
        // Without an IV the default provider goes back to the one of the last initialisation in CBC mode (and on from
        // where it is in counter mode); if a running IV was pushed into it since, it no longer knows that one, but we do.
        let original = self.original_iv;
        let goes_back = iv.at.is_null() && self.pushed && self.kind().mode == Mode::Cbc;
        let iv = if goes_back { Given { at: original.as_ptr(), len: self.kind().iv_len() } } else { iv };

        let init = if encrypt { self.soft.functions.encrypt_init } else { self.soft.functions.decrypt_init };
        // SAFETY: what came from the core goes on to the default provider as it is, but for the IV above.
        // Parameters come after: there they would be seen by the default provider alone.
        let done = unsafe { init(self.soft.at, key.at, key.len, iv.at, iv.len, null()) } == 1;
        self.encrypt = encrypt;
        self.held = 0;
        self.num = 0;
        self.lost = false;
        // SAFETY: the core's promise.
        if let Some(given) = unsafe { iv.bytes() }.filter(|bytes| bytes.len() == self.kind().iv_len()) {
            self.original_iv[..given.len()].copy_from_slice(given);
            self.iv_given = true;
            self.pushed = false;
        }
        if !done {
            self.lose();
            return 0;
        }
        // SAFETY: the core's promise.
        if let Some(key) = unsafe { key.bytes() } {
            self.key_encrypts = encrypt;
            if !bool::from(self.key.ct_eq(key)) {
                self.key = Zeroizing::new(key.to_vec());
                self.close_session();
            }
        }
        self.settle();
        // SAFETY: the core's promise.
        unsafe { self.set_params(params) }
    }
}
