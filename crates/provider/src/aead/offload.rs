use std::ptr::copy_nonoverlapping;

use outboard_abi::name;
use outboard_accel::{Direction, Error, Request as DriverRequest};
use outboard_counters::SoftwareReason;

use super::context::{Context, Form, Stage};
use super::message::{Message, Processed, TagUse};
use super::short::{FULL_TAG, Short};
use super::text_room::TextRoom;
use crate::key_session::KeyUse;
use crate::keyed_request::{Answer, Keyed};
use crate::offload::Refusal;
use crate::request::Request;
use crate::software::SoftContext;
use crate::spot_check::Verdict;

/// Longest text in bytes for a CCM nonce that leaves two bytes for the length field.
const TWO_BYTES: usize = 0xffff;

/// The text of a message in the room, after encryption with its tag. `None`: there is nothing to
/// compare with; empty if the default provider rejects a tag that the accelerator accepted.
type Recompute<'f> = &'f dyn Fn(&SoftContext, &DriverRequest<'_>, &mut TextRoom) -> Option<()>;

impl Context {
    /// Processes the first text of a message as if it were the whole text. `None`: nothing was
    /// written.
    pub(super) fn text(&mut self, r: Request<'_>) -> Option<usize> {
        let may_wait = !self.has_key_stream_for(r.len());
        self.text_ahead(r).or_else(|| if may_wait { self.text_direct(r) } else { None })
    }

    /// As [`text`](Self::text), with one request to the driver.
    pub(super) fn text_direct(&mut self, r: Request<'_>) -> Option<usize> {
        let announced = match self.stage {
            Stage::Open { announced: Some(len), .. } => len == r.len(),
            _ => !self.stale_length && self.aad.is_empty(),
        };
        let too_long = self.ccm && r.len() > TWO_BYTES && self.nonce.as_slice().len() == 13;
        if too_long {
            self.why = Some(SoftwareReason::AboveLimit);
        }
        if r.input().is_null()
            || r.len() < self.threshold().max(1)
            || r.out_size() < r.len()
            || (self.ccm && !announced)
            || too_long
            || !self.may_offload()
        {
            return None;
        }
        let encrypt = self.form.encrypt;
        let tag = if encrypt { Short::default() } else { self.tag? };
        if !encrypt && tag.as_slice().len() != usize::from(self.form.tag_len) {
            return None;
        }
        // SAFETY: guaranteed by the request. The slice is not used after `out` is written.
        let input = unsafe { std::slice::from_raw_parts(r.input(), r.len()) };
        let (nonce, aad) = (self.nonce, std::mem::take(&mut self.aad));
        let request = DriverRequest {
            aad: &aad,
            tag: tag.as_slice(),
            ..DriverRequest::new(direction(encrypt), nonce.as_slice(), input)
        };
        let (form, is_ccm) = (self.form, self.ccm);
        let answer = self.submit_and_verify(&request, &|soft, request, room| {
            soft.expect_text(form, is_ccm, request, room)
        });
        self.aad = aad;
        let mut answer = answer?;
        let result = answer.bytes()?;
        // After decryption with CCM the text is verified, and the message has no further data.
        let is_over = self.ccm && !encrypt;
        let stage = if is_over {
            Stage::Soft
        } else {
            self.text.fill(input, 0)?;
            Stage::Offloaded { tag: Short::of(&result[r.len()..])?, is_deferred: false }
        };
        if is_over && !self.end_ccm() {
            return None;
        }
        // SAFETY: `out` is large enough; the result is in the session's own memory.
        unsafe { copy_nonoverlapping(result.as_ptr(), r.out(), r.len()) };
        drop(answer);
        (self.short_texts, self.stage) = (0, stage);
        if is_over {
            self.tag = None;
            self.stale_length = false;
        }
        self.settle();
        Some(r.len())
    }

    /// As [`text`](Self::text), with key stream from look-ahead.
    pub(super) fn text_ahead(&mut self, r: Request<'_>) -> Option<usize> {
        self.observe_at_text();
        let job = r.in_out().filter(|_| self.looks_ahead())?;
        let encrypt = self.form.encrypt;
        let known = self.tag;
        let (nonce, aad) = (self.nonce, std::mem::take(&mut self.aad));
        let tag = match &known {
            _ if encrypt => TagUse::Compute,
            Some(tag) => TagUse::Verify(tag.as_slice()),
            None => TagUse::Follows,
        };
        let message = Message { nonce: nonce.as_slice(), aad: &aad, job, tag };
        let processed = self.message_ahead(&message);
        self.aad = aad;
        let Processed { tag, .. } = processed?;
        self.short_texts = 0;
        self.stage = Stage::Offloaded { tag, is_deferred: self.is_deferred() };
        self.settle();
        Some(r.len())
    }

    pub(super) fn submit_and_verify(
        &mut self,
        request: &DriverRequest<'_>,
        recompute: Recompute<'_>,
    ) -> Option<Answer> {
        let cipher = self.cipher;
        let hardware = &cipher.hardware;
        let (key, tag_len) = (&self.key, if self.ccm { self.form.tag_len.into() } else { FULL_TAG });
        let key_use = KeyUse { bytes: request.len(), from: cipher.key_bytes };
        let open = |urgent| hardware.open_with_tag(key, tag_len, urgent);
        let Some(session) = self.key_session.session(hardware, key_use, open) else {
            self.why = Some(self.key_session.refusal());
            return None;
        };
        if request.len() > session.max_request(request.direction) {
            self.why = Some(SoftwareReason::AboveLimit);
            return None;
        }
        let Context { soft, text, key, key_session, ccm, provider, .. } = self;
        let mut compare = |request: &DriverRequest<'_>, result: &[u8], is_repeated: bool| {
            let done = provider.core.without_errors(|| recompute(soft, request, text));
            // A context of CCM in which libcrypto has met an error rejects each message.
            let is_proof = done.is_some() && !(is_repeated && *ccm && text.is_empty());
            let verdict = if is_proof { Verdict::of(text, result) } else { Verdict::Unknown };
            text.empty();
            verdict
        };
        let keyed = Keyed { provider, cipher, key, key_session };
        match keyed.send(session, request, Some(&mut compare)) {
            Ok(answer) => return Some(answer),
            // Software decides whether the tag is valid.
            Err(Refusal(Some(Error::Forged { .. }))) => self.refused = true,
            Err(refusal) => self.why = Some(refusal.why()),
        }
        None
    }

    /// Evaluates software's decision about a message that the accelerator may have rejected.
    pub(super) fn judge_refusal(&mut self, genuine: bool, len: usize) {
        if std::mem::take(&mut self.refused) && genuine && !self.form.encrypt {
            let (name, row) = (self.cipher.kind.name, self.provider.counters.row(self.cipher.kind.name));
            self.cipher.hardware.rejected_wrongly(name, row, len);
        }
    }
}

pub(super) fn direction(encrypt: bool) -> Direction {
    if encrypt { Direction::Encrypt } else { Direction::Decrypt }
}

impl SoftContext {
    fn expect_text(
        &self,
        form: Form,
        is_ccm: bool,
        request: &DriverRequest<'_>,
        room: &mut TextRoom,
    ) -> Option<()> {
        let copy = self.duplicate()?;
        let tag_len = if form.encrypt { form.tag_len.into() } else { 0 };
        let (text, tag) = room.fill(request.input, tag_len)?.split_at_mut(request.len());
        let mut done = copy.crypt(text).is_some();
        // In GCM only the final call verifies the tag.
        if !is_ccm {
            done.then_some(())?;
            done = copy.end();
        }
        if form.encrypt {
            return (done && copy.get_octets(name::AEAD_TAG, tag)).then_some(());
        }
        if !done {
            room.empty();
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
