//! The share of wrong results that is found (SECURITY.md, "What is compared"), for requests as
//! those of the test.

use std::ops::Range;

use outboard_tests::bytes::array;

use super::{BLOCK, Fault, LENGTHS, PAGE, REQUESTS, Seen, Way, length_of};

/// Number of requests whose shares are averaged: the average is exact to one in a hundred.
const SAMPLE: u64 = 40_000;

/// Number of messages of which the longest one determines the key stream of each later message: 17
/// to 32 in the provider.
const RECENT: usize = 24;

/// Bytes of a driver's result that a request uses: all of a direct one, or some of key stream.
struct Use {
    result: usize,
    result_len: usize,
    bytes: Range<usize>,
}

/// The probability that a request that uses some wrong bytes is found. `None` for results of other
/// requests, of which the part that differs depends on both lengths.
pub(super) fn probability(fault: Fault, way: Way, name: &str) -> Option<f64> {
    // The wrong part of a result has this length.
    let longest = match fault {
        Fault::Earlier | Fault::Swapped | Fault::CompletedTwice => return None,
        Fault::EachByte | Fault::Unwritten => return Some(1.0),
        // Of a direct request, and of a page of key stream.
        Fault::Part(bytes) if bytes >= PAGE => return Some(1.0),
        Fault::Part(bytes) => bytes,
        Fault::OneBit => 1,
    };
    let is_cbc = name.ends_with("CBC");
    // Of each result the wrong bytes, and the probability that no request has found them.
    let mut results: Vec<(Range<usize>, f64)> = Vec::new();
    let (mut found, mut of) = (0.0, 0.0);
    for uses in requests(way, name) {
        let (mut reached, mut missed, mut is_used, mut is_seen) = (1.0, 1.0, false, false);
        for part in uses {
            if part.result == results.len() {
                let draw = u64::from_le_bytes(array(!(part.result as u64))) as usize;
                let from = draw % part.result_len.div_ceil(longest) * longest;
                results.push((from..part.result_len.min(from + longest), 1.0));
            }
            let (wrong, unfound) = &mut results[part.result];
            let blocks = part.bytes.start / BLOCK..part.bytes.end.div_ceil(BLOCK);
            // In CBC a wrong block makes the next one differ too.
            let wrong_end = wrong.end.div_ceil(BLOCK) + usize::from(is_cbc);
            let wrong_blocks = blocks.start.max(wrong.start / BLOCK)..blocks.end.min(wrong_end);
            if wrong_blocks.is_empty() {
                continue;
            }
            // Of a direct result the last block is recomputed too.
            let has_last = way == Way::Direct && wrong_blocks.end == blocks.end;
            let share = if has_last { 1.0 } else { wrong_blocks.len() as f64 / blocks.len() as f64 };
            (is_used, reached, missed) = (true, reached * *unfound, missed * (1.0 - share));
            *unfound *= 1.0 - share;
            is_seen |= part.bytes.start < wrong.end && wrong.start < part.bytes.end;
        }
        if is_used {
            found += reached * (1.0 - missed);
            of += reached * if is_seen { 1.0 } else { 1.0 - missed };
        }
    }
    Some(found / of)
}

/// What each request uses of which results. Each segment of key stream is a page, or as much of one as
/// whole messages fill; no request has more than half of it.
fn requests(way: Way, name: &str) -> impl Iterator<Item = Vec<Use>> {
    let is_stream = way == Way::LookAhead && !name.ends_with("GCM");
    let (mut position, mut recent) = (0, [LENGTHS.end - 1; RECENT]);
    let (mut messages, mut each, mut result) = (0..0, 0, 0);
    (0..SAMPLE).map(move |number| {
        let length = length_of(name, number / REQUESTS, number % REQUESTS);
        if way == Way::Direct {
            result += 1;
            return vec![Use { result: result - 1, result_len: length, bytes: 0..length }];
        }
        if is_stream {
            let mut uses = Vec::new();
            let end = position + length;
            while position < end {
                let (page, from) = (position / PAGE, position % PAGE);
                let to = PAGE.min(from + end - position);
                uses.push(Use { result: page, result_len: PAGE, bytes: from..to });
                position += to - from;
            }
            return uses;
        }
        if messages.is_empty() {
            each = recent.iter().map(|length: &usize| length.div_ceil(BLOCK)).max().unwrap_or(1) * BLOCK;
            messages = 0..PAGE / each;
            result += 1;
        }
        recent[number as usize % RECENT] = length;
        let result_len = messages.end * each;
        let from = messages.next().unwrap_or(0) * each;
        vec![Use { result: result - 1, result_len, bytes: from..from + length.min(each) }]
    })
}

/// Wrong results that were found, of all ciphers.
#[derive(Debug, Default)]
pub(super) struct Found {
    found: f64,
    of: f64,
    expected: f64,
    variance: f64,
}

impl Found {
    pub(super) fn add(&mut self, seen: &Seen, probability: f64) {
        let of = (seen.found + seen.partly) as f64;
        self.found += seen.found as f64;
        self.of += of;
        self.expected += of * probability;
        self.variance += of * probability * (1.0 - probability);
    }

    /// Within five standard deviations: less than one run in a million fails by chance. In the full
    /// lane a comparison that is left out fails.
    pub(super) fn is_as_expected(&self) -> bool {
        (self.found - self.expected).abs() <= 5.0 * self.variance.sqrt() + 0.5
    }
}
