//! Calls of an encryption with GCM that the default provider's context does not need to see.
//!
//! A message that look-ahead processes needs that context for nothing but a change of plan: a further
//! update, an unusual parameter, a copy. So its nonce and additional data are only recorded, and
//! after its end its tag. The next nonce replaces them. A call that does need the context first makes
//! up for what it has not seen.

use super::context::{Context, GCM_NONCE, Short, Stage};
use crate::cipher::Request;
use crate::cipher::init::Given;
use outboard_abi as abi;
use outboard_abi::{Param, name};
use outboard_accel::MAX_AAD;
use std::ptr::null_mut;

/// What `soft` has not seen.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Owed {
    #[default]
    Nothing,
    /// The nonce and additional data of the message.
    Nonce,
    /// A whole message, which has ended.
    Message,
}

impl Context {
    /// Begins a message with the next nonce without `soft`. `None`: it must see the nonce.
    ///
    /// # Safety
    /// `iv` is null or readable.
    pub(super) unsafe fn owe_nonce(&mut self, encrypt: bool, iv: Given) -> Option<()> {
        let is_running = self.lookahead.as_ref().is_some_and(|lookahead| lookahead.is_running());
        let is_usual = encrypt && self.form.encrypt && self.form.nonce_len == GCM_NONCE;
        if !(is_running && is_usual)
            || self.in_record
            || self.counts_up
            || self.refused
            || self.unlike > 0
            || self.offloaded.is_some()
            || self.is_left_to_software()
        {
            return None;
        }
        // SAFETY: guaranteed by the caller.
        let nonce = unsafe { iv.bytes() }.filter(|nonce| nonce.len() == GCM_NONCE)?;
        self.record = None;
        self.open(nonce);
        debug_assert!(self.stage == Stage::Open);
        self.owed = Owed::Nonce;
        self.settle();
        Some(())
    }

    /// Records additional data that `soft` does not see, and returns their length. `None`: it must
    /// see them.
    ///
    /// # Safety
    /// As for `OSSL_FUNC_cipher_update`.
    pub(super) unsafe fn owe_associated(&mut self, r: Request) -> Option<usize> {
        let is_usual = !r.input.is_null() && r.out_size >= r.len && self.aad.len() + r.len <= MAX_AAD;
        if !is_usual {
            return None;
        }
        // SAFETY: guaranteed by the caller.
        self.aad.extend_from_slice(unsafe { std::slice::from_raw_parts(r.input, r.len) });
        Some(r.len)
    }

    /// Ends a message of which `soft` has seen nothing. Always succeeds.
    pub(super) fn owe_message(&mut self, tag: Short) -> bool {
        (self.owed, self.owed_tag) = (Owed::Message, Some(tag));
        true
    }

    /// Returns the tag of a message of which `soft` has seen nothing. `None`: `soft` must see it, or
    /// the request is not for the tag alone.
    ///
    /// # Safety
    /// `params` is null or ends with a null key, and its buffers are writable.
    pub(super) unsafe fn give_owed_tag(&self, params: *mut Param) -> Option<()> {
        let tag = self.owed_tag.filter(|_| self.owed == Owed::Message)?;
        // SAFETY: guaranteed by the caller; the row for the tag is not the end row, so a following
        // row exists.
        unsafe {
            let param = abi::locate_mut(params, name::AEAD_TAG)?;
            let is_alone = std::ptr::eq(&raw const *param, params) && (*params.add(1)).key.is_null();
            if !is_alone || !super::params::is_tag(param, param.data_size) {
                return None;
            }
            let part = tag.as_slice().get(..param.data_size).filter(|part| !part.is_empty())?;
            std::ptr::copy_nonoverlapping(part.as_ptr(), param.data.cast(), part.len());
            param.return_size = part.len();
        }
        Some(())
    }

    /// Makes up for what `soft` has not seen, except a pending text. False if the default provider
    /// fails, which does not happen in practice.
    #[cold]
    pub(super) fn settle_debt(&mut self) -> bool {
        let owed = std::mem::take(&mut self.owed);
        let tag = self.owed_tag.take();
        let (nonce, aad) = (self.nonce, &self.aad);
        let mut written = 0;
        let (at, len) = (aad.as_ptr(), aad.len());
        let soft = &self.soft;
        // The tag of the message before can be read until this one has ended.
        let kept = owed == Owed::Message || tag.is_none_or(|tag| soft.keep_tag(&tag));
        // SAFETY: a GCM context; without an output buffer the input is additional data.
        let begun = kept
            && soft.set_iv(true, nonce.as_slice())
            && (len == 0
                || unsafe { (soft.functions.update)(soft.at, null_mut(), &mut written, len, at, len) == 1 });
        let done = begun
            && match tag {
                Some(tag) if owed == Owed::Message => self.end_gcm(&tag),
                _ => true,
            };
        self.settle();
        done
    }
}
