use super::instructions::{Aligned, CBC, CRYPT, CTR, ECB, Operands, execute};
use super::schedule::Schedules;
use crate::buffer::Buffer;
use crate::memory::{Shared, boxed};
use crate::{Algorithm, Direction, DriverName, Error, InFlight, LONGEST_PIECE, Request, Session, advance};

/// The Nano reads up to eight blocks beyond the last one (drivers/crypto/padlock-aes.c), and those
/// must not be on a page that is not mapped.
const READ_AHEAD: usize = 128;

const BLOCK: usize = 16;

/// With a buffer, in which the unit processes a request in place: it is aligned, and its bytes do
/// not change while they are verified.
pub(super) struct PadlockSession {
    name: DriverName,
    algorithm: Algorithm,
    keys: Shared<Schedules>,
    buffer: Buffer,
    answer: Option<usize>,
    /// Bytes of plaintext or key stream in the buffer, to be wiped.
    secret: usize,
}

impl PadlockSession {
    pub(super) fn new(name: DriverName, algorithm: Algorithm, keys: Shared<Schedules>) -> Self {
        PadlockSession { name, algorithm, keys, buffer: Buffer::new(), answer: None, secret: 0 }
    }

    /// Whole blocks from the start of the buffer.
    fn process(&mut self, direction: Direction, iv: &[u8], len: usize) -> Result<(), Error> {
        let is_counter = self.algorithm == Algorithm::CtrAes;
        let direction = if is_counter { Direction::Encrypt } else { direction };
        let (key, control) = (self.keys.key(direction).as_ptr(), self.keys.control(direction));
        let mut first = [0; BLOCK];
        first[..iv.len()].copy_from_slice(iv);
        let data = self.buffer.room(len + READ_AHEAD)?.as_mut_ptr();
        let mut done = 0;
        while done < len / BLOCK {
            let mut iv = Aligned(advance(first, if is_counter { done } else { 0 }));
            let rest = len / BLOCK - done;
            let count = if is_counter { rest.min(before_carry(iv.0)) } else { rest };
            // SAFETY: `done` blocks are within the buffer.
            let data = unsafe { data.add(done * BLOCK) };
            let control = (&raw const control.0).cast();
            let operands =
                Operands { iv: iv.0.as_mut_ptr(), key, count, control, source: data, destination: data };
            // SAFETY: a session exists only if the CPU has the unit. All addresses are aligned: the
            // buffer to a page, the others by their type. The buffer has READ_AHEAD bytes behind
            // the `count` blocks.
            unsafe {
                match self.algorithm {
                    Algorithm::CbcAes => execute::<CRYPT, CBC>(&operands),
                    Algorithm::CtrAes => execute::<CRYPT, CTR>(&operands),
                    _ => execute::<CRYPT, ECB>(&operands),
                }
            }
            done += count;
        }
        self.answer = Some(len);
        Ok(())
    }
}

/// Number of blocks until the last 16 bits of a counter are zero. The unit increments only those.
fn before_carry(counter: [u8; BLOCK]) -> usize {
    0x1_0000 - usize::from(u16::from_be_bytes([counter[14], counter[15]]))
}

impl InFlight for PadlockSession {}

impl Session for PadlockSession {
    fn max_request(&self, _direction: Direction) -> usize {
        LONGEST_PIECE
    }

    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        self.release();
        let [request] = requests else {
            return Err(Error::Batch { count: requests.len(), max: self.max_batch() });
        };
        let len = request.len();
        request.check(self.algorithm, 0, self.max_request(request.direction))?;
        request.copy_to(&mut self.buffer.room(len + READ_AHEAD)?[..len]);
        if request.direction == Direction::Decrypt {
            self.secret = len;
        }
        self.process(request.direction, request.iv, len)
    }

    fn submit_counters(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        self.release();
        Request::new(Direction::Encrypt, &[], &[]).check(self.algorithm, 0, 0)?;
        fill(&mut self.buffer.room(len + READ_AHEAD)?[..len]);
        self.secret = len;
        self.process(Direction::Encrypt, &[], len)
    }

    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        match self.answer {
            Some(len) if index == 0 => Ok(self.buffer.bytes(len)),
            known => Err(Error::Batch { count: index + 1, max: known.map_or(0, |_| 1) }),
        }
    }

    fn release(&mut self) {
        self.answer = None;
        self.buffer.wipe(std::mem::take(&mut self.secret));
    }

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        let (name, keys) = (DriverName::clone(&self.name), Shared::clone(&self.keys));
        Ok(boxed(Self::new(name, self.algorithm, keys))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_carried_before_its_last_16_bits_overflow() {
        let counter = |low: u128| (0xabcd_u128 << 112 | low).to_be_bytes();
        assert_eq!([0, 1, 0xffff, 0x1_ffff].map(|low| before_carry(counter(low))), [0x1_0000, 0xffff, 1, 1]);
    }
}
