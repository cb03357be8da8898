//! Gettable and settable parameters of a context (provider-cipher(7)). The default provider
//! processes all of them. Values that affect offloading of a message are also recorded here.

use std::ffi::{CStr, c_int, c_uint, c_void};

use outboard_abi as abi;
use outboard_abi::{Param, ParamType, name};

use super::context::{Context, Stage};
use super::record;
use super::short::{GCM_NONCE, Short};
use crate::contexts;
use crate::guard;

/// Sum of the lengths of CCM's nonce and its length field, in bytes.
const CCM_LENGTHS: u64 = 15;

/// `OSSL_FUNC_cipher_get_ctx_params`
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

/// Gets parameters of a context that is not passive. Not inlined, so that passing the call on needs
/// no stack.
#[inline(never)]
unsafe extern "C" fn active_get(context: &mut Context, params: *mut Param) -> c_int {
    // SAFETY: guaranteed by the caller.
    guard(0, || unsafe { context.get_params(params) })
}

/// `OSSL_FUNC_cipher_set_ctx_params`
pub(super) unsafe extern "C" fn set_ctx_params(at: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: the core guarantees valid contexts.
    let Some(context) = (unsafe { contexts::context::<Context>(at) }) else { return 0 };
    // SAFETY: the core guarantees valid parameters. Padding has no effect on an AEAD.
    if !unsafe { is_alone(params, name::PADDING) } {
        // SAFETY: the core guarantees valid parameters.
        if context.pass_below == 0 || !unsafe { is_alone(params, name::AEAD_TAG) } {
            // SAFETY: the core guarantees valid contexts and parameters.
            return unsafe { active_set(context, params) };
        }
        // It is not recorded here: the text that it belongs to is left to software.
        context.tag = None;
    }
    // SAFETY: the parameters are passed on unchanged. The call cannot panic.
    unsafe { (context.soft.functions.set_ctx_params)(context.soft.at, params) }
}

/// Sets any other parameters. Not inlined, so that passing the call on needs no stack.
#[inline(never)]
unsafe extern "C" fn active_set(context: &mut Context, params: *const Param) -> c_int {
    // SAFETY: guaranteed by the caller.
    guard(0, || unsafe { context.set_params(params) })
}

/// Whether the parameters are the one with this name and nothing else.
///
/// # Safety
/// `params` is null or ends with a null key.
#[inline]
unsafe fn is_alone(params: *const Param, name: &CStr) -> bool {
    if params.is_null() {
        return false;
    }
    // SAFETY: guaranteed by the caller: a row that is not the end row is followed by another one,
    // and its key is a string. No byte after its end is read.
    unsafe {
        let key = (*params).key.cast::<u8>();
        let name = name.to_bytes_with_nul();
        !key.is_null()
            && name.iter().enumerate().all(|(index, byte)| key.add(index).read() == *byte)
            && (*params.add(1)).key.is_null()
    }
}

impl Context {
    /// # Safety
    /// `params` is null or ends with a null key, and its buffers are writable.
    unsafe fn get_params(&mut self, params: *mut Param) -> c_int {
        // SAFETY: guaranteed by the caller.
        if self.ccm && unsafe { self.give_tag(params) } {
            return 1;
        }
        // SAFETY: guaranteed by the caller.
        if unsafe { self.give_deferred_tag(params) }.is_some() {
            return 1;
        }
        if !self.catch_up() {
            return 0;
        }
        // SAFETY: guaranteed by the caller.
        let has = |key| unsafe { abi::locate(params, key).is_some() };
        // OpenSSH gets the next IV for each packet, which consumes it. It can be read before that.
        let takes_iv = !self.ccm && has(name::AEAD_TLS1_GET_IV_GEN);
        let nonce = if takes_iv && self.counts_up { self.next_nonce() } else { None };
        let asks_tag = self.ccm && has(name::AEAD_TAG);
        // SAFETY: the parameters are passed on unchanged.
        let done = unsafe { (self.soft.functions.get_ctx_params)(self.soft.at, params) };
        if let (Some(nonce), 1) = (nonce, done) {
            self.open(nonce.as_slice());
        } else if takes_iv {
            self.leave();
        } else if asks_tag {
            // Reading the tag ends a message.
            self.leave();
            self.tag = None;
            self.stale_length = done != 1;
        }
        done
    }

    /// Returns the tag of a message that the accelerator encrypted. False if the request is not for
    /// the tag alone with its usual type and length.
    ///
    /// # Safety
    /// As for `get_params`.
    unsafe fn give_tag(&mut self, params: *mut Param) -> bool {
        let Stage::Offloaded { tag, .. } = self.stage else { return false };
        // SAFETY: guaranteed by the caller.
        let param = unsafe { request_of_tag(params) };
        let Some(param) = param.filter(|param| param.data_size == tag.as_slice().len()) else {
            return false;
        };
        if !self.end() {
            return false;
        }
        // SAFETY: the buffer has the length of the tag.
        unsafe {
            std::ptr::copy_nonoverlapping(tag.as_slice().as_ptr(), param.data.cast(), tag.as_slice().len());
        }
        true
    }

    /// # Safety
    /// `params` is null or ends with a null key.
    #[inline(never)]
    pub(super) unsafe fn set_params(&mut self, params: *const Param) -> c_int {
        let waits_or_keeps = self.awaits_tag() || self.is_deferred() && !self.form.encrypt;
        // SAFETY: guaranteed by the caller.
        let is_tag_only = waits_or_keeps && unsafe { is_alone(params, name::AEAD_TAG) };
        if !is_tag_only && !self.catch_up() {
            return 0;
        }
        // SAFETY: the parameters are passed on unchanged.
        let done = unsafe { (self.soft.functions.set_ctx_params)(self.soft.at, params) };
        self.refused = false;
        // SAFETY: guaranteed by the caller.
        let found = unsafe {
            abi::locate_each(
                params,
                [
                    name::AEAD_TAG,
                    name::IVLEN,
                    name::AEAD_TLS1_AAD,
                    name::AEAD_TLS1_IV_FIXED,
                    name::AEAD_TLS1_SET_IV_INV,
                ],
            )
        };
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
        if let Some(param) = tag {
            // SAFETY: guaranteed by the caller.
            self.tag = unsafe { octets(param) }.and_then(Short::of);
            self.is_tag_new = true;
            if self.ccm {
                self.form.tag_len = param.data_size.try_into().unwrap_or(0);
            }
        }
        if let Some(param) = lengths {
            // SAFETY: guaranteed by the caller.
            self.note_nonce_len(unsafe { abi::get_u64(param) }.unwrap_or(0));
        }
        if fixed.is_some() || brought.is_some() {
            self.counts_up |= fixed.is_some() && !self.ccm;
            self.leave();
        }
        // SAFETY: guaranteed by the caller.
        let bytes = preceding.and_then(|param| unsafe { octets(param) });
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

    /// The nonce that the default provider uses next, if it has GCM's usual length. Reading one of
    /// another length would leave an error in the queue of the application.
    pub(super) fn next_nonce(&self) -> Option<Short> {
        let mut nonce = Short::default();
        let is_usual = usize::from(self.form.nonce_len) == GCM_NONCE;
        (is_usual && self.soft.get_octets(name::IV, nonce.room(GCM_NONCE))).then_some(nonce)
    }
}

/// The row of a request for the tag alone, with its usual type. `None` for other requests.
///
/// # Safety
/// `params` is null or ends with a null key; no other reference to its rows is in use for `'a`.
pub(super) unsafe fn request_of_tag<'a>(params: *mut Param) -> Option<&'a mut Param> {
    // SAFETY: guaranteed by the caller; the first row is that of the tag.
    let param = unsafe { is_alone(params, name::AEAD_TAG).then(|| &mut *params) }?;
    let is_usual = param.data_type == ParamType::OctetString as c_uint && !param.data.is_null();
    is_usual.then_some(param)
}

/// The bytes of an octet string parameter; `None` if it has another type or a null pointer.
///
/// # Safety
/// `data` is null or readable for `data_size` bytes.
unsafe fn octets<'a>(param: &Param) -> Option<&'a [u8]> {
    let is_octets = param.data_type == ParamType::OctetString as c_uint && !param.data.is_null();
    // SAFETY: guaranteed by the caller.
    is_octets.then(|| unsafe { std::slice::from_raw_parts(param.data.cast::<u8>(), param.data_size) })
}
