//! Messages that a driver gets as a whole: what digests and HMACs are made of.
//!
//! An accelerator's state of a message lies in the kernel, and is lost with the driver: when a device is unplugged, or does not
//! answer, in the middle of a message, only somebody who still has the message can give its digest. So a message is
//! gathered in memory and handed to the driver as a whole, when its end is known; until then it is nowhere else. What fails is
//! hashed by software from the same memory. Copies of a context and children of a fork have copies of that memory, so
//! their states are independent whatever the accelerator does.
//!
//! What is longer than [`gathered::MOST`] is for software.
//!
//! - `gathered`: the message in memory
//! - `keyed`: the driver with a key or without one, its sessions, one message through it
//! - `soft`: the default provider's contexts

mod gathered;
mod keyed;
mod soft;

use std::ffi::c_int;
use std::ptr::copy_nonoverlapping;
use std::sync::atomic::{AtomicBool, Ordering};

use self::gathered::{Gathered, MOST};
use crate::entry::Provider;
use crate::guard;
use crate::soft_counts::SoftCounts;

pub(crate) use self::keyed::{HashDriver, Keyed};
pub(crate) use self::soft::{SoftContext, SoftFunctions};

/// A message from its first byte to its digest.
///
/// It is either in `gathered`, from its first byte on, and nowhere else; or in the default provider's context, which goes on with
/// it to its end.
pub(crate) struct Message {
    gathers: bool,
    gathered: Gathered,
    /// The default provider's context; while `gathers`, one whose message has no byte yet.
    pub(crate) soft: SoftContext,
    /// Somebody has a copy. Atomic, since threads may copy one context at the same time.
    copied: AtomicBool,
    /// Bytes of this message that `soft` got.
    soft_len: u64,
    /// Messages in software not yet in the shared counters; `None`: of an algorithm that nobody counts.
    pub(crate) soft_counts: Option<SoftCounts>,
}

impl Message {
    pub(crate) fn new(soft: SoftContext, soft_counts: Option<SoftCounts>) -> Message {
        Message {
            gathers: false,
            gathered: Gathered::default(),
            soft,
            copied: AtomicBool::new(false),
            soft_len: 0,
            soft_counts,
        }
    }

    /// Begins, now that `soft` has begun; for a driver if there is one to have it in the end.
    pub(crate) fn begin(&mut self, hash_driver: Option<&HashDriver>) {
        self.gathered.clear();
        self.copied.store(false, Ordering::Relaxed);
        self.gathers = hash_driver
            .is_some_and(|hash_driver| hash_driver.threshold <= MOST && hash_driver.hardware.is_up());
        self.soft_len = 0;
    }

    /// A copy. What is short is likely to be copied often, such as the transcript of a TLS handshake: the copy and, from its next
    /// bytes on, the original go on in software, so that nothing is hashed more often than twice.
    pub(crate) fn duplicate(
        &self,
        hash_driver: Option<&HashDriver>,
        counts: Option<SoftCounts>,
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

    /// More of it. A message that is in software pays for a comparison, a call and an addition.
    ///
    /// # Safety
    /// `input` is readable for `len` bytes.
    #[inline]
    pub(crate) unsafe fn update(
        &mut self,
        input: *const u8,
        len: usize,
        hash_driver: Option<&HashDriver>,
    ) -> c_int {
        if !self.gathers {
            self.soft_len = self.soft_len.wrapping_add(len as u64);
            // SAFETY: the input goes on as it came. Nothing in there panics.
            return unsafe { self.soft.update(input, len) };
        }
        // SAFETY: the caller's promise.
        guard(0, || unsafe { self.gather(input, len, hash_driver) })
    }

    /// # Safety
    /// As for [`update`](Self::update).
    unsafe fn gather(&mut self, input: *const u8, len: usize, hash_driver: Option<&HashDriver>) -> c_int {
        if len == 0 {
            return 1;
        }
        let is_short =
            hash_driver.is_none_or(|hash_driver| self.gathered.bytes().len() < hash_driver.threshold);
        // SAFETY: the caller's promise.
        let more = unsafe { std::slice::from_raw_parts(input, len) };
        let goes_on = !(is_short && self.copied.load(Ordering::Relaxed)) && self.gathered.add(more);
        c_int::from(goes_on || (self.committed().is_some() && self.feed(more)))
    }

    /// Hands the message over to software, which then goes on with it. `None` if the default provider refuses.
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
        // Any positive number: HMAC_Update returns what EVP_DigestUpdate does, and that what the
        // digest's provider does.
        // SAFETY: the bytes are readable.
        bytes.is_empty() || unsafe { self.soft.update(bytes.as_ptr(), bytes.len()) } > 0
    }

    /// Its digest, by the driver if it is long enough and the driver can.
    ///
    /// # Safety
    /// As for `OSSL_FUNC_digest_final`.
    pub(crate) unsafe fn finish(
        &mut self,
        out: *mut u8,
        len: *mut usize,
        size: usize,
        with: Option<(&Provider, &Keyed)>,
    ) -> c_int {
        if self.gathers {
            let message = self.gathered.bytes();
            let is_fit = |hash_driver: &HashDriver| {
                !out.is_null()
                    && size >= hash_driver.digest_len
                    && message.len() >= hash_driver.threshold
                    && hash_driver.hardware.is_up()
            };
            if let Some((provider, keyed)) = with.filter(|(_, keyed)| is_fit(&keyed.hash_driver)) {
                if let Some(digest) = keyed.digest(provider, message, || self.soft.digest_of(message)) {
                    let digest = digest.as_slice();
                    // SAFETY: there is room for it; the core's pointer to where the length goes.
                    unsafe {
                        copy_nonoverlapping(digest.as_ptr(), out, digest.len());
                        *len = digest.len();
                    }
                    self.gathered.clear();
                    self.gathers = false;
                    return 1;
                }
            }
            if self.committed().is_none() {
                return 0;
            }
        }
        if let Some(counts) = &mut self.soft_counts {
            counts.add(self.soft_len);
        }
        // SAFETY: the caller's promise.
        unsafe { self.soft.finish(out, len, size) }
    }
}
