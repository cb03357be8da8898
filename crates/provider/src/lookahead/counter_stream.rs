//! Key stream of a CTR stream, which continues where it is.

use std::collections::VecDeque;

use outboard_accel::{Error, Session};
use outboard_counters::Row;

use super::budget::Budget;
use super::counters::{BLOCK, Counters};
use super::segment::{Segment, Stopped, Unusable};
use super::supply::{Supply, unless_scarce};
use super::verifier::Verifier;
use crate::in_out::InOut;

/// A position in a stream: a counter block, and the number of its bytes that were used, below
/// [`BLOCK`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) counter: u128,
    pub(crate) used: usize,
}

impl Position {
    /// The position after `len` more bytes.
    pub(crate) fn after(self, len: usize) -> Position {
        let bytes = self.used + len;
        Position { counter: self.counter.wrapping_add((bytes / BLOCK) as u128), used: bytes % BLOCK }
    }
}

/// Segments of consecutive key stream. Each byte of it is used once: `next` only advances.
pub(crate) struct CounterStream {
    supply: Supply,
    segments: VecDeque<Segment>,
    /// Offset in the first segment of the first byte that was not used or skipped.
    next: usize,
    /// Length of all segments in bytes.
    total: usize,
    /// Whether a segment was used since the stream started. Until then a text that leaves some of the
    /// key stream is not kept waiting.
    is_running: bool,
    /// Bytes that were submitted, and bytes that were used.
    submitted: u64,
    used: u64,
    row: Option<&'static Row>,
}

impl CounterStream {
    pub(crate) fn new(
        session: Box<dyn Session>,
        budget: &'static Budget,
        window: usize,
        row: Option<&'static Row>,
    ) -> CounterStream {
        let (supply, segments) = (Supply::new(session, budget, window), VecDeque::new());
        CounterStream { supply, segments, next: 0, total: 0, is_running: false, submitted: 0, used: 0, row }
    }

    /// Processes a text from `position` on, as far as there is key stream for it. Returns the number
    /// of bytes that were written; the caller processes the rest in software.
    pub(crate) fn mix(
        &mut self,
        position: Position,
        job: InOut<'_>,
        verifier: &Verifier<'_>,
    ) -> (usize, Stopped) {
        let mut done = 0;
        while done < job.len() && !self.segments.is_empty() {
            let from = position.after(done);
            if !self.seek(from) {
                return (done, Stopped::Elsewhere);
            }
            let next = self.next;
            let Some(segment) = self.segments.front_mut() else { break };
            debug_assert_eq!(segment.counters().at(next / BLOCK), from.counter);
            // Software that processed all of it would overtake the driver, and the stream would end
            // unused.
            let leaves_some = job.len() - done < self.total - next;
            if !self.is_running && !segment.is_ready() && leaves_some {
                return (done, Stopped::NotReady);
            }
            self.is_running = true;
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
        (done, Stopped::Complete)
    }

    /// The counters of the algorithm.
    pub(crate) fn row(&self) -> Option<&'static Row> {
        self.row
    }

    /// Whether there is no key stream, because there was no memory for it.
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Whether [`refill`](Self::refill) would submit segments.
    pub(crate) fn needs_more(&self) -> bool {
        self.supply.next_blocks(self.total - self.next) > 0
    }

    /// Whether most of the key stream that was submitted is used or still there.
    pub(crate) fn was_useful(&self) -> bool {
        self.used >= self.submitted / 2
    }

    /// Submits segments, after those that are there or else from `position` on, as far as there is
    /// memory for them.
    ///
    /// # Errors
    /// Those of the driver.
    pub(crate) fn refill(&mut self, position: Position) -> Result<(), Error> {
        while let blocks @ 1.. = self.supply.next_blocks(self.total - self.next) {
            if self.segments.try_reserve(1).is_err() {
                break;
            }
            let first = self.end().unwrap_or(position.counter);
            let Some(segment) = self.supply.submit(Counters::Run { first }, blocks)? else { break };
            if self.segments.is_empty() {
                self.next = position.used;
            }
            self.add(segment);
        }
        Ok(())
    }

    /// The counter block after the last segment.
    fn end(&self) -> Option<u128> {
        self.segments.back().map(|last| last.counters().at(last.len() / BLOCK))
    }

    fn add(&mut self, segment: Segment) {
        self.row.inspect(|row| row.add_generated(segment.len() as u64));
        self.total += segment.len();
        self.submitted += segment.len() as u64;
        self.segments.push_back(segment);
    }

    /// Submits the first segment, which is used up, again as the last one, if that has its length.
    /// Otherwise drops it.
    fn renew_first(&mut self) -> Result<(), Error> {
        let Some(mut segment) = self.segments.pop_front() else { return Ok(()) };
        self.total -= segment.len();
        self.next = 0;
        let next = self.end().filter(|_| self.supply.next_blocks(self.total) * BLOCK == segment.len());
        let Some(first) = next else { return Ok(()) };
        if unless_scarce(segment.renew(Counters::Run { first }))?.is_some() {
            self.add(segment);
        }
        Ok(())
    }

    /// Whether a position is in the stream. Key stream before it is discarded.
    fn seek(&mut self, position: Position) -> bool {
        while let Some(segment) = self.segments.front() {
            let Counters::Run { first } = *segment.counters() else { return false };
            let blocks = position.counter.wrapping_sub(first);
            if blocks >= (self.total / BLOCK) as u128 {
                return false;
            }
            let offset = blocks as usize * BLOCK + position.used;
            if offset < self.next {
                return false;
            }
            if offset < segment.len() {
                self.row.inspect(|row| row.add_discarded((offset - self.next) as u64));
                self.next = offset;
                return true;
            }
            self.drop_first(segment.len() - self.next);
        }
        false
    }

    /// Drops the first segment, of which `unused` bytes were not used.
    fn drop_first(&mut self, unused: usize) {
        if let Some(segment) = self.segments.pop_front() {
            self.total -= segment.len();
            self.next = 0;
            self.row.inspect(|row| row.add_discarded(unused as u64));
        }
    }
}

impl Drop for CounterStream {
    fn drop(&mut self) {
        self.row.inspect(|row| row.add_discarded((self.total - self.next) as u64));
    }
}
