use crate::{Error, LONGEST_PIECE, Session};

/// Counter blocks in flight, or their encryption, in the session's own memory. They are wiped there
/// on drop, also if the driver completes them later, and wiped or overwritten when the segment is
/// submitted again.
pub struct KeyStreamSegment {
    session: Box<dyn Session>,
    len: usize,
}

impl KeyStreamSegment {
    /// The maximum length of a segment in bytes: of a request whose length has 16 bits, and that is a
    /// multiple of 128 (`outboard_catalog::families::Bounds`).
    pub const LONGEST: usize = LONGEST_PIECE - 128;

    pub fn new(session: Box<dyn Session>) -> KeyStreamSegment {
        KeyStreamSegment { session, len: 0 }
    }

    /// Does not wait. The driver encrypts the counter blocks that `fill` writes in place: a block
    /// that it does not write remains a counter block. After an error the segment is empty.
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

    pub fn is_ready(&self) -> bool {
        self.session.is_done()
    }

    /// It must be [ready](Self::is_ready). In the child of a fork, which does not have the memory,
    /// [`Error::is_of_parent`] is true of the error.
    pub fn bytes(&mut self) -> Result<&[u8], Error> {
        debug_assert!(self.is_ready());
        self.session.result(0)
    }
}
