//! Synchronises the default provider's context with the accelerator: by passing the text to it, or,
//! at the end of a message, by calls that have the same effect as its own end. The property tests
//! compare its later behaviour, with every supported OpenSSL version.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use outboard_abi::{Param, end, name};

use super::context::{Context, Stage};
use super::short::{GCM_NONCE, Short};
use crate::lookahead::is_tag;
use crate::software::SoftContext;

impl Context {
    /// Passes the deferred calls and the pending text to `soft`. False if that fails.
    #[inline]
    pub(super) fn catch_up(&mut self) -> bool {
        (!self.is_deferred() || self.pass_deferred()) && (!self.is_offloaded() || self.pass_text())
    }

    #[cold]
    fn pass_text(&mut self) -> bool {
        let done = self.soft.crypt(self.text.bytes_mut()).is_some();
        self.text.empty();
        self.leave();
        done
    }

    /// Marks the IV in `soft` as used and, after encryption, makes the tag available. False if that
    /// fails.
    pub(super) fn end_gcm(&mut self, tag: &Short) -> bool {
        self.soft.use_iv() && (!self.form.encrypt || self.soft.keep_tag(tag))
    }

    /// Ends a CCM message in `soft` with a message of no bytes.
    pub(super) fn end_ccm(&mut self) -> bool {
        let soft = &self.soft;
        let mut nothing = [0; 1];
        let mut tag = Short::default();
        let encrypts = self.form.encrypt;
        // SAFETY: no byte is read or written.
        let update = |out, input| unsafe { soft.update(out, 0, input, 0) };
        (encrypts || soft.turn(true))
            && update(null_mut(), null()).is_some()
            && update(nothing.as_mut_ptr(), nothing.as_ptr()).is_some()
            && soft.get_octets(name::AEAD_TAG, tag.room(self.form.tag_len.into()))
            && (encrypts || soft.turn(false))
    }

    /// False if `catch_up` must be called instead.
    pub(super) fn end(&mut self) -> bool {
        let Stage::Offloaded { tag, is_deferred } = self.stage else { return false };
        if self.awaits_tag() {
            // Software decides about a tag that is wrong or missing.
            let is_right =
                |set: Short| tag.as_slice().try_into().is_ok_and(|expected| is_tag(expected, set.as_slice()));
            if !self.tag.is_some_and(is_right) {
                return false;
            }
        }
        if is_deferred {
            self.deferred_tag = self.form.encrypt.then_some(tag);
        } else if !(if self.ccm { self.end_ccm() } else { self.end_gcm(&tag) }) {
            return false;
        }
        self.text.empty();
        self.tag = None;
        self.leave();
        self.stale_length = false;
        if is_deferred {
            self.stage = Stage::Ended;
            self.settle();
        }
        true
    }

    /// Whether the text of the message was decrypted before its tag was known.
    pub(super) fn awaits_tag(&self) -> bool {
        let has_tag = matches!(self.stage, Stage::Offloaded { tag, .. } if !tag.as_slice().is_empty());
        !self.ccm && !self.form.encrypt && has_tag
    }
}

impl SoftContext {
    /// Setting another IV length discards the IV (ossl_gcm_set_ctx_params). Setting the old length
    /// does not restore it.
    pub(super) fn use_iv(&self) -> bool {
        self.set_size(name::IVLEN, GCM_NONCE + 4) && self.set_size(name::IVLEN, GCM_NONCE)
    }

    /// Makes the tag of an encrypted message available. A tag can be set only for decryption.
    pub(super) fn keep_tag(&self, tag: &Short) -> bool {
        self.turn(false) && self.set_octets(name::AEAD_TAG, tag.as_slice()) && self.turn(true)
    }

    fn turn(&self, encrypt: bool) -> bool {
        self.init(encrypt, None, None)
    }

    pub(crate) fn set_size(&self, key: &CStr, mut value: usize) -> bool {
        self.set_params(&[Param::construct_size_t(key, &mut value), end()])
    }

    pub(crate) fn set_octets(&self, key: &CStr, value: &[u8]) -> bool {
        let Some(mut copy) = Short::of(value) else { return false };
        self.set_params(&[Param::construct_octet_string(key, copy.room(value.len())), end()])
    }

    pub(crate) fn get_octets(&self, key: &CStr, room: &mut [u8]) -> bool {
        let mut params = [Param::construct_octet_string(key, room), end()];
        // SAFETY: a context of this cipher; the array and the buffer live through the call.
        unsafe { (self.functions.get_ctx_params)(self.at, params.as_mut_ptr()) == 1 }
    }
}
