use std::mem::replace;
use std::slice::from_ref;
use std::sync::atomic::{AtomicBool, Ordering};

use outboard_accel::memory::try_vec;
use outboard_accel::{Direction, Error, Request, Session, Wiped};

use crate::block_cipher::BlockCipher;
use crate::draws;
use crate::jobs::Jobs;
use crate::key_session::KeySession;
use crate::kinds::{Kind, Mode};
use crate::offer::Cipher;
use crate::offload::{Offload, Refusal};
use crate::provider::Provider;
use crate::sessions::SessionGuard;
use crate::spot_check::{Chain, Crypted, MAX_BLOCK, Text, Verdict};

/// A message of N times this size is recomputed with its tag N times more rarely: at constant cost.
const RECOMPUTED: usize = 4096;

/// Compares a message with software's, its tag included. The last argument: it is a repetition.
pub(crate) type CompareWhole<'w, 'c> = &'w mut (dyn FnMut(&Request<'_>, &[u8], bool) -> Verdict + 'c);

pub(crate) struct Keyed<'a> {
    pub(crate) provider: &'a Provider,
    pub(crate) cipher: &'static Cipher,
    pub(crate) key: &'a [u8],
    pub(crate) key_session: &'a mut KeySession,
}

/// A result that may be released, in the session's own memory until drop.
pub(crate) struct Answer(SessionGuard<'static>);

impl Answer {
    pub(crate) fn bytes(&mut self) -> Option<&[u8]> {
        self.0.result(0).ok()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl Keyed<'_> {
    fn reference(&mut self) -> Option<(&'static Kind, &BlockCipher)> {
        let reference = self.key_session.reference(self.provider, self.cipher, self.key)?;
        Some((self.cipher.kind, reference))
    }

    /// A request that is not too long for the session. `compare_whole` is `None` for a cipher
    /// without tags.
    #[inline(never)]
    pub(crate) fn send(
        mut self,
        session: SessionGuard<'static>,
        request: &Request<'_>,
        compare_whole: Option<CompareWhole<'_, '_>>,
    ) -> Result<Answer, Refusal> {
        let mut answer = Answer(session);
        let (hardware, kind, session) = (&self.cipher.hardware, self.cipher.kind, &mut *answer.0);
        let (jobs, row) = (self.provider.jobs.as_ref(), self.provider.counters.row(kind.name));
        let generators = matches!(kind.mode, Mode::Ctr | Mode::Ecb);
        let outcome = Jobs::submit_and_wait(jobs, session, from_ref(request), generators, hardware.driver());
        let (request, keyed) = (*request, &mut self);
        let mut submitted = Submitted { session, outcome, request, keyed, compare_whole };
        let sent = hardware.offload(kind.name, row, request.len(), &mut submitted);
        match sent {
            Ok(()) => Ok(answer),
            Err(refusal) => {
                drop(answer);
                if refusal.is_away() {
                    self.key_session.went_away(hardware);
                }
                Err(refusal)
            }
        }
    }
}

struct Submitted<'s, 'k, 'c> {
    session: &'s mut dyn Session,
    /// That of the submission.
    outcome: Result<(), Error>,
    request: Request<'s>,
    keyed: &'s mut Keyed<'k>,
    compare_whole: Option<CompareWhole<'s, 'c>>,
}

impl Offload for Submitted<'_, '_, '_> {
    fn process(&mut self) -> Result<(), Error> {
        replace(&mut self.outcome, Ok(()))?;
        self.session.result(0).map(drop)
    }

    fn was_compared(&self) -> &AtomicBool {
        &self.keyed.key_session.was_compared
    }

    /// Of a sample of the messages everything is recomputed, with the tag.
    fn verify(&mut self, is_full: bool) -> Verdict {
        let is_first = !self.was_compared().load(Ordering::Relaxed);
        let every = self.request.len().div_ceil(RECOMPUTED).max(1) as u32;
        let is_whole = is_full && (is_first || draws::next() % every == 0);
        let Ok(result) = self.session.result(0) else { return Verdict::Unknown };
        match &mut self.compare_whole {
            Some(compare) if is_whole => compare(&self.request, result, false),
            _ => self.keyed.reference().map_or(Verdict::Unknown, |(kind, reference)| {
                crypted(kind, &self.request, result).check(reference, is_full, draws::next())
            }),
        }
    }

    fn repeat(&mut self) -> Result<Verdict, Error> {
        let Request { head, input, .. } = self.request;
        let mut copy = Wiped::new(try_vec(self.request.len()).ok_or(Error::NoMemory)?);
        copy[..head.len()].copy_from_slice(head);
        copy[head.len()..].copy_from_slice(input);
        let request = Request { head: &[], input: &copy, ..self.request };
        let result = self.session.crypt(&request)?;
        if let Some(compare) = &mut self.compare_whole {
            return Ok(compare(&request, result, true));
        }
        let reference = self.keyed.reference();
        Ok(reference.map_or(Verdict::Unknown, |(kind, reference)| {
            crypted(kind, &request, result).check_all(reference)
        }))
    }
}

fn crypted<'a>(kind: &Kind, request: &Request<'a>, result: &'a [u8]) -> Crypted<'a> {
    let input = Text { head: request.head, rest: request.input };
    let output = Text::of(&result[..request.len()]);
    let is_encrypted = request.direction == Direction::Encrypt;
    let (plain, secret) = if is_encrypted { (input, output) } else { (output, input) };
    // Of the block cipher, also in a mode that accepts any length.
    let size = if kind.mode.is_aead() { MAX_BLOCK } else { kind.block() };
    Crypted { plain, secret, chain: Chain::new(kind.mode, request.iv), size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_cipher::BlockEncryption;
    use crate::block_cipher::toy::Toy;
    use crate::kinds::{KINDS, Mode};

    #[test]
    fn each_byte_of_each_ciphers_result_is_compared_in_either_direction() {
        for kind in &KINDS {
            let size = if kind.name.starts_with("DES") { 8 } else { 16 };
            let toy = Toy { size: Some(size), ..Toy::default() };
            let iv = &[0x5a; 16][..if kind.mode.is_aead() { 12 } else { kind.iv_len() }];
            // The first block by the definition of the mode.
            let plain = [0xc3; 16];
            let mut secret = [0; 16];
            secret[..size].copy_from_slice(&plain[..size]);
            let (mut mask, block) = ([0; 16], &mut secret[..size]);
            match kind.mode {
                Mode::Ecb | Mode::Cbc => block.iter_mut().zip(iv).for_each(|(byte, iv)| *byte ^= iv),
                Mode::Xts => {
                    mask.copy_from_slice(iv);
                    toy.block(&mut mask, 2);
                    block.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
                }
                Mode::Ctr => block.copy_from_slice(iv),
                Mode::Gcm => block.copy_from_slice(&[iv, &[0, 0, 0, 2]].concat()),
                Mode::Ccm => block.copy_from_slice(&[&[2], iv, &[0, 0, 1]].concat()),
            }
            assert!(toy.encrypt(block));
            if matches!(kind.mode, Mode::Ctr | Mode::Gcm | Mode::Ccm) {
                mask = plain;
            }
            block.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let (input, mut result) = match direction {
                    Direction::Encrypt => (plain, secret),
                    Direction::Decrypt => (secret, plain),
                };
                let request = Request::new(direction, iv, &input[..size]);
                let verdict = |result: &[u8]| crypted(kind, &request, result).check(&toy, false, 0);
                assert_eq!(verdict(&result[..size]), Verdict::Right, "{}, {direction:?}", kind.name);
                for at in 0..size {
                    result[at] ^= 0x80;
                    assert!(matches!(verdict(&result[..size]), Verdict::Wrong { .. }), "{}", kind.name);
                    result[at] ^= 0x80;
                }
            }
        }
    }
}
