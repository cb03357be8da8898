//! Key stream that a driver computes before it is needed.

use crate::{Error, LONGEST_PIECE, Session};

/// Counter blocks in flight, or their encryption: a segment of key stream. It stays in the
/// session's own memory. It is wiped there when the segment is dropped, also if the driver completes
/// it later, and wiped or overwritten when the segment is submitted again.
pub struct KeyStreamSegment {
    session: Box<dyn Session>,
    len: usize,
}

impl KeyStreamSegment {
    /// The maximum length of a segment in bytes.
    pub const LONGEST: usize = LONGEST_PIECE;

    /// A segment for a session of ECB mode, without content.
    pub fn new(session: Box<dyn Session>) -> KeyStreamSegment {
        KeyStreamSegment { session, len: 0 }
    }

    /// Submits `len` bytes of counter blocks, at most [`LONGEST`](Self::LONGEST), which `fill`
    /// writes. Does not wait. The driver encrypts them in place: a block that it does not write
    /// remains a counter block.
    /// Errors: those of [`Session::submit_counters`]. The segment is then empty.
    pub fn submit(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        self.len = 0;
        self.session.submit_counters(len, fill)?;
        self.len = len;
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the driver has completed the segment. Makes no system call.
    pub fn is_ready(&self) -> bool {
        self.session.is_done()
    }

    /// The key stream, which must be [ready](Self::is_ready): nothing waits for it.
    /// Errors: those of [`Session::result`]; in the child of a fork, which does not have the
    /// memory, [`Error::is_of_parent`] is true.
    pub fn bytes(&mut self) -> Result<&[u8], Error> {
        debug_assert!(self.is_ready());
        self.session.result(0)
    }
}
