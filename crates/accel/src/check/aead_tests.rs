use super::*;
use crate::InFlight;
use crate::{Error, Request, Session};
use std::cell::Cell;

use super::super::check_seeded;

/// A defect of a driver.
#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    None,
    /// The n-th request that returns data has a wrong result.
    Wrong(usize),
    /// Only this number of bytes of a tag is compared.
    Looks(usize),
    /// Tags are not verified if there is additional data.
    NoAad,
    /// Genuine messages are rejected.
    Suspicious,
}

struct Sham(Algorithm, Flaw);

struct ShamSession {
    reference: Reference,
    flaw: Flaw,
    done: usize,
    results: Cell<Vec<Option<Vec<u8>>>>,
}

impl Accelerator for Sham {
    fn driver(&self) -> &str {
        "sham"
    }
    fn interface(&self) -> &'static str {
        "nothing"
    }
    fn open(&self, key: &[u8]) -> Result<Box<dyn Session>, Error> {
        self.open_with_tag(key, 16)
    }
    fn open_with_tag(&self, key: &[u8], tag_len: usize) -> Result<Box<dyn Session>, Error> {
        let reference = Reference::new(self.0, key, tag_len);
        Ok(Box::new(ShamSession { reference, flaw: self.1, done: 0, results: Cell::default() }))
    }
}

impl ShamSession {
    fn answer(&mut self, request: &Request<'_>) -> Option<Vec<u8>> {
        let (mut result, tag) =
            self.reference.crypt(request.direction, request.iv, request.aad, request.input);
        if request.direction == Direction::Encrypt {
            result.extend_from_slice(&tag);
        } else {
            let genuine = match self.flaw {
                Flaw::Looks(len) => tag[..len.min(tag.len())] == request.tag[..len.min(tag.len())],
                Flaw::NoAad => tag == request.tag || !request.aad.is_empty(),
                Flaw::Suspicious => false,
                _ => tag == request.tag,
            };
            if !genuine {
                return None;
            }
        }
        self.done += 1;
        if self.flaw == Flaw::Wrong(self.done) && !result.is_empty() {
            *result.last_mut().expect("not empty") ^= 1;
        }
        Some(result)
    }
}

impl InFlight for ShamSession {}

impl Session for ShamSession {
    fn max_request(&self, _direction: Direction) -> usize {
        600
    }
    fn max_batch(&self) -> usize {
        4
    }
    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        let results = requests.iter().map(|request| self.answer(request)).collect();
        self.results.set(results);
        Ok(())
    }
    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        let forged = || Error::Forged { driver: "sham".into() };
        self.results.get_mut()[index].as_deref().ok_or_else(forged)
    }
    fn release(&mut self) {}
    fn share(&self) -> Result<Box<dyn Session>, Error> {
        unreachable!("the check shares no session")
    }
}

const BOTH: [Algorithm; 2] = [Algorithm::GcmAes, Algorithm::CcmAes];

#[test]
fn the_reference_gives_the_examples() {
    for example in &EXAMPLES {
        let [key, nonce, aad, plain, cipher, tag] =
            [example.key, example.nonce, example.aad, example.plain, example.cipher, example.tag].map(hex);
        let reference = Reference::new(example.algorithm, &key, tag.len());
        let sealed = reference.crypt(Direction::Encrypt, &nonce, &aad, &plain);
        assert_eq!(sealed, (cipher.clone(), tag.clone()), "{}", example.source);
        let opened = reference.crypt(Direction::Decrypt, &nonce, &aad, &cipher);
        assert_eq!(opened, (plain, tag), "{}", example.source);
    }
}

#[test]
fn a_right_driver_passes() {
    for algorithm in BOTH {
        let checked = check_seeded(&Sham(algorithm, Flaw::None), algorithm, 1).expect("it is right");
        assert!(checked.requests > 500, "{algorithm:?}: {checked:?}");
    }
}

#[test]
fn a_driver_that_accepts_forgeries_is_found() {
    for algorithm in BOTH {
        for flaw in [Flaw::Looks(0), Flaw::Looks(3), Flaw::Looks(15), Flaw::NoAad] {
            let found = check_seeded(&Sham(algorithm, flaw), algorithm, 1);
            assert!(matches!(found, Err(Fault::Accepted { .. })), "{algorithm:?}: {found:?}");
        }
    }
}

#[test]
fn wrong_bytes_and_refusals_are_found() {
    for algorithm in BOTH {
        for n in [1, 3, 12, 40] {
            let found = check_seeded(&Sham(algorithm, Flaw::Wrong(n)), algorithm, 1);
            assert!(matches!(found, Err(Fault::Wrong { .. })), "{algorithm:?}, request {n}: {found:?}");
        }
        let found = check_seeded(&Sham(algorithm, Flaw::Suspicious), algorithm, 1);
        assert!(matches!(found, Err(Fault::Failed { .. })), "{algorithm:?}: {found:?}");
    }
}
