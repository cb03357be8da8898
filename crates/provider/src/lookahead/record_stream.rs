//! Key stream of GCM messages whose nonces were predicted.

use std::collections::VecDeque;

use outboard_accel::memory::try_vec;
use outboard_accel::{Error, KeyStreamSegment};
use outboard_counters::Row;

use super::STEP;
use super::counters::{BLOCK, BlocksEach, Counters};
use super::nonces::NoncePattern;
use super::segment::{Segment, Stopped, Unusable};
use super::supply::Supply;
use super::verifier::Verifier;
use crate::in_out::InOut;

/// Number of messages that may arrive late, after messages of the next segment.
const REORDERED: u64 = 64;

/// Of messages that software is seen to process while the driver computes segments.
const LONGEST_WAIT: u64 = 1 << 14;

/// Number of messages after which the longest one is forgotten, if none was as long since.
const RECENT: u32 = 16;

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

/// Messages without a long one at every second place, after which those places get no key stream:
/// HTTP/2 with short frames between long ones.
const ALTERNATING: u64 = 16;

/// A segment with the key stream of messages that follow each other, or of every second one.
struct Records {
    segment: Segment,
    first: u64,
    count: u64,
    /// Binary logarithm of the distance of their sequence numbers: 32-bit CPUs divide by a function.
    step_bits: u32,
    blocks_each: usize,
    /// A bit for each message whose key stream was handed out.
    used: Vec<u64>,
    used_count: u64,
    /// Whether the window grew for this segment.
    is_counted: bool,
}

impl Records {
    fn end(&self) -> u64 {
        self.first.wrapping_add(self.count << self.step_bits)
    }

    fn index(&self, sequence: u64) -> Option<u64> {
        let distance = sequence.wrapping_sub(self.first);
        let index = distance >> self.step_bits;
        (index < self.count && index << self.step_bits == distance).then_some(index)
    }

    /// Marks the key stream of a message as used. False if it was used before.
    fn take(&mut self, index: u64) -> bool {
        let (word, bit) = (&mut self.used[(index / 64) as usize], 1 << (index % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        self.used_count += u64::from(is_new);
        is_new
    }

    fn unused(&self) -> usize {
        (self.count - self.used_count) as usize * self.blocks_each * BLOCK
    }
}

/// The key stream of a message, which the driver has completed or is computing.
pub(crate) struct Found {
    segment: usize,
    index: u64,
}

/// A text that was processed, unless software failed.
pub(crate) struct Served {
    pub(crate) is_whole: bool,
    /// Number of bytes that used key stream.
    pub(crate) ahead: usize,
}

/// Segments of the next messages. The key stream of each message is used once.
pub(crate) struct RecordStream {
    pub(super) supply: Supply,
    pattern: NoncePattern,
    segments: VecDeque<Records>,
    /// The sequence number after the last message that was submitted.
    next: u64,
    lengths: RecentLength,
    /// The last message at an even and at an odd place that was long enough for key stream.
    last_long: [u64; 2],
    /// The message after which segments were submitted last.
    asked_at: u64,
    row: Option<&'static Row>,
}

impl RecordStream {
    pub(crate) fn new(
        supply: Supply,
        (pattern, next): (NoncePattern, u64),
        len: usize,
        row: Option<&'static Row>,
    ) -> RecordStream {
        let mut lengths = RecentLength::default();
        lengths.add(len);
        let (segments, last_long) = (VecDeque::new(), [next; 2]);
        RecordStream { supply, pattern, segments, next, lengths, last_long, asked_at: next, row }
    }

    /// The counters of its cipher.
    pub(crate) fn row(&self) -> Option<&'static Row> {
        self.row
    }

    pub(crate) fn pattern(&self) -> NoncePattern {
        self.pattern
    }

    /// `Err`: why there is no key stream, and none comes soon.
    pub(crate) fn find(&mut self, sequence: u64, len: usize) -> Result<Found, Stopped> {
        self.lengths.add(len);
        self.last_long[(sequence % 2) as usize] = sequence;
        let mut all = self.segments.iter_mut().enumerate();
        let found = all.find_map(|(at, records)| Some((at, records.index(sequence)?, records)));
        let Some((segment, index, records)) = found else {
            return Err(if self.may_submit() { Stopped::Complete } else { self.supply.wait() });
        };
        // Of a driver that has not been late before. Software is faster if it gets whole messages.
        let is_soon = !self.supply.is_late_already();
        match self.supply.check(&mut records.segment) {
            Err(Stopped::NotReady) if is_soon => {}
            checked => checked?,
        }
        Ok(Found { segment, index })
    }

    /// As far as the driver has completed key stream for the text, which is then marked as used.
    pub(super) fn mix(
        &mut self,
        found: &Found,
        from: usize,
        job: InOut<'_>,
        verifier: &Verifier<'_>,
    ) -> (usize, Stopped) {
        let (records, index) = (&mut self.segments[found.segment], found.index);
        if let Err(stopped) = self.supply.check(&mut records.segment) {
            return (0, stopped);
        }
        let room = records.blocks_each * BLOCK;
        if from >= room || !records.take(index) {
            return (0, Stopped::Complete);
        }
        let (begins, is_late) = (records.used_count == 1, records.segment.is_late());
        let place = index as usize * room + from;
        let (done, fault) = records.segment.mix(place, job.first(room - from), verifier);
        let stopped = match fault {
            Some(Unusable::Wrong) => Stopped::Wrong,
            Some(Unusable::Failed(error)) => Stopped::Failed(error),
            None => Stopped::Complete,
        };
        if is_late {
            self.supply.widen_gap(from);
        } else if begins {
            self.supply.narrow_gap(self.segments.back_mut().map(|last| &mut last.segment));
        }
        (done, stopped)
    }

    /// Processes a text with key stream, and in steps by `software`, from one byte to another, what
    /// the driver has not completed. `None`: nothing was written.
    pub(crate) fn serve(
        &mut self,
        found: &Found,
        job: InOut<'_>,
        verifier: &Verifier<'_>,
        mut software: impl FnMut(usize, usize) -> bool,
    ) -> (Option<Served>, Stopped) {
        let (mut done, mut ahead) = (0, 0);
        loop {
            let (mixed, stopped) = self.mix(found, done, job.after(done), verifier);
            (done, ahead) = (done + mixed, ahead + mixed);
            let end = match stopped {
                Stopped::NotReady => job.len().min(done + STEP),
                _ if done == 0 => return (None, stopped),
                _ => job.len(),
            };
            let is_right = done == end || software(done, end);
            if !is_right || end == job.len() {
                return (Some(Served { is_whole: is_right, ahead }), stopped);
            }
            done = end;
        }
    }

    /// There was no memory for key stream.
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty() && !self.supply.is_waiting()
    }

    pub(super) fn is_late(&mut self, now: u32) -> bool {
        !self.may_submit() && self.supply.is_late(now)
    }

    fn may_submit(&mut self) -> bool {
        self.supply.may_submit(self.segments.iter_mut().map(|records| &mut records.segment))
    }

    /// Ends the stream. False while the driver has some of its memory.
    pub(super) fn end(&mut self) -> bool {
        while !self.segments.is_empty() {
            self.drop_first();
        }
        self.supply.has_all_back()
    }

    /// Whether [`refill`](Self::refill) would submit segments for messages after `sequence`.
    pub(crate) fn needs_more(&self, sequence: u64) -> bool {
        !self.supply.is_waiting() && self.supply.next_blocks(self.ahead(sequence)) > 0
    }

    /// Drops what is used or too old, and submits segments for messages after `sequence`, as far as
    /// there is memory. A driver that is late gets none.
    pub(crate) fn refill(&mut self, sequence: u64) -> Result<(), Error> {
        // Messages that are too short for key stream leave a part of each segment unused.
        for records in self.segments.iter_mut().filter(|records| !records.is_counted) {
            let is_past = sequence.wrapping_sub(records.end()) as i64 >= -1;
            records.is_counted = is_past || records.used_count == records.count;
            if records.is_counted {
                self.supply.grow();
                if records.segment.is_late() {
                    self.supply.widen_gap(records.unused());
                }
            }
        }
        while let Some(first) = self.segments.front_mut() {
            let past = sequence.wrapping_sub(first.end()) as i64;
            let is_old =
                past >= REORDERED as i64 || past >= -1 && self.supply.is_overtaken(&mut first.segment);
            if first.used_count < first.count && !is_old {
                break;
            }
            self.drop_first();
        }
        if !self.may_submit() {
            return Ok(());
        }
        // Messages were lost, more than were computed, or software has overtaken the driver.
        if self.segments.is_empty() || (self.next.wrapping_sub(sequence) as i64) <= 0 {
            let bytes_each = self.lengths.blocks() * BLOCK;
            let done = sequence.wrapping_sub(self.asked_at).min(LONGEST_WAIT) as usize * bytes_each;
            let lead = self.supply.lead(done).div_ceil(bytes_each);
            let first = sequence.wrapping_add(1 + lead as u64);
            if first.wrapping_sub(self.next) as i64 > 0 {
                self.next = first;
            }
        }
        while let blocks @ 1.. = self.supply.next_blocks(self.ahead(sequence)) {
            let blocks_each = self.lengths.blocks();
            let count = (blocks / blocks_each).max(1);
            let step_bits = self.step_bits(sequence);
            let step = 1 << step_bits;
            if !self.segments.is_empty() {
                let gap = self.supply.gap() / (blocks_each * BLOCK);
                self.next = self.next.wrapping_add(gap as u64);
            }
            self.next = self.next.wrapping_add(self.next.wrapping_sub(sequence) & (step - 1));
            let (Some(used), Ok(())) = (try_vec(count.div_ceil(64)), self.segments.try_reserve(1)) else {
                break;
            };
            let (pattern, first, each) = (self.pattern, self.next, BlocksEach::new(blocks_each));
            let counters = Counters::Records { pattern, first, step, blocks_each: each };
            let Some(segment) = self.supply.submit(counters, count * blocks_each)? else { break };
            self.row.inspect(|row| row.add_generated(segment.len() as u64));
            self.next = self.next.wrapping_add((count as u64) << step_bits);
            self.asked_at = sequence;
            let count = count as u64;
            let (used_count, is_counted) = (0, false);
            let records =
                Records { segment, first, count, step_bits, blocks_each, used, used_count, is_counted };
            self.segments.push_back(records);
        }
        Ok(())
    }

    /// Binary logarithm of the distance of the next messages that need key stream, after the long message
    /// `sequence`.
    fn step_bits(&self, sequence: u64) -> u32 {
        let other = self.last_long[(sequence.wrapping_add(1) % 2) as usize];
        if (sequence.wrapping_sub(other) as i64) < ALTERNATING as i64 { 0 } else { 1 }
    }

    /// Bytes of key stream for messages after `sequence`.
    fn ahead(&self, sequence: u64) -> usize {
        let after = |records: &Records| {
            let left = records.end().wrapping_sub(sequence.wrapping_add(1));
            let up = (1 << records.step_bits) - 1;
            let count =
                if left as i64 <= 0 { 0 } else { ((left + up) >> records.step_bits).min(records.count) };
            count as usize * records.blocks_each * BLOCK
        };
        self.segments.iter().map(after).sum()
    }

    fn drop_first(&mut self) {
        if let Some(records) = self.segments.pop_front() {
            self.row.inspect(|row| row.add_discarded(records.unused() as u64));
            self.supply.leave(records.segment);
        }
    }
}

impl Drop for RecordStream {
    fn drop(&mut self) {
        self.end();
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
