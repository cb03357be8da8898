//! A GCM message whose nonce was predicted, processed with key stream.

use outboard_accel::wipe;

use super::short::{FULL_TAG, GCM_NONCE, Short};
use super::text_room::TextRoom;
use crate::block_cipher::BlockEncryption;
use crate::in_out::InOut;
use crate::lookahead::{
    FIRST_OF_GCM, GcmTag, NoncePredictor, RecordStream, Served, Stopped, Verifier, is_tag,
};
use crate::owned_slots::SlotId;

const BLOCK: usize = 16;

/// Number of key stream blocks that software computes at a time.
const CHUNK: usize = 32;

pub(super) struct MessageLookahead {
    pub(super) predictor: NoncePredictor,
    /// That of the message, if its nonce was predicted.
    pub(super) sequence: Option<u64>,
    /// Bytes that were processed with the key before the stream started.
    pub(super) bytes: usize,
    pub(super) stream: Option<SlotId>,
    pub(super) tag: Option<GcmTag>,
}

pub(super) struct Message<'a> {
    /// The nonce that was observed last.
    pub(super) nonce: &'a [u8],
    pub(super) aad: &'a [u8],
    pub(super) job: InOut<'a>,
    pub(super) tag: TagUse<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TagUse<'a> {
    /// Encryption: it is computed.
    Compute,
    /// Decryption: it is verified before any plaintext is written.
    Verify(&'a [u8]),
    /// Decryption of a text whose tag follows. It is computed, for a comparison at the end.
    Follows,
}

/// A processed message, of whose input there is a copy in the room for texts.
pub(super) struct Processed {
    /// The tag, unless it was verified.
    pub(super) tag: Short,
    /// Bytes that used key stream.
    pub(super) ahead: usize,
}

impl MessageLookahead {
    pub(super) fn new() -> MessageLookahead {
        MessageLookahead {
            predictor: NoncePredictor::default(),
            sequence: None,
            bytes: 0,
            stream: None,
            tag: None,
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.stream.is_some()
    }
}

/// Verifies the tag of a message or computes it. The outer `None`: no key stream was used.
pub(super) fn process(
    stream: &mut RecordStream,
    sequence: u64,
    message: &Message<'_>,
    verifier: &Verifier<'_>,
    tags: &GcmTag,
    copy: &mut TextRoom,
) -> Option<(Option<Processed>, Stopped)> {
    let (output, len) = (message.job.output(), message.job.len());
    let found = match stream.find(sequence, len) {
        Ok(found) => found,
        Err(stopped) => return Some((None, stopped)),
    };
    // SAFETY: guaranteed by the job. The slice is not used after the text was written.
    let text = &*copy.fill(unsafe { std::slice::from_raw_parts(message.job.input(), len) }, 0)?;
    // The application's text is read once: in shared memory it may change after its tag was verified.
    let job = message.job.with_input(text);
    let mut tag = Short::default();
    if message.tag != TagUse::Compute {
        let expected = tags.compute(verifier.reference, message.nonce, message.aad, text)?;
        match message.tag {
            // The default provider reports it.
            TagUse::Verify(tag) if !is_tag(&expected, tag) => return None,
            TagUse::Follows => tag.room(FULL_TAG).copy_from_slice(&expected),
            _ => {}
        }
    }
    let nonce = number(message.nonce)?;
    let software = |from, to| xor_in_software(nonce, job.first(to), from, verifier.reference);
    let (served, stopped) = stream.serve(&found, job, verifier, software);
    let Some(Served { mut is_whole, ahead }) = served else { return Some((None, stopped)) };
    if is_whole && message.tag == TagUse::Compute {
        // SAFETY: guaranteed by the job; the text was written above.
        let ciphertext = unsafe { std::slice::from_raw_parts(output, len) };
        match tags.compute(verifier.reference, message.nonce, message.aad, ciphertext) {
            Some(computed) => tag.room(FULL_TAG).copy_from_slice(&computed),
            None => is_whole = false,
        }
    }
    if !is_whole {
        // The default provider failed. It gets the input again, which may be where the output is.
        match message.job.is_in_place() {
            true => message.job.write(text),
            false => message.job.clear(),
        }
        return Some((None, stopped));
    }
    Some((Some(Processed { tag, ahead }), stopped))
}

/// From byte `done` on. False if the default provider fails.
fn xor_in_software(nonce: u128, job: InOut<'_>, mut done: usize, cipher: &dyn BlockEncryption) -> bool {
    let mut stream = [0; CHUNK * BLOCK];
    let mut is_right = true;
    while done < job.len() && is_right {
        let skip = done % BLOCK;
        let len = (stream.len() - skip).min(job.len() - done);
        let room = &mut stream[..(skip + len).next_multiple_of(BLOCK)];
        for (index, block) in room.chunks_exact_mut(BLOCK).enumerate() {
            let counter = FIRST_OF_GCM.wrapping_add((done / BLOCK + index) as u32);
            block.copy_from_slice(&(nonce << 32 | u128::from(counter)).to_be_bytes());
        }
        is_right = cipher.encrypt(room);
        if is_right {
            job.after(done).xor(&room[skip..skip + len]);
        }
        done += len;
    }
    wipe(&mut stream);
    is_right
}

/// A nonce of GCM's usual length as a number.
pub(super) fn number(nonce: &[u8]) -> Option<u128> {
    let bytes: [u8; GCM_NONCE] = nonce.try_into().ok()?;
    let mut wide = [0; 16];
    wide[16 - GCM_NONCE..].copy_from_slice(&bytes);
    Some(u128::from_be_bytes(wide))
}
