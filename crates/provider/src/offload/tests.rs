use std::io;

use outboard_accel::{Accelerator, Session};

use super::*;
use crate::block_cipher::BlockEncryption;
use crate::block_cipher::toy::Toy;
use crate::kinds::Mode;
use crate::log::Log;
use crate::spot_check::{Chain, Crypted, Text};

const LEN: usize = 40 * 16;

struct NoDriver(String);

impl Accelerator for NoDriver {
    fn driver(&self) -> &str {
        &self.0
    }
    fn interface(&self) -> &'static str {
        "nothing"
    }
    fn open(&self, _key: &[u8]) -> Result<Box<dyn Session>, Error> {
        unreachable!("the requests of these tests have no session")
    }
}

/// A driver for one test: trust is the process's. It compares no result in full but the first of a
/// key and those after a failure.
fn hardware(name: &str) -> Hardware {
    let hardware = Hardware::new(Box::new(NoDriver(name.to_owned())), 0, Log::silent()).expect("memory");
    hardware.end_of_start();
    hardware
}

fn of_system(errno: i32) -> io::Error {
    io::Error::from_raw_os_error(errno)
}

/// What a driver does with a request.
type Fault = fn(&mut [u8]) -> Result<(), Error>;

/// Requests in ECB mode to a driver with faults: the first one is that of the next request.
struct Sham {
    faults: Vec<Fault>,
    result: [u8; LEN],
    was_compared: AtomicBool,
    cipher: Toy,
    processed: u32,
    /// Whether each request was compared in full.
    compared: Vec<bool>,
}

impl Sham {
    fn new(faults: &[Fault]) -> Sham {
        Sham {
            faults: faults.to_vec(),
            result: [0; LEN],
            was_compared: AtomicBool::new(false),
            cipher: Toy::default(),
            processed: 0,
            compared: Vec::new(),
        }
    }

    fn check(&self, check: impl FnOnce(&Crypted<'_>) -> Verdict) -> Verdict {
        let chain = Chain::new(Mode::Ecb, &[]);
        let (plain, secret) = (Text::of(&[7; LEN]), Text::of(&self.result));
        check(&Crypted { plain, secret, chain, size: 16 })
    }
}

impl Offload for Sham {
    fn process(&mut self) -> Result<(), Error> {
        self.processed += 1;
        self.result = [7; LEN];
        Toy::default().encrypt(&mut self.result);
        if self.faults.is_empty() { Ok(()) } else { self.faults.remove(0)(&mut self.result) }
    }

    fn was_compared(&self) -> &AtomicBool {
        &self.was_compared
    }

    fn verify(&mut self, is_full: bool) -> Verdict {
        self.compared.push(is_full);
        self.check(|crypted| crypted.check(&self.cipher, is_full, 0))
    }

    fn repeat(&mut self) -> Result<Verdict, Error> {
        self.process()?;
        Ok(self.check(|crypted| crypted.check_all(&self.cipher)))
    }
}

/// A block in the middle, which is compared only in full.
const WRONG: Fault = |result| {
    result[20 * 16] ^= 1;
    Ok(())
};
const RIGHT: Fault = |_| Ok(());
const ERROR: Fault =
    |_| Err(Error::Request { call: "a request", driver: "sham".into(), source: of_system(libc::EIO) });

#[test]
fn the_first_result_of_a_key_is_compared_in_full_and_none_is_used_before_that() {
    let (hardware, row) = (hardware("sham-first"), Row::default());
    let mut sham = Sham::new(&[WRONG, RIGHT, RIGHT, RIGHT]);
    let mut offload = || hardware.offload("AES", Some(&row), LEN, &mut sham);
    assert!(matches!(offload(), Err(Refusal(None))));
    assert!((0..2).all(|_| offload().is_ok()));
    // Those after the difference are compared in full too.
    assert_eq!((sham.compared, sham.processed), (vec![true; 3], 4));
    assert_eq!((row.counts().hw_requests, row.counts().hw_bytes), (2, 2 * LEN as u64));
    assert_eq!((row.counts().failures, row.counts().mismatches), (1, 0));

    let mut sham = Sham::new(&[]);
    hardware.end_of_start();
    for is_full in [true, false, false] {
        assert!(hardware.offload("AES", None, LEN, &mut sham).is_ok());
        assert_eq!(sham.compared.pop(), Some(is_full));
    }
}

#[test]
fn a_result_that_cannot_be_verified_is_not_used_and_does_not_count_as_compared() {
    let (hardware, row) = (hardware("sham-unknown"), Row::default());
    let mut sham = Sham::new(&[]);
    sham.cipher.is_broken = true;
    let refusal = hardware.offload("AES", Some(&row), LEN, &mut sham).expect_err("there is no reference");
    assert!(refusal.0.is_none() && refusal.why() == SoftwareReason::DriverFailed);
    assert!(!sham.was_compared.load(Ordering::Relaxed) && sham.processed == 1 && hardware.is_up());
    assert_eq!((row.counts().hw_requests, row.counts().failures), (0, 0));
}

#[test]
fn a_repetition_decides_whether_the_driver_is_wrong() {
    for (name, repetition, is_up, counts) in [
        ("sham-changed", RIGHT, true, (1, 0)),
        ("sham-failed", ERROR, true, (1, 0)),
        ("sham-wrong", WRONG, false, (0, 1)),
    ] {
        let (hardware, row) = (hardware(name), Row::default());
        let mut sham = Sham::new(&[WRONG, repetition]);
        assert!(matches!(hardware.offload("AES", Some(&row), LEN, &mut sham), Err(Refusal(None))));
        assert_eq!((sham.processed, hardware.is_up()), (2, is_up), "{name}");
        assert_eq!((row.counts().failures, row.counts().mismatches), counts, "{name}");
        // A repetition that fails is a failure of the driver too: with two more it is disabled.
        let mut sham = Sham::new(&[ERROR, ERROR]);
        (0..2).for_each(|_| drop(hardware.offload("AES", None, LEN, &mut sham)));
        assert_eq!(hardware.is_up(), name == "sham-changed", "{name}");
    }
}

#[test]
fn errors_of_the_driver_are_its_failures_and_those_of_a_request_are_not() {
    let forged: Fault = |_| Err(Error::Forged { driver: "sham".into() });
    let busy: Fault = |_| Err(Error::NoMemory);
    let away: Fault = |_| Err(Error::Away { driver: "sham".into(), source: of_system(libc::ENODEV) });
    for (fault, failures, why, is_away) in [
        (forged, 0, SoftwareReason::DriverFailed, false),
        (busy, 0, SoftwareReason::DriverBusy, false),
        (ERROR, 1, SoftwareReason::DriverFailed, false),
        (away, 0, SoftwareReason::DriverFailed, true),
    ] {
        let (hardware, row) = (hardware("sham-errors"), Row::default());
        let mut sham = Sham::new(&[fault]);
        let refusal = hardware.offload("AES", Some(&row), LEN, &mut sham).expect_err("the driver failed");
        assert_eq!((row.counts().failures, refusal.why(), refusal.is_away()), (failures, why, is_away));
        let counts = row.counts();
        assert!(
            sham.compared.is_empty() && counts.hw_requests == 0 && !sham.was_compared.load(Ordering::Relaxed)
        );
    }
}

#[test]
fn a_driver_that_is_disabled_while_it_works_has_no_result_used() {
    let hardware = hardware("sham-disabled");
    let mut sham = Sham::new(&[ERROR, ERROR, ERROR]);
    (0..3).for_each(|_| drop(hardware.offload("AES", None, LEN, &mut sham)));
    assert!(matches!(hardware.offload("AES", None, LEN, &mut sham), Err(Refusal(None))));
    assert!(sham.compared.is_empty());
}
