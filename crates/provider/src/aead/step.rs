//! The default provider's context brought to where the accelerator is.
//!
//! Either by giving it the text, which is right whatever comes next; or, at the end of a message, by calls that leave it as its
//! own end of that message would. The property tests compare what it does afterwards, with every OpenSSL.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use outboard_abi::{Param, end, name};

use super::context::{Ahead, Context, GCM_NONCE, Short, Stage};
use crate::software::SoftContext;

impl Context {
    /// Gives `soft` the text that it has not had. False if the default provider fails, which it never does for a message
    /// that the accelerator has done.
    pub(super) fn catch_up(&mut self) -> bool {
        let Some(Ahead { mut text, .. }) = self.ahead.take() else { return true };
        let (at, len) = (text.as_mut_ptr(), text.len());
        let mut written = 0;
        // SAFETY: a context of this cipher; the text is readable and writable for its length, and done in place.
        let done = unsafe { (self.soft.functions.update)(self.soft.at, at, &mut written, len, at, len) } == 1;
        self.leave();
        done
    }

    /// Ends a message of GCM in `soft`, which has not had its text: its IV counts as used, and its tag, if it was encrypted,
    /// can be asked for. False if the default provider refuses, which it never does.
    pub(super) fn end_gcm(&mut self, tag: &Short) -> bool {
        let soft = &self.soft;
        // Another length takes the IV away (ossl_gcm_set_ctx_params); the old one does not give it back.
        let used = soft.set_size(name::IVLEN, GCM_NONCE + 4) && soft.set_size(name::IVLEN, GCM_NONCE);
        // Tags are set for decryption only. The direction is all that changes without key and IV.
        used && (!self.form.encrypt
            || soft.turn(false) && soft.set_octets(name::AEAD_TAG, tag.as_slice()) && soft.turn(true))
    }

    /// Ends a message of CCM in `soft` as taking its tag does, or as a tag that was right does: by a message of no bytes.
    pub(super) fn end_ccm(&mut self) -> bool {
        let soft = &self.soft;
        let mut nothing = [0; 1];
        let mut tag = Short::default();
        let encrypts = self.form.encrypt;
        (encrypts || soft.turn(true))
            && soft.update(null_mut(), null())
            && soft.update(nothing.as_mut_ptr(), nothing.as_ptr())
            && soft.get_octets(name::AEAD_TAG, tag.room(self.form.tag_len))
            && (encrypts || soft.turn(false))
    }

    /// The end of a message whose text the accelerator has done. False if `soft` has to be caught up with instead.
    pub(super) fn end(&mut self) -> bool {
        let Some(Ahead { tag, .. }) = &self.ahead else { return false };
        let tag = *tag;
        if !(if self.ccm { self.end_ccm() } else { self.end_gcm(&tag) }) {
            return false;
        }
        self.ahead = None;
        if self.ccm || self.form.encrypt {
            self.tag = None;
        }
        self.leave();
        self.stale_length = false;
        true
    }

    /// Whether the accelerator has done the text of the message.
    pub(super) fn is_ahead(&self) -> bool {
        self.stage == Stage::Ahead
    }
}

impl SoftContext {
    /// Changes the direction, and neither key nor IV.
    fn turn(&self, encrypt: bool) -> bool {
        let init = if encrypt { self.functions.encrypt_init } else { self.functions.decrypt_init };
        // SAFETY: a context of this cipher; no key, no IV, no parameters.
        unsafe { init(self.at, null(), 0, null(), 0, null()) == 1 }
    }

    /// An update of no bytes.
    fn update(&self, out: *mut u8, input: *const u8) -> bool {
        let mut written = 0;
        // SAFETY: a context of this cipher; no byte is read or written.
        unsafe { (self.functions.update)(self.at, out, &mut written, 0, input, 0) == 1 }
    }

    fn set_size(&self, key: &CStr, mut value: usize) -> bool {
        self.set_params(&[Param::give_size(key, &mut value), end()])
    }

    /// Sets a parameter of bytes.
    pub(super) fn set_octets(&self, key: &CStr, value: &[u8]) -> bool {
        let Some(mut copy) = Short::of(value) else { return false };
        self.set_params(&[Param::octets(key, copy.room(value.len())), end()])
    }

    /// Asks for a parameter of bytes, all of them.
    pub(super) fn get_octets(&self, key: &CStr, room: &mut [u8]) -> bool {
        let mut params = [Param::octets(key, room), end()];
        // SAFETY: a context of this cipher; the array and the room live through the call.
        unsafe { (self.functions.get_ctx_params)(self.at, params.as_mut_ptr()) == 1 }
    }
}
