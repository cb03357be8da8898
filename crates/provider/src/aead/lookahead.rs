//! GCM with look-ahead: a message whose nonce was predicted uses key stream that is already there.

use outboard_accel::memory::try_box;
use outboard_accel::{KeyStreamSegment, wipe};
use outboard_counters::SoftwareReason;

use super::context::{Context, FULL_TAG, GCM_NONCE, Short};
use super::text_room::TextRoom;
use crate::hardware::Hardware;
use crate::key_session::KeyUse;
use crate::lookahead::{
    FIRST_OF_GCM, GcmTag, Job, KeyStream, NoncePattern, NoncePredictor, RecordStream, Seen, Stopped,
    Verifier, is_tag,
};
use crate::owned_slots::SlotId;
use crate::software::SoftContext;
use crate::spot_check::BlockCipher;

/// Block length in bytes.
const BLOCK: usize = 16;

/// Number of key stream blocks that software computes at a time.
const CHUNK: usize = 32;

/// Look-ahead of a context.
pub(super) struct MessageLookahead {
    predictor: NoncePredictor,
    /// The sequence number of the message, if its nonce was predicted.
    sequence: Option<u64>,
    /// Bytes that were processed with the key before the stream started.
    bytes: usize,
    stream: Option<SlotId>,
    tag: Option<GcmTag>,
}

/// The nonce and the parts of a message. The text is XORed from `input` to `output`.
pub(super) struct Message<'a> {
    /// The nonce that was observed last.
    pub(super) nonce: &'a [u8],
    pub(super) aad: &'a [u8],
    pub(super) job: Job,
    pub(super) tag: TagUse<'a>,
}

/// What is done with the tag of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TagUse<'a> {
    /// Encryption: it is computed.
    Compute,
    /// Decryption: it is verified before any plaintext is written.
    Verify(&'a [u8]),
    /// Decryption of a text whose tag follows. It is computed, for a comparison at the end.
    Follows,
}

/// A processed message, of whose input there is a copy in [`Context::text`].
pub(super) struct Processed {
    /// The tag, unless it was verified.
    pub(super) tag: Short,
}

impl MessageLookahead {
    fn new() -> MessageLookahead {
        MessageLookahead {
            predictor: NoncePredictor::default(),
            sequence: None,
            bytes: 0,
            stream: None,
            tag: None,
        }
    }

    /// Whether there is key stream.
    pub(super) fn is_running(&self) -> bool {
        self.stream.is_some()
    }
}

impl Context {
    /// The driver that computes key stream, if look-ahead may be used.
    fn ahead_driver(&self) -> Option<&'static Hardware> {
        self.cipher.ahead.as_deref().filter(|ahead| ahead.is_up())
    }

    /// Whether texts must be passed to [`message_ahead`](Self::message_ahead).
    #[inline]
    pub(super) fn looks_ahead(&self) -> bool {
        self.lookahead.is_some() && !self.key.is_empty()
    }

    /// Begins with a new key.
    pub(super) fn reset_lookahead(&mut self) {
        self.close_lookahead();
        // Without memory for it, messages of this key are processed without look-ahead.
        self.lookahead = self.ahead_driver().and_then(|_| try_box(MessageLookahead::new()));
    }

    /// Ends look-ahead for this context's key.
    pub(super) fn close_lookahead(&mut self) {
        if let Some(id) = self.lookahead.take().and_then(|ahead| ahead.stream) {
            self.provider.lookahead.streams().map(|streams| streams.close(id));
        }
        if let Some(hardware) = self.cipher.ahead.as_deref() {
            self.ahead_key.close(hardware);
        }
    }

    /// Drops the copy of a text that `soft` does not need.
    pub(super) fn drop_text(&mut self) {
        self.offloaded = None;
        self.text.empty();
    }

    /// Forgets the nonces, because those of some messages were not observed.
    #[cold]
    pub(super) fn forget_nonces(&mut self) {
        if let Some(lookahead) = &mut self.lookahead {
            lookahead.predictor = NoncePredictor::default();
        }
    }

    /// Learns from the nonce of the message at its first text. A nonce without a text does not count:
    /// it may be one that was set with the key, and does not belong to the sequence.
    #[inline]
    pub(super) fn observe_at_text(&mut self) {
        if std::mem::take(&mut self.is_unobserved) {
            let nonce = self.nonce;
            self.observe_nonce(nonce.as_slice());
        }
    }

    /// Learns from the nonce of a message with text. Ends look-ahead if nonces cannot be predicted.
    #[inline]
    pub(super) fn observe_nonce(&mut self, nonce: &[u8]) {
        let Some(lookahead) = &mut self.lookahead else { return };
        let Some(nonce) = number(nonce) else { return };
        lookahead.sequence = match lookahead.predictor.observe(nonce) {
            Seen::Expected(sequence) => Some(sequence),
            Seen::Other => {
                if lookahead.predictor.is_hopeless() {
                    self.close_lookahead();
                    return;
                }
                None
            }
        };
    }

    /// Processes a message with key stream, as far as there is some, and the rest of its text in
    /// software. `None`: nothing was written, and the caller must process the message.
    ///
    /// # Safety
    /// The text is as for [`Job`].
    pub(super) unsafe fn message_ahead(&mut self, message: &Message<'_>) -> Option<Processed> {
        let lookahead = self.lookahead.as_mut()?;
        let Some(hardware) = self.cipher.ahead.as_deref().filter(|ahead| ahead.is_up()) else {
            self.close_lookahead();
            return None;
        };
        let sequence = lookahead.sequence;
        // There is not more key stream for one message, and the copy of its text is as long.
        if !self.cipher.lookahead.serves(message.job.len) {
            return None;
        }
        if message.job.len > KeyStreamSegment::LONGEST {
            self.why = Some(SoftwareReason::AboveLimit);
            return None;
        }
        self.why = Some(SoftwareReason::LookaheadMissed);
        let Some(id) = lookahead.stream else {
            lookahead.bytes = lookahead.bytes.saturating_add(message.job.len);
            if lookahead.bytes >= self.cipher.lookahead.start {
                self.start_records(hardware, message.job.len);
            } else {
                self.why = Some(SoftwareReason::FewKeyBytes);
            }
            return None;
        };
        let row = self.provider.counters.row(self.cipher.kind.name);
        let streams = self.provider.lookahead.streams()?;
        let is_other = || row.inspect(|row| row.add_ahead_miss());
        let Some(mut guard) = streams.borrow(id) else {
            lookahead.stream = None;
            lookahead.bytes = 0;
            return None;
        };
        let KeyStream::Records(stream) = &mut *guard else { return None };
        let pattern = lookahead.predictor.prediction().map(|(pattern, _)| pattern);
        let nonce = number(message.nonce);
        let is_current = |&sequence: &u64| {
            pattern.is_some_and(|own| own == stream.pattern() && Some(own.nonce(sequence)) == nonce)
        };
        let Some(sequence) = sequence.filter(is_current) else {
            is_other();
            if pattern.is_some() {
                // A new pattern. Another stream starts with the next message.
                drop(guard);
                streams.close(id);
                lookahead.stream = None;
            }
            return None;
        };
        let reference = self.key_session.reference(self.provider, self.cipher, &self.key)?;
        let verifier = Verifier { hardware, reference, algorithm: self.cipher.kind.name, row };
        let copy = &mut self.text;
        let processed = lookahead.tag.as_ref().and_then(|tag| {
            // SAFETY: guaranteed by the caller.
            unsafe { process(stream, sequence, message, &verifier, tag, copy) }
        });
        let (processed, stopped) = match processed {
            Some((processed, stopped)) => (processed, stopped),
            None => (None, Stopped::NotReady),
        };
        if processed.is_none() {
            self.text.empty();
        }
        if processed.is_some() {
            self.counts.add_ahead(message.job.len as u64);
        } else {
            is_other();
        }
        let failed = match stopped {
            Stopped::Complete | Stopped::NotReady | Stopped::Elsewhere => {
                if stream.needs_more(sequence) {
                    while streams.evict_idle() {}
                }
                stream.refill(sequence).err()
            }
            Stopped::Wrong => None,
            Stopped::Failed(error) => Some(error),
        };
        // Without memory the next attempt is after as many bytes as the first one, not with each
        // message.
        let ends = failed.is_some() || stream.is_empty();
        drop(guard);
        if let Some(error) = failed {
            self.ahead_key.key_stream_failed(hardware, &error, row);
        }
        if ends {
            streams.close(id);
            if let Some(lookahead) = &mut self.lookahead {
                lookahead.stream = None;
                lookahead.bytes = 0;
            }
        }
        if !hardware.is_up() {
            self.close_lookahead();
        }
        processed
    }

    /// Starts a stream, if the nonces can be predicted.
    #[cold]
    fn start_records(&mut self, hardware: &'static Hardware, len: usize) {
        let prediction = self.lookahead.as_ref().and_then(|lookahead| lookahead.predictor.prediction());
        let Some(prediction) = prediction else { return };
        let stream = self.new_records(hardware, prediction, len);
        if let Some(lookahead) = &mut self.lookahead {
            lookahead.stream = stream;
            lookahead.bytes = 0;
        }
    }

    /// Submits the key stream of the first messages. `None`: the driver or the default provider has
    /// no room for the key, or the device is absent.
    fn new_records(
        &mut self,
        hardware: &'static Hardware,
        prediction: (NoncePattern, u64),
        len: usize,
    ) -> Option<SlotId> {
        let (key, settings) = (&self.key, &self.provider.lookahead);
        let row = self.provider.counters.row(self.cipher.kind.name);
        let software = self.provider.software.context(&self.provider.core);
        let reference = self.key_session.reference(self.provider, self.cipher, key)?;
        let lookahead = self.lookahead.as_mut()?;
        if lookahead.tag.is_none() {
            let context = SoftContext::with_key(self.cipher.soft, software, true, key, &[0; GCM_NONCE])?;
            lookahead.tag = Some(GcmTag::new(context, reference)?);
        }
        let session =
            self.ahead_key.session(hardware, KeyUse::ENOUGH, |urgent| hardware.open(key, urgent))?;
        let memory = (settings.budget(), settings.window);
        let mut stream = RecordStream::new(session.share().ok()?, memory, prediction, len, row);
        drop(session);
        if let Err(error) = stream.refill(prediction.1.wrapping_sub(1)) {
            self.ahead_key.key_stream_failed(hardware, &error, row);
            return None;
        }
        settings.streams()?.insert(KeyStream::Records(stream), true)
    }
}

/// Processes a message: verifies its tag or computes it. The outer `None`: software must process the
/// message, and its key stream was not used.
///
/// # Safety
/// As for [`Job`].
unsafe fn process(
    stream: &mut RecordStream,
    sequence: u64,
    message: &Message<'_>,
    verifier: &Verifier<'_>,
    tags: &GcmTag,
    copy: &mut TextRoom,
) -> Option<(Option<Processed>, Stopped)> {
    let Job { input, output, len } = message.job;
    // SAFETY: guaranteed by the caller. The slice is not used after the text was written.
    let text = &*copy.fill(unsafe { std::slice::from_raw_parts(input, len) }, 0)?;
    let mut tag = Short::default();
    if message.tag != TagUse::Compute {
        let expected = tags.compute(message.nonce, message.aad, text)?;
        match message.tag {
            // The default provider reports it.
            TagUse::Verify(tag) if !is_tag(&expected, tag) => return None,
            TagUse::Follows => tag.room(FULL_TAG).copy_from_slice(&expected),
            _ => {}
        }
    }
    // SAFETY: guaranteed by the caller.
    let (done, stopped) = unsafe { stream.mix(sequence, message.job, verifier) };
    if done == 0 && len > 0 {
        return Some((None, stopped));
    }
    let nonce = number(message.nonce)?;
    // SAFETY: guaranteed by the caller.
    let mut is_whole = unsafe { xor_rest(nonce, message.job, done, verifier.reference) };
    if is_whole && message.tag == TagUse::Compute {
        // SAFETY: guaranteed by the caller; the text was written above.
        let ciphertext = unsafe { std::slice::from_raw_parts(output, len) };
        match tags.compute(message.nonce, message.aad, ciphertext) {
            Some(computed) => tag.room(FULL_TAG).copy_from_slice(&computed),
            None => is_whole = false,
        }
    }
    if !is_whole {
        // The default provider failed. It gets the input again, which may be where the output is.
        // SAFETY: the output is writable for the length of the text.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), output, len) };
        return Some((None, stopped));
    }
    Some((Some(Processed { tag }), stopped))
}

/// Processes the text from byte `done` on in software. False if the default provider fails.
///
/// # Safety
/// As for [`Job`].
unsafe fn xor_rest(nonce: u128, job: Job, mut done: usize, cipher: &BlockCipher) -> bool {
    let mut stream = [0; CHUNK * BLOCK];
    let mut is_right = true;
    while done < job.len && is_right {
        let skip = done % BLOCK;
        let len = (stream.len() - skip).min(job.len - done);
        let room = &mut stream[..(skip + len).next_multiple_of(BLOCK)];
        for (index, block) in room.chunks_exact_mut(BLOCK).enumerate() {
            let counter = FIRST_OF_GCM.wrapping_add((done / BLOCK + index) as u32);
            block.copy_from_slice(&(nonce << 32 | u128::from(counter)).to_be_bytes());
        }
        is_right = cipher.encrypt(room);
        if is_right {
            let part = job.after(done);
            for (offset, byte) in room[skip..skip + len].iter().enumerate() {
                // SAFETY: guaranteed by the caller; `len` bytes are left.
                unsafe { part.output.add(offset).write(part.input.add(offset).read() ^ byte) };
            }
        }
        done += len;
    }
    wipe(&mut stream);
    is_right
}

/// A nonce of GCM's usual length as a number.
fn number(nonce: &[u8]) -> Option<u128> {
    let bytes: [u8; GCM_NONCE] = nonce.try_into().ok()?;
    let mut wide = [0; 16];
    wide[16 - GCM_NONCE..].copy_from_slice(&bytes);
    Some(u128::from_be_bytes(wide))
}
