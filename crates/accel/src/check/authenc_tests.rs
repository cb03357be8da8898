use super::*;
use crate::InFlight;
use crate::{Error, Request, Session};
use std::cell::Cell;

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
    /// Encryption computes the MAC of the plaintext, as TLS without RFC 7366 does.
    MacFirst,
    /// Genuine messages are rejected.
    Suspicious,
}

struct Sham(Authenc, Flaw);

struct ShamSession {
    reference: Reference,
    flaw: Flaw,
    done: usize,
    results: Cell<Vec<Option<Vec<u8>>>>,
}

impl AuthencAccelerator for Sham {
    fn driver(&self) -> &str {
        "sham"
    }
    fn interface(&self) -> &'static str {
        "nothing"
    }
    fn open(&self, keys: AuthencKeys<'_>, tag_len: usize) -> Result<Box<dyn Session>, Error> {
        let reference = Reference::new(self.0, keys, tag_len);
        Ok(Box::new(ShamSession { reference, flaw: self.1, done: 0, results: Cell::default() }))
    }
}

impl ShamSession {
    fn answer(&mut self, request: &Request<'_>) -> Option<Vec<u8>> {
        let mut result = self.reference.crypt(request.direction, request.iv, request.input);
        if request.direction == Direction::Encrypt {
            let sealed = if self.flaw == Flaw::MacFirst { request.input } else { &result };
            result.extend(self.reference.tag(request.aad, sealed));
        } else {
            let tag = self.reference.tag(request.aad, request.input);
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
        if self.flaw == Flaw::Wrong(self.done) {
            *result.last_mut().expect("not empty") ^= 1;
        }
        Some(result)
    }
}

impl InFlight for ShamSession {}

impl Session for ShamSession {
    fn max_request(&self, _direction: Direction) -> usize {
        4096
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

/// The ciphertext is that of RFC 3602, the tags are those of Python's hmac module for the record of
/// kmod/test/authenc.c.
#[test]
fn the_reference_gives_the_known_record() {
    let (key, iv, plain) = (hex(EXAMPLE_KEY), hex(EXAMPLE_IV), hex(EXAMPLE_PLAIN));
    let aad = [hex("00000000000000011603030010"), iv.clone()].concat();
    for (algorithm, tag) in [
        (Authenc::HmacSha1CbcAes, "4229874d14a3a52635faba1802474b49529c28a0"),
        (Authenc::HmacSha256CbcAes, "085792f54cc0e26bbc31160c7ad7d6b8af74f9687c3d2cafde4edeb1b770e27a"),
    ] {
        let mac = vec![0x0b; algorithm.hash().digest_len()];
        let reference = Reference::new(algorithm, AuthencKeys { mac: &mac, cipher: &key }, mac.len());
        let sealed = reference.sealed(iv.clone(), aad.clone(), plain.clone());
        assert_eq!((sealed.cipher.clone(), sealed.tag), (hex(EXAMPLE_CIPHER), hex(tag)), "{algorithm:?}");
        assert_eq!(reference.crypt(Direction::Decrypt, &iv, &sealed.cipher), plain);
    }
}

#[test]
fn a_right_driver_passes() {
    for algorithm in Authenc::ALL {
        let checked = check_authenc_seeded(&Sham(algorithm, Flaw::None), algorithm, 1).expect("it is right");
        assert!(checked.requests > 500, "{algorithm:?}: {checked:?}");
    }
}

#[test]
fn a_driver_that_accepts_forgeries_is_found() {
    for algorithm in Authenc::ALL {
        for flaw in [Flaw::Looks(0), Flaw::Looks(3), Flaw::Looks(11), Flaw::NoAad] {
            let found = check_authenc_seeded(&Sham(algorithm, flaw), algorithm, 1);
            assert!(matches!(found, Err(Fault::Accepted { .. })), "{algorithm:?}: {found:?}");
        }
    }
}

#[test]
fn wrong_bytes_and_refusals_are_found() {
    for algorithm in Authenc::ALL {
        for flaw in [Flaw::Wrong(1), Flaw::Wrong(2), Flaw::Wrong(5), Flaw::MacFirst] {
            let found = check_authenc_seeded(&Sham(algorithm, flaw), algorithm, 1);
            assert!(matches!(found, Err(Fault::Wrong { .. })), "{algorithm:?}: {found:?}");
        }
        let found = check_authenc_seeded(&Sham(algorithm, Flaw::Suspicious), algorithm, 1);
        assert!(matches!(found, Err(Fault::Failed { .. })), "{algorithm:?}: {found:?}");
    }
}
