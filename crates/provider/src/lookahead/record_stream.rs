//! Key stream of GCM messages whose nonces were predicted.

use std::collections::VecDeque;

use outboard_accel::memory::try_vec;
use outboard_accel::{Error, KeyStreamSegment, Session};
use outboard_counters::Row;

use super::budget::Budget;
use super::counters::{BLOCK, Counters};
use super::nonces::NoncePattern;
use super::segment::{Segment, Stopped, Unusable};
use super::supply::Supply;
use super::verifier::Verifier;
use crate::in_out::InOut;

/// Number of messages that may arrive late, after messages of the next segment.
const REORDERED: u64 = 64;

/// Number of messages after which the longest one is forgotten, if none was as long since.
const RECENT: u32 = 16;

/// The longest of the recent messages, in blocks.
#[derive(Default)]
struct RecentLength {
    longest: usize,
    longest_before: usize,
    count: u32,
}

impl RecentLength {
    fn add(&mut self, len: usize) {
        if self.count == RECENT {
            (self.longest_before, self.longest, self.count) = (self.longest, 0, 0);
        }
        self.longest = self.longest.max(len.div_ceil(BLOCK));
        self.count += 1;
    }

    /// The key stream to compute for each message, in blocks: 1 to a segment.
    fn blocks(&self) -> usize {
        self.longest.max(self.longest_before).clamp(1, KeyStreamSegment::LONGEST / BLOCK)
    }
}

/// Number of messages without a long one at every second place, after which those places get no key
/// stream: HTTP/2 with short frames between long ones.
const ALTERNATING: u64 = 16;

/// A segment with the key stream of messages that follow each other, or of every second one.
struct Records {
    segment: Segment,
    first: u64,
    count: u64,
    /// Distance of their sequence numbers.
    step: u64,
    blocks_each: usize,
    /// A bit for each message whose key stream was handed out.
    used: Vec<u64>,
    used_count: u64,
    /// Whether the window grew for this segment.
    is_counted: bool,
}

impl Records {
    /// The sequence number after the last message.
    fn end(&self) -> u64 {
        self.first.wrapping_add(self.count * self.step)
    }

    /// The place of a message in the segment.
    fn index(&self, sequence: u64) -> Option<u64> {
        let distance = sequence.wrapping_sub(self.first);
        (distance < self.count * self.step && distance % self.step == 0).then_some(distance / self.step)
    }

    /// Marks the key stream of a message as used. False if it was used before.
    fn take(&mut self, index: u64) -> bool {
        let (word, bit) = (&mut self.used[(index / 64) as usize], 1 << (index % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        self.used_count += u64::from(is_new);
        is_new
    }

    /// Number of bytes that belong to messages whose key stream was not used.
    fn unused(&self) -> usize {
        (self.count - self.used_count) as usize * self.blocks_each * BLOCK
    }
}

/// Segments of the next messages. The key stream of each message is used once.
pub(crate) struct RecordStream {
    supply: Supply,
    pattern: NoncePattern,
    segments: VecDeque<Records>,
    /// The sequence number after the last message that was submitted.
    next: u64,
    lengths: RecentLength,
    /// The last message at an even and at an odd place that was long enough for key stream.
    last_long: [u64; 2],
    /// Whether a segment was used since the stream started: the first one is not waited for.
    is_running: bool,
    /// The first message whose key stream was submitted as early as the window and the memory allow.
    /// It is waited for: software would overtake this driver again and again.
    earliest: Option<u64>,
    row: Option<&'static Row>,
}

impl RecordStream {
    /// A stream for messages with sequence numbers from `next` on, of about `len` bytes.
    pub(crate) fn new(
        session: Box<dyn Session>,
        (budget, window): (&'static Budget, usize),
        (pattern, next): (NoncePattern, u64),
        len: usize,
        row: Option<&'static Row>,
    ) -> RecordStream {
        let mut lengths = RecentLength::default();
        lengths.add(len);
        let (supply, segments) = (Supply::new(session, budget, window), VecDeque::new());
        let last_long = [next; 2];
        let is_running = false;
        RecordStream { supply, pattern, segments, next, lengths, last_long, is_running, earliest: None, row }
    }

    /// The pattern of the nonces for which key stream is computed.
    pub(crate) fn pattern(&self) -> NoncePattern {
        self.pattern
    }

    /// Processes the text of a message as far as there is key stream for it, and marks that as used.
    /// Returns the number of bytes that were written.
    pub(crate) fn mix(&mut self, sequence: u64, job: InOut<'_>, verifier: &Verifier<'_>) -> (usize, Stopped) {
        self.lengths.add(job.len());
        self.last_long[(sequence % 2) as usize] = sequence;
        let found = self.segments.iter_mut().find_map(|records| Some((records.index(sequence)?, records)));
        let Some((index, records)) = found else { return (0, Stopped::Complete) };
        let is_earliest = self.earliest.is_some_and(|first| sequence.wrapping_sub(first) as i64 >= 0);
        if !self.is_running && !is_earliest && !records.segment.is_ready() {
            return (0, Stopped::NotReady);
        }
        self.is_running = true;
        if !records.take(index) {
            return (0, Stopped::Complete);
        }
        let room = records.blocks_each * BLOCK;
        let (done, fault) = records.segment.mix(index as usize * room, job.first(room), verifier);
        let stopped = match fault {
            Some(Unusable::Wrong) => Stopped::Wrong,
            Some(Unusable::Failed(error)) => Stopped::Failed(error),
            None => Stopped::Complete,
        };
        (done, stopped)
    }

    /// Whether there is no key stream, because there was no memory for it.
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Whether [`refill`](Self::refill) would submit segments for messages after `sequence`.
    pub(crate) fn needs_more(&self, sequence: u64) -> bool {
        self.supply.next_blocks(self.ahead(sequence)) > 0
    }

    /// Drops key stream that is used or too old, and submits segments for messages after
    /// `sequence`, as far as there is memory for them.
    ///
    /// # Errors
    /// Those of the driver.
    pub(crate) fn refill(&mut self, sequence: u64) -> Result<(), Error> {
        // Messages that are too short for key stream leave a part of each segment unused.
        for records in self.segments.iter_mut().filter(|records| !records.is_counted) {
            let is_past = sequence.wrapping_sub(records.end()) as i64 >= -1;
            records.is_counted = is_past || records.used_count == records.count;
            if records.is_counted {
                self.supply.grow();
            }
        }
        while let Some(first) = self.segments.front() {
            let is_old = sequence.wrapping_sub(first.end()) as i64 >= REORDERED as i64;
            if first.used_count < first.count && !is_old {
                break;
            }
            self.drop_first();
        }
        // Messages were lost, more than were computed.
        if (self.next.wrapping_sub(sequence) as i64) <= 0 {
            self.next = sequence.wrapping_add(1);
        }
        while let blocks @ 1.. = self.supply.next_blocks(self.ahead(sequence)) {
            let blocks_each = self.lengths.blocks();
            let count = (blocks / blocks_each).max(1);
            let step = self.step(sequence);
            self.next = self.next.wrapping_add(self.next.wrapping_sub(sequence) % step);
            let (Some(used), Ok(())) = (try_vec(count.div_ceil(64)), self.segments.try_reserve(1)) else {
                break;
            };
            let counters = Counters::Records { pattern: self.pattern, first: self.next, step, blocks_each };
            let Some(segment) = self.supply.submit(counters, count * blocks_each)? else { break };
            self.row.inspect(|row| row.add_generated(segment.len() as u64));
            let first = self.next;
            self.next = self.next.wrapping_add(count as u64 * step);
            let count = count as u64;
            let (used_count, is_counted) = (0, false);
            let records = Records { segment, first, count, step, blocks_each, used, used_count, is_counted };
            self.segments.push_back(records);
        }
        if self.earliest.is_none() && self.supply.is_largest() {
            self.earliest = self.segments.back().map(|records| records.first);
        }
        Ok(())
    }

    /// Distance of the next messages that need key stream, after the long message `sequence`.
    fn step(&self, sequence: u64) -> u64 {
        let other = self.last_long[(sequence.wrapping_add(1) % 2) as usize];
        if (sequence.wrapping_sub(other) as i64) < ALTERNATING as i64 { 1 } else { 2 }
    }

    /// Bytes of key stream for messages after `sequence`.
    fn ahead(&self, sequence: u64) -> usize {
        let after = |records: &Records| {
            let left = records.end().wrapping_sub(sequence.wrapping_add(1));
            let count = if left as i64 <= 0 { 0 } else { left.div_ceil(records.step).min(records.count) };
            count as usize * records.blocks_each * BLOCK
        };
        self.segments.iter().map(after).sum()
    }

    fn drop_first(&mut self) {
        if let Some(records) = self.segments.pop_front() {
            self.row.inspect(|row| row.add_discarded(records.unused() as u64));
        }
    }
}

impl Drop for RecordStream {
    fn drop(&mut self) {
        while !self.segments.is_empty() {
            self.drop_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_follows_the_longest_of_the_recent_messages() {
        let mut lengths = RecentLength::default();
        lengths.add(0);
        assert_eq!(lengths.blocks(), 1);
        lengths.add(1400);
        assert_eq!(lengths.blocks(), 88);
        (0..RECENT).for_each(|_| lengths.add(100));
        assert_eq!(lengths.blocks(), 88, "one of the last messages was as long");
        (0..2 * RECENT).for_each(|_| lengths.add(100));
        assert_eq!(lengths.blocks(), 7);
        lengths.add(1 << 20);
        assert_eq!(lengths.blocks(), KeyStreamSegment::LONGEST / BLOCK);
    }
}
