//! Messages that are hashed, with a key or without.

use super::Error;

/// A context that hashes whole messages, one after another.
pub(super) trait Hasher: Send {
    /// One message. The output has room for exactly what comes of it.
    fn hash(&mut self, message: &[u8], output: &mut [u8]) -> Result<(), Error>;
}

/// A context, and the message that each request hashes.
pub struct Hashing<'a> {
    context: Box<dyn Hasher + 'a>,
    pub(super) message: Vec<u8>,
    output: Vec<u8>,
}

impl<'a> Hashing<'a> {
    /// For messages of so many bytes, each of which hashes to `size`.
    pub(super) fn new(context: Box<dyn Hasher + 'a>, bytes: usize, size: usize) -> Hashing<'a> {
        Hashing { context, message: (0..bytes).map(|at| at as u8).collect(), output: vec![0; size] }
    }

    /// What each request hashes.
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// What the last one hashed to.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// So many messages, one after another.
    pub fn run(&mut self, messages: u32) -> Result<(), Error> {
        (0..messages).try_for_each(|_| self.context.hash(&self.message, &mut self.output))
    }
}
