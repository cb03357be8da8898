//! Submits segments of a stream: how many and how long.

use outboard_accel::{Error, KeyStreamSegment, Session};

use super::budget::Budget;
use super::counters::{BLOCK, Counters};
use super::segment::Segment;

/// Length of the first segments of a stream in bytes. The window doubles whenever a segment was
/// used up, like the read-ahead of files.
const FIRST: usize = 16 * 1024;

/// Number of segments into which the window is divided, so that the driver works on some while
/// others are used.
const SEGMENTS: usize = 4;

/// The source of a stream's segments.
pub(super) struct Supply {
    /// A session with the key, which the segments share.
    session: Box<dyn Session>,
    budget: &'static Budget,
    /// Number of bytes to have in advance.
    target: usize,
    window: usize,
}

impl Supply {
    pub(super) fn new(session: Box<dyn Session>, budget: &'static Budget, window: usize) -> Supply {
        Supply { session, budget, target: FIRST.min(window), window }
    }

    /// Doubles the number of bytes in advance, up to the window.
    pub(super) fn grow(&mut self) {
        self.target = (self.target * 2).min(self.window);
    }

    /// Whether the number of bytes in advance cannot grow.
    pub(super) fn is_largest(&self) -> bool {
        self.target == self.window
    }

    /// Number of blocks of the next segment, if `ahead` bytes are in advance; 0 if that is enough.
    /// Segments are submitted whole: each costs a system call and an interrupt.
    pub(super) fn next_blocks(&self, ahead: usize) -> usize {
        let segment = (self.target / SEGMENTS).clamp(BLOCK, KeyStreamSegment::LONGEST);
        if ahead + segment > self.target.max(segment) { 0 } else { segment / BLOCK }
    }

    /// Submits a segment of `blocks` counter blocks. `None` if the memory for key stream, of the
    /// interface or of the process is used up.
    pub(super) fn submit(&self, counters: Counters, blocks: usize) -> Result<Option<Segment>, Error> {
        let Some(lease) = self.budget.lease(blocks * BLOCK) else { return Ok(None) };
        let submit = |session| Segment::submit(KeyStreamSegment::new(session), counters, blocks, lease);
        unless_scarce(self.session.share().and_then(submit))
    }
}

/// `None` instead of an error that means that the interface or the driver has no room now.
pub(super) fn unless_scarce<T>(submitted: Result<T, Error>) -> Result<Option<T>, Error> {
    match submitted {
        Ok(done) => Ok(Some(done)),
        Err(error) if error.is_scarcity() && !error.is_away() => Ok(None),
        Err(error) => Err(error),
    }
}
