//! Key stream of a CTR stream, which continues where it is.

use std::collections::VecDeque;

use outboard_accel::Error;
use outboard_counters::Row;

use super::STEP;
use super::counters::{BLOCK, Counters};
use super::segment::{Segment, Stopped, Unusable};
use super::supply::Supply;
use super::verifier::Verifier;
use crate::in_out::InOut;

/// A counter block, and the number of its bytes that were used, below [`BLOCK`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) counter: u128,
    pub(crate) used: usize,
}

impl Position {
    pub(crate) fn after(self, len: usize) -> Position {
        let bytes = self.used + len;
        Position { counter: self.counter.wrapping_add((bytes / BLOCK) as u128), used: bytes % BLOCK }
    }
}

/// The longest update of EVP in blocks. A position that is further away is not a continuation.
const LONGEST_UPDATE: u128 = 1 << 27;

/// Segments of consecutive key stream. Each byte of it is used once: `next` only advances.
pub(crate) struct CounterStream {
    pub(super) supply: Supply,
    segments: VecDeque<Segment>,
    /// Offset in the first segment of the first byte that was not used or skipped.
    next: usize,
    total: usize,
    /// The counter from which the text continued when segments were submitted last.
    asked_at: u128,
    /// Bytes that were submitted, and bytes that were used.
    submitted: u64,
    used: u64,
    row: Option<&'static Row>,
}

impl CounterStream {
    pub(crate) fn new(supply: Supply, row: Option<&'static Row>) -> CounterStream {
        let segments = VecDeque::new();
        CounterStream { supply, segments, next: 0, total: 0, asked_at: 0, submitted: 0, used: 0, row }
    }

    /// Processes a text as far as the driver has completed key stream for it, and returns the
    /// number of bytes.
    pub(crate) fn mix(
        &mut self,
        position: Position,
        job: InOut<'_>,
        verifier: &Verifier<'_>,
    ) -> (usize, Stopped) {
        let mut done = 0;
        while done < job.len() && !self.segments.is_empty() {
            let from = position.after(done);
            match self.seek(from) {
                Ok(true) => {}
                Ok(false) => break,
                Err(stopped) => return (done, stopped),
            }
            let next = self.next;
            let Some(segment) = self.segments.front_mut() else { break };
            debug_assert_eq!(segment.counters().at(next / BLOCK), from.counter);
            let part = job.after(done).first(segment.len() - next);
            let (mixed, fault) = segment.mix(next, part, verifier);
            done += mixed;
            self.next += mixed;
            self.used += mixed as u64;
            match fault {
                Some(Unusable::Wrong) => return (done, Stopped::Wrong),
                Some(Unusable::Failed(error)) => return (done, Stopped::Failed(error)),
                None => {}
            }
            if self.next == segment.len() {
                self.supply.grow();
                if let Err(error) = self.renew_first() {
                    return (done, Stopped::Failed(error));
                }
            }
        }
        let is_late = done < job.len() && !self.supply.may_submit(self.segments.iter_mut());
        (done, if is_late { self.supply.wait() } else { Stopped::Complete })
    }

    /// Bytes that software processes before it looks for key stream again: those before the next
    /// segment, or a part of a segment that may be complete then.
    pub(crate) fn step(&self, position: Position) -> usize {
        let first = self.segments.front().map(|segment| segment.counters().at(0));
        match first.map(|first| first.wrapping_sub(position.counter)) {
            Some(blocks @ 1..LONGEST_UPDATE) => blocks as usize * BLOCK - position.used,
            _ => STEP,
        }
    }

    pub(crate) fn row(&self) -> Option<&'static Row> {
        self.row
    }

    /// There was no memory for key stream.
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty() && !self.is_waiting()
    }

    /// Whether other streams should not start.
    pub(super) fn is_late(&mut self, now: u32) -> bool {
        !self.supply.may_submit(self.segments.iter_mut()) && self.supply.is_late(now)
    }

    pub(super) fn end(&mut self) -> bool {
        self.row.inspect(|row| row.add_discarded((self.total - self.next) as u64));
        (self.total, self.next) = (0, 0);
        self.segments.drain(..).for_each(|segment| self.supply.leave(segment));
        self.supply.has_all_back()
    }

    /// Whether [`refill`](Self::refill) would submit segments.
    pub(crate) fn needs_more(&self) -> bool {
        !self.is_waiting() && self.supply.next_blocks(self.total - self.next) > 0
    }

    /// Whether [`refill`](Self::refill) would look for what the driver has completed since.
    pub(crate) fn is_waiting(&self) -> bool {
        self.supply.is_waiting()
    }

    /// Whether a third of the key stream that was submitted is used.
    pub(crate) fn was_useful(&self) -> bool {
        self.used >= self.submitted / 3
    }

    /// Submits segments, after those that are there or else from `position` on, as far as there is
    /// memory. A driver that is late gets none.
    pub(crate) fn refill(&mut self, position: Position) -> Result<(), Error> {
        if !self.supply.may_submit(self.segments.iter_mut()) {
            return Ok(());
        }
        let mut start = position;
        if self.segments.is_empty() {
            let done = position.counter.wrapping_sub(self.asked_at).min(LONGEST_UPDATE) as usize * BLOCK;
            if let blocks @ 1.. = self.supply.lead(done) / BLOCK {
                start = Position { counter: position.counter.wrapping_add(blocks as u128), used: 0 };
            }
        }
        while let blocks @ 1.. = self.supply.next_blocks(self.total - self.next) {
            if self.segments.try_reserve(1).is_err() {
                break;
            }
            let first = self.next_counter().unwrap_or(start.counter);
            let Some(segment) = self.supply.submit(Counters::Run { first }, blocks)? else { break };
            if self.segments.is_empty() {
                self.next = start.used;
            }
            self.asked_at = position.counter;
            self.add(segment);
        }
        Ok(())
    }

    fn next_counter(&self) -> Option<u128> {
        let last = self.segments.back()?;
        Some(last.counters().at((last.len() + self.supply.gap()) / BLOCK))
    }

    fn add(&mut self, segment: Segment) {
        self.row.inspect(|row| row.add_generated(segment.len() as u64));
        self.total += segment.len();
        self.submitted += segment.len() as u64;
        self.segments.push_back(segment);
    }

    /// Submits the first segment, which is used up, again as the last one, if that has its length.
    fn renew_first(&mut self) -> Result<(), Error> {
        let Some(mut segment) = self.segments.pop_front() else { return Ok(()) };
        self.total -= segment.len();
        self.next = 0;
        self.asked_at = segment.counters().at(segment.len() / BLOCK);
        let next =
            self.next_counter().filter(|_| self.supply.next_blocks(self.total) * BLOCK == segment.len());
        let Some(first) = next else { return Ok(()) };
        if self.supply.renew(&mut segment, Counters::Run { first })?.is_some() {
            self.add(segment);
        }
        Ok(())
    }

    /// Discards the key stream before a position. False: software has overtaken the driver.
    fn seek(&mut self, position: Position) -> Result<bool, Stopped> {
        while let Some(segment) = self.segments.front_mut() {
            let Counters::Run { first } = *segment.counters() else { return Err(Stopped::Elsewhere) };
            let blocks = position.counter.wrapping_sub(first);
            if blocks >= LONGEST_UPDATE {
                // Between the position at which the driver was asked and the first segment.
                let lead = first.wrapping_sub(self.asked_at);
                let is_soon = blocks.wrapping_neg() <= lead && lead < LONGEST_UPDATE;
                return Err(if is_soon { Stopped::NotReady } else { Stopped::Elsewhere });
            }
            let offset = blocks as usize * BLOCK + position.used;
            if offset < self.next {
                return Err(Stopped::Elsewhere);
            }
            if offset < segment.len() {
                self.supply.check(segment)?;
                let skipped = offset - self.next;
                let (is_late, is_in_use) = (segment.is_late(), segment.is_in_use());
                self.row.inspect(|row| row.add_discarded(skipped as u64));
                self.next = offset;
                if !is_in_use {
                    match is_late {
                        true => self.supply.widen_gap(skipped),
                        false => self.supply.narrow_gap(self.segments.back_mut()),
                    }
                }
                return Ok(true);
            }
            if segment.is_late() && !segment.is_in_use() {
                self.supply.widen_gap(segment.len());
            }
            self.drop_first();
        }
        let is_hopeless = self.supply.is_judged(self.submitted) && !self.was_useful();
        if self.supply.was_late() && !is_hopeless { Ok(false) } else { Err(Stopped::Elsewhere) }
    }

    fn drop_first(&mut self) {
        if let Some(segment) = self.segments.pop_front() {
            self.row.inspect(|row| row.add_discarded((segment.len() - self.next) as u64));
            self.total -= segment.len();
            self.next = 0;
            self.supply.leave(segment);
        }
    }
}

impl Drop for CounterStream {
    fn drop(&mut self) {
        self.end();
    }
}
