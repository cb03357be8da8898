//! A segment of key stream: its counter blocks, and its use.

use outboard_accel::{Error, KeyStreamSegment};

use super::budget::Lease;
use super::counters::{BLOCK, Counters};
use super::mix::{block_at, mix_blocks};
use super::verifier::Verifier;
use crate::hardware::Release;
use crate::in_out::InOut;
use outboard_accel::wipe;

#[derive(Debug)]
pub(crate) enum Stopped {
    /// At the end of the text, or where no more key stream was submitted.
    Complete,
    /// At key stream that the driver has not completed, or before the first key stream.
    NotReady,
    /// The text is not a continuation of the stream.
    Elsewhere,
    /// At key stream that the driver has not completed for as long as a driver may take.
    NoAnswer,
    /// The driver's result was wrong, or could not be verified.
    Wrong,
    /// The driver failed, or this is the child of a fork.
    Failed(Error),
}

#[derive(Debug)]
pub(crate) enum Unusable {
    /// The driver failed, or this is the child of a fork.
    Failed(Error),
    /// The result is wrong, or cannot be verified.
    Wrong,
}

pub(super) struct Segment {
    stream: KeyStreamSegment,
    counters: Counters,
    is_ready: bool,
    is_in_use: bool,
    is_late: bool,
    /// The segment's part of the memory of the process.
    _lease: Lease,
}

impl Segment {
    pub(super) fn submit(
        mut stream: KeyStreamSegment,
        counters: Counters,
        blocks: usize,
        lease: Lease,
    ) -> Result<Segment, Error> {
        stream.submit(blocks * BLOCK, &mut |room| counters.fill(0, room))?;
        let (is_ready, is_in_use, is_late) = (false, false, false);
        Ok(Segment { stream, counters, is_ready, is_in_use, is_late, _lease: lease })
    }

    /// As many as before. The segment must not be used after an error.
    pub(super) fn renew(&mut self, counters: Counters) -> Result<(), Error> {
        self.stream.submit(self.stream.len(), &mut |room| counters.fill(0, room))?;
        (self.counters, self.is_ready, self.is_in_use, self.is_late) = (counters, false, false, false);
        Ok(())
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(super) fn len(&self) -> usize {
        self.stream.len()
    }

    #[inline]
    pub(super) fn is_ready(&mut self) -> bool {
        self.is_ready = self.is_ready || self.stream.is_ready();
        self.is_ready
    }

    pub(super) fn is_in_use(&self) -> bool {
        self.is_in_use
    }

    /// Whether a text needed it before the driver had completed it.
    pub(super) fn is_late(&self) -> bool {
        self.is_late
    }

    pub(super) fn set_late(&mut self) {
        self.is_late = true;
    }

    /// Whether the driver has completed it since the last call of [`is_ready`](Self::is_ready).
    pub(super) fn turns_ready(&mut self) -> bool {
        !self.is_ready && self.is_ready()
    }

    /// XORs a text with the key stream from byte `from` on, after blocks of that were recomputed.
    /// The driver must have completed the segment. Returns how many bytes were written before the
    /// key stream was found to be unusable.
    pub(super) fn mix(
        &mut self,
        from: usize,
        job: InOut<'_>,
        verifier: &Verifier<'_>,
    ) -> (usize, Option<Unusable>) {
        debug_assert!(self.is_ready());
        let bytes = match self.stream.bytes() {
            Ok(bytes) => bytes,
            Err(error) => return (0, Some(Unusable::Failed(error))),
        };
        assert!(from + job.len() <= bytes.len());
        let blocks = from / BLOCK..(from + job.len()).div_ceil(BLOCK);
        let is_first_use = !std::mem::replace(&mut self.is_in_use, true);
        match verifier.accepts(bytes, &self.counters, blocks, is_first_use) {
            Release::Yes => {}
            Release::No => return (0, Some(Unusable::Wrong)),
            Release::Differs(offset) => {
                verifier.found_wrong(bytes.len(), offset);
                return (0, Some(Unusable::Wrong));
            }
        }
        let mut done = 0;
        while done < job.len() {
            let (index, skip) = ((from + done) / BLOCK, (from + done) % BLOCK);
            let whole = (job.len() - done) / BLOCK;
            if skip == 0 && whole > 0 {
                let count = whole.min(self.counters.consecutive(index));
                let run = &bytes[index * BLOCK..][..count * BLOCK];
                let mixed = mix_blocks(run, self.counters.at(index), job.after(done));
                done += mixed * BLOCK;
                if mixed == count {
                    continue;
                }
            }
            let (index, skip) = ((from + done) / BLOCK, (from + done) % BLOCK);
            let counter = self.counters.at(index);
            let decided =
                block_at(bytes, index, counter).map_or_else(|| verifier.decides(bytes, index, counter), Ok);
            let mut block = match decided {
                Ok(block) => block,
                Err(release) => {
                    if let Release::Differs(offset) = release {
                        verifier.found_wrong(bytes.len(), offset);
                    }
                    return (done, Some(Unusable::Wrong));
                }
            };
            let len = (BLOCK - skip).min(job.len() - done);
            job.after(done).xor(&block[skip..skip + len]);
            wipe(&mut block);
            done += len;
        }
        (done, None)
    }
}

#[cfg(test)]
mod tests;
