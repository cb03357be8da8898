//! CTR with look-ahead: an update uses key stream that is already there, as far as it goes.

use std::ffi::c_int;

use outboard_counters::SoftwareReason;

use super::context::{Context, LookaheadState};
use crate::hardware::Hardware;
use crate::in_out::InOut;
use crate::kinds::Mode;
use crate::lookahead::{CounterStream, KeyStream, Position, Stopped, Verifier};
use crate::owned_slots::SlotId;
use crate::request::Request;

/// Consecutive streams with most key stream unused, after which look-ahead ends for the key.
const HOPELESS: u32 = 3;

#[derive(Default)]
struct Mixed {
    done: usize,
    /// Bytes for software before key stream may be there again, if the driver computes what
    /// follows.
    step: Option<usize>,
}

impl Context {
    /// The driver that computes key stream, if look-ahead may be used.
    fn ahead(&self) -> Option<&'static Hardware> {
        self.cipher.ahead.as_deref().filter(|ahead| ahead.is_up() && self.kind().mode == Mode::Ctr)
    }

    pub(super) fn looks_ahead(&self) -> bool {
        !matches!(self.lookahead, LookaheadState::Off) && !self.lost && !self.key.is_empty()
    }

    /// Smallest request in bytes that could go to the accelerator while it works.
    pub(super) fn shortest_possible(&self) -> usize {
        let ahead = self.cipher.ahead.as_ref().map_or(usize::MAX, |_| self.cipher.lookahead.from);
        ahead.min(self.threshold())
    }

    /// Why look-ahead does not process a request of `len` bytes that it would serve.
    pub(super) fn lookahead_refusal(&self, len: usize) -> Option<SoftwareReason> {
        let hardware = self.cipher.ahead.as_ref().filter(|_| self.cipher.lookahead.serves(len))?;
        Some(match self.lookahead {
            _ if !hardware.is_up() => SoftwareReason::DriverFailed,
            LookaheadState::Counting(_) if !self.has_missed => SoftwareReason::FewKeyBytes,
            _ => SoftwareReason::LookaheadMissed,
        })
    }

    pub(super) fn reset_lookahead(&mut self) {
        self.close_key_stream();
        self.wasted_streams = 0;
        self.lookahead = self.ahead().map_or(LookaheadState::Off, |_| LookaheadState::Counting(0));
    }

    pub(super) fn close_key_stream(&mut self) {
        if let LookaheadState::On(id) = self.lookahead {
            self.provider.lookahead.streams().map(|streams| streams.close(id));
            self.lookahead = LookaheadState::Counting(0);
        }
    }

    /// An update, of which as much as possible is done with key stream.
    pub(super) fn update_ahead(&mut self, r: Request<'_>) -> c_int {
        self.has_missed = matches!(self.lookahead, LookaheadState::On(_));
        let job = r.in_out();
        let (mut done, mut in_software) = (0, 0);
        let answer = loop {
            let mixed = job.map(|job| self.mix_from_key_stream(job.after(done))).unwrap_or_default();
            done += mixed.done;
            let rest = r.len() - done;
            if rest == 0 && done > 0 {
                break 1;
            }
            let step = mixed.step.map_or(rest, |step| rest.min(step));
            let mut written = 0;
            let part = r.part(done, done, step, &mut written);
            let answer = if self.has_missed { self.update_in_software(part) } else { self.update_now(part) };
            if answer == 1 {
                (done, in_software) = (done + written, in_software + written);
                self.count_for_lookahead(r.len());
            }
            if answer != 1 || step == rest {
                break answer;
            }
        };
        if done > in_software {
            self.counts.add_ahead((done - in_software) as u64);
        }
        if in_software > 0 && self.has_missed {
            self.provider.counters.row(self.kind().name).inspect(|row| row.add_ahead_miss());
        }
        if answer == 1 {
            r.set_written(done);
        }
        answer
    }

    /// A direct request would wait for a driver that may have stopped.
    fn update_in_software(&mut self, r: Request<'_>) -> c_int {
        if let Some(reason) = self.lookahead_refusal(r.len()) {
            self.counts.because(reason, r.len() as u64);
        }
        if self.sync() { self.straight(r) } else { 0 }
    }

    fn mix_from_key_stream(&mut self, job: InOut<'_>) -> Mixed {
        let LookaheadState::On(id) = self.lookahead else { return Mixed::default() };
        let provider = self.provider;
        let guard = provider.lookahead.streams().and_then(|streams| streams.borrow(id));
        let (Some(mut guard), Some(hardware)) = (guard, self.ahead()) else {
            self.reset_lookahead();
            return Mixed::default();
        };
        let Some(position) = self.position() else { return Mixed::default() };
        let KeyStream::Counter(stream) = &mut *guard else { return Mixed::default() };
        let row = stream.row();
        let reference = self.key_session.reference(provider, self.cipher, &self.key);
        let Some(reference) = reference else { return Mixed::default() };
        let verifier = Verifier { hardware, reference, algorithm: self.cipher.kind.name, row };
        let (done, stopped) = stream.mix(position, job, &verifier);
        let step = matches!(stopped, Stopped::NotReady).then(|| stream.step(position.after(done)));
        let continued = position.after(if step.is_some() { done } else { job.len() });
        let needs_more = stream.needs_more();
        let refill = || if needs_more || stream.is_waiting() { stream.refill(continued) } else { Ok(()) };
        let usable = provider.lookahead.go_on(stopped, hardware, row, needs_more, refill);
        let (was_useful, is_starved) = (stream.was_useful(), stream.is_empty());
        drop(guard);
        if done > 0 {
            let Position { counter, used } = position.after(done);
            self.running = Some(counter.to_be_bytes());
            self.held = used;
        }
        if is_starved {
            // The next attempt is after as many bytes as the first one, not with each update.
            self.close_key_stream();
        }
        if let Err(error) = usable {
            if let Some(error) = error {
                self.ahead_key.key_stream_failed(hardware, &error, row);
            }
            self.close_key_stream();
            self.wasted_streams = if was_useful { 0 } else { self.wasted_streams + 1 };
            if self.wasted_streams >= HOPELESS || !hardware.is_up() {
                self.lookahead = LookaheadState::Off;
            }
        }
        // `On` remains: the next update comes here again.
        if !matches!(self.lookahead, LookaheadState::On(_)) {
            self.settle();
        }
        Mixed { done, step }
    }

    /// Counts bytes that were not done with key stream, and starts look-ahead after enough of them.
    fn count_for_lookahead(&mut self, len: usize) {
        let LookaheadState::Counting(bytes) = self.lookahead else { return };
        if !self.cipher.lookahead.serves(len) {
            return;
        }
        let bytes = bytes.saturating_add(len);
        self.lookahead = LookaheadState::Counting(bytes);
        // Each useless stream doubles the number of bytes until the next one.
        if bytes >= self.cipher.lookahead.start << self.wasted_streams {
            self.lookahead = self.start_key_stream().map_or(LookaheadState::Counting(0), LookaheadState::On);
            self.settle();
        }
    }

    /// `None`: the driver has no room for the key, or is late or absent.
    #[cold]
    fn start_key_stream(&mut self) -> Option<SlotId> {
        let (hardware, lookahead) = (self.ahead()?, &self.provider.lookahead);
        let (position, key) = (self.position()?, &self.key);
        let (place, supply) = self.ahead_key.stream(hardware, key, lookahead)?;
        let row = self.provider.counters.row(self.kind().name);
        let mut stream = CounterStream::new(supply, row);
        if let Err(error) = stream.refill(position) {
            self.ahead_key.key_stream_failed(hardware, &error, row);
            return None;
        }
        Some(place.fill(KeyStream::Counter(stream)))
    }

    fn position(&mut self) -> Option<Position> {
        let used = self.held;
        if let Some(running) = self.running {
            return Some(Position { counter: u128::from_be_bytes(running), used });
        }
        // The default provider's IV is the counter of the next block, also while it holds the rest
        // of a block (CRYPTO_ctr128_encrypt).
        let next = u128::from_be_bytes(self.running_iv()?);
        Some(Position { counter: next.wrapping_sub(u128::from(used > 0)), used })
    }
}

#[cfg(test)]
mod tests;
