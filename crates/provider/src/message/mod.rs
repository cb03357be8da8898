//! Messages that a driver gets as a whole, for digests and HMACs.
//!
//! A state in the kernel would be lost with the driver. Therefore a message is gathered in memory
//! and passed to the driver when its end is known. If the driver fails, software hashes the same
//! memory. Copies of a context and children of a fork have memory of their own.

mod gathered;
mod keyed;
mod soft;

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

use outboard_counters::SoftwareReason;

use self::gathered::{Gathered, MOST};
use crate::context_counts::ContextCounts;
use crate::guard;
use crate::provider::Provider;

pub(crate) use self::keyed::{HashDriver, Keyed};
pub(crate) use self::soft::{SoftContext, SoftFunctions};

/// Either in `gathered`, from its first byte on, or in `soft`, which then processes it to its end.
pub(crate) struct Message {
    gathers: bool,
    gathered: Gathered,
    /// The default provider's context. While `gathers` is true, it has no byte of the message.
    pub(crate) soft: SoftContext,
    /// A copy exists. Atomic, because threads may copy a context concurrently.
    copied: AtomicBool,
    /// Number of bytes of this message that `soft` has processed.
    soft_len: u64,
    why: Option<SoftwareReason>,
    /// `None` for an algorithm that is not counted.
    pub(crate) counts: Option<ContextCounts>,
}

impl Message {
    pub(crate) fn new(soft: SoftContext, counts: Option<ContextCounts>) -> Message {
        Message {
            gathers: false,
            gathered: Gathered::default(),
            soft,
            copied: AtomicBool::new(false),
            soft_len: 0,
            why: None,
            counts,
        }
    }

    /// Starts a message after `soft` was initialised.
    pub(crate) fn begin(&mut self, hash_driver: Option<&HashDriver>) {
        self.gathered.clear();
        self.copied.store(false, Ordering::Relaxed);
        self.gathers = hash_driver
            .is_some_and(|hash_driver| hash_driver.threshold <= MOST && hash_driver.hardware.is_up());
        (self.soft_len, self.why) = (0, None);
    }

    /// A short message is likely to be copied often, as the transcript of a TLS handshake. Then
    /// copy and original continue in software, so that no byte is hashed more than twice.
    pub(crate) fn duplicate(
        &self,
        hash_driver: Option<&HashDriver>,
        counts: Option<ContextCounts>,
    ) -> Option<Message> {
        let mut copy = Message::new(self.soft.duplicate()?, counts);
        copy.soft_len = self.soft_len;
        if !self.gathers {
            return Some(copy);
        }
        let message = self.gathered.bytes();
        if message.is_empty() || hash_driver.is_some_and(|hash_driver| message.len() >= hash_driver.threshold)
        {
            if let Some(gathered) = self.gathered.copy() {
                (copy.gathered, copy.gathers) = (gathered, true);
                return Some(copy);
            }
        }
        self.copied.store(true, Ordering::Relaxed);
        copy.feed(message).then_some(copy)
    }

    /// In software this costs a comparison, a call and an addition.
    #[inline]
    pub(crate) fn update(&mut self, more: &[u8], hash_driver: Option<&HashDriver>) -> c_int {
        if !self.gathers {
            self.soft_len = self.soft_len.wrapping_add(more.len() as u64);
            // It cannot panic.
            return self.soft.update(more);
        }
        guard(0, || self.gather(more, hash_driver))
    }

    fn gather(&mut self, more: &[u8], hash_driver: Option<&HashDriver>) -> c_int {
        if more.is_empty() {
            return 1;
        }
        let is_short =
            hash_driver.is_none_or(|hash_driver| self.gathered.bytes().len() < hash_driver.threshold);
        let goes_on = !(is_short && self.copied.load(Ordering::Relaxed)) && self.gathered.add(more);
        c_int::from(goes_on || (self.committed().is_some() && self.feed(more)))
    }

    /// Passes the gathered message to software, which continues. `None` if that fails.
    pub(crate) fn committed(&mut self) -> Option<&mut SoftContext> {
        if std::mem::take(&mut self.gathers) {
            let mut gathered = std::mem::take(&mut self.gathered);
            let fed = self.feed(gathered.bytes());
            gathered.clear();
            self.gathered = gathered;
            if !fed {
                return None;
            }
        }
        Some(&mut self.soft)
    }

    fn feed(&mut self, bytes: &[u8]) -> bool {
        self.soft_len += bytes.len() as u64;
        // Any positive value is success: HMAC_Update returns the result of EVP_DigestUpdate, which
        // returns that of the digest's provider.
        bytes.is_empty() || self.soft.update(bytes) > 0
    }

    pub(crate) fn finish(
        &mut self,
        out: &mut [u8],
        len: &mut usize,
        with: Option<(&Provider, &Keyed)>,
    ) -> c_int {
        if self.gathers {
            let message = self.gathered.bytes();
            let is_fit = |hash_driver: &HashDriver| {
                out.len() >= hash_driver.digest_len
                    && message.len() >= hash_driver.threshold
                    && hash_driver.hardware.is_up()
            };
            if let Some((provider, keyed)) = with.filter(|(_, keyed)| is_fit(&keyed.hash_driver)) {
                match keyed.digest(provider, message, || self.soft.digest_of(message)) {
                    Ok(digest) => {
                        let digest = digest.as_slice();
                        out[..digest.len()].copy_from_slice(digest);
                        *len = digest.len();
                        self.gathered.clear();
                        self.gathers = false;
                        // Calls after the end of a message get what the default provider returns.
                        self.soft.end();
                        return 1;
                    }
                    Err(why) => self.why = Some(why),
                }
            }
            if self.committed().is_none() {
                return 0;
            }
        }
        if let Some(counts) = &mut self.counts {
            counts.add(self.soft_len);
            if let (true, Some((_, keyed))) = (counts.has_reasons(), with) {
                let reason = self.why.or_else(|| refusal(self.soft_len, &keyed.hash_driver));
                reason.into_iter().for_each(|reason| counts.because(reason, self.soft_len));
            }
        }
        self.soft.finish(out, len)
    }
}

/// Why a message of `len` bytes was not submitted to the driver, if it is not too short.
#[cold]
fn refusal(len: u64, hash_driver: &HashDriver) -> Option<SoftwareReason> {
    let is_below = len < hash_driver.threshold as u64;
    (!is_below).then_some(match hash_driver.hardware.is_up() {
        false => SoftwareReason::DriverFailed,
        true if len > MOST as u64 => SoftwareReason::AboveLimit,
        true => SoftwareReason::UnsuitableCall,
    })
}
