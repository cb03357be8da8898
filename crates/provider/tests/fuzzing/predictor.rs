//! The predictor: what it expects is what the pattern yields, and regular nonces are learned.

use std::collections::HashMap;

use super::super::nonces::{Nonce, NoncePattern, NoncePredictor, Seen};
use super::Script;
use super::messages::Nonces;

/// Number of nonces of a new key that are not predicted, if their counter begins at 0.
const LEARNED: usize = 4;

pub fn predictor(input: &[u8]) {
    let mut script = Script { bytes: input.to_vec(), at: 0 };
    regular(script.byte());
    let (kind, start) = (script.byte(), script.number());
    let mut nonces = Nonces::new(kind, start);
    let mut predictor = NoncePredictor::default();
    // Which sequence number each nonce has, and the reverse, under one pattern.
    let mut pattern: Option<NoncePattern> = None;
    let (mut nonce_of, mut sequence_of) = (HashMap::new(), HashMap::new());
    while !script.is_over() {
        let choice = script.byte();
        let number = if choice < 8 { script.number() } else { 0 };
        let nonce = nonces.choose(choice, number);
        // Without one beyond the largest counter.
        let is_valid = |pattern: NoncePattern, next| pattern.sequence(pattern.nonce(next)) == Some(next);
        let before = predictor.prediction().filter(|&(known, next)| is_valid(known, next));
        let seen = predictor.observe(nonce);
        let after = predictor.prediction();
        if let Seen::Expected(sequence) = seen {
            if let Some((known, next)) = before {
                assert_eq!(known.nonce(sequence), nonce, "the nonce of another message");
                assert!(known.nonce(next) != nonce || sequence == next, "{sequence}, not {next}");
            }
            let Some((known, next)) = after else { continue };
            assert_eq!(known.nonce(sequence), nonce);
            assert_eq!(known.sequence(nonce), Some(sequence));
            assert!(next != sequence, "the next message has another number");
            if pattern != Some(known) {
                pattern = Some(known);
                nonce_of.clear();
                sequence_of.clear();
            }
            assert_eq!(*nonce_of.entry(sequence).or_insert(nonce), nonce, "two nonces of {sequence}");
            assert_eq!(*sequence_of.entry(nonce).or_insert(sequence), sequence, "two numbers of {nonce:x}");
        } else if let Some((known, next)) = before {
            assert_ne!(known.nonce(next), nonce, "the predicted nonce was not recognised");
        }
        assert!(!predictor.is_hopeless() || after.is_none());
        if predictor.is_hopeless() {
            predictor = NoncePredictor::default();
        }
    }
}

/// A counter that begins at 0, at any byte and with any constant, is learned from its first nonces.
fn regular(kind: u8) {
    let constant: Nonce = u128::from(kind).wrapping_mul(0x0102_0408_1020_4080_0103_0507_0b0d);
    let shift = u32::from(kind % 12) * 8;
    let pattern = NoncePattern { shift, constant: constant & (!0 >> 32) };
    let mut predictor = NoncePredictor::default();
    let mut missed = 0;
    for sequence in 0..200 {
        let nonce = pattern.nonce(sequence);
        missed += usize::from(predictor.prediction().map(|(known, next)| known.nonce(next)) != Some(nonce));
        predictor.observe(nonce);
    }
    assert!(missed <= LEARNED, "{missed} nonces of a counter at bit {shift} were not predicted");
}
