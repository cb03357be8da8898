//! One long message, encrypted in chunks, with its expected ciphertext.

use crate::bytes::{array, bytes};
use crate::evp::{Cipher, Context, Direction};

/// A message of chunks under one key.
#[derive(Clone, Debug)]
pub struct Stream {
    key: Vec<u8>,
    iv: [u8; 16],
    /// The plaintext.
    pub plain: Vec<u8>,
    /// The expected ciphertext, with padding.
    pub expected: Vec<u8>,
    piece: usize,
}

/// A stream in progress.
#[derive(Debug)]
pub struct Journey<'stream> {
    stream: &'stream Stream,
    /// The cipher context.
    pub context: Context,
    taken: usize,
    output: Vec<u8>,
}

impl Stream {
    /// A message of `pieces` chunks of `piece` bytes; `soft` computes the expected ciphertext.
    pub fn new(soft: &Cipher, seed: u64, pieces: usize, piece: usize) -> Stream {
        let (key, iv) = (bytes(seed, soft.key_length()), array(seed ^ 1));
        let plain = bytes(seed ^ 2, pieces * piece);
        let mut stream = Stream { key, iv, plain, expected: Vec::new(), piece };
        stream.expected = stream.start(soft).finish();
        stream
    }

    /// Begins to encrypt it.
    pub fn start(&self, cipher: &Cipher) -> Journey<'_> {
        let context = Context::keyed(cipher, &self.key, &self.iv, Direction::Encrypt);
        Journey { stream: self, context, taken: 0, output: Vec::with_capacity(self.plain.len() + 16) }
    }

    /// Encrypts all of it and returns whether the ciphertext is correct.
    pub fn runs_right(&self, cipher: &Cipher) -> bool {
        self.start(cipher).finish() == self.expected
    }
}

impl Journey<'_> {
    /// Encrypts the next chunk; false when there is none.
    pub fn go(&mut self) -> bool {
        let rest = &self.stream.plain[self.taken..];
        if rest.is_empty() {
            return false;
        }
        let piece = &rest[..self.stream.piece.min(rest.len())];
        let mut output = vec![0; piece.len() + 16];
        let written = self.context.update(piece, &mut output).expect("update");
        self.output.extend_from_slice(&output[..written]);
        self.taken += piece.len();
        true
    }

    /// Encrypts the rest and returns the whole ciphertext.
    pub fn finish(mut self) -> Vec<u8> {
        while self.go() {}
        let mut last = [0; 16];
        let written = self.context.finish(&mut last).expect("final");
        self.output.extend_from_slice(&last[..written]);
        self.output
    }

    /// An independent copy.
    pub fn copy(&self) -> Self {
        let (context, outcome) = self.context.copy();
        outcome.expect("copy");
        Journey { stream: self.stream, context, taken: self.taken, output: self.output.clone() }
    }

    /// Finishes and returns whether the ciphertext is correct.
    pub fn ends_right(self) -> bool {
        let expected = &self.stream.expected;
        self.finish() == *expected
    }
}
