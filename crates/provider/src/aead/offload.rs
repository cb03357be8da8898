//! Processes a message with the accelerator.

use std::ptr::copy_nonoverlapping;
use std::slice::from_ref;

use outboard_abi::name;
use outboard_accel::memory::try_copy;
use outboard_accel::{Direction, Error, Request as DriverRequest, Session, Wiped};
use outboard_counters::SoftwareReason;

use super::context::{Context, OffloadedText, Stage};
use super::message::{Message, Processed, TagUse};
use super::short::{FULL_TAG, Short};
use super::text_room::TextRoom;
use crate::draws;
use crate::hardware::{Release, reason_of};
use crate::key_session::KeyUse;
use crate::request::Request;
use crate::sessions::SessionGuard;
use crate::software::SoftContext;
use crate::spot_check::{Chain, Crypted, Text, Verdict};

/// Longest text in bytes for a CCM nonce that leaves two bytes for the length field.
const TWO_BYTES: usize = 0xffff;

/// Block size of the key stream in bytes.
const BLOCK: usize = 16;

/// A message of N times this size in bytes is recomputed with its tag N times more rarely, so that
/// the cost stays constant.
const RECOMPUTED: usize = 4096;

/// Recomputes a message in the room: its text, and after encryption its tag. `None` if the default
/// provider fails, or without memory, so that there is nothing to compare with; empty if it rejects a
/// tag that the accelerator accepted.
type Recompute<'f> = &'f dyn Fn(&Context, &DriverRequest<'_>, &mut TextRoom) -> Option<()>;

impl Context {
    /// Processes the first text of a message as if it were the whole text. `None`: software must
    /// process it, and nothing was written.
    pub(super) fn text(&mut self, r: Request<'_>) -> Option<usize> {
        self.text_ahead(r).or_else(|| self.text_direct(r))
    }

    /// As [`text`](Self::text), with one request to the driver.
    pub(super) fn text_direct(&mut self, r: Request<'_>) -> Option<usize> {
        let announced = match self.announced {
            Some(len) => len == r.len(),
            None => !self.stale_length && self.aad.is_empty(),
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
        let tag = if encrypt { Short::default() } else { self.tag.filter(|_| self.is_tag_new)? };
        if !encrypt && tag.as_slice().len() != self.form.tag_len {
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
        let answer = self.submit_and_verify(&request, &Self::expect_text);
        self.aad = aad;
        let mut answer = answer?;
        let result = answer.bytes()?;
        let offloaded = if self.ccm && !encrypt {
            // The text is verified, and the message has no further data.
            None
        } else {
            self.text.fill(input, 0)?;
            Some(OffloadedText { tag: Short::of(&result[r.len()..])? })
        };
        if offloaded.is_none() && !self.end_ccm() {
            return None;
        }
        // SAFETY: `out` is large enough; the result is in the session's own memory.
        unsafe { copy_nonoverlapping(result.as_ptr(), r.out(), r.len()) };
        drop(answer);
        self.short_texts = 0;
        self.stage = if offloaded.is_some() { Stage::Offloaded } else { Stage::Soft };
        if offloaded.is_none() {
            self.tag = None;
            self.stale_length = false;
        }
        self.offloaded = offloaded;
        self.settle();
        Some(r.len())
    }

    /// As [`text`](Self::text), with key stream from look-ahead.
    pub(super) fn text_ahead(&mut self, r: Request<'_>) -> Option<usize> {
        self.observe_at_text();
        let job = r.in_out().filter(|job| self.looks_ahead() && job.len() > 0)?;
        let encrypt = self.form.encrypt;
        let known = self.tag.filter(|_| self.is_tag_new);
        let (nonce, aad) = (self.nonce, std::mem::take(&mut self.aad));
        let tag = match &known {
            _ if encrypt => TagUse::Compute,
            Some(tag) => TagUse::Verify(tag.as_slice()),
            None => TagUse::Follows,
        };
        let message = Message { nonce: nonce.as_slice(), aad: &aad, job, tag };
        let processed = self.message_ahead(&message);
        self.aad = aad;
        let Processed { tag } = processed?;
        self.short_texts = 0;
        self.stage = Stage::Offloaded;
        self.offloaded = Some(OffloadedText { tag });
        self.settle();
        Some(r.len())
    }

    /// Submits a request and verifies its result. `None`: software must process it.
    #[inline(never)]
    pub(super) fn submit_and_verify(
        &mut self,
        request: &DriverRequest<'_>,
        recompute: Recompute<'_>,
    ) -> Option<Answer> {
        let cipher = self.cipher;
        let hardware = &cipher.hardware;
        let row = self.provider.counters.row(cipher.kind.name);
        let (key, tag_len) = (&self.key, if self.ccm { self.form.tag_len } else { FULL_TAG });
        let key_use = KeyUse { bytes: request.len(), from: cipher.key_bytes };
        let open = |urgent| hardware.open_with_tag(key, tag_len, urgent);
        let Some(mut session) = self.key_session.session(hardware, key_use, open) else {
            self.why = Some(self.key_session.refusal());
            return None;
        };
        if request.len() > session.max_request(request.direction) {
            self.why = Some(SoftwareReason::AboveLimit);
            return None;
        }
        let is_full = hardware.compares_in_full(!self.key_session.was_compared);
        let done = match &self.provider.jobs {
            Some(jobs) => jobs.submit_and_wait(&mut *session, from_ref(request), false, hardware.driver()),
            None => session.submit_and_wait(from_ref(request)),
        };
        if let Err(error) = done.and_then(|()| session.result(0).map(drop)) {
            session.release();
            if let Error::Forged { .. } = error {
                // Software decides whether the tag is valid.
                self.refused = true;
                return None;
            }
            self.why = Some(reason_of(&error));
            hardware.failed(&error, row);
            if error.is_away() {
                drop(session);
                self.key_session.went_away(hardware);
            }
            return None;
        }
        let mut answer = Answer(session);
        let result = answer.bytes()?;
        let verify = || self.verify(request, result, is_full, recompute);
        match hardware.accept(row, request.len(), verify) {
            Release::Yes => Some(answer),
            Release::No => {
                self.why = Some(SoftwareReason::DriverFailed);
                None
            }
            Release::Differs(offset) => {
                self.why = Some(SoftwareReason::DriverFailed);
                let repeat = || self.repeat(request, &mut *answer.0, recompute);
                hardware.try_again(cipher.kind.name, row, request.len(), offset, repeat);
                None
            }
        }
    }

    /// Processes the message once more, from a copy that the application cannot change, and compares
    /// all of it.
    fn repeat(
        &mut self,
        request: &DriverRequest<'_>,
        session: &mut dyn Session,
        recompute: Recompute<'_>,
    ) -> Verdict {
        let Some(copy) = try_copy(request.input).map(Wiped::new) else { return Verdict::Unknown };
        let request = DriverRequest { input: &copy, ..*request };
        match session.crypt(&request) {
            Ok(result) => {
                let is_ccm = self.ccm;
                // A context of CCM in which libcrypto has met an error rejects each message, so that
                // this is no proof.
                let verdict = self.recomputed(&request, recompute, |expected| {
                    if is_ccm && expected.is_empty() {
                        Verdict::Unknown
                    } else {
                        Verdict::of(expected, result)
                    }
                });
                verdict.unwrap_or(Verdict::Unknown)
            }
            Err(Error::Forged { .. }) => Verdict::Unknown,
            Err(error) => {
                self.cipher.hardware.failed(&error, None);
                Verdict::Unknown
            }
        }
    }

    /// Checks blocks of the text as for other ciphers. For a sample of the messages, recomputes
    /// everything including the tag.
    fn verify(
        &mut self,
        request: &DriverRequest<'_>,
        result: &[u8],
        is_full: bool,
        recompute: Recompute<'_>,
    ) -> Verdict {
        let len = request.len();
        let every = len.div_ceil(RECOMPUTED).max(1) as u32;
        if is_full && (!self.key_session.was_compared || draws::next() % every == 0) {
            let verdict = self.recomputed(request, recompute, |expected| Verdict::of(expected, result));
            self.key_session.was_compared |= verdict.is_some();
            return verdict.unwrap_or(Verdict::Unknown);
        }
        let (input, output) = (Text::of(request.input), Text::of(&result[..len]));
        let (plain, secret) = if self.form.encrypt { (input, output) } else { (output, input) };
        let chain = Chain::new(self.cipher.kind.mode, request.iv);
        let crypted = Crypted { plain, secret, chain, size: BLOCK };
        let reference = self.key_session.reference(self.provider, self.cipher, &self.key);
        reference.map_or(Verdict::Unknown, |reference| crypted.check(reference, is_full, draws::next()))
    }

    /// What `look` returns for the result of software. `None` if there is none.
    fn recomputed<T>(
        &mut self,
        request: &DriverRequest<'_>,
        recompute: Recompute<'_>,
        look: impl FnOnce(&[u8]) -> T,
    ) -> Option<T> {
        let mut room = std::mem::take(&mut self.text);
        let core = self.provider.core;
        let done = core.without_errors(|| recompute(self, request, &mut room));
        let seen = done.map(|()| look(&room));
        room.empty();
        self.text = room;
        seen
    }

    /// Recomputes a text with a copy of `soft`, which is in the state before the text.
    fn expect_text(&self, request: &DriverRequest<'_>, room: &mut TextRoom) -> Option<()> {
        let copy = self.soft.duplicate()?;
        let tag_len = if self.form.encrypt { self.form.tag_len } else { 0 };
        let (text, tag) = room.fill(request.input, tag_len)?.split_at_mut(request.len());
        let mut done = copy.crypt(text).is_some();
        // In GCM only the final call verifies the tag.
        if !self.ccm {
            done.then_some(())?;
            done = copy.finish();
        }
        if self.form.encrypt {
            return (done && copy.get_octets(name::AEAD_TAG, tag)).then_some(());
        }
        if !done {
            room.empty();
        }
        Some(())
    }

    /// Evaluates the default provider's decision about a message that the accelerator may have
    /// rejected.
    pub(super) fn judge_refusal(&mut self, genuine: bool, len: usize) {
        if std::mem::take(&mut self.refused) && genuine && !self.form.encrypt {
            let (name, row) = (self.cipher.kind.name, self.provider.counters.row(self.cipher.kind.name));
            self.cipher.hardware.rejected_wrongly(name, row, len);
        }
    }
}

/// A result in the session's own memory, which is released on drop.
pub(super) struct Answer(SessionGuard<'static>);

impl Answer {
    pub(super) fn bytes(&mut self) -> Option<&[u8]> {
        self.0.result(0).ok()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.0.release();
    }
}

pub(super) fn direction(encrypt: bool) -> Direction {
    if encrypt { Direction::Encrypt } else { Direction::Decrypt }
}

impl SoftContext {
    /// Processes a text in place and returns the number of bytes written.
    pub(super) fn crypt(&self, text: &mut [u8]) -> Option<usize> {
        let (at, len) = (text.as_mut_ptr(), text.len());
        let mut written = 0;
        // SAFETY: a context of this cipher; the text is readable and writable for its length.
        let done = unsafe { (self.functions.update)(self.at, at, &mut written, len, at, len) };
        (done == 1).then_some(written)
    }

    fn finish(&self) -> bool {
        let mut nothing = [0; FULL_TAG];
        let mut written = 0;
        // SAFETY: a context of this cipher; `nothing` has room for a tag, and final writes no text.
        unsafe { (self.functions.finish)(self.at, nothing.as_mut_ptr(), &mut written, nothing.len()) == 1 }
    }
}
