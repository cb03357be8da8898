//! What a context holds.

use std::ffi::c_void;

use zeroize::Zeroizing;

use crate::cipher::Mode;
use crate::contexts::hand_over;
use crate::entry::Provider;
use crate::key_session::KeySession;
use crate::offer::Cipher;
use crate::soft_counts::SoftCounts;
use crate::software::SoftContext;

/// Bytes of a full tag, and room for any.
pub(super) const FULL_TAG: usize = 16;

/// Bytes of the nonce with which GCM goes to the accelerator. Others are hashed first, and are for software.
pub(super) const GCM_NONCE: usize = 12;

/// When a text was not all of its message, the next messages are likely to be the same.
const UNLIKE: u8 = 8;

/// A short row of bytes: a nonce, a tag, what precedes a record.
#[derive(Clone, Copy, Default)]
pub(super) struct Short {
    bytes: [u8; FULL_TAG],
    len: usize,
}

impl Short {
    /// A copy; `None` if it is longer than there is room.
    pub(super) fn of(bytes: &[u8]) -> Option<Short> {
        let mut short = Short { bytes: [0; FULL_TAG], len: bytes.len() };
        short.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(short)
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Room for so many bytes.
    pub(super) fn room(&mut self, len: usize) -> &mut [u8] {
        self.len = len;
        &mut self.bytes[..len]
    }
}

/// How far a message has got.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It is the default provider's affair, or there is none.
    Soft,
    /// Its nonce and additional data are known here, and `soft` has had them and no text.
    Open,
    /// The accelerator has done its text, and `soft` has not: see [`Ahead`].
    Ahead,
}

/// What the accelerator has done and `soft` has not.
pub(super) struct Ahead {
    /// The text as it went in.
    pub(super) text: Zeroizing<Vec<u8>>,
    /// The tag of what was encrypted; empty after decryption.
    pub(super) tag: Short,
}

/// What a key of CCM is bound to when it is set, and GCM's is not.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Form {
    pub(super) encrypt: bool,
    pub(super) nonce_len: usize,
    pub(super) tag_len: usize,
}

/// One context. The default provider's in `soft` owns all state; what is known of it here is only what was seen, and when
/// something unusual is seen, [`Stage::Soft`] leaves the message to it.
pub(crate) struct Context {
    /// A text shorter than this goes straight to `soft`: the threshold, or 0 while the accelerator is ahead, or
    /// `usize::MAX` while it is out of the question.
    pub(super) straight_below: usize,
    /// The default provider's context.
    pub(super) soft: SoftContext,
    pub(super) stage: Stage,
    /// CCM, not GCM.
    pub(super) ccm: bool,
    /// Software requests not yet in the shared counters.
    pub(super) soft_counts: SoftCounts,

    pub(super) cipher: &'static Cipher,
    pub(super) provider: &'static Provider,
    /// The direction, and for CCM the lengths that were set.
    pub(super) form: Form,
    /// Those of the time when the key was set.
    pub(super) key_form: Form,
    /// Empty until it is known.
    pub(super) key: Zeroizing<Vec<u8>>,
    /// The message's.
    pub(super) nonce: Short,
    pub(super) aad: Vec<u8>,
    /// CCM: the length of the text, if it was announced.
    pub(super) announced: Option<usize>,
    /// CCM: `soft` may still know a length that was announced, and a nonce, of a message before.
    pub(super) stale_length: bool,
    /// The tag to be checked, if `soft` has the same.
    pub(super) tag: Option<Short>,
    /// `soft` may take the next update for a TLS record.
    pub(super) in_record: bool,
    /// What precedes the record, if it is one that the accelerator could do.
    pub(super) record: Option<Short>,
    /// GCM: `soft` has an IV of which a part stays and a part is counted up.
    pub(super) counts_up: bool,
    pub(super) ahead: Option<Ahead>,
    /// The accelerator took the text that came last for all of a message, and for forged.
    pub(super) refused: bool,
    /// So many messages are not taken for one text each: the one before them was not.
    pub(super) unlike: u8,
    /// The key in the driver, from the first request on that wanted it.
    pub(super) key_session: KeySession,
}

impl Context {
    fn new(provider: &'static Provider, cipher: &'static Cipher) -> Option<Box<Context>> {
        let soft = SoftContext::new(cipher.soft, provider.software.context(&provider.core))?;
        let ccm = cipher.kind.mode == Mode::Ccm;
        // CCM's lengths before others are set (ossl_ccm_initctx).
        let (nonce_len, tag_len) = if ccm { (7, 12) } else { (GCM_NONCE, FULL_TAG) };
        Some(Box::new(Context {
            straight_below: usize::MAX,
            soft,
            stage: Stage::Soft,
            ccm,
            soft_counts: SoftCounts::new(provider, cipher.kind.name),
            cipher,
            provider,
            form: Form { encrypt: true, nonce_len, tag_len },
            key_form: Form::default(),
            key: Zeroizing::new(Vec::new()),
            nonce: Short::default(),
            aad: Vec::new(),
            announced: None,
            stale_length: false,
            tag: None,
            in_record: false,
            record: None,
            counts_up: false,
            ahead: None,
            refused: false,
            unlike: 0,
            key_session: KeySession::default(),
        }))
    }

    fn duplicate(&mut self) -> Option<Box<Context>> {
        if !self.catch_up() {
            return None;
        }
        Some(Box::new(Context {
            soft: self.soft.duplicate()?,
            soft_counts: SoftCounts::new(self.provider, self.cipher.kind.name),
            key: self.key.clone(),
            aad: self.aad.clone(),
            ahead: None,
            key_session: self.key_session.copy(&self.cipher.hardware),
            ..*self
        }))
    }

    /// Leaves the message to the default provider, until the next one.
    pub(super) fn leave(&mut self) {
        self.stage = Stage::Soft;
        self.stale_length = true;
        self.settle();
    }

    /// A message begins under this nonce, of which `soft` knows the same.
    pub(super) fn open(&mut self, nonce: &[u8]) {
        let fits = if self.ccm { nonce.len() == self.form.nonce_len } else { nonce.len() == GCM_NONCE };
        self.stage = Stage::Soft;
        self.aad.clear();
        self.announced = None;
        self.refused = false;
        if self.unlike > 0 {
            self.unlike -= 1;
        } else if let (true, false, Some(nonce)) = (fits, self.in_record, Short::of(nonce)) {
            self.nonce = nonce;
            self.stage = Stage::Open;
        }
        self.stale_length |= self.stage == Stage::Soft;
        self.settle();
    }

    /// There was more to a message than the text that the accelerator had.
    pub(super) fn was_unlike(&mut self) {
        self.unlike = UNLIKE;
    }

    /// Decides anew which texts go straight to software; to be called whenever that may have changed.
    pub(super) fn settle(&mut self) {
        self.straight_below = match self.stage {
            Stage::Ahead => 0,
            Stage::Open if self.may_offload() => self.threshold(),
            Stage::Soft if self.record.is_some() && self.may_offload() => self.threshold(),
            Stage::Open | Stage::Soft => usize::MAX,
        };
    }

    /// The smallest text in bytes that goes to the accelerator.
    #[inline]
    pub(super) fn threshold(&self) -> usize {
        self.cipher.threshold(self.form.encrypt)
    }

    /// Whether the accelerator is in question for this context at all.
    pub(super) fn may_offload(&self) -> bool {
        !self.key.is_empty() && (!self.ccm || self.key_form == self.form) && self.cipher.hardware.is_up()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.key_session.close(&self.cipher.hardware);
    }
}

/// `OSSL_FUNC_cipher_newctx`
pub(super) unsafe extern "C" fn newctx<const KIND: usize>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: the core hands back the context that OSSL_provider_init gave it, and tears it down only when no cipher of
    // ours, and so no context, is left.
    made(unsafe { &*provider.cast::<Provider>() }, KIND)
}

/// Once, and not in each of its callers.
#[inline(never)]
fn made(provider: &'static Provider, kind: usize) -> *mut c_void {
    hand_over(|| Context::new(provider, provider.offer()?.cipher(kind)?))
}

/// `OSSL_FUNC_cipher_dupctx`
pub(super) unsafe extern "C" fn dupctx(at: *mut c_void) -> *mut c_void {
    // SAFETY: the core's promise about contexts.
    hand_over(|| unsafe { super::context(at) }.duplicate())
}
