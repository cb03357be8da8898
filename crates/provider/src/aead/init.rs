use std::ffi::{c_int, c_void};

use outboard_abi::{Param, Params};
use outboard_accel::KeyBytes;
use subtle::ConstantTimeEq;

use super::context::{Context, Stage};
use crate::contexts;
use crate::guard;
use crate::request::given;

/// The next nonce of a context whose messages stay in software costs a few comparisons and a call.
pub(super) unsafe extern "C" fn init<const ENCRYPT: bool>(
    at: *mut c_void,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: the core guarantees valid contexts.
    let Some(context) = (unsafe { contexts::context::<Context>(at) }) else { return 0 };
    let is_next = key.is_null() && !iv.is_null() && params.is_null() && context.form.encrypt == ENCRYPT;
    if !is_next || context.pass_below == 0 {
        // SAFETY: the core guarantees valid contexts, keys, IVs and parameters.
        return unsafe { active_init::<ENCRYPT>(context, key, key_len, iv, iv_len, params) };
    }
    let soft = &context.soft;
    let init = if ENCRYPT { soft.functions.encrypt_init } else { soft.functions.decrypt_init };
    // SAFETY: the arguments are passed on unchanged. The call cannot panic.
    unsafe { init(soft.at, key, key_len, iv, iv_len, params) }
}

/// Any other initialisation. Not inlined, so that passing one on needs no stack.
#[inline(never)]
unsafe extern "C" fn active_init<const ENCRYPT: bool>(
    context: &mut Context,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    let (key, iv, params) = unsafe { (given(key, key_len), given(iv, iv_len), Params::new(params)) };
    guard(0, || context.init(ENCRYPT, key, iv, params))
}

impl Context {
    #[inline(never)]
    fn init(&mut self, encrypt: bool, key: Option<&[u8]>, iv: Option<&[u8]>, params: Params<'_>) -> c_int {
        if key.is_none() && params.as_ptr().is_null() && self.defer_nonce(encrypt, iv).is_some() {
            return 1;
        }
        if !self.catch_up() {
            return 0;
        }
        // The parameters are set below, so that this context sees them.
        let done = self.soft.init(encrypt, key, iv);
        let turned = self.form.encrypt != encrypt;
        self.form.encrypt = encrypt;
        self.refused = false;
        if let Stage::Record(_) = self.stage {
            self.stage = Stage::Soft;
        }
        if !done {
            // It is unknown which settings took effect before the error. A new key and a new IV end
            // that state.
            self.key = KeyBytes::default();
            self.tag = None;
            self.leave();
            return 0;
        }
        if let Some(key) = key {
            // A driver session supports tags of one length.
            let others = self.key_form.tag_len != self.form.tag_len;
            self.key_form = self.form;
            if others || !bool::from(self.key.ct_eq(key)) {
                self.key.set(key);
                self.key_session.close(&self.cipher.hardware);
                self.reset_lookahead();
            }
        }
        match iv {
            Some(nonce) => self.open(nonce),
            // The change occurs within a message, which would mix old and new settings.
            None if (turned || key.is_some()) && self.has_begun() => self.leave(),
            None => self.settle(),
        }
        if params.as_ptr().is_null() { 1 } else { self.set_params(params) }
    }

    fn has_begun(&self) -> bool {
        matches!(self.stage, Stage::Open { announced, .. } if !self.aad.is_empty() || announced.is_some())
    }
}
