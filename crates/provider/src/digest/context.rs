//! What a digest context holds, and a message from its first byte to its digest.

use std::ffi::{c_int, c_void};
use std::ptr::copy_nonoverlapping;
use std::sync::atomic::{AtomicBool, Ordering};

use outboard_abi::Param;

use super::gathered::{Gathered, MOST};
use super::offer::Digest;
use super::software::SoftContext;
use crate::contexts::hand_over;
use crate::entry::Provider;
use crate::guard;
use crate::soft_counts::SoftCounts;

/// One digest context.
///
/// A message is either in `gathered`, from its first byte on, and nowhere else; or in the default provider's context, which
/// goes on with it to its end.
pub(super) struct Context {
    gathers: bool,
    gathered: Gathered,
    /// The default provider's context; while `gathers`, one whose message has no byte yet.
    soft: SoftContext,
    /// Somebody has a copy. Atomic, since threads may copy one context at the same time.
    copied: AtomicBool,
    digest: &'static Digest,
    provider: &'static Provider,
    /// Bytes of this message that `soft` got.
    soft_len: u64,
    /// Messages in software not yet in the shared counters.
    soft_counts: SoftCounts,
}

impl Context {
    fn new(provider: &'static Provider, digest: &'static Digest) -> Option<Box<Context>> {
        let soft = SoftContext::new(digest.soft, provider.software.context(&provider.core))?;
        Some(Box::new(Context::with(provider, digest, soft)))
    }

    fn with(provider: &'static Provider, digest: &'static Digest, soft: SoftContext) -> Context {
        Context {
            gathers: false,
            gathered: Gathered::default(),
            soft,
            copied: AtomicBool::new(false),
            digest,
            provider,
            soft_len: 0,
            soft_counts: SoftCounts::new(provider, digest.driven.name),
        }
    }

    /// A copy. What is short is likely to be copied often, such as the transcript of a TLS handshake: the copy and, from its next
    /// bytes on, the original go on in software, so that nothing is hashed more often than twice.
    fn duplicate(&self) -> Option<Box<Context>> {
        let mut copy = Box::new(Context::with(self.provider, self.digest, self.soft.duplicate()?));
        copy.soft_len = self.soft_len;
        if !self.gathers {
            return Some(copy);
        }
        let message = self.gathered.bytes();
        if message.len() >= self.digest.driven.threshold {
            if let Some(gathered) = self.gathered.copy() {
                (copy.gathered, copy.gathers) = (gathered, true);
                return Some(copy);
            }
        }
        self.copied.store(true, Ordering::Relaxed);
        copy.feed(message).then_some(copy)
    }

    /// # Safety
    /// `params` is null or ends with a null key.
    unsafe fn init(&mut self, params: *const Param) -> c_int {
        // SAFETY: the caller's promise.
        let is_plain = params.is_null() || unsafe { (*params).key.is_null() };
        let driven = &self.digest.driven;
        self.gathered.clear();
        self.copied.store(false, Ordering::Relaxed);
        self.gathers = is_plain && driven.threshold <= MOST && driven.hardware.is_up();
        self.soft_len = 0;
        // SAFETY: the caller's promise.
        unsafe { self.soft.init(params) }
    }

    /// More of a message that is gathered.
    ///
    /// # Safety
    /// `input` is readable for `len` bytes.
    unsafe fn gather(&mut self, input: *const u8, len: usize) -> c_int {
        if len == 0 {
            return 1;
        }
        let threshold = self.digest.driven.threshold;
        let is_short = self.gathered.bytes().len() < threshold;
        // SAFETY: the caller's promise.
        let more = unsafe { std::slice::from_raw_parts(input, len) };
        let goes_on = !(is_short && self.copied.load(Ordering::Relaxed)) && self.gathered.add(more);
        c_int::from(goes_on || (self.committed().is_some() && self.feed(more)))
    }

    /// Hands the message over to software, which then goes on with it. `None` if the default provider refuses.
    pub(super) fn committed(&mut self) -> Option<&mut SoftContext> {
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
        // SAFETY: the bytes are readable.
        bytes.is_empty() || unsafe { self.soft.update(bytes.as_ptr(), bytes.len()) } == 1
    }

    /// # Safety
    /// As for `OSSL_FUNC_digest_final`.
    unsafe fn finish(&mut self, out: *mut u8, len: *mut usize, size: usize) -> c_int {
        if self.gathers {
            let Digest { kind, driven, .. } = self.digest;
            let message = self.gathered.bytes();
            let fits = !out.is_null() && size >= kind.hash.digest_len();
            if fits && message.len() >= driven.threshold && driven.hardware.is_up() {
                let expect = || self.soft.digest_of(message);
                if let Some(digest) = driven.digest(self.provider, message, expect) {
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
        self.soft_counts.add(self.soft_len);
        // SAFETY: the caller's promise.
        unsafe { self.soft.finish(out, len, size) }
    }
}

/// The context behind a pointer of the core's.
///
/// # Safety
/// `at` came from [`newctx`] or [`dupctx`], was not freed, and no other reference to it is in use: EVP contexts are changed by
/// one thread at a time.
pub(super) unsafe fn context<'a>(at: *mut c_void) -> &'a mut Context {
    // SAFETY: the caller's promise.
    unsafe { &mut *at.cast::<Context>() }
}

/// `OSSL_FUNC_digest_newctx`
pub(super) unsafe extern "C" fn newctx<const KIND: usize>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: the core hands back the context that OSSL_provider_init gave it, and tears it down only when no digest of
    // ours, and so no context, is left.
    made(unsafe { &*provider.cast::<Provider>() }, KIND)
}

/// Once, and not in each of its callers.
#[inline(never)]
fn made(provider: &'static Provider, kind: usize) -> *mut c_void {
    hand_over(|| Context::new(provider, provider.digests()?.digest(kind)?))
}

/// `OSSL_FUNC_digest_dupctx`
pub(super) unsafe extern "C" fn dupctx(at: *mut c_void) -> *mut c_void {
    // SAFETY: the core's promise about contexts; shared, since other threads may copy it too.
    hand_over(|| unsafe { &*at.cast::<Context>() }.duplicate())
}

/// `OSSL_FUNC_digest_init`
pub(super) unsafe extern "C" fn init(at: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: the core's promise about contexts and parameters.
    guard(0, || unsafe { context(at).init(params) })
}

/// `OSSL_FUNC_digest_update`. A message that is in software pays for a comparison, a call and an addition.
pub(super) unsafe extern "C" fn update(at: *mut c_void, input: *const u8, len: usize) -> c_int {
    // SAFETY: the core's promise about contexts.
    let context = unsafe { context(at) };
    if !context.gathers {
        context.soft_len = context.soft_len.wrapping_add(len as u64);
        // SAFETY: the input goes on as it came. Nothing in there panics.
        return unsafe { context.soft.update(input, len) };
    }
    // SAFETY: the core's promise about buffers.
    guard(0, || unsafe { context.gather(input, len) })
}

/// `OSSL_FUNC_digest_final`
pub(super) unsafe extern "C" fn finish(at: *mut c_void, out: *mut u8, len: *mut usize, size: usize) -> c_int {
    // SAFETY: the core's promise about contexts and buffers.
    guard(0, || unsafe { context(at).finish(out, len, size) })
}
