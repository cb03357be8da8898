//! A segment of key stream: its counter blocks, its verification, and its use.

use outboard_accel::{Error, KeyStreamSegment};
use outboard_counters::Row;

use super::budget::Lease;
use super::counters::{BLOCK, Counters};
use super::mix::{block_at, mix_blocks};
use crate::hardware::{Hardware, Release};
use crate::in_out::InOut;
use crate::spot_check::{BlockCipher, Verdict};
use outboard_accel::wipe;

/// Maximum number of blocks that a full comparison covers of one segment.
const WINDOW: usize = 256;

/// Number of blocks that are compared at a time, on the stack.
const CHUNK: usize = 32;

/// Aligned for the counter blocks that are written to it.
#[repr(align(16))]
struct Chunk([u8; CHUNK * BLOCK]);

/// Verifies segments with software and counts what happens.
pub(crate) struct Verifier<'a> {
    /// The driver of ECB mode.
    pub(crate) hardware: &'a Hardware,
    /// The block cipher with the same key in software.
    pub(crate) reference: &'a BlockCipher,
    /// OpenSSL's name of the algorithm that the key stream is for.
    pub(crate) algorithm: &'a str,
    pub(crate) row: Option<&'a Row>,
}

/// Why the processing of a text ended.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// At the end of the text, or where no more key stream was submitted.
    Complete,
    /// At key stream that is not there yet, while the stream starts.
    NotReady,
    /// The text is not a continuation of the stream.
    Elsewhere,
    /// The driver's result was wrong, or could not be verified.
    Wrong,
    /// The driver failed, or this is the child of a fork.
    Failed(Error),
}

/// Why key stream cannot be used.
#[derive(Debug)]
pub(crate) enum Unusable {
    /// The driver failed, or this is the child of a fork.
    Failed(Error),
    /// The result is wrong, or cannot be verified.
    Wrong,
}

/// A submitted segment.
pub(super) struct Segment {
    stream: KeyStreamSegment,
    counters: Counters,
    is_verified: bool,
    /// The segment's part of the memory of the process.
    _lease: Lease,
}

impl Segment {
    /// Submits the encryption of `blocks` counter blocks.
    pub(super) fn submit(
        mut stream: KeyStreamSegment,
        counters: Counters,
        blocks: usize,
        lease: Lease,
    ) -> Result<Segment, Error> {
        stream.submit(blocks * BLOCK, &mut |room| counters.fill(0, room))?;
        Ok(Segment { stream, counters, is_verified: false, _lease: lease })
    }

    /// Submits the encryption of other counter blocks, as many as before. The segment must not be
    /// used after an error.
    pub(super) fn renew(&mut self, counters: Counters) -> Result<(), Error> {
        self.stream.submit(self.stream.len(), &mut |room| counters.fill(0, room))?;
        (self.counters, self.is_verified) = (counters, false);
        Ok(())
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Length in bytes.
    pub(super) fn len(&self) -> usize {
        self.stream.len()
    }

    /// Whether using it does not wait.
    pub(super) fn is_ready(&self) -> bool {
        self.stream.is_ready()
    }

    /// XORs a text with the key stream from byte `from` on. Waits until the driver has completed
    /// the segment. Returns the number of bytes that were written before the key stream was found
    /// to be unusable.
    pub(super) fn mix(
        &mut self,
        from: usize,
        job: InOut<'_>,
        verifier: &Verifier<'_>,
    ) -> (usize, Option<Unusable>) {
        let bytes = match self.stream.bytes() {
            Ok(bytes) => bytes,
            Err(error) => return (0, Some(Unusable::Failed(error))),
        };
        assert!(from + job.len() <= bytes.len());
        if !self.is_verified {
            match verifier.accepts(bytes, &self.counters) {
                Release::Yes => self.is_verified = true,
                Release::No => return (0, Some(Unusable::Wrong)),
                Release::Differs(offset) => {
                    self.try_again(offset, verifier);
                    return (0, Some(Unusable::Wrong));
                }
            }
        }
        let mut done = 0;
        while done < job.len() {
            let (index, skip) = ((from + done) / BLOCK, (from + done) % BLOCK);
            let whole = (job.len() - done) / BLOCK;
            if skip == 0 && whole > 0 {
                let count = whole.min(self.counters.consecutive(index));
                let run = &bytes[index * BLOCK..][..count * BLOCK];
                let part = job.after(done);
                // SAFETY: the run is as long as the rest of the text at most.
                let mixed = unsafe { mix_blocks(run, self.counters.at(index), part.input(), part.output()) };
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
                        self.try_again(offset, verifier);
                    }
                    return (done, Some(Unusable::Wrong));
                }
            };
            let len = (BLOCK - skip).min(job.len() - done);
            let part = job.after(done);
            for (offset, byte) in block[skip..skip + len].iter().enumerate() {
                // SAFETY: guaranteed by the caller; `len` bytes are left.
                unsafe { part.output().add(offset).write(part.input().add(offset).read() ^ byte) };
            }
            wipe(&mut block);
            done += len;
        }
        (done, None)
    }

    /// Judges the driver after a result that differs from software's at this byte: has it compute
    /// the segment again. The segment cannot be used afterwards.
    #[cold]
    fn try_again(&mut self, offset: usize, verifier: &Verifier<'_>) {
        let len = self.stream.len();
        let repeat = || {
            let submitted = self.stream.submit(len, &mut |room| self.counters.fill(0, room));
            match submitted.and_then(|()| self.stream.bytes()) {
                Ok(bytes) => verifier.compare(bytes, &self.counters, 0, len / BLOCK),
                Err(_) => Verdict::Unknown,
            }
        };
        verifier.hardware.try_again(verifier.algorithm, verifier.row, len, offset, repeat);
    }
}

impl Verifier<'_> {
    /// Compares a random block and the last one of a segment with software, or, in a full
    /// comparison, all blocks of a window at a random place.
    fn accepts(&self, bytes: &[u8], counters: &Counters) -> Release {
        let sample = self.hardware.sample(false);
        let verify = || {
            let blocks = bytes.len() / BLOCK;
            let count = if sample.full { WINDOW.min(blocks) } else { 1 };
            let first = sample.random as usize % (blocks - count + 1);
            let is_right = |first, count| self.compare(bytes, counters, first, count);
            match is_right(first, count) {
                Verdict::Right if first + count < blocks => is_right(blocks - 1, 1),
                verdict => verdict,
            }
        };
        self.hardware.release(verify)
    }

    fn compare(&self, bytes: &[u8], counters: &Counters, first: usize, count: usize) -> Verdict {
        let mut expected = Chunk([0; CHUNK * BLOCK]);
        let expected = &mut expected.0;
        let mut verdict = Verdict::Right;
        for from in (first..first + count).step_by(CHUNK) {
            let len = (first + count - from).min(CHUNK) * BLOCK;
            counters.fill(from, &mut expected[..len]);
            if !self.reference.encrypt(&mut expected[..len]) {
                verdict = Verdict::Unknown;
                break;
            }
            let found = &bytes[from * BLOCK..][..len];
            if let Some(offset) = found.iter().zip(&*expected).position(|(found, expected)| found != expected)
            {
                verdict = Verdict::Wrong { offset: from * BLOCK + offset };
                break;
            }
        }
        wipe(expected);
        verdict
    }

    /// Decides in software about a block with a word of its counter block: the block if it is right.
    #[cold]
    fn decides(&self, bytes: &[u8], index: usize, counter: u128) -> Result<[u8; BLOCK], Release> {
        let mut expected = counter.to_be_bytes();
        if !self.reference.encrypt(&mut expected) {
            return Err(Release::No);
        }
        if bytes[index * BLOCK..][..BLOCK] == expected {
            return Ok(expected);
        }
        wipe(&mut expected);
        Err(Release::Differs(index * BLOCK))
    }
}
