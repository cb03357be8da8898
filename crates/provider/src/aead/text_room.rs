use std::ops::Deref;

use outboard_accel::{Wiped, wipe};

/// Of the capacity, so that texts of slightly different lengths share one allocation.
const STEP: usize = 2048;

/// A context's memory for a copy of a text, or for the result of software; empty between messages.
/// It is kept for the next text, and as long as the longest request to a driver at most.
pub(super) struct TextRoom(Wiped<Vec<u8>>);

impl Default for TextRoom {
    fn default() -> TextRoom {
        TextRoom(Wiped::new(Vec::new()))
    }
}

impl TextRoom {
    /// Stores a copy of `text` and `more` zeros. `None` without memory.
    pub(super) fn fill(&mut self, text: &[u8], more: usize) -> Option<&mut [u8]> {
        self.empty();
        let len = text.len() + more;
        if self.0.capacity() < len {
            *self = TextRoom::default();
            self.0.try_reserve_exact(len.next_multiple_of(STEP)).ok()?;
        }
        self.0.extend_from_slice(text);
        self.0.resize(len, 0);
        Some(&mut self.0)
    }

    pub(super) fn truncate(&mut self, len: usize) {
        wipe(&mut self.0[len..]);
        self.0.truncate(len);
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }

    /// Overwrites the text and keeps the memory.
    pub(super) fn empty(&mut self) {
        wipe(&mut self.0);
        self.0.clear();
    }
}

impl Deref for TextRoom {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_kept_and_grows_with_the_text() {
        let mut room = TextRoom::default();
        assert_eq!(room.fill(&[1, 2], 1), Some(&mut [1, 2, 0][..]));
        let (at, capacity) = (room.0.as_ptr(), room.0.capacity());
        assert_eq!(room.fill(&[3; STEP], 0).map(|text| text.len()), Some(STEP));
        assert_eq!((room.0.as_ptr(), room.0.capacity()), (at, capacity));
        assert!(room.fill(&[4; STEP], 16).is_some() && room[..STEP] == [4; STEP] && room[STEP..] == [0; 16]);
        room.empty();
        assert!(room.is_empty() && room.0.capacity() >= STEP + 16);
    }
}
