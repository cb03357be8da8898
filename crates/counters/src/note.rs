use crate::claim::{Claim, State, holds, load_text, store_bytes};
use std::sync::atomic::AtomicU8;

/// How many notes a table keeps: for each algorithm where it goes, and some reasons. The first ones stay, later ones are dropped.
pub const NOTES: usize = 24;

/// The longest note, in bytes of UTF-8; a longer one is cut at a character.
pub const NOTE_BYTES: usize = 240;

/// How a note begins that says what is in use; every other note says why something is not.
pub const IN_USE: &str = "in use: ";

/// A line of text that a provider instance leaves for `prove`.
#[repr(C, align(64))]
pub(crate) struct Note {
    claim: Claim,
    reserved: [u32; 3],
    text: [AtomicU8; NOTE_BYTES],
}

const _: () = assert!(size_of::<Note>() == 256);

impl Default for Note {
    fn default() -> Self {
        Self { claim: Claim::default(), reserved: [0; 3], text: [const { AtomicU8::new(0) }; NOTE_BYTES] }
    }
}

/// Adds a note, unless it is there already or there is no room.
pub(crate) fn add(notes: &[Note], text: &str) {
    let text = cut(text);
    if text.is_empty() {
        return;
    }
    for note in notes {
        match note.claim.settled() {
            State::Ready if holds(&note.text, text) => return,
            State::Free if note.claim.fill(|| store_bytes(&note.text, text)) => return,
            _ => {}
        }
    }
}

/// The notes in the order in which they were left, each once.
pub(crate) fn read(notes: &[Note]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for note in notes.iter().filter(|n| n.claim.is_ready()) {
        let text = load_text(&note.text);
        if !text.is_empty() && !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// The part of `text` that a note can hold: up to the first zero byte, cut between characters.
fn cut(text: &str) -> &[u8] {
    let text = text.split('\0').next().unwrap_or_default();
    let end = (0..=NOTE_BYTES.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    &text.as_bytes()[..end]
}
