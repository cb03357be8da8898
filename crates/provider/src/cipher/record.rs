//! TLS 1.2 and older in CBC mode: each update is one record with its own padding, in place.
//!
//! See provider-cipher(7), parameters tls-version, tls-mac-size and tls-mac. Encryption appends the
//! padding of RFC 5246 section 6.2.3.2 (SSL 3: RFC 6101 section 5.2.3.2). Decryption removes
//! padding and MAC in constant time. Since TLS 1.1 the first block is the explicit IV.

use std::ffi::c_int;

use super::context::Context;
use super::offload::Blocks;
use super::unpad::{Padding, Record, unpad};
use crate::core::Reason;
use crate::in_out::InOut;
use crate::request::Request;
use crate::spot_check::MAX_BLOCK;

/// Versions as on the wire (openssl/prov_ssl.h).
pub(super) mod version {
    pub(in crate::cipher) const SSL3: u32 = 0x0300;
    pub(in crate::cipher) const TLS1: u32 = 0x0301;
    pub(in crate::cipher) const TLS1_1: u32 = 0x0302;
    pub(in crate::cipher) const TLS1_2: u32 = 0x0303;
    pub(in crate::cipher) const DTLS1: u32 = 0xfeff;
    pub(in crate::cipher) const DTLS1_2: u32 = 0xfefd;
    pub(in crate::cipher) const DTLS1_BAD: u32 = 0x0100;
}

impl Context {
    pub(super) fn record(&mut self, r: Request<'_>) -> c_int {
        self.tls_mac = None;
        let block = self.kind().block();
        let padded = if self.encrypt { (r.len() / block + 1).saturating_mul(block) } else { r.len() };
        let well_formed = !r.input().is_null()
            && std::ptr::eq(r.input(), r.out())
            && r.out_size() >= padded
            && self.padding
            && padded % block == 0;
        if !well_formed
            || !self.knows_version()
            || r.len() < self.threshold().max(block)
            || !self.may_offload()
        {
            self.explain(r.len());
            return self.soft_record(r);
        }
        let Some(iv) = self.running_iv() else { return 0 };
        // SAFETY: in place, and `out` is writable for `padded` bytes, as was checked.
        let (whole, job) = unsafe {
            (
                Request::new(r.out(), r.out_len(), r.out_size(), r.input(), padded),
                InOut::new(r.input(), r.out(), padded),
            )
        };
        if self.encrypt {
            self.pad(job.after(r.len()));
        }
        // SAFETY: as above.
        let blocks = unsafe { Blocks::new(&[], r.input(), r.out(), padded, iv) };
        let done = self.offload(blocks);
        if done < padded && self.soft_blocks(whole, done) != 1 {
            return 0;
        }
        let len = if self.encrypt {
            padded
        } else {
            // SAFETY: the record was decrypted in place; no other reference to its `padded` bytes
            // is in use.
            let bytes = unsafe { std::slice::from_raw_parts(r.out(), padded) };
            match self.unwrap_record(bytes) {
                Some(len) => len,
                None => return 0,
            }
        };
        r.set_written(len);
        1
    }

    /// The default provider also raises the errors.
    fn soft_record(&mut self, r: Request<'_>) -> c_int {
        if !self.sync() {
            return 0;
        }
        let soft = &self.soft;
        // SAFETY: guaranteed by the request.
        let done = unsafe {
            (soft.functions.update)(soft.at, r.out(), r.out_len(), r.out_size(), r.input(), r.len())
        };
        self.counts.add(r.len() as u64);
        done
    }

    fn pad(&self, padding: InOut<'_>) {
        let last = (padding.len() - 1) as u8;
        let mut bytes = [if self.tls_version == version::SSL3 { 0 } else { last }; MAX_BLOCK];
        bytes[padding.len() - 1] = last;
        padding.write(&bytes[..padding.len()]);
    }

    /// Returns the length of the data after the explicit IV. `None`, with an error raised, if the
    /// record is publicly malformed.
    fn unwrap_record(&mut self, bytes: &[u8]) -> Option<usize> {
        let block = self.kind().block();
        let data = &bytes[if self.has_explicit_iv() { block } else { 0 }..];
        let padding =
            if self.tls_version == version::SSL3 { Padding::AnyUpTo(block) } else { Padding::Equal };
        let Some(Record { len, mac }) = unpad(data, self.tls_mac_size, padding) else {
            self.provider.core.raise(Reason::Record, "TLS record too short, or bad padding after a good MAC");
            return None;
        };
        self.tls_mac = mac;
        Some(len)
    }

    fn has_explicit_iv(&self) -> bool {
        !matches!(self.tls_version, version::SSL3 | version::TLS1)
    }

    fn knows_version(&self) -> bool {
        use version::{DTLS1, DTLS1_2, DTLS1_BAD, SSL3, TLS1, TLS1_1, TLS1_2};
        matches!(self.tls_version, SSL3 | TLS1 | TLS1_1 | TLS1_2 | DTLS1 | DTLS1_2 | DTLS1_BAD)
    }
}
