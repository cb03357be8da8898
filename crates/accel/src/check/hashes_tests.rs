use super::*;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Hash;

/// The reference implementation as a driver, with at most one defect.
#[derive(Clone)]
struct Sham {
    algorithm: HashAlgorithm,
    mistake: Mistake,
    done: Arc<AtomicUsize>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Mistake {
    None,
    /// The n-th digest has one wrong bit.
    Digest(usize),
    /// A clone and its original share the data that follows.
    SharedClones,
    /// A handle keeps the data of its previous message.
    Leftovers,
    /// A chunk that ends with a whole block is lost if no data follows.
    LostBlock,
    /// The driver cannot export its state.
    NoState,
    /// Every request times out.
    Silent,
}

#[derive(Clone)]
struct ShamSession(Sham, Vec<u8>);

struct ShamState {
    session: ShamSession,
    text: Arc<std::sync::Mutex<Vec<u8>>>,
}

impl Accelerator<dyn HashSession> for Sham {
    fn driver(&self) -> &str {
        "sham"
    }
    fn interface(&self) -> &'static str {
        "nothing"
    }
    fn open(&self, key: &[u8]) -> Result<Box<dyn HashSession>, Error> {
        Ok(Box::new(ShamSession(self.clone(), key.to_vec())))
    }
}

impl ShamSession {
    fn compute(&self, message: &[u8]) -> Result<Digest, Error> {
        if self.0.mistake == Mistake::Silent {
            let source = io::Error::from_raw_os_error(libc::ETIMEDOUT);
            return Err(Error::Request { call: "write", driver: "sham".into(), source });
        }
        let mut digest = sha::digest(self.0.algorithm, &self.1, message);
        if self.0.mistake == Mistake::Digest(self.0.done.fetch_add(1, Ordering::Relaxed)) {
            *digest.last_mut().expect("not empty") ^= 1;
        }
        let len = digest.len();
        digest.resize(64, 0);
        Ok(Digest::new(digest.try_into().expect("64 bytes"), len))
    }
}

impl HashSession for ShamSession {
    fn max_request(&self) -> usize {
        8192
    }
    fn max_batch(&self) -> usize {
        4
    }
    fn digests(&mut self, messages: &[&[u8]]) -> Result<Vec<Digest>, Error> {
        messages.iter().map(|message| self.compute(message)).collect()
    }
    fn whole_message(&mut self, message: &[u8]) -> Result<Digest, Error> {
        self.compute(message)
    }
    fn begin(&mut self) -> Result<Box<dyn HashState>, Error> {
        Ok(Box::new(ShamState { session: self.clone(), text: Arc::default() }))
    }
    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        unreachable!("the check shares no session")
    }
}

impl HashState for ShamState {
    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        if self.session.0.mistake == Mistake::NoState {
            let source = io::Error::from_raw_os_error(libc::EOPNOTSUPP);
            return Err(Error::NoState { driver: "sham".into(), source });
        }
        self.text.lock().unwrap().extend_from_slice(piece);
        Ok(())
    }
    fn try_clone(&self) -> Result<Box<dyn HashState>, Error> {
        let text = match self.session.0.mistake {
            Mistake::SharedClones => Arc::clone(&self.text),
            _ => Arc::new(std::sync::Mutex::new(self.text.lock().unwrap().clone())),
        };
        Ok(Box::new(ShamState { session: self.session.clone(), text }))
    }
    fn finish(&mut self, last: &[u8]) -> Result<Digest, Error> {
        let mut text = self.text.lock().unwrap();
        if self.session.0.mistake == Mistake::LostBlock && last.is_empty() && text.len() % 64 == 0 {
            let len = text.len().saturating_sub(64);
            text.truncate(len);
        }
        text.extend_from_slice(last);
        let digest = self.session.compute(&text);
        if self.session.0.mistake != Mistake::Leftovers {
            text.clear();
        }
        digest
    }
}

fn checked(algorithm: HashAlgorithm, mistake: Mistake) -> Result<Checked, Fault> {
    check_hash_seeded(&Sham { algorithm, mistake, done: Arc::default() }, algorithm, 1)
}

#[test]
fn a_right_driver_of_any_digest_or_hmac_passes() {
    for algorithm in HashAlgorithm::all() {
        let checked = checked(algorithm, Mistake::None).expect("it is right");
        assert!(checked.requests > 50, "{algorithm:?}: {checked:?}");
    }
}

#[test]
fn one_wrong_bit_in_any_digest_is_found() {
    let algorithm = HashAlgorithm { hash: Hash::Sha256, hmac: false };
    let all = checked(algorithm, Mistake::None).expect("it is right").requests;
    for n in [0, 1, 7, all / 2, all - 1] {
        assert!(matches!(checked(algorithm, Mistake::Digest(n)), Err(Fault::Wrong { .. })), "message {n}");
    }
}

#[test]
fn states_that_are_not_independent_are_found() {
    let algorithm = HashAlgorithm { hash: Hash::Sha1, hmac: true };
    for mistake in [Mistake::SharedClones, Mistake::Leftovers] {
        assert!(matches!(checked(algorithm, mistake), Err(Fault::Wrong { .. })), "{mistake:?}");
    }
    let text = checked(algorithm, Mistake::SharedClones).expect_err("wrong").to_string();
    assert!(text.contains("hashing in pieces by hmac(sha1)"), "{text}");
}

#[test]
fn a_driver_that_loses_a_whole_block_at_the_end_is_found() {
    let algorithm = HashAlgorithm { hash: Hash::Sha256, hmac: false };
    assert!(matches!(checked(algorithm, Mistake::LostBlock), Err(Fault::Wrong { .. })));
}

#[test]
fn a_driver_without_a_state_to_give_passes_for_messages_of_one_request() {
    let algorithm = HashAlgorithm { hash: Hash::Sha512, hmac: false };
    let (whole, all) = (checked(algorithm, Mistake::NoState), checked(algorithm, Mistake::None));
    assert!(whole.expect("right").requests < all.expect("right").requests);
}

#[test]
fn a_driver_of_digests_that_does_not_answer_fails_with_the_reason() {
    let algorithm = HashAlgorithm { hash: Hash::Sha224, hmac: false };
    let text = checked(algorithm, Mistake::Silent).expect_err("it never answers").to_string();
    assert!(text.contains("FIPS 180-4") && text.contains("sham"), "{text}");
}
