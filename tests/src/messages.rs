//! Whole messages through EVP.

use crate::evp::{Cipher, Context, Direction, Outcome};

/// The result for a text in one update and one final, with padding in the modes that have it.
#[track_caller]
pub fn padded(cipher: &Cipher, key: &[u8], iv: &[u8; 16], direction: Direction, text: &[u8]) -> Vec<u8> {
    let mut context = Context::keyed(cipher, key, iv, direction);
    let mut output = vec![0; text.len() + 16];
    let written = context.update(text, &mut output).expect("update");
    let mut last = [0; 16];
    let more = context.finish(&mut last).expect("final");
    output.truncate(written);
    output.extend_from_slice(&last[..more]);
    output
}

/// The result for whole blocks in one update, without padding.
#[track_caller]
pub fn unpadded(cipher: &Cipher, key: &[u8], iv: &[u8; 16], direction: Direction, text: &[u8]) -> Vec<u8> {
    let mut context = Context::keyed(cipher, key, iv, direction);
    context.set_padding(false).expect("padding off");
    let mut output = vec![0; text.len() + 16];
    let written = context.update(text, &mut output).expect("update");
    output.truncate(written);
    output
}

/// A message of an AEAD.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The nonce.
    pub nonce: &'a [u8],
    /// The additional data.
    pub aad: &'a [u8],
    /// The plaintext, or the ciphertext to be decrypted.
    pub text: &'a [u8],
    /// The tag to be checked; for encryption only its length is used.
    pub tag: &'a [u8],
}

/// The output, followed by the tag for encryption; or the call that failed.
pub fn authenticated(
    cipher: &Cipher,
    direction: Direction,
    message: &Message<'_>,
) -> Result<Vec<u8>, &'static str> {
    let is_fine = |outcome: Outcome, call| if outcome.returned == 1 { Ok(()) } else { Err(call) };
    let (decrypts, is_ccm) = (direction == Direction::Decrypt, cipher.is_ccm());
    let Message { key, nonce, aad, text, tag } = *message;
    let mut context = Context::new();
    context.init(Some(cipher), None, None, Some(direction)).expect("init");
    is_fine(context.set_nonce_length(nonce.len()), "nonce length")?;
    if decrypts {
        is_fine(context.set_tag(tag), "tag")?;
    } else if is_ccm {
        is_fine(context.set_tag_length(tag.len()), "tag length")?;
    }
    is_fine(context.init_with_nonce(key, nonce), "key and nonce")?;
    if is_ccm {
        is_fine(context.announce(text.len()), "length")?;
    }
    if !aad.is_empty() {
        is_fine(context.additional(aad), "additional data")?;
    }
    let mut output = vec![0; text.len() + 16];
    is_fine(context.update(text, &mut output), "update")?;
    output.truncate(text.len());
    // CCM ends with its only update.
    if !is_ccm {
        is_fine(context.finish(&mut [0; 16]), "final")?;
    }
    if !decrypts {
        let (tag, outcome) = context.tag(tag.len());
        is_fine(outcome, "tag")?;
        output.extend_from_slice(&tag);
    }
    Ok(output)
}
