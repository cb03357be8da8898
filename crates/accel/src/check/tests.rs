use super::*;
use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Our own AES as a driver, which does its n-th request wrong.
struct Sham {
    wrong: Option<usize>,
    done: std::sync::Arc<AtomicUsize>,
    broken: bool,
}

struct ShamSession {
    aes: Aes,
    wrong: Option<usize>,
    done: std::sync::Arc<AtomicUsize>,
    broken: bool,
    results: Cell<Vec<Vec<u8>>>,
}

impl Accelerator for Sham {
    fn driver(&self) -> &str {
        "sham"
    }
    fn interface(&self) -> &'static str {
        "nothing"
    }
    fn open(&self, key: &[u8]) -> Result<Box<dyn Session>, Error> {
        let (aes, done) = (Aes::new(key), std::sync::Arc::clone(&self.done));
        let (wrong, broken) = (self.wrong, self.broken);
        Ok(Box::new(ShamSession { aes, wrong, done, broken, results: Cell::default() }))
    }
}

impl Session for ShamSession {
    fn max_request(&self, _direction: Direction) -> usize {
        512
    }
    fn max_batch(&self) -> usize {
        4
    }
    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        let compute = |request: &Request<'_>| {
            let iv = request.iv.try_into().expect("an IV");
            let input = [request.head, request.input].concat();
            let mut result = self.aes.cbc(request.direction == Direction::Encrypt, iv, &input);
            if self.wrong == Some(self.done.fetch_add(1, Ordering::Relaxed)) {
                *result.last_mut().expect("not empty") ^= 1;
            }
            result
        };
        self.results.set(requests.iter().map(compute).collect());
        Ok(())
    }
    fn is_done(&mut self) -> bool {
        true
    }
    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        if self.broken {
            let source = io::Error::from_raw_os_error(libc::ETIMEDOUT);
            return Err(Error::Request { call: "write", driver: "sham".into(), source });
        }
        Ok(&self.results.get_mut()[index])
    }
    fn release(&mut self) {}
    fn share(&self) -> Result<Box<dyn Session>, Error> {
        unreachable!("the check shares no session")
    }
}

fn sham(wrong: Option<usize>, broken: bool) -> Sham {
    Sham { wrong, done: Default::default(), broken }
}

#[test]
fn a_right_driver_passes() {
    let checked = check(&sham(None, false)).expect("it is right");
    assert!(checked.requests > 60, "{checked:?}");
}

#[test]
fn one_wrong_byte_in_any_request_is_found() {
    let all = check(&sham(None, false)).expect("it is right").requests;
    for n in (0..all).step_by(9).chain([all - 1]) {
        assert!(matches!(check(&sham(Some(n), false)), Err(Fault::Wrong { .. })), "request {n}");
    }
}

#[test]
fn a_driver_that_does_not_answer_fails_with_the_reason() {
    let text = check(&sham(None, true)).expect_err("it never answers").to_string();
    assert!(text.contains("SP 800-38A") && text.contains("sham"), "{text}");
}
