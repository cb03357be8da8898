//! TLS 1.2 (RFC 5288): each update is one record, in place, with the explicit part of the nonce
//! before its text and the tag after it. See provider-cipher(7), parameters tlsaad and tlsivfixed.
//! Records with CCM are left to the default provider.

use std::ptr::{copy_nonoverlapping, null, null_mut};

use outboard_abi::name;
use outboard_accel::Request as DriverRequest;

use super::context::{Context, Stage};
use super::message::{Message, TagUse};
use super::offload::direction;
use super::short::{FULL_TAG, GCM_NONCE, Short};
use super::text_room::TextRoom;
use crate::request::Request;
use crate::software::SoftContext;

/// Length of the explicit part of the nonce in bytes.
const EXPLICIT: usize = 8;

/// Length of the additional data of a record in bytes: sequence number, type, version, length.
const PRECEDING: usize = 13;

/// As authenticated: its length field has the length of the text only (gcm_tls_init). `None` if the
/// default provider rejects the data.
pub(super) fn preceding(encrypt: bool, aad: &[u8]) -> Option<Short> {
    let mut bytes = *aad.first_chunk::<PRECEDING>().filter(|_| aad.len() == PRECEDING)?;
    let around = if encrypt { EXPLICIT } else { EXPLICIT + FULL_TAG };
    let len = u16::from_be_bytes([bytes[11], bytes[12]]).checked_sub(around as u16)?;
    bytes[11..].copy_from_slice(&len.to_be_bytes());
    Short::of(&bytes)
}

impl Context {
    /// `None`: nothing was written.
    pub(super) fn record(&mut self, r: Request<'_>) -> Option<usize> {
        self.why = None;
        let Stage::Record(aad) = self.stage else { return None };
        let text_len = r.len().checked_sub(EXPLICIT + FULL_TAG)?;
        if r.input().is_null()
            || !std::ptr::eq(r.input(), r.out())
            || r.out_size() < r.len()
            || text_len == 0
            || !self.may_offload()
        {
            return None;
        }
        let encrypt = self.form.encrypt;
        // Of a received record, all of it except the explicit part.
        let mut nonce = self.next_nonce()?;
        // SAFETY: guaranteed by the request. The slice is not used after `out` is written.
        let whole = unsafe { std::slice::from_raw_parts(r.input(), r.len()) };
        let (brought, sealed) = whole.split_at(EXPLICIT);
        let (text, tag) = sealed.split_at(text_len);
        if !encrypt {
            nonce.room(GCM_NONCE)[GCM_NONCE - EXPLICIT..].copy_from_slice(brought);
        }
        let may_wait = !self.has_key_stream_for(text_len);
        if self.looks_ahead() {
            self.observe_nonce(nonce.as_slice());
            let written = self.record_ahead(r, nonce, aad, text_len);
            if written.is_some() {
                return written;
            }
        }
        if text_len < self.threshold() || !may_wait {
            return None;
        }
        let request = DriverRequest {
            aad: aad.as_slice(),
            tag: if encrypt { &[] } else { tag },
            ..DriverRequest::new(direction(encrypt), nonce.as_slice(), text)
        };
        let mut answer = self
            .submit_and_verify(&request, &|soft, request, room| soft.expect_record(request, whole, room))?;
        let explicit = &nonce.as_slice()[GCM_NONCE - EXPLICIT..];
        if !self.soft.pass_record(encrypt, explicit) {
            return None;
        }
        let result = answer.bytes()?;
        // SAFETY: `out` is as long as the record; the result is in the session's own memory.
        unsafe {
            copy_nonoverlapping(explicit.as_ptr(), r.out(), EXPLICIT);
            copy_nonoverlapping(result.as_ptr(), r.out().add(EXPLICIT), result.len());
        }
        drop(answer);
        self.in_record = false;
        self.leave();
        Some(if encrypt { r.len() } else { text_len })
    }
}

impl Context {
    fn record_ahead(&mut self, r: Request<'_>, nonce: Short, aad: Short, text_len: usize) -> Option<usize> {
        let encrypt = self.form.encrypt;
        let whole = r.in_out()?;
        let (text, tag_at) = (whole.after(EXPLICIT).first(text_len), whole.after(EXPLICIT + text_len));
        let mut tag = Short::default();
        if !encrypt {
            tag_at.copy_to(tag.room(FULL_TAG));
        }
        let message = Message {
            nonce: nonce.as_slice(),
            aad: aad.as_slice(),
            job: text,
            tag: if encrypt { TagUse::Compute } else { TagUse::Verify(tag.as_slice()) },
        };
        let processed = self.message_ahead(&message)?;
        let explicit = &nonce.as_slice()[GCM_NONCE - EXPLICIT..];
        let is_passed = self.soft.pass_record(encrypt, explicit);
        if !is_passed {
            text.write(&self.text);
        }
        self.text.empty();
        if !is_passed {
            return None;
        }
        whole.write(explicit);
        tag_at.write(processed.tag.as_slice());
        self.in_record = false;
        self.leave();
        Some(if encrypt { r.len() } else { text_len })
    }
}

impl SoftContext {
    fn expect_record(&self, request: &DriverRequest<'_>, whole: &[u8], room: &mut TextRoom) -> Option<()> {
        let copy = self.duplicate()?;
        let expected = room.fill(whole, 0)?;
        let written = copy.crypt(expected);
        let len = if request.tag.is_empty() { request.len() + FULL_TAG } else { request.len() };
        expected.copy_within(EXPLICIT..EXPLICIT + len, 0);
        room.truncate(written.map_or(0, |_| len));
        Some(())
    }

    /// The IV of a record that the accelerator processed is consumed, and the next update is not a
    /// record. False if the default provider fails.
    fn pass_record(&self, encrypt: bool, explicit: &[u8]) -> bool {
        let mut taken = Short::default();
        let used = if encrypt {
            self.get_octets(name::AEAD_TLS1_GET_IV_GEN, taken.room(EXPLICIT)) && taken.as_slice() == explicit
        } else {
            self.set_octets(name::AEAD_TLS1_SET_IV_INV, explicit)
        };
        let mut written = 0;
        // A record without bytes fails without an error, and ends the record state
        // (gcm_tls_cipher).
        // SAFETY: a context of this cipher; nothing is read or written.
        unsafe { (self.functions.cipher)(self.at, null_mut(), &mut written, 0, null(), 0) };
        used
    }
}
