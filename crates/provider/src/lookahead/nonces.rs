//! Predicts the nonces of GCM messages.
//!
//! Protocols construct nonces of 12 bytes from one counter that is incremented for each message, at
//! one position, big-endian, XORed with a constant:
//!
//! | protocol | position of the counter | constant |
//! |---|---|---|
//! | TLS 1.3 (RFC 8446, 5.3), QUIC (RFC 9001, 5.3) | last 8 bytes | the static IV |
//! | TLS 1.2 and DTLS 1.2 (RFC 5288, 3) | last 8 bytes | the implicit part |
//! | SSH (RFC 5647, 7.1) | last 8 bytes | the fixed field |
//! | OpenVPN | first 4 bytes | the implicit IV |
//!
//! A prediction needs no secret, and a wrong one has no effect on a result: key stream that was
//! computed for a nonce is used for that nonce only.

/// A nonce as a number of 96 bits.
pub(crate) type Nonce = u128;

pub(crate) const NONCE: usize = 12;

/// Not a nonce: the counter of the pattern is exhausted.
const NEVER: Nonce = Nonce::MAX;

/// Length of the longest counter in bits.
const LONGEST: u32 = 64;

/// Consecutive right predictions after which key stream is computed.
const TRUSTED: u32 = 2;

/// Consecutive wrong predictions after which prediction ends for the key.
const HOPELESS: u32 = 3;

/// A carry over five bits: see [`NoncePredictor::is_contradiction`].
const LONG_CARRY: u128 = 0x1f;

/// Messages that may be lost or reordered without being a wrong prediction.
const WINDOW: u64 = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoncePattern {
    /// Position of the counter's least significant bit.
    pub(crate) shift: u32,
    pub(crate) constant: Nonce,
}

impl NoncePattern {
    pub(crate) fn nonce(self, sequence: u64) -> Nonce {
        self.constant ^ u128::from(sequence & self.mask()) << self.shift
    }

    /// The sequence number of a nonce; `None` if it does not follow the pattern.
    pub(crate) fn sequence(self, nonce: Nonce) -> Option<u64> {
        let difference = nonce ^ self.constant;
        let sequence = difference >> self.shift;
        (sequence << self.shift == difference && sequence <= u128::from(self.mask()))
            .then_some(sequence as u64)
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - LONGEST.min(8 * NONCE as u32 - self.shift))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NoncePredictor {
    pattern: Option<NoncePattern>,
    /// The two most recent nonces, or [`NEVER`].
    recent: [Nonce; 2],
    /// The sequence number after the highest one of the pattern.
    next: u64,
    /// The nonce with that number, or [`NEVER`]; meaningful while there is a pattern.
    expected: Nonce,
    /// Consecutive right and wrong predictions.
    right: u32,
    wrong: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It follows the pattern: this is its sequence number.
    Expected(u64),
    Other,
}

impl Default for NoncePredictor {
    fn default() -> NoncePredictor {
        NoncePredictor { pattern: None, recent: [NEVER; 2], next: 0, expected: NEVER, right: 0, wrong: 0 }
    }
}

impl NoncePredictor {
    /// Learns from the nonce of the next message.
    #[inline]
    pub(crate) fn observe(&mut self, nonce: Nonce) -> Seen {
        let (Some(pattern), true) = (self.pattern, nonce == self.expected) else {
            return self.observe_other(nonce);
        };
        let sequence = self.next;
        self.recent = [self.recent[1], nonce];
        self.right = self.right.saturating_add(1);
        self.wrong = 0;
        self.expect(pattern, sequence.wrapping_add(1));
        Seen::Expected(sequence)
    }

    fn observe_other(&mut self, nonce: Nonce) -> Seen {
        let [before, last] = self.recent.map(|nonce| Some(nonce).filter(|nonce| *nonce != NEVER));
        self.recent = [last.unwrap_or(NEVER), nonce];
        let sequence = self.pattern.and_then(|pattern| pattern.sequence(nonce));
        let is_step = |last: Nonce| self.is_contradiction(last, nonce);
        let sequence = sequence.filter(|&sequence| sequence == self.next || !last.is_some_and(is_step));
        if let Some(sequence) = sequence.filter(|&sequence| self.is_near(sequence)) {
            self.right = self.right.saturating_add(1);
            self.wrong = 0;
            if let Some(pattern) = self.pattern {
                self.expect(pattern, self.next.max(sequence.wrapping_add(1)));
            }
            return Seen::Expected(sequence);
        }
        self.right = 0;
        if let Some(last) = last.filter(|&last| last != nonce) {
            self.wrong = self.wrong.saturating_add(1);
            self.learn(before, last, nonce);
        }
        Seen::Other
    }

    /// Whether key stream may be computed: for the pattern and from the sequence number that follow.
    pub(crate) fn prediction(&self) -> Option<(NoncePattern, u64)> {
        let is_trusted = self.right >= TRUSTED && !self.is_hopeless();
        self.pattern.filter(|_| is_trusted).map(|pattern| (pattern, self.next))
    }

    pub(crate) fn is_hopeless(&self) -> bool {
        self.wrong >= HOPELESS
    }

    /// Whether two consecutive nonces look like a step by one, with a long carry, that the pattern
    /// takes for a larger step. A part of its constant is then wrong. Messages that were lost or
    /// reordered rarely look so.
    fn is_contradiction(&self, last: Nonce, nonce: Nonce) -> bool {
        self.pattern.is_some_and(|pattern| {
            let carry = (last ^ nonce) >> pattern.shift;
            let is_one = pattern.sequence(last).map(|last| last.wrapping_add(1)) == pattern.sequence(nonce);
            carry >= LONG_CARRY && carry & (carry + 1) == 0 && !is_one
        })
    }

    fn is_near(&self, sequence: u64) -> bool {
        sequence.wrapping_sub(self.next) < WINDOW || self.next.wrapping_sub(sequence) <= WINDOW
    }

    /// Finds the pattern of two consecutive nonces whose counters differ by one: their difference
    /// is the counter's carry, 2^(k+1) - 1 at its position. The lower k bits of the new counter are
    /// then 0 and the next one is 1. Its higher bits are unknown, and part of the constant until a
    /// carry shows them, unless the nonce is the counter itself. Other differences change nothing:
    /// a message out of order does not end a pattern.
    fn learn(&mut self, before: Option<Nonce>, last: Nonce, nonce: Nonce) {
        let difference = last ^ nonce;
        let shift = difference.trailing_zeros();
        let carry = difference >> shift;
        if shift % 8 != 0 || carry & (carry + 1) != 0 {
            return;
        }
        // Whether a nonce is the sum of the one before and 1, and not only its counter.
        let is_sum = |one: Nonce, next: Nonce| (one >> shift).wrapping_add(1) == next >> shift;
        let is_second_sum = before.is_some_and(|before| is_sum(before, last));
        let unknown = NoncePattern { shift, constant: 0 };
        let counter = if is_sum(last, nonce) && (carry > 0xff || is_second_sum) {
            (nonce >> shift) & u128::from(unknown.mask())
        } else {
            (carry + 1) >> 1
        };
        let pattern = NoncePattern { shift, constant: nonce ^ counter << shift };
        self.pattern = Some(pattern);
        self.expect(pattern, (counter as u64).wrapping_add(1));
    }

    fn expect(&mut self, pattern: NoncePattern, next: u64) {
        let is_over = next > pattern.mask();
        (self.next, self.expected) = (next, if is_over { NEVER } else { pattern.nonce(next) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATIC_IV: Nonce = 0x5d31_3eb2_6712_76ee_1300_0b30;

    /// Number of nonces of a sequence that were not expected.
    fn unexpected(nonces: impl IntoIterator<Item = Nonce>) -> usize {
        let mut predictor = NoncePredictor::default();
        nonces.into_iter().filter(|&nonce| predictor.observe(nonce) == Seen::Other).count()
    }

    /// Number of nonces of a sequence that were not predicted as the next.
    fn misses(nonces: impl IntoIterator<Item = Nonce>) -> usize {
        let mut predictor = NoncePredictor::default();
        let mut is_miss = |nonce| {
            let predicted = predictor.prediction().map(|(pattern, next)| pattern.nonce(next));
            predictor.observe(nonce);
            predicted != Some(nonce)
        };
        nonces.into_iter().filter(|&nonce| is_miss(nonce)).count()
    }

    #[test]
    fn a_new_key_of_tls_1_3_is_predicted_from_its_third_record_on() {
        let mut predictor = NoncePredictor::default();
        let seen: Vec<Seen> = (0..5).map(|s| predictor.observe(STATIC_IV ^ s)).collect();
        assert_eq!(seen[..2], [Seen::Other, Seen::Other]);
        assert_eq!(seen[2..], [Seen::Expected(2), Seen::Expected(3), Seen::Expected(4)]);
        let (pattern, next) = predictor.prediction().expect("two were right");
        assert_eq!((pattern.nonce(next), next), (STATIC_IV ^ 5, 5));
        assert_eq!(misses((0..100_000).map(|s| STATIC_IV ^ s)), 4);
    }

    #[test]
    fn packet_numbers_that_do_not_begin_at_zero_are_learned() {
        // QUIC after a key update.
        for start in [1, 5, 7, 127, 1000, 65_535, 1 << 40] {
            let misses = misses((start..start + 100_000).map(|s| STATIC_IV ^ s));
            assert!(misses <= 60, "{start}: {misses}");
        }
        for start in [1, 5, 7, 127, 1000, 65_535] {
            let misses = misses((start..start + 100_000).map(|s| STATIC_IV ^ s << 64));
            assert!(misses <= 60, "{start}, in front: {misses}");
        }
    }

    #[test]
    fn counters_that_are_part_of_the_nonce_are_learned() {
        let fixed: Nonce = 0x0102_0304 << 64;
        for start in [0, 1, 0x1234_5678_9abc_deff, u64::MAX - 50_000] {
            // SSH, TLS 1.2.
            let end = (0..50_000_u64).map(|s| fixed | u128::from(start.wrapping_add(s)));
            let misses = misses(end);
            assert!(misses <= 20, "{start:x}: {misses}");
        }
        // OpenVPN.
        let front = (1..50_000_u128).map(|packet| packet << 64 | 0x1122_3344_5566_7788);
        assert!(misses(front) <= 10);
    }

    #[test]
    fn a_nonce_that_is_its_counter_is_known_whole_after_a_long_carry_or_three_nonces() {
        for (start, expected) in
            [(0x1234_5600, 7), (0x1234_5678, 7), (0x1234_567f, 7), (0x1234_56ff, 4), (0xffff, 4)]
        {
            let counters = start..start + 70_000;
            assert_eq!(misses(counters.clone().map(|counter| counter << 64 | 0x1122_3344)), expected);
            assert_eq!(misses(counters), expected);
        }
    }

    #[test]
    fn a_message_is_within_the_pattern_if_it_is_a_thousand_numbers_away_at_most() {
        for (sequence, is_near) in [(4023, true), (4024, false), (1976, true), (1975, false)] {
            let mut predictor = NoncePredictor::default();
            for sequence in 0..3000 {
                predictor.observe(STATIC_IV ^ sequence);
            }
            let seen = predictor.observe(STATIC_IV ^ Nonce::from(sequence));
            assert_eq!(seen, if is_near { Seen::Expected(sequence) } else { Seen::Other });
        }
    }

    #[test]
    fn counters_in_steps_of_two_are_not_learned() {
        assert_eq!(misses((0..100).map(|sequence| STATIC_IV ^ (2 * sequence))), 100);
    }

    #[test]
    fn a_counter_that_begins_anew_after_its_largest_number_does_not_go_on() {
        let mut predictor = NoncePredictor::default();
        let seen: Vec<Seen> = (0..257).map(|s: Nonce| predictor.observe((s & 0xff) << 88 | 7)).collect();
        assert_eq!(seen[255..], [Seen::Expected(255), Seen::Other]);
    }

    #[test]
    fn lost_and_reordered_messages_are_within_the_pattern() {
        let order = [0, 1, 2, 3, 5, 4, 9, 8, 7, 6, 10, 900, 899, 901, 12];
        assert_eq!(unexpected(order.map(|s: Nonce| STATIC_IV ^ s)), 2);
    }

    #[test]
    fn random_and_constant_nonces_are_not_predicted() {
        let mut bits = 1_u128;
        let mut random = || {
            bits = bits.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
            bits >> 32
        };
        let mut predictor = NoncePredictor::default();
        for _ in 0..1000 {
            predictor.observe(random());
            assert_eq!(predictor.prediction(), None);
        }
        assert!(predictor.is_hopeless());
        let mut predictor = NoncePredictor::default();
        for _ in 0..1000 {
            predictor.observe(7);
            assert_eq!(predictor.prediction(), None);
        }
    }

    #[test]
    fn three_wrong_predictions_in_a_row_end_prediction() {
        let mut predictor = NoncePredictor::default();
        (0..10).for_each(|s| assert!(predictor.observe(STATIC_IV ^ s) != Seen::Other || s < 2));
        assert!(predictor.prediction().is_some());
        // Each pair is a new pattern, and the next nonce contradicts it.
        for nonce in [1 << 90, 3 << 50, 7 << 70] {
            predictor.observe(nonce);
        }
        assert!(predictor.prediction().is_none());
    }

    #[test]
    fn a_nonce_and_its_sequence_number_are_inverse() {
        for shift in [0, 8, 32, 64, 88] {
            let pattern = NoncePattern { shift, constant: STATIC_IV };
            for sequence in [0, 1, 200, 255] {
                assert_eq!(pattern.sequence(pattern.nonce(sequence)), Some(sequence), "{shift}");
            }
        }
        assert_eq!(NoncePattern { shift: 64, constant: 0 }.sequence(1), None);
        assert_eq!(NoncePattern { shift: 64, constant: 5 }.nonce(1 << 32), 5, "a counter of 32 bits");
        assert_eq!(NoncePattern { shift: 0, constant: 0 }.sequence(1 << 80), None);
    }
}
