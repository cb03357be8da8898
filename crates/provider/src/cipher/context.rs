use std::ffi::c_uint;
use std::ptr::null;

use outboard_abi::{Param, end, name};
use outboard_accel::{KeyBytes, wipe};

use super::unpad::Mac;
use crate::context_counts::ContextCounts;
use crate::contexts::{Create, Duplicate};
use crate::core::Core;
use crate::key_session::{KeySession, SessionPlace};
use crate::kinds::{Block, Kind, Mode};
use crate::offer::Cipher;
use crate::owned_slots::SlotId;
use crate::provider::Provider;
use crate::provider_context::ProviderContext;
use crate::software::SoftContext;

#[derive(Clone, Copy)]
pub(super) enum LookaheadState {
    /// Not for this cipher or key.
    Off,
    /// Not yet: this number of bytes was processed with the key.
    Counting(usize),
    /// The context owns a stream.
    On(SlotId),
}

/// The default provider's context in `soft` owns the state of the stream. The other fields let the
/// accelerator continue a stream and return it to `soft`: see `running`.
pub(crate) struct Context {
    /// A smaller request goes directly to `soft`: the threshold, 0 while an action is required
    /// before it, or `usize::MAX` while the accelerator cannot be used.
    pub(super) straight_below: usize,
    pub(super) soft: SoftContext,
    /// Bytes in the buffer of `soft`. In counter mode, used bytes of the last key stream block.
    pub(super) held: usize,
    /// [`Kind::mask`]
    pub(super) mask: usize,
    /// 1 if `soft` holds back the last block, as decryption with padding must.
    pub(super) keeps_last: usize,
    pub(super) counts: ContextCounts,

    pub(super) cipher: &'static Cipher,
    pub(super) provider: &'static Provider,
    pub(super) encrypt: bool,
    pub(super) padding: bool,
    /// Protocol version as on the wire, 0 outside TLS records.
    pub(super) tls_version: u32,
    /// Length of the MAC in a record in bytes, 0 with encrypt-then-MAC.
    pub(super) tls_mac_size: usize,
    /// The MAC of the last decrypted record, if it was removed here and not by `soft`.
    pub(super) tls_mac: Option<Mac>,

    /// Can be set and read in CBC and ECB mode without an effect. Setting an IV resets it.
    pub(super) num: c_uint,
    pub(super) key: KeyBytes,
    /// The default provider expands a key for one direction, and not again if only the direction
    /// changes.
    pub(super) key_encrypts: bool,
    /// The IV of the last initialisation. `soft` loses it when a running IV is set in it.
    pub(super) original_iv: Block,
    pub(super) iv_given: bool,
    pub(super) pushed: bool,
    /// The IV to continue from, if `soft` does not have it yet. In counter mode, `held` bytes of
    /// this block's key stream were used. In other modes `soft` then holds no bytes.
    pub(super) running: Option<Block>,
    /// The next block of ciphertext, if decryption with padding must hold it back and `soft` does
    /// not.
    pub(super) kept: Option<Block>,
    pub(super) key_session: KeySession,
    /// The session of the key with the driver that computes key stream.
    pub(super) ahead_key: SessionPlace,
    pub(super) lookahead: LookaheadState,
    /// Look-ahead did not process all of the present request.
    pub(super) has_missed: bool,
    /// Consecutive streams of key stream that were not useful.
    pub(super) wasted_streams: u32,
    /// The default provider failed in the middle of a call. The accelerator is not used until the
    /// next initialisation.
    pub(super) lost: bool,
}

impl Context {
    pub(super) fn kind(&self) -> &'static Kind {
        self.cipher.kind
    }

    pub(super) fn threshold(&self) -> usize {
        self.cipher.threshold(self.encrypt)
    }

    /// A software context that continues after this one: see [`SoftContext::with_key`].
    fn soft_for_records(&self) -> Option<SoftContext> {
        let iv = self.running.or_else(|| self.iv_of_soft())?;
        let software = self.provider.software.context();
        let iv = &iv[..self.kind().iv_len()];
        let soft = SoftContext::with_key(&self.cipher.soft, software, self.encrypt, &self.key, iv)?;
        let (mut padding, mut version) = (c_uint::from(self.padding), self.tls_version);
        let (mut mac_size, mut num) = (self.tls_mac_size, self.num);
        let params = [
            Param::construct_uint(name::NUM, &mut num),
            Param::construct_uint(name::PADDING, &mut padding),
            Param::construct_uint(name::TLS_VERSION, &mut version),
            Param::construct_size_t(name::TLS_MAC_SIZE, &mut mac_size),
            end(),
        ];
        soft.set_params(&params).then_some(soft)
    }

    /// The MAC of the record that `soft` decrypted last, if there is one.
    fn soft_mac(&self) -> Option<Mac> {
        if !self.takes_records() || self.encrypt {
            return None;
        }
        let mut at: *const u8 = null();
        let mut params = [Param::construct_octet_ptr(name::TLS_MAC, &mut at), end()];
        // SAFETY: a context of this cipher; the array and its value pointer live through the call.
        let done = unsafe { (self.soft.functions.get_ctx_params)(self.soft.at, params.as_mut_ptr()) };
        if done != 1 || at.is_null() {
            return None;
        }
        // SAFETY: the default provider returned a pointer to this many bytes, valid until its next
        // record.
        Mac::copy_of(unsafe { std::slice::from_raw_parts(at, params[0].return_size) })
    }

    /// Whether each update is a TLS record.
    pub(super) fn takes_records(&self) -> bool {
        self.tls_version > 0 && self.kind().mode == Mode::Cbc
    }

    /// Updates the limits. Must be called after any change that affects them.
    pub(super) fn settle(&mut self) {
        self.keeps_last = usize::from(!self.encrypt && self.padding && self.kind().mode.holds_data());
        let has_task = self.running.is_some() || self.takes_records();
        let has_key_stream = matches!(self.lookahead, LookaheadState::On(_));
        self.straight_below = if has_task || has_key_stream && self.looks_ahead() {
            0
        } else if self.looks_ahead() || self.counts.has_reasons() {
            // Longer requests start look-ahead, and their reasons are counted.
            self.shortest_possible()
        } else if self.may_offload() {
            self.threshold()
        } else {
            usize::MAX
        };
    }

    pub(super) fn may_offload(&self) -> bool {
        !self.lost
            && (self.key_encrypts == self.encrypt || self.kind().mode == Mode::Ctr)
            && (self.iv_given || self.kind().mode != Mode::Xts)
            && !self.key.is_empty()
            && self.cipher.hardware.is_up()
    }

    pub(super) fn close_session(&mut self) {
        self.key_session.close(&self.cipher.hardware);
        if let Some(hardware) = self.cipher.ahead.as_deref() {
            self.ahead_key.close(hardware);
        }
    }

    /// Must be called after a failure of the default provider.
    pub(super) fn lose(&mut self) {
        self.lost = true;
        self.running = None;
        self.kept = None;
        self.settle();
    }

    /// Transfers the state of the accelerator to `soft`. False if that fails.
    pub(super) fn sync(&mut self) -> bool {
        let Some(running) = self.running.take() else { return true };
        self.pushed = true;
        let mut num = self.num;
        let params = [Param::construct_uint(name::NUM, &mut num), end()];
        let (iv_len, block) = (self.kind().iv_len(), self.kind().block());
        let used = if self.kind().mode == Mode::Ctr { self.held } else { 0 };
        let told = self.soft.set_iv(self.encrypt, &running[..iv_len])
            && self.soft.skip(used)
            && (num == 0 || self.soft.set_params(&params))
            && self.kept.is_none_or(|kept| self.soft.keep_back(&kept[..block]));
        if self.kept.take().is_some() {
            self.held = block;
        }
        if told {
            self.settle()
        } else {
            self.lose()
        }
        told
    }
}

impl Create for Context {
    fn create(context: &'static ProviderContext, kind: usize) -> Option<Context> {
        let ProviderContext { provider, offer, .. } = context;
        let cipher = offer.get()?.cipher(kind)?;
        let soft = SoftContext::new(&cipher.soft, provider.software.context())?;
        Some(Context {
            straight_below: usize::MAX,
            soft,
            held: 0,
            mask: cipher.kind.mask(),
            keeps_last: 0,
            counts: ContextCounts::new(provider, cipher.kind.name),
            cipher,
            provider,
            encrypt: true,
            padding: true,
            tls_version: 0,
            tls_mac_size: 0,
            tls_mac: None,
            num: 0,
            key: KeyBytes::default(),
            key_encrypts: true,
            original_iv: Block::default(),
            iv_given: false,
            pushed: false,
            running: None,
            kept: None,
            key_session: KeySession::default(),
            ahead_key: SessionPlace::default(),
            lookahead: LookaheadState::Off,
            has_missed: false,
            wasted_streams: 0,
            lost: false,
        })
    }
}

impl Duplicate for Context {
    fn core(&self) -> &Core {
        &self.provider.core
    }

    fn duplicate(&self) -> Option<Context> {
        let in_records = self.takes_records() && !self.key.is_empty();
        let soft = if in_records { self.soft_for_records()? } else { self.soft.duplicate()? };
        Some(Context {
            soft,
            pushed: self.pushed || in_records,
            running: if in_records { None } else { self.running },
            counts: ContextCounts::new(self.provider, self.cipher.kind.name),
            tls_mac: self.tls_mac.clone().or_else(|| self.soft_mac()),
            key: self.key.clone(),
            key_session: self.key_session.copy(&self.cipher.hardware),
            ahead_key: SessionPlace::default(),
            // A copy computes its own key stream.
            lookahead: match self.lookahead {
                LookaheadState::Off => LookaheadState::Off,
                LookaheadState::Counting(_) | LookaheadState::On(_) => LookaheadState::Counting(0),
            },
            ..*self
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.close_key_stream();
        self.close_session();
        wipe(&mut self.original_iv);
        if let Some(running) = &mut self.running {
            wipe(running);
        }
    }
}
