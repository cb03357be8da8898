use super::*;
use crate::InFlight;
use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The reference implementation as a driver. Request number `wrong` has a wrong result; if `broken`,
/// all requests time out.
struct FaultyDriver {
    algorithm: Algorithm,
    wrong: Option<usize>,
    done: std::sync::Arc<AtomicUsize>,
    broken: bool,
}

struct FaultySession {
    reference: Reference,
    wrong: Option<usize>,
    done: std::sync::Arc<AtomicUsize>,
    broken: bool,
    results: Cell<Vec<Vec<u8>>>,
}

impl Accelerator for FaultyDriver {
    fn driver(&self) -> &str {
        "faulty"
    }
    fn interface(&self) -> &'static str {
        "nothing"
    }
    fn open(&self, key: &[u8]) -> Result<Box<dyn Session>, Error> {
        let (reference, done) = (Reference::new(self.algorithm, key), std::sync::Arc::clone(&self.done));
        let (wrong, broken) = (self.wrong, self.broken);
        Ok(Box::new(FaultySession { reference, wrong, done, broken, results: Cell::default() }))
    }
}

impl InFlight for FaultySession {}

impl Session for FaultySession {
    fn max_request(&self, _direction: Direction) -> usize {
        512
    }
    fn max_batch(&self) -> usize {
        4
    }
    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        let compute = |request: &Request<'_>| {
            let input = [request.head, request.input].concat();
            let mut result = self.reference.crypt(request.direction, request.iv, &input);
            if self.wrong == Some(self.done.fetch_add(1, Ordering::Relaxed)) {
                *result.last_mut().expect("not empty") ^= 1;
            }
            result
        };
        self.results.set(requests.iter().map(compute).collect());
        Ok(())
    }
    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        if self.broken {
            let source = io::Error::from_raw_os_error(libc::ETIMEDOUT);
            return Err(Error::Request { call: "write", driver: "faulty".into(), source });
        }
        Ok(&self.results.get_mut()[index])
    }
    fn release(&mut self) {}
    fn share(&self) -> Result<Box<dyn Session>, Error> {
        unreachable!("the check shares no session")
    }
}

fn without_tags() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(|algorithm| !algorithm.has_tags())
}

fn faulty(algorithm: Algorithm, wrong: Option<usize>, broken: bool) -> FaultyDriver {
    FaultyDriver { algorithm, wrong, done: Default::default(), broken }
}

#[test]
fn a_correct_driver_of_any_algorithm_passes() {
    for algorithm in without_tags() {
        let checked = check_seeded(&faulty(algorithm, None, false), algorithm, 1).expect("it is right");
        assert!(checked.requests > 20, "{algorithm:?}: {checked:?}");
    }
}

#[test]
fn one_wrong_byte_in_any_request_is_found() {
    for algorithm in without_tags() {
        let all = check_seeded(&faulty(algorithm, None, false), algorithm, 1).expect("it is right").requests;
        for n in (0..all).step_by(9).chain([all - 1]) {
            let checked = check_seeded(&faulty(algorithm, Some(n), false), algorithm, 1);
            assert!(matches!(checked, Err(Fault::Wrong { .. })), "{algorithm:?}, request {n}");
        }
    }
}

#[test]
fn a_driver_of_another_algorithm_is_found_by_the_first_example() {
    for (algorithm, does) in [(Algorithm::CbcAes, Algorithm::CtrAes), (Algorithm::CtrAes, Algorithm::CbcAes)]
    {
        let text = check_seeded(&faulty(does, None, false), algorithm, 1)
            .expect_err("it is another one")
            .to_string();
        assert!(text.contains("64 bytes") && text.contains("SP 800-38A") && text.contains("wrong"), "{text}");
    }
}

#[test]
fn a_driver_that_times_out_fails_with_the_reason() {
    let algorithm = Algorithm::CbcAes;
    let text =
        check_seeded(&faulty(algorithm, None, true), algorithm, 1).expect_err("it times out").to_string();
    assert!(text.contains("SP 800-38A") && text.contains("faulty"), "{text}");
}

#[test]
fn a_soak_finds_a_single_wrong_result_and_repeats_for_the_same_seed() {
    for algorithm in Algorithm::ALL {
        let Some(&key_length) = key_lengths(algorithm).first() else { continue };
        let soaked =
            |wrong, seed| soak(&faulty(algorithm, wrong, false), algorithm, key_length, seed, &|| true);
        let all = soaked(None, 7).expect("it is right");
        assert!(all.requests >= 16 && all.bytes > 0, "{algorithm:?}: {all:?}");
        assert_ne!(soaked(None, 8).expect("it is right"), all, "other seeds are other requests");
        let errors = [7, 7].map(|seed| soaked(Some(3), seed).expect_err("one is wrong").to_string());
        assert_eq!(errors[0], errors[1]);
    }
    let soaked = |go_on: bool| {
        soak(&faulty(Algorithm::CbcAes, None, false), Algorithm::CbcAes, 16, 1, &|| go_on)
            .expect("it is right")
    };
    let (once, all) = (soaked(false), soaked(true));
    assert!(once.requests >= 2 && once.requests < all.requests, "{once:?} {all:?}");
}

#[test]
fn a_check_of_an_engine_that_has_stopped_is_repeated_until_it_answers() {
    let left = Cell::new(3);
    let stopped = || Error::Stopped { driver: "faulty".into() };
    let checked = again_while_stopped(|| {
        let failed = Fault::Failed { doing: "encrypting".to_owned(), error: stopped() };
        left.set(left.get() - 1);
        if left.get() > 0 { Err(failed) } else { Ok(Checked::default()) }
    });
    assert_eq!((checked.ok(), left.get()), (Some(Checked::default()), 0));
    let lost =
        || Err(Fault::Failed { doing: String::new(), error: Error::Unanswered { driver: "faulty".into() } });
    assert!(again_while_stopped(lost).is_err());
}
