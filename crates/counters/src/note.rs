use crate::claim::{Claim, State, holds, load_text, store_bytes};
use crate::sync::AtomicU8;
use std::borrow::Cow;

const ELLIPSIS: &str = " …";

/// Of a table. Later notes are dropped.
pub const NOTES: usize = 24;

/// In bytes of UTF-8. A longer note is truncated at the end of a word.
pub const NOTE_BYTES: usize = 496;

#[repr(C, align(64))]
pub(crate) struct Note {
    claim: Claim,
    reserved: [u32; 3],
    text: [AtomicU8; NOTE_BYTES],
}

const _: () = assert!(cfg!(all(test, loom)) || size_of::<Note>() == 512);

/// Does nothing if the table already contains it or is full.
pub(crate) fn add(notes: &[Note], text: &str) {
    let text = cut_words(text, NOTE_BYTES);
    let text = cut(&text, NOTE_BYTES);
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

/// The first words and an ellipsis.
pub(crate) fn cut_words(text: &str, room: usize) -> Cow<'_, str> {
    let text = text.split('\0').next().unwrap_or_default();
    if text.len() <= room {
        return Cow::Borrowed(text);
    }
    let room = room - ELLIPSIS.len();
    let end = (0..=room).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    let head = &text[..end];
    let is_end_of_word = text[end..].starts_with(char::is_whitespace);
    // A single word that is too long is truncated between characters.
    let words = if is_end_of_word {
        Some(head)
    } else {
        head.rsplit_once(char::is_whitespace).map(|(words, _)| words)
    };
    let words = words.unwrap_or(head);
    Cow::Owned(format!("{}{ELLIPSIS}", words.trim_end()))
}

/// Up to the first zero byte, truncated between characters.
pub(crate) fn cut(text: &str, room: usize) -> &[u8] {
    let text = text.split('\0').next().unwrap_or_default();
    let end = (0..=room.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    &text.as_bytes()[..end]
}
