//! GCM with look-ahead: a message whose nonce was predicted uses key stream that is already there.

use outboard_accel::KeyStreamSegment;
use outboard_accel::memory::try_box;
use outboard_counters::SoftwareReason;

use super::context::Context;
use super::message::{Message, MessageLookahead, Processed, number, process};
use super::short::GCM_NONCE;
use crate::hardware::Hardware;
use crate::lookahead::{
    GcmTag, KeyStream, NoncePattern, NoncePredictor, RecordStream, Seen, Stopped, Verifier,
};
use crate::owned_slots::SlotId;
use crate::software::SoftContext;

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

    /// Whether key stream is computed for texts of `len` bytes. Software processes what it does not cover:
    /// a direct request would wait for a driver that may have stopped.
    pub(super) fn has_key_stream_for(&self, len: usize) -> bool {
        self.lookahead.as_ref().is_some_and(|lookahead| lookahead.is_running())
            && self.cipher.lookahead.serves(len)
            && len <= KeyStreamSegment::LONGEST
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
    pub(super) fn message_ahead(&mut self, message: &Message<'_>) -> Option<Processed> {
        let lookahead = self.lookahead.as_mut()?;
        let Some(hardware) = self.cipher.ahead.as_deref().filter(|ahead| ahead.is_up()) else {
            self.close_lookahead();
            return None;
        };
        let sequence = lookahead.sequence;
        // There is not more key stream for one message, and the copy of its text is as long.
        if !self.cipher.lookahead.serves(message.job.len()) {
            return None;
        }
        if message.job.len() > KeyStreamSegment::LONGEST {
            self.why = Some(SoftwareReason::AboveLimit);
            return None;
        }
        self.why = Some(SoftwareReason::LookaheadMissed);
        let Some(id) = lookahead.stream else {
            lookahead.bytes = lookahead.bytes.saturating_add(message.job.len());
            if lookahead.bytes >= self.cipher.lookahead.start {
                self.start_records(hardware, message.job.len());
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
        let processed =
            lookahead.tag.as_ref().and_then(|tag| process(stream, sequence, message, &verifier, tag, copy));
        let (processed, stopped) = match processed {
            Some((processed, stopped)) => (processed, stopped),
            None => (None, Stopped::NotReady),
        };
        if processed.is_none() {
            self.text.empty();
        }
        let ahead = processed.as_ref().map_or(0, |processed| processed.ahead);
        if ahead > 0 {
            self.counts.add_ahead(ahead as u64);
        }
        if ahead < message.job.len() {
            is_other();
            if processed.is_some() {
                let rest = (message.job.len() - ahead) as u64;
                self.counts.add(rest);
                self.counts.because(SoftwareReason::LookaheadMissed, rest);
            }
        }
        let usable = match stopped {
            Stopped::Complete | Stopped::NotReady | Stopped::Elsewhere => {
                if stream.needs_more(sequence) {
                    while streams.evict_idle() {}
                }
                stream.refill(sequence).map_err(Some)
            }
            Stopped::NoAnswer => {
                hardware.has_not_answered(row);
                Err(None)
            }
            // What the driver has computed besides is not used either.
            Stopped::Wrong => Err(None),
            Stopped::Failed(error) => Err(Some(error)),
        };
        // Without memory the next attempt is after as many bytes as the first one, not with each
        // message.
        let ends = usable.is_err() || stream.is_empty();
        drop(guard);
        if let Err(Some(error)) = usable {
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
    /// no room for the key, or the driver is late, or the device is absent.
    fn new_records(
        &mut self,
        hardware: &'static Hardware,
        prediction: (NoncePattern, u64),
        len: usize,
    ) -> Option<SlotId> {
        let (key, settings) = (&self.key, &self.provider.lookahead);
        let session = self.ahead_key.key_stream_session(hardware, key, settings)?;
        let place = settings.place()?;
        let row = self.provider.counters.row(self.cipher.kind.name);
        let software = self.provider.software.context();
        let reference = self.key_session.reference(self.provider, self.cipher, key)?;
        let lookahead = self.lookahead.as_mut()?;
        if lookahead.tag.is_none() {
            let soft = &self.cipher.soft;
            let context = || SoftContext::with_key(soft, software, true, key, &[0; GCM_NONCE]);
            lookahead.tag = Some(GcmTag::new(context, reference)?);
        }
        let supply = settings.supply(session.share().ok()?);
        let mut stream = RecordStream::new(supply, prediction, len, row);
        drop(session);
        if let Err(error) = stream.refill(prediction.1.wrapping_sub(1)) {
            self.ahead_key.key_stream_failed(hardware, &error, row);
            return None;
        }
        Some(place.fill(KeyStream::Records(stream)))
    }
}

#[cfg(test)]
mod tests;
