//! Parameters of a context (provider-cipher(7)). The default provider processes them; what affects
//! offloading is recorded.

use std::ffi::{c_int, c_void};

use outboard_abi::{Param, ParamType, Params, Requested, name};

use super::context::{Context, Stage};
use super::record;
use super::short::{GCM_NONCE, Short};
use crate::contexts;
use crate::guard;

/// Sum of the lengths of CCM's nonce and its length field, in bytes.
const CCM_LENGTHS: u64 = 15;

pub(super) unsafe extern "C" fn get_ctx_params(at: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: the core guarantees valid contexts.
    let Some(context) = (unsafe { contexts::context::<Context>(at) }) else { return 0 };
    if !context.is_passive {
        // SAFETY: the core guarantees valid contexts and parameters.
        return unsafe { active_get(context, params) };
    }
    // SAFETY: the parameters are passed on unchanged. The call cannot panic.
    unsafe { (context.soft.functions.get_ctx_params)(context.soft.at, params) }
}

/// Not inlined, so that passing a call on needs no stack.
#[inline(never)]
unsafe extern "C" fn active_get(context: &mut Context, params: *mut Param) -> c_int {
    // SAFETY: guaranteed by the caller.
    guard(0, || context.get_params(unsafe { Requested::new(params) }))
}

pub(super) unsafe extern "C" fn set_ctx_params(at: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: the core guarantees valid contexts.
    let Some(context) = (unsafe { contexts::context::<Context>(at) }) else { return 0 };
    // SAFETY: the core guarantees valid parameters.
    let given = unsafe { Params::new(params) };
    // Padding has no effect on an AEAD.
    if !given.is_alone(name::PADDING) {
        if context.pass_below == 0 || !given.is_alone(name::AEAD_TAG) {
            return active_set(context, given);
        }
        // It is not recorded here: the text that it belongs to is left to software.
        context.tag = None;
    }
    // SAFETY: the parameters are passed on unchanged. The call cannot panic.
    unsafe { (context.soft.functions.set_ctx_params)(context.soft.at, params) }
}

/// As [`active_get`].
#[inline(never)]
extern "C" fn active_set(context: &mut Context, params: Params<'_>) -> c_int {
    guard(0, || context.set_params(params))
}

impl Context {
    fn get_params(&mut self, mut params: Requested<'_>) -> c_int {
        if self.ccm && self.give_tag(&mut params) || self.give_deferred_tag(&mut params).is_some() {
            return 1;
        }
        if !self.catch_up() {
            return 0;
        }
        // OpenSSH gets the next IV for each packet, which consumes it. It can be read before that.
        let takes_iv = !self.ccm && params.has(name::AEAD_TLS1_GET_IV_GEN);
        let nonce = if takes_iv && self.counts_up { self.next_nonce() } else { None };
        let takes_tag = self.ccm && params.has(name::AEAD_TAG);
        // SAFETY: the parameters are passed on unchanged.
        let done = unsafe { (self.soft.functions.get_ctx_params)(self.soft.at, params.as_mut_ptr()) };
        if let (Some(nonce), 1) = (nonce, done) {
            self.open(nonce.as_slice());
        } else if takes_iv {
            self.leave();
        } else if takes_tag {
            // Reading the tag ends a message.
            self.leave();
            self.tag = None;
            self.stale_length = done != 1;
        }
        done
    }

    /// False if the request is not for the tag alone with its usual type and length.
    fn give_tag(&mut self, params: &mut Requested<'_>) -> bool {
        let Stage::Offloaded { tag, .. } = self.stage else { return false };
        let is_usual = params.size_of_only(name::AEAD_TAG) == Some(tag.as_slice().len());
        is_usual && self.end() && params.set_octets(name::AEAD_TAG, tag.as_slice())
    }

    #[inline(never)]
    pub(super) fn set_params(&mut self, params: Params<'_>) -> c_int {
        let waits_or_keeps = self.awaits_tag() || self.is_deferred() && !self.form.encrypt;
        let is_tag_only = waits_or_keeps && params.is_alone(name::AEAD_TAG);
        if !is_tag_only && !self.catch_up() {
            return 0;
        }
        // SAFETY: the parameters are passed on unchanged.
        let done = unsafe { (self.soft.functions.set_ctx_params)(self.soft.at, params.as_ptr()) };
        self.refused = false;
        let found = params.get_each([
            name::AEAD_TAG,
            name::IVLEN,
            name::AEAD_TLS1_AAD,
            name::AEAD_TLS1_IV_FIXED,
            name::AEAD_TLS1_SET_IV_INV,
        ]);
        let is_ambiguous = found[..2].iter().any(|(_, count)| *count > 1);
        let [tag, lengths, preceding, fixed, brought] = found.map(|(first, _)| first);
        if preceding.is_some() {
            // Applies also if the parameter was rejected.
            (self.in_record, self.tag) = (true, None);
            self.leave();
        }
        if done != 1 || is_ambiguous {
            if !self.catch_up() {
                return 0;
            }
            // It is unknown which of the parameters took effect.
            self.tag = None;
            if self.ccm && (tag.is_some() || lengths.is_some()) {
                self.form.tag_len = 0;
            }
            if lengths.is_some() || self.ccm && tag.is_some() {
                self.form.nonce_len = 0;
            }
            self.leave();
            return done;
        }
        if let Some(tag) = tag {
            self.tag = tag.bytes(ParamType::OctetString).and_then(Short::of);
            if self.ccm {
                self.form.tag_len = tag.size().try_into().unwrap_or(0);
            }
        }
        if let Some(len) = lengths {
            self.note_nonce_len(len.as_u64().unwrap_or(0));
        }
        if fixed.is_some() || brought.is_some() {
            self.counts_up |= fixed.is_some() && !self.ccm;
            self.leave();
        }
        let bytes = preceding.and_then(|aad| aad.bytes(ParamType::OctetString));
        let bytes = bytes.filter(|_| self.counts_up && !self.ccm);
        if let Some(aad) = bytes.and_then(|bytes| record::preceding(self.form.encrypt, bytes)) {
            self.stage = Stage::Record(aad);
        }
        self.settle();
        done
    }

    /// Setting a length other than that of the message's nonce discards the nonce.
    fn note_nonce_len(&mut self, len: u64) {
        let len = if len < CCM_LENGTHS { len as u8 } else { 0 };
        if len != self.form.nonce_len {
            self.leave();
        }
        self.form.nonce_len = len;
    }

    /// `None` for a length that is not GCM's usual one: reading it would leave an error in the
    /// queue of the application.
    pub(super) fn next_nonce(&self) -> Option<Short> {
        let mut nonce = Short::default();
        let is_usual = usize::from(self.form.nonce_len) == GCM_NONCE;
        (is_usual && self.soft.get_octets(name::IV, nonce.room(GCM_NONCE))).then_some(nonce)
    }
}
