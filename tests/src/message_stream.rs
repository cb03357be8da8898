//! Messages of an AEAD that follow each other under one key in one context, as in TLS and SSH.

use crate::bytes::bytes;
use crate::evp::{Cipher, Context, Direction, Outcome};

const BLOCK: usize = 16;

/// Length of a nonce in bytes.
pub const NONCE: usize = 12;

/// One direction of a connection.
#[derive(Debug)]
pub struct MessageStream {
    context: Context,
    direction: Direction,
}

/// A message in plaintext or ciphertext.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamMessage {
    /// The nonce.
    pub nonce: [u8; NONCE],
    /// The additional data.
    pub aad: Vec<u8>,
    /// Plaintext or ciphertext.
    pub text: Vec<u8>,
    /// The tag of a ciphertext.
    pub tag: Vec<u8>,
}

impl StreamMessage {
    /// A plaintext of pseudo-random bytes.
    pub fn new(seed: u64, nonce: [u8; NONCE], length: usize) -> StreamMessage {
        StreamMessage { nonce, aad: bytes(seed ^ 1, 13), text: bytes(seed, length), tag: Vec::new() }
    }
}

impl MessageStream {
    /// A context with a key.
    #[track_caller]
    pub fn new(cipher: &Cipher, key: &[u8], direction: Direction) -> MessageStream {
        MessageStream { context: Context::keyed(cipher, key, &[0; BLOCK], direction), direction }
    }

    /// Sets a nonce that no message uses.
    #[track_caller]
    pub fn set_unused_nonce(&mut self, nonce: [u8; NONCE]) {
        let mut iv = [0; BLOCK];
        iv[..NONCE].copy_from_slice(&nonce);
        self.context.init(None, None, Some(&iv), None).expect("nonce");
    }

    /// Encrypts or decrypts a message, in place or not. `Err`: the outcome of the call that failed.
    pub fn process(&mut self, message: &StreamMessage, in_place: bool) -> Result<StreamMessage, Outcome> {
        let context = &mut self.context;
        let is_fine = |outcome: Outcome| if outcome.returned == 1 { Ok(()) } else { Err(outcome) };
        let mut iv = [0; BLOCK];
        iv[..NONCE].copy_from_slice(&message.nonce);
        is_fine(context.init(None, None, Some(&iv), None))?;
        if self.direction == Direction::Decrypt {
            is_fine(context.set_tag(&message.tag))?;
        }
        is_fine(context.additional(&message.aad))?;
        let mut text = message.text.clone();
        text.resize(message.text.len() + BLOCK, 0);
        if in_place {
            is_fine(context.update_in_place(&mut text, message.text.len()))?;
        } else {
            is_fine(context.update(&message.text, &mut text))?;
        }
        text.truncate(message.text.len());
        is_fine(context.finish(&mut [0; BLOCK]))?;
        let mut tag = Vec::new();
        if self.direction == Direction::Encrypt {
            let (read, outcome) = context.tag(BLOCK);
            is_fine(outcome)?;
            tag = read;
        }
        Ok(StreamMessage { text, tag, ..message.clone() })
    }

    /// An independent copy.
    pub fn copy(&self) -> MessageStream {
        let (context, outcome) = self.context.copy();
        outcome.expect("copy");
        MessageStream { context, direction: self.direction }
    }

    /// Sets another key.
    #[track_caller]
    pub fn set_key(&mut self, key: &[u8]) {
        self.context.init(None, Some(key), Some(&[0; BLOCK]), None).expect("key");
    }
}
