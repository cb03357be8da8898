use super::instructions::{Aligned, CBC, CRYPT, CTR, ECB, Operands, execute};
use super::schedule::Schedules;
use crate::immediate::Backend;
use crate::memory::Shared;
use crate::{Algorithm, Direction, DriverName, Error, LONGEST_PIECE, Request, advance};

/// The Nano reads up to eight blocks beyond the last one (drivers/crypto/padlock-aes.c), and those
/// must not be on a page that is not mapped.
const READ_AHEAD: usize = 128;

const BLOCK: usize = 16;

/// A key. The buffer is aligned, and its bytes do not change while they are verified.
pub(super) struct PadlockKey {
    pub(super) name: DriverName,
    pub(super) algorithm: Algorithm,
    pub(super) keys: Shared<Schedules>,
}

impl Backend for PadlockKey {
    const READ_AHEAD: usize = READ_AHEAD;

    fn driver(&self) -> &DriverName {
        &self.name
    }

    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    fn tag_len(&self) -> usize {
        0
    }

    fn max_request(&self) -> usize {
        LONGEST_PIECE
    }

    fn computes_key_stream(&self) -> bool {
        self.algorithm == Algorithm::EcbAes
    }

    fn process(&mut self, request: &Request<'_>, room: &mut [u8]) -> Result<bool, Error> {
        let is_counter = self.algorithm == Algorithm::CtrAes;
        let direction = if is_counter { Direction::Encrypt } else { request.direction };
        let (key, control) = (self.keys.key(direction).as_ptr(), self.keys.control(direction));
        let mut first = [0; BLOCK];
        first[..request.iv.len()].copy_from_slice(request.iv);
        let (blocks, data) = ((room.len() - READ_AHEAD) / BLOCK, room.as_mut_ptr());
        let mut done = 0;
        while done < blocks {
            let mut iv = Aligned(advance(first, if is_counter { done } else { 0 }));
            let rest = blocks - done;
            let count = if is_counter { rest.min(before_carry(iv.0)) } else { rest };
            // SAFETY: `done` blocks are within the room.
            let data = unsafe { data.add(done * BLOCK) };
            let control = (&raw const control.0).cast();
            let operands =
                Operands { iv: iv.0.as_mut_ptr(), key, count, control, source: data, destination: data };
            // SAFETY: a session exists only if the CPU has the unit. All addresses are aligned: the
            // room to a page, the others by their type. The room has READ_AHEAD bytes behind the
            // `count` blocks.
            unsafe {
                match self.algorithm {
                    Algorithm::CbcAes => execute::<CRYPT, CBC>(&operands),
                    Algorithm::CtrAes => execute::<CRYPT, CTR>(&operands),
                    _ => execute::<CRYPT, ECB>(&operands),
                }
            }
            done += count;
        }
        Ok(true)
    }

    fn share(&self) -> Result<Self, Error> {
        let (name, keys) = (DriverName::clone(&self.name), Shared::clone(&self.keys));
        Ok(PadlockKey { name, keys, ..*self })
    }
}

/// Number of blocks until the last 16 bits of a counter are zero. The unit increments only those.
fn before_carry(counter: [u8; BLOCK]) -> usize {
    0x1_0000 - usize::from(u16::from_be_bytes([counter[14], counter[15]]))
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
