//! /dev/outboard while the accelerator is unbound, and after it is bound again.

use std::fs;
use std::path::{Path, PathBuf};

use outboard_accel::{Accelerator, Direction, Error, Request};
use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::device::{by_software, reached};
use outboard_tests::skip::skip;

const DRIVER: &str = "/sys/bus/virtio/drivers/virtio_crypto";

/// More failures than the provider allows before it disables a driver.
const TRIES: usize = 5;

/// The device that is unbound from its driver; bound again when this is dropped.
struct Unbound(String);

impl Unbound {
    fn new(test: &str) -> Option<Unbound> {
        let entries = fs::read_dir(DRIVER).ok().into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let is_device =
            |name: &String| name.strip_prefix("virtio").is_some_and(|rest| rest.parse::<u32>().is_ok());
        let Some(name) = names.find(is_device) else {
            skip(test, format!("a device bound to {DRIVER}"));
            return None;
        };
        fs::write(PathBuf::from(DRIVER).join("unbind"), &name).expect("unbind, as root");
        Some(Unbound(name))
    }
}

impl Drop for Unbound {
    fn drop(&mut self) {
        fs::write(Path::new(DRIVER).join("bind"), &self.0).expect("bind, as root");
    }
}

#[test]
fn a_driver_that_went_away_is_no_failure_and_is_used_at_once_when_it_is_back() {
    let test = "a_driver_that_went_away_is_no_failure_and_is_used_at_once_when_it_is_back";
    let Some(reached) = reached(test) else { return };
    let (key, iv, input) = (bytes(1, 16), bytes(2, 16), bytes(3, 4096));
    let request = Request::new(Direction::Encrypt, &iv, &input);
    let mut old = reached.open(&key);
    assert_same(old.crypt(&request).expect("a result"), &by_software(&key, &request), "before");
    for round in 0..3 {
        let Some(unbound) = Unbound::new(test) else { return };
        assert!(old.crypt(&request).is_err(), "round {round}: a session has outlived its driver");
        for _ in 0..TRIES {
            match reached.device.open(&key) {
                Ok(_) => panic!("round {round}: a session without a driver"),
                Err(error @ Error::Away { .. }) => assert!(error.is_scarcity()),
                Err(error) => panic!("round {round}: {error}"),
            }
        }
        drop(unbound);
        // No waiting: the provider must detect at once that it is back.
        let mut new = reached.open(&key);
        let result = new.crypt(&request).unwrap_or_else(|error| panic!("round {round}: {error}"));
        assert_same(result, &by_software(&key, &request), "after");
        old = new;
    }
}
