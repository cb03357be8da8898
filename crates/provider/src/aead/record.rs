//! TLS 1.2 (RFC 5288): each update is one record, in place, with the part of the nonce that it brings before its text and its
//! tag behind it. provider-cipher(7), parameters tlsaad and tlsivfixed. CCM's records are left to the default provider.

use std::ptr::{copy_nonoverlapping, null, null_mut};

use outboard_abi::name;
use outboard_accel::Request as Asked;
use zeroize::Zeroizing;

use super::context::{Context, FULL_TAG, GCM_NONCE, Short};
use super::offload::{Expected, direction};
use crate::cipher::Request;
use crate::software::SoftContext;

/// Bytes of the nonce that a record brings.
const EXPLICIT: usize = 8;

/// Bytes of what precedes a record: its number, its type, the version, its length.
const PRECEDING: usize = 13;

/// What precedes a record as it is authenticated: with the length of the text alone (gcm_tls_init). `None` if it is none that
/// the default provider takes.
pub(super) fn preceding(encrypt: bool, aad: &[u8]) -> Option<Short> {
    let mut bytes = *aad.first_chunk::<PRECEDING>().filter(|_| aad.len() == PRECEDING)?;
    let around = if encrypt { EXPLICIT } else { EXPLICIT + FULL_TAG };
    let len = u16::from_be_bytes([bytes[11], bytes[12]]).checked_sub(around as u16)?;
    bytes[11..].copy_from_slice(&len.to_be_bytes());
    Short::of(&bytes)
}

impl Context {
    /// Does a record. `None`: it is for software, and nothing was written.
    ///
    /// # Safety
    /// As for `OSSL_FUNC_cipher_update`.
    pub(super) unsafe fn record(&mut self, r: Request) -> Option<usize> {
        let aad = self.record?;
        let text_len = r.len.checked_sub(EXPLICIT + FULL_TAG)?;
        if r.input.is_null()
            || !std::ptr::eq(r.input, r.out)
            || r.out_size < r.len
            || text_len < self.threshold().max(1)
            || !self.may_offload()
        {
            return None;
        }
        let encrypt = self.form.encrypt;
        // The IV that the default provider takes next; of a record that comes in, all but what it brings.
        let mut nonce = Short::default();
        if !self.soft.get_octets(name::IV, nonce.room(GCM_NONCE)) {
            return None;
        }
        // SAFETY: the caller's promise. The slice is gone before `out` is written.
        let whole = unsafe { std::slice::from_raw_parts(r.input, r.len) };
        let (brought, sealed) = whole.split_at(EXPLICIT);
        let (text, tag) = sealed.split_at(text_len);
        if !encrypt {
            nonce.room(GCM_NONCE)[GCM_NONCE - EXPLICIT..].copy_from_slice(brought);
        }
        let asked = Asked {
            aad: aad.as_slice(),
            tag: if encrypt { &[] } else { tag },
            ..Asked::new(direction(encrypt), nonce.as_slice(), text)
        };
        let mut answer = self.ask(&asked, &|context, asked| context.soft.expect_record(asked, whole))?;
        let explicit = &nonce.as_slice()[GCM_NONCE - EXPLICIT..];
        if !self.soft.pass_record(encrypt, explicit) {
            return None;
        }
        let result = answer.bytes()?;
        // SAFETY: `out` is as long as the record, and all but the nonce is written; the result lies in the session's memory.
        unsafe {
            copy_nonoverlapping(explicit.as_ptr(), r.out, EXPLICIT);
            copy_nonoverlapping(result.as_ptr(), r.out.add(EXPLICIT), result.len());
        }
        drop(answer);
        self.in_record = false;
        self.record = None;
        self.leave();
        Some(if encrypt { r.len } else { text_len })
    }
}

impl SoftContext {
    /// What a copy makes of a record: its text, and the tag behind it if it was encrypted.
    fn expect_record(&self, asked: &Asked<'_>, whole: &[u8]) -> Option<Expected> {
        let copy = self.duplicate()?;
        let mut expected = Zeroizing::new(whole.to_vec());
        let written = copy.crypt(&mut expected, whole.len());
        let len = if asked.tag.is_empty() { asked.len() + FULL_TAG } else { asked.len() };
        expected.copy_within(EXPLICIT..EXPLICIT + len, 0);
        expected.truncate(written.map_or(0, |_| len));
        Some(expected)
    }

    /// Goes past a record that the accelerator has done: its IV is used up, and the next update is no record. False if the
    /// default provider refuses, which it never does.
    fn pass_record(&self, encrypt: bool, explicit: &[u8]) -> bool {
        let mut taken = Short::default();
        let used = if encrypt {
            self.get_octets(name::AEAD_TLS1_GET_IV_GEN, taken.room(EXPLICIT)) && taken.as_slice() == explicit
        } else {
            self.set_octets(name::AEAD_TLS1_SET_IV_INV, explicit)
        };
        let mut written = 0;
        // A record without any bytes is refused without an error, and then there is none (gcm_tls_cipher).
        // SAFETY: a context of this cipher; nothing is read or written.
        unsafe { (self.functions.cipher)(self.at, null_mut(), &mut written, 0, null(), 0) };
        used
    }
}
