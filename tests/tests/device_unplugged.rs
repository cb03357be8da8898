//! /dev/outboard while the accelerator is unbound, and after it is bound again.

use outboard_accel::{Accelerator, Direction, Error, Request};
use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::device::reached;
use outboard_tests::sessions::by_software;
use outboard_tests::unbound::Unbound;

/// More failures than the provider allows before it disables a driver.
const TRIES: usize = 5;

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
