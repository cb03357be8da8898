//! Slots that any process may claim, without a lock that a killed process would never release.

use crate::sync::{AtomicU8, AtomicU32, Ordering, spin_loop};

const FREE: u32 = 0;
const CLAIMED: u32 = 1;
const READY: u32 = 2;

/// Polls of a claimed slot before it is skipped: its process has a few dozen byte stores to
/// complete. If it was killed before, the slot stays claimed.
const MAX_POLLS: u32 = if cfg!(all(test, loom)) { 2 } else { 200 };

/// Free, then claimed by one writer, then ready. A ready slot never changes again.
#[repr(transparent)]
#[derive(Default)]
pub(crate) struct Claim(AtomicU32);

pub(crate) enum State {
    Free,
    Ready,
    /// Claimed by a writer that has not finished or was killed.
    Stuck,
}

impl Claim {
    /// After a short wait for a writer that has not finished.
    pub(crate) fn settled(&self) -> State {
        for _ in 0..MAX_POLLS {
            match self.0.load(Ordering::Acquire) {
                FREE => return State::Free,
                CLAIMED => spin_loop(),
                READY => return State::Ready,
                _ => return State::Stuck,
            }
        }
        State::Stuck
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.0.load(Ordering::Acquire) == READY
    }

    /// Calls `write` to fill a free slot and publishes it. False if another writer was first.
    pub(crate) fn fill(&self, write: impl FnOnce()) -> bool {
        if self.0.compare_exchange(FREE, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return false;
        }
        write();
        self.0.store(READY, Ordering::Release);
        true
    }
}

pub(crate) fn store_bytes(to: &[AtomicU8], from: &[u8]) {
    for (i, cell) in to.iter().enumerate() {
        cell.store(from.get(i).copied().unwrap_or(0), Ordering::Relaxed);
    }
}

pub(crate) fn holds(cells: &[AtomicU8], text: &[u8]) -> bool {
    text.len() <= cells.len()
        && cells
            .iter()
            .enumerate()
            .all(|(i, cell)| cell.load(Ordering::Relaxed) == text.get(i).copied().unwrap_or(0))
}

/// Control characters become spaces: a malicious file must not send escape sequences to a terminal.
pub(crate) fn load_text(cells: &[AtomicU8]) -> String {
    let bytes: Vec<u8> = cells.iter().map(|c| c.load(Ordering::Relaxed)).take_while(|&b| b != 0).collect();
    String::from_utf8_lossy(&bytes).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
