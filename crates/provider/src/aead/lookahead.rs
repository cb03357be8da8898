//! GCM with look-ahead: a message whose nonce was predicted uses key stream that is already there.

use outboard_accel::KeyStreamSegment;
use outboard_accel::memory::try_box;
use outboard_counters::{Row, SoftwareReason};

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

    #[inline]
    pub(super) fn looks_ahead(&self) -> bool {
        self.lookahead.is_some() && !self.key.is_empty()
    }

    /// Software processes what key stream does not cover: a direct request would wait for a driver
    /// that may have stopped.
    pub(super) fn has_key_stream_for(&self, len: usize) -> bool {
        self.lookahead.as_ref().is_some_and(|lookahead| lookahead.is_running())
            && self.cipher.lookahead.serves(len)
            && len <= KeyStreamSegment::LONGEST
    }

    pub(super) fn reset_lookahead(&mut self) {
        self.close_lookahead();
        // Without memory for it, messages of this key are processed without look-ahead.
        self.lookahead = self.ahead_driver().and_then(|_| try_box(MessageLookahead::new()));
    }

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

    /// Learns from the nonce of a message at its first text: one that was set with the key may not
    /// belong to the sequence.
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

    /// Processes a message with key stream, and the rest in software. `None`: nothing was written.
    pub(super) fn message_ahead(&mut self, message: &Message<'_>) -> Option<Processed> {
        let len = message.job.len();
        let hardware = self.driver_for(len)?;
        let Some(id) = self.lookahead.as_ref()?.stream else {
            self.count_towards_stream(hardware, len);
            return None;
        };
        let streams = self.provider.lookahead.streams()?;
        let Some(mut guard) = streams.borrow(id) else {
            // Another context has evicted it.
            self.forget_stream();
            return None;
        };
        let KeyStream::Records(stream) = &mut *guard else { return None };
        let row = stream.row();
        let Some(sequence) = self.sequence_in(stream, message.nonce) else {
            row.inspect(|row| row.add_ahead_miss());
            drop(guard);
            self.end_if_pattern_is_new(id);
            return None;
        };
        let (processed, stopped) = self.use_key_stream(stream, sequence, message, hardware, row);
        self.count_message(processed.as_ref(), len, row);
        let needs_more = stream.needs_more(sequence);
        let refill = || stream.refill(sequence);
        let goes_on = self.provider.lookahead.go_on(stopped, hardware, row, needs_more, refill);
        // Without memory the next attempt is after as many bytes as the first one.
        let ends = goes_on.is_err() || stream.is_empty();
        drop(guard);
        if let Err(Some(error)) = goes_on {
            self.ahead_key.key_stream_failed(hardware, &error, row);
        }
        if ends {
            streams.close(id);
            self.forget_stream();
        }
        if !hardware.is_up() {
            self.close_lookahead();
        }
        processed
    }

    /// `None`: it is disabled, or there is no key stream for such texts.
    fn driver_for(&mut self, len: usize) -> Option<&'static Hardware> {
        self.lookahead.as_ref()?;
        let Some(hardware) = self.ahead_driver() else {
            self.close_lookahead();
            return None;
        };
        if !self.cipher.lookahead.serves(len) {
            return None;
        }
        // There is not more key stream for one message, and the copy of its text is as long.
        let fits = len <= KeyStreamSegment::LONGEST;
        self.why = Some(if fits { SoftwareReason::LookaheadMissed } else { SoftwareReason::AboveLimit });
        fits.then_some(hardware)
    }

    /// Counts a text before there is a stream, and starts one after enough of them.
    fn count_towards_stream(&mut self, hardware: &'static Hardware, len: usize) {
        let Some(lookahead) = &mut self.lookahead else { return };
        lookahead.bytes = lookahead.bytes.saturating_add(len);
        if lookahead.bytes < self.cipher.lookahead.start {
            self.why = Some(SoftwareReason::FewKeyBytes);
            return;
        }
        let Some(prediction) = lookahead.predictor.prediction() else { return };
        let stream = self.new_records(hardware, prediction, len);
        if let Some(lookahead) = &mut self.lookahead {
            (lookahead.stream, lookahead.bytes) = (stream, 0);
        }
    }

    fn forget_stream(&mut self) {
        if let Some(lookahead) = &mut self.lookahead {
            (lookahead.stream, lookahead.bytes) = (None, 0);
        }
    }

    /// The number of a message in a stream, if its nonce is the predicted one.
    fn sequence_in(&self, stream: &RecordStream, nonce: &[u8]) -> Option<u64> {
        let lookahead = self.lookahead.as_ref()?;
        let (pattern, _) = lookahead.predictor.prediction()?;
        let is_its = |&sequence: &u64| Some(pattern.nonce(sequence)) == number(nonce);
        lookahead.sequence.filter(|_| pattern == stream.pattern()).filter(is_its)
    }

    /// The nonces do not follow its pattern any more. Another stream starts with the next message.
    fn end_if_pattern_is_new(&mut self, id: SlotId) {
        let Some(lookahead) = self.lookahead.as_mut().filter(|ahead| ahead.predictor.prediction().is_some())
        else {
            return;
        };
        lookahead.stream = None;
        self.provider.lookahead.streams().map(|streams| streams.close(id));
    }

    fn use_key_stream(
        &mut self,
        stream: &mut RecordStream,
        sequence: u64,
        message: &Message<'_>,
        hardware: &Hardware,
        row: Option<&Row>,
    ) -> (Option<Processed>, Stopped) {
        let Context { provider, cipher, key, key_session, text, lookahead, .. } = self;
        let reference = key_session.reference(provider, cipher, key);
        let tags = lookahead.as_ref().and_then(|lookahead| lookahead.tag.as_ref());
        let used = reference.zip(tags).and_then(|(reference, tags)| {
            let verifier = Verifier { hardware, reference, algorithm: cipher.kind.name, row };
            process(stream, sequence, message, &verifier, tags, text)
        });
        let (processed, stopped) = used.unwrap_or((None, Stopped::NotReady));
        if processed.is_none() {
            text.empty();
        }
        (processed, stopped)
    }

    fn count_message(&mut self, processed: Option<&Processed>, len: usize, row: Option<&Row>) {
        let ahead = processed.map_or(0, |processed| processed.ahead);
        if ahead > 0 {
            self.counts.add_ahead(ahead as u64);
        }
        if ahead < len {
            row.inspect(|row| row.add_ahead_miss());
            if processed.is_some() {
                let rest = (len - ahead) as u64;
                self.counts.add(rest);
                self.counts.because(SoftwareReason::LookaheadMissed, rest);
            }
        }
    }

    /// `None`: the driver or the default provider has no room for the key, or is late or absent.
    #[cold]
    fn new_records(
        &mut self,
        hardware: &'static Hardware,
        prediction: (NoncePattern, u64),
        len: usize,
    ) -> Option<SlotId> {
        let (key, settings) = (&self.key, &self.provider.lookahead);
        let (place, supply) = self.ahead_key.stream(hardware, key, settings)?;
        let row = self.provider.counters.row(self.cipher.kind.name);
        let software = self.provider.software.context();
        let reference = self.key_session.reference(self.provider, self.cipher, key)?;
        let lookahead = self.lookahead.as_mut()?;
        if lookahead.tag.is_none() {
            let soft = &self.cipher.soft;
            let context = || SoftContext::with_key(soft, software, true, key, &[0; GCM_NONCE]);
            lookahead.tag = Some(GcmTag::new(context, reference)?);
        }
        let mut stream = RecordStream::new(supply, prediction, len, row);
        if let Err(error) = stream.refill(prediction.1.wrapping_sub(1)) {
            self.ahead_key.key_stream_failed(hardware, &error, row);
            return None;
        }
        Some(place.fill(KeyStream::Records(stream)))
    }
}

#[cfg(test)]
mod tests;
