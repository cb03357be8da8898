//! Calls that are deferred while look-ahead processes GCM messages.
//!
//! The default provider's context needs them only if an unusual call follows: a further update, a
//! parameter other than the tag, a copy. The next nonce replaces them. A tag that is set for
//! decryption is not deferred: the context keeps it whatever nonce it has (gcm_set_ctx_params).

use outboard_abi::{Requested, name};
use outboard_accel::MAX_AAD;

use super::context::{Context, Stage};
use super::short::GCM_NONCE;
use crate::request::Request;

impl Context {
    /// Begins a message with the next nonce and defers it. `None`: it must be passed to `soft`.
    pub(super) fn defer_nonce(&mut self, encrypt: bool, iv: Option<&[u8]>) -> Option<()> {
        let is_running = self.lookahead.as_ref().is_some_and(|lookahead| lookahead.is_running());
        let is_usual = encrypt == self.form.encrypt && usize::from(self.form.nonce_len) == GCM_NONCE;
        if !(is_running && is_usual)
            || self.in_record
            || self.counts_up
            || self.refused
            || self.unlike > 0
            || self.is_offloaded()
            || self.is_left_to_software()
        {
            return None;
        }
        let nonce = iv.filter(|nonce| nonce.len() == GCM_NONCE)?;
        self.open(nonce);
        debug_assert!(matches!(self.stage, Stage::Open { is_deferred: false, .. }));
        self.stage = Stage::Open { is_deferred: true, announced: None };
        self.settle();
        Some(())
    }

    /// Defers additional data and returns their length. `None`: they must be passed to `soft`.
    pub(super) fn defer_associated(&mut self, r: Request<'_>) -> Option<usize> {
        if r.input().is_null() || r.out_size() < r.len() || self.aad.len() + r.len() > MAX_AAD {
            return None;
        }
        self.aad.try_reserve(r.len()).ok()?;
        // SAFETY: guaranteed by the request.
        self.aad.extend_from_slice(unsafe { std::slice::from_raw_parts(r.input(), r.len()) });
        Some(r.len())
    }

    /// Returns the tag of a message that has ended here. `None`: it is another request, or for
    /// `soft`.
    pub(super) fn give_deferred_tag(&self, params: &mut Requested<'_>) -> Option<()> {
        let tag = self.deferred_tag.filter(|_| matches!(self.stage, Stage::Ended))?;
        // `soft` refuses other lengths.
        let len = params.size_of_only(name::AEAD_TAG)?;
        let part = tag.as_slice().get(..len).filter(|part| !part.is_empty())?;
        params.set_octets(name::AEAD_TAG, part).then_some(())
    }

    /// Passes the deferred calls to `soft`. False if that fails.
    #[cold]
    pub(super) fn pass_deferred(&mut self) -> bool {
        let (before, tag) = (self.stage, self.deferred_tag.take());
        self.stage = match before {
            Stage::Open { .. } => Stage::OPEN,
            Stage::Offloaded { tag, .. } => Stage::Offloaded { tag, is_deferred: false },
            Stage::Soft | Stage::Record(_) | Stage::Ended => Stage::Soft,
        };
        let soft = &self.soft;
        // The tag of a message can be read until the next one has ended.
        let done = tag.is_none_or(|tag| soft.keep_tag(&tag))
            && soft.set_iv(self.form.encrypt, self.nonce.as_slice())
            && soft.add_associated(&self.aad)
            && (!matches!(before, Stage::Ended) || soft.use_iv());
        self.settle();
        done
    }
}
