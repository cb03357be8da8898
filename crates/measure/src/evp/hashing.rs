//! Hashes messages, with or without a key.

use super::Error;

/// A context that hashes whole messages, one after another.
pub(super) trait Hasher: Send {
    /// Hashes one message. The output must be as long as the digest.
    fn hash(&mut self, message: &[u8], output: &mut [u8]) -> Result<(), Error>;
}

pub struct Hashing<'a> {
    context: Box<dyn Hasher + 'a>,
    pub(super) message: Vec<u8>,
    output: Vec<u8>,
}

impl<'a> Hashing<'a> {
    /// `bytes` is the length of a message, `size` that of its digest.
    pub(super) fn new(context: Box<dyn Hasher + 'a>, bytes: usize, size: usize) -> Hashing<'a> {
        Hashing { context, message: (0..bytes).map(|at| at as u8).collect(), output: vec![0; size] }
    }

    pub fn message(&self) -> &[u8] {
        &self.message
    }

    pub fn output(&self) -> &[u8] {
        &self.output
    }

    pub fn run(&mut self, messages: u32) -> Result<(), Error> {
        (0..messages).try_for_each(|_| self.context.hash(&self.message, &mut self.output))
    }
}
