//! The calls of an application.

use std::ffi::c_uint;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use outboard_abi::{Param, end, name};

use super::libcrypto;
use crate::kinds::{KINDS, Kind, Mode};
use crate::software::{SoftCipher, SoftContext};

/// A context of the default provider.
pub(crate) fn software(kind: &Kind) -> SoftContext {
    static FUNCTIONS: [OnceLock<SoftCipher>; KINDS.len()] = [const { OnceLock::new() }; KINDS.len()];
    let software = libcrypto::provider().software;
    let find = || software.cipher(kind.name).expect("the default provider has the cipher");
    SoftContext::new(FUNCTIONS[place(kind)].get_or_init(find), software.context()).expect("memory")
}

/// Its place among the ciphers.
pub(super) fn place(kind: &Kind) -> usize {
    KINDS.iter().position(|own| std::ptr::eq(own, kind)).expect("a cipher")
}

/// The cipher with this name.
pub(crate) fn kind(name: &str) -> &'static Kind {
    KINDS.iter().find(|kind| kind.name == name).expect("a cipher")
}

/// A message without its text.
#[derive(Clone, Copy)]
pub(crate) struct Message<'a> {
    pub(crate) kind: &'a Kind,
    pub(crate) encrypt: bool,
    pub(crate) key: &'a [u8],
    pub(crate) iv: &'a [u8],
    pub(crate) aad: &'a [u8],
    /// Of an AEAD, for decryption.
    pub(crate) tag: &'a [u8],
    pub(crate) tag_len: usize,
}

impl<'a> Message<'a> {
    pub(crate) fn new(kind: &'a Kind, key: &'a [u8]) -> Message<'a> {
        let iv = &[0x5a; 16][..if kind.mode.is_aead() { 12 } else { kind.iv_len() }];
        Message { kind, encrypt: true, key, iv, aad: &[], tag: &[], tag_len: 16 }
    }

    /// The calls before the text: with padding off, and for CCM with the length of the text.
    pub(crate) fn begin(&self, context: &SoftContext, len: usize) -> bool {
        let mut padding: c_uint = 0;
        match self.kind.mode {
            Mode::Gcm => {
                context.init(self.encrypt, Some(self.key), Some(self.iv))
                    && (self.encrypt || self.tag.is_empty() || context.set_octets(name::AEAD_TAG, self.tag))
                    && context.add_associated(self.aad)
            }
            Mode::Ccm => {
                let mut room = [0; 16];
                let only_length = Param {
                    data: null_mut(),
                    ..Param::construct_octet_string(name::AEAD_TAG, &mut room[..self.tag_len])
                };
                context.init(self.encrypt, None, None)
                    && context.set_size(name::IVLEN, self.iv.len())
                    && match self.encrypt {
                        true => context.set_params(&[only_length, end()]),
                        false => context.set_octets(name::AEAD_TAG, self.tag),
                    }
                    && context.init(self.encrypt, Some(self.key), Some(self.iv))
                    // SAFETY: nothing is read or written. The size of the output is compared all the same.
                    && unsafe { context.update(null_mut(), len, null(), len) }.is_some()
                    && context.add_associated(self.aad)
            }
            _ => {
                let iv = Some(self.iv).filter(|iv| !iv.is_empty());
                context.init(self.encrypt, Some(self.key), iv)
                    && context.set_params(&[Param::construct_uint(name::PADDING, &mut padding), end()])
            }
        }
    }

    /// Ends the message. Returns the tag after encryption with an AEAD. `None`: the tag is wrong.
    pub(crate) fn finish(&self, context: &SoftContext) -> Option<Vec<u8>> {
        if self.kind.mode == Mode::Gcm && !context.end() {
            return None;
        }
        let mut tag = vec![0; if self.kind.mode.is_aead() && self.encrypt { self.tag_len } else { 0 }];
        (tag.is_empty() || context.get_octets(name::AEAD_TAG, &mut tag)).then_some(tag)
    }

    /// The text processed in place, with the tag after it. `None`: the tag is wrong.
    pub(crate) fn process(&self, context: &SoftContext, text: &[u8]) -> Option<Vec<u8>> {
        let mut result = text.to_vec();
        if !self.begin(context, text.len()) || context.crypt(&mut result)? != text.len() {
            return None;
        }
        result.extend(self.finish(context)?);
        Some(result)
    }
}

/// An update. Returns the output; `None` if it fails.
pub(crate) fn update(context: &SoftContext, input: &[u8]) -> Option<Vec<u8>> {
    let mut output = vec![0; input.len() + 32];
    // SAFETY: both have the given lengths.
    let written = unsafe { context.update(output.as_mut_ptr(), output.len(), input.as_ptr(), input.len()) }?;
    output.truncate(written);
    Some(output)
}

/// Whole blocks by EVP_Cipher(3), in place.
pub(crate) fn cipher(context: &SoftContext, input: &[u8]) -> Option<Vec<u8>> {
    let mut blocks = input.to_vec();
    context.encrypt_blocks(&mut blocks).then_some(blocks)
}

/// The last block.
pub(crate) fn finish(context: &SoftContext) -> Option<Vec<u8>> {
    let (mut output, mut written) = (vec![0; 32], 0);
    // SAFETY: the output has this length.
    let done = unsafe { (context.functions.finish)(context.at, output.as_mut_ptr(), &mut written, 32) };
    output.truncate(written);
    (done == 1).then_some(output)
}

/// Bytes that differ from each other and from key to key.
pub(crate) fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|at| (at.wrapping_mul(31) ^ at >> 8 ^ seed.wrapping_mul(77)) as u8).collect()
}
