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
    /// Every request times out.
    Silent,
}

#[derive(Clone)]
struct ShamSession(Sham, Vec<u8>);

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
        65_536
    }
    fn max_batch(&self) -> usize {
        4
    }
    fn digests(&mut self, messages: &[&[u8]]) -> Result<Vec<Digest>, Error> {
        messages.iter().map(|message| self.compute(message)).collect()
    }
    fn digest(&mut self, message: &[u8]) -> Result<Digest, Error> {
        self.compute(message)
    }
    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        unreachable!("the check shares no session")
    }
}

fn checked(algorithm: HashAlgorithm, mistake: Mistake) -> Result<Checked, Fault> {
    check_hash_seeded(&Sham { algorithm, mistake, done: Arc::default() }, algorithm, 1)
}

#[test]
fn a_right_driver_of_any_digest_or_hmac_passes() {
    for algorithm in HashAlgorithm::all() {
        let checked = checked(algorithm, Mistake::None).expect("it is right");
        assert!(checked.requests > 35, "{algorithm:?}: {checked:?}");
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
fn a_driver_of_digests_that_does_not_answer_fails_with_the_reason() {
    let algorithm = HashAlgorithm { hash: Hash::Sha224, hmac: false };
    let text = checked(algorithm, Mistake::Silent).expect_err("it never answers").to_string();
    assert!(text.contains("FIPS 180-4") && text.contains("sham"), "{text}");
}
