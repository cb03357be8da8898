use outboard_accel::KeyBytes;
use outboard_accel::memory::try_copy;
use outboard_counters::SoftwareReason;

use super::message::MessageLookahead;
use super::short::{FULL_TAG, GCM_NONCE, Short};
use super::text_room::TextRoom;
use crate::context_counts::ContextCounts;
use crate::contexts::{Create, Duplicate};
use crate::core::Core;
use crate::key_session::{KeySession, SessionPlace};
use crate::kinds::Mode;
use crate::offer::Cipher;
use crate::provider::Provider;
use crate::provider_context::ProviderContext;
use crate::software::SoftContext;

/// Messages left to software after one whose text was not a single update: the next are likely
/// similar.
const UNLIKE: u8 = 8;

/// Consecutive short texts after which software gets messages from their nonce on, until a longer
/// text: to record nonce and additional data costs more than can be gained.
const SHORT_TEXTS: u8 = 16;

#[derive(Clone, Copy)]
pub(super) enum Stage {
    /// The default provider processes the message, or there is no message.
    Soft,
    /// The next update is a TLS record with this additional data, and the accelerator can process it.
    Record(Short),
    /// The nonce and additional data are known here. `soft` has processed them, or they are deferred,
    /// and no text.
    Open {
        is_deferred: bool,
        /// CCM: the announced length of the text, if any.
        announced: Option<usize>,
    },
    /// The accelerator has processed the text, and `soft` has not. The input is in [`Context::text`].
    Offloaded {
        /// After encryption, or what the text must have after decryption; empty if that was
        /// verified.
        tag: Short,
        is_deferred: bool,
    },
    /// All calls of a message that has ended are deferred.
    Ended,
}

impl Stage {
    /// After its nonce.
    pub(super) const OPEN: Stage = Stage::Open { is_deferred: false, announced: None };
}

/// Properties to which a CCM key is bound when it is set. A GCM key is not bound to them.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Form {
    pub(super) encrypt: bool,
    /// Length of nonces that was set last, in bytes; 0 if it is unknown or longer than CCM's.
    pub(super) nonce_len: u8,
    pub(super) tag_len: u8,
}

/// Records the calls that `soft`, which owns all state, has seen. After an unusual call,
/// [`Stage::Soft`] leaves the message to it.
pub(crate) struct Context {
    /// The default provider processes all of the message, and the calls need no bookkeeping.
    pub(super) is_passive: bool,
    /// Calls of messages with shorter texts go to `soft` and nothing else is done. 0 unless the
    /// context is passive and its next messages will be too.
    pub(super) pass_below: usize,
    /// Number of consecutive texts that were too short for the accelerator.
    pub(super) short_texts: u8,
    /// A shorter text goes directly to `soft`: the threshold, 0 while `soft` lacks a text that was
    /// offloaded, or `usize::MAX` while the accelerator cannot be used.
    pub(super) straight_below: usize,
    pub(super) soft: SoftContext,
    pub(super) stage: Stage,
    pub(super) ccm: bool,
    pub(super) counts: ContextCounts,

    pub(super) cipher: &'static Cipher,
    pub(super) provider: &'static Provider,
    /// The direction, and for CCM the configured lengths.
    pub(super) form: Form,
    /// The value of `form` when the key was set.
    pub(super) key_form: Form,
    /// Empty until it is known.
    pub(super) key: KeyBytes,
    /// The nonce of the message.
    pub(super) nonce: Short,
    /// Look-ahead has not observed the nonce: the message has had no text.
    pub(super) is_unobserved: bool,
    pub(super) aad: Vec<u8>,
    /// CCM: `soft` may still have the announced length and the nonce of an earlier message.
    pub(super) stale_length: bool,
    /// The tag to be checked, if it was set since the end of the last message and `soft` has it.
    pub(super) tag: Option<Short>,
    /// `soft` may process the next update as a TLS record.
    pub(super) in_record: bool,
    /// GCM: `soft` has an IV with a fixed part and a counter.
    pub(super) counts_up: bool,
    /// The input text of [`Stage::Offloaded`].
    pub(super) text: TextRoom,
    /// The tag of the last message that ended, if its calls were deferred.
    pub(super) deferred_tag: Option<Short>,
    /// The accelerator rejected the tag of the last text, which it processed as a whole message.
    pub(super) refused: bool,
    /// Further messages that are not offloaded: see [`UNLIKE`].
    pub(super) unlike: u8,
    pub(super) key_session: KeySession,
    /// The session of the key with the driver that computes key stream.
    pub(super) ahead_key: SessionPlace,
    /// Why software processes the text, if that is known.
    pub(super) why: Option<SoftwareReason>,
    /// Look-ahead with the key, if it is used.
    pub(super) lookahead: Option<Box<MessageLookahead>>,
}

impl Context {
    pub(super) fn leave(&mut self) {
        self.stage = Stage::Soft;
        self.is_unobserved = false;
        self.stale_length = true;
        self.settle();
    }

    /// Starts a message with this nonce, which `soft` already has, or which is deferred.
    pub(super) fn open(&mut self, nonce: &[u8]) {
        let fits =
            if self.ccm { nonce.len() == self.form.nonce_len.into() } else { nonce.len() == GCM_NONCE };
        self.stage = Stage::Soft;
        self.is_unobserved = false;
        self.aad.clear();
        (self.refused, self.why) = (false, None);
        if self.is_left_to_software() {
            self.settle();
            return;
        }
        let is_like = self.unlike == 0;
        self.unlike = self.unlike.saturating_sub(1);
        if let (true, false, Some(nonce)) = (fits, self.in_record, Short::of(nonce)) {
            self.nonce = nonce;
            self.is_unobserved = self.lookahead.is_some();
            self.stage = if is_like { Stage::OPEN } else { Stage::Soft };
        }
        self.stale_length |= matches!(self.stage, Stage::Soft);
        self.settle();
    }

    pub(super) fn was_unlike(&mut self) {
        self.unlike = UNLIKE;
    }

    /// Updates the limits. Must be called after any change that affects them.
    pub(super) fn settle(&mut self) {
        if self.is_deferred() {
            (self.straight_below, self.is_passive, self.pass_below) = (0, false, 0);
            return;
        }
        self.straight_below = match self.stage {
            Stage::Offloaded { .. } => 0,
            Stage::Record(_) if self.looks_ahead() => 0,
            Stage::Open { .. } | Stage::Record(_) => self.shortest(),
            Stage::Soft | Stage::Ended => usize::MAX,
        };
        self.is_passive = matches!(self.stage, Stage::Soft)
            && !self.is_unobserved
            && !(self.ccm || self.in_record || self.refused || self.counts_up);
        self.pass_below = match self.is_passive && self.is_left_to_software() {
            // The reasons of longer texts are counted.
            true if self.is_out_of_reach() && !self.counts.has_reasons() => usize::MAX,
            true => self.shortest_possible(),
            false => 0,
        };
    }

    /// Whether `soft` has not received calls of the message, besides that with the text.
    #[inline]
    pub(super) fn is_deferred(&self) -> bool {
        matches!(
            self.stage,
            Stage::Open { is_deferred: true, .. } | Stage::Offloaded { is_deferred: true, .. } | Stage::Ended
        )
    }

    pub(super) fn is_offloaded(&self) -> bool {
        matches!(self.stage, Stage::Offloaded { .. })
    }

    /// Whether the next messages of this context are left to software from their nonce on.
    pub(super) fn is_left_to_software(&self) -> bool {
        !self.ccm && (self.short_texts >= SHORT_TEXTS || self.is_out_of_reach())
    }

    fn is_out_of_reach(&self) -> bool {
        !self.key.is_empty() && self.shortest() == usize::MAX
    }

    /// Smallest text in bytes that could go to the accelerator, if its use for this key began again.
    fn shortest_possible(&self) -> usize {
        self.cipher.lookahead.from.min(self.threshold())
    }

    /// Smallest text that goes to the accelerator, directly or by look-ahead; `usize::MAX` for
    /// none.
    #[inline]
    fn shortest(&self) -> usize {
        let direct = if self.may_offload() { self.threshold() } else { usize::MAX };
        if self.looks_ahead() { direct.min(self.cipher.lookahead.from) } else { direct }
    }

    #[inline]
    pub(super) fn threshold(&self) -> usize {
        self.cipher.threshold(self.form.encrypt)
    }

    /// Counts a text that software processes.
    #[inline]
    pub(super) fn count_text(&mut self, len: usize) {
        self.counts.add(len as u64);
        if self.counts.has_reasons() && len >= self.shortest_possible() {
            self.count_reason(len);
        }
        if len < self.shortest_possible() {
            self.short_texts = self.short_texts.saturating_add(1);
        } else {
            if self.short_texts >= SHORT_TEXTS {
                self.forget_nonces();
            }
            self.short_texts = 0;
            if self.pass_below != usize::MAX {
                self.pass_below = 0;
            }
        }
    }

    /// Counts why software processes a text, if it is not too short.
    #[cold]
    fn count_reason(&mut self, len: usize) {
        let known = self.why.take();
        let ahead = self.cipher.ahead.as_ref().filter(|_| self.cipher.lookahead.serves(len));
        let is_direct = len >= self.threshold();
        let reason = match (known, ahead) {
            (_, None) if !is_direct => return,
            (Some(why), _) => why,
            _ if is_direct && !self.cipher.hardware.is_up() => SoftwareReason::DriverFailed,
            (None, Some(ahead)) if !is_direct && !ahead.is_up() => SoftwareReason::DriverFailed,
            _ if !is_direct && self.lookahead.is_none() => SoftwareReason::LookaheadMissed,
            _ => SoftwareReason::UnsuitableCall,
        };
        self.counts.because(reason, len as u64);
    }

    pub(super) fn may_offload(&self) -> bool {
        !self.key.is_empty() && (!self.ccm || self.key_form == self.form) && self.cipher.hardware.is_up()
    }
}

impl Create for Context {
    fn create(context: &'static ProviderContext, kind: usize) -> Option<Context> {
        let ProviderContext { provider, offer, .. } = context;
        let cipher = offer.get()?.cipher(kind)?;
        let soft = SoftContext::new(&cipher.soft, provider.software.context())?;
        let ccm = cipher.kind.mode == Mode::Ccm;
        // Default lengths of CCM (ossl_ccm_initctx).
        let (nonce_len, tag_len) = if ccm { (7, 12) } else { (GCM_NONCE as u8, FULL_TAG as u8) };
        Some(Context {
            is_passive: false,
            pass_below: 0,
            short_texts: 0,
            straight_below: usize::MAX,
            soft,
            stage: Stage::Soft,
            ccm,
            counts: ContextCounts::new(provider, cipher.kind.name),
            cipher,
            provider,
            form: Form { encrypt: true, nonce_len, tag_len },
            key_form: Form::default(),
            key: KeyBytes::default(),
            nonce: Short::default(),
            is_unobserved: false,
            aad: Vec::new(),
            stale_length: false,
            tag: None,
            in_record: false,
            counts_up: false,
            deferred_tag: None,
            refused: false,
            unlike: 0,
            key_session: KeySession::default(),
            ahead_key: SessionPlace::default(),
            text: TextRoom::default(),
            why: None,
            lookahead: None,
        })
    }
}

impl Duplicate for Context {
    fn core(&self) -> &Core {
        &self.provider.core
    }

    fn duplicate(&self) -> Option<Context> {
        let mut text = TextRoom::default();
        let (Some(aad), Some(_)) = (try_copy(&self.aad), text.fill(&self.text, 0)) else {
            self.provider.core.raise_no_memory();
            return None;
        };
        let mut copy = Context {
            soft: self.soft.duplicate()?,
            counts: ContextCounts::new(self.provider, self.cipher.kind.name),
            key: self.key.clone(),
            aad,
            text,
            key_session: self.key_session.copy(&self.cipher.hardware),
            ahead_key: SessionPlace::default(),
            lookahead: None,
            ..*self
        };
        // A copy computes its own key stream.
        if self.looks_ahead() {
            copy.reset_lookahead();
            copy.settle();
        }
        copy.catch_up().then_some(copy)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.close_lookahead();
        self.key_session.close(&self.cipher.hardware);
    }
}
