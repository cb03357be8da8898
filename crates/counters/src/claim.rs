//! Slots that any process may claim, without a lock that a killed process could hold for ever.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

const FREE: u32 = 0;
const CLAIMED: u32 = 1;
const READY: u32 = 2;

/// How often a claimed slot is looked at again before it is passed by. Whoever claimed it has a few dozen byte
/// stores to do; if it was killed between, the slot stays claimed for ever and costs everybody this many loads.
const PATIENCE: u32 = 200;

/// Who owns a slot. Free, then claimed by one writer, then ready and never changed again.
#[repr(transparent)]
#[derive(Default)]
pub(crate) struct Claim(AtomicU32);

pub(crate) enum State {
    Free,
    Ready,
    /// Claimed by somebody who has not finished, or who was killed.
    Stuck,
}

impl Claim {
    /// Waits a moment for a slot that is being written.
    pub(crate) fn settled(&self) -> State {
        for _ in 0..PATIENCE {
            match self.0.load(Ordering::Acquire) {
                FREE => return State::Free,
                CLAIMED => std::hint::spin_loop(),
                READY => return State::Ready,
                _ => return State::Stuck,
            }
        }
        State::Stuck
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.0.load(Ordering::Acquire) == READY
    }

    /// Claims a free slot, lets `write` fill it and makes it visible. False when somebody was quicker.
    pub(crate) fn fill(&self, write: impl FnOnce()) -> bool {
        if self.0.compare_exchange(FREE, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return false;
        }
        write();
        self.0.store(READY, Ordering::Release);
        true
    }
}

/// Copies as many bytes as fit; the rest of `to` becomes zero.
pub(crate) fn store_bytes(to: &[AtomicU8], from: &[u8]) {
    for (i, cell) in to.iter().enumerate() {
        cell.store(from.get(i).copied().unwrap_or(0), Ordering::Relaxed);
    }
}

/// Whether `cells` hold exactly `text`, padded by zeros.
pub(crate) fn holds(cells: &[AtomicU8], text: &[u8]) -> bool {
    text.len() <= cells.len()
        && cells
            .iter()
            .enumerate()
            .all(|(i, cell)| cell.load(Ordering::Relaxed) == text.get(i).copied().unwrap_or(0))
}

/// The text up to the first zero, made harmless for a terminal: a hostile file must not send escape sequences.
pub(crate) fn load_text(cells: &[AtomicU8]) -> String {
    let bytes: Vec<u8> = cells.iter().map(|c| c.load(Ordering::Relaxed)).take_while(|&b| b != 0).collect();
    String::from_utf8_lossy(&bytes).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
