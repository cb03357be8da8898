use std::ffi::{c_int, c_void};

use outboard_abi::{Param, Params};
use subtle::ConstantTimeEq;

use super::context::Context;
use crate::contexts::{self, SetParams};
use crate::kinds::Mode;
use crate::request::given;

pub(super) unsafe extern "C" fn init<const ENCRYPT: bool>(
    at: *mut c_void,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: the core guarantees valid contexts, keys, IVs and parameters.
    unsafe {
        let (key, iv, params) = (given(key, key_len), given(iv, iv_len), Params::new(params));
        contexts::with(at, |context: &mut Context| context.init(ENCRYPT, key, iv, params))
    }
}

impl Context {
    fn init(&mut self, encrypt: bool, key: Option<&[u8]>, given: Option<&[u8]>, params: Params<'_>) -> c_int {
        self.counts.flush();
        if !self.sync() {
            return 0;
        }
        // Without an IV, the default provider resets to the IV of the last initialisation in CBC
        // mode. If a running IV was set in it since then, it has lost that, so the copy here is
        // passed. If there never was one, it continues with the running IV
        // (`cipher_generic_init_internal`, flag `iv_set`).
        let goes_back = given.is_none() && self.pushed && self.kind().mode == Mode::Cbc;
        let resumed = match (goes_back, self.iv_given) {
            (true, false) => match self.running_iv() {
                Some(running) => running,
                None => return 0,
            },
            _ => self.original_iv,
        };
        let iv = if goes_back { Some(&resumed[..self.kind().iv_len()]) } else { given };
        // The parameters are set below, so that this context sees them.
        let done = self.soft.init(encrypt, key, iv);
        self.encrypt = encrypt;
        self.held = 0;
        self.num = 0;
        self.lost = false;
        if let Some(given) = given.filter(|bytes| bytes.len() == self.kind().iv_len()) {
            self.original_iv[..given.len()].copy_from_slice(given);
            self.iv_given = true;
            self.pushed = false;
        } else if goes_back {
            self.pushed = !self.iv_given;
        }
        if !done {
            self.lose();
            return 0;
        }
        if let Some(key) = key {
            self.key_encrypts = encrypt;
            if !bool::from(self.key.ct_eq(key)) {
                self.key.set(key);
                self.close_session();
                self.reset_lookahead();
            }
        }
        self.settle();
        self.set_params(params)
    }
}
