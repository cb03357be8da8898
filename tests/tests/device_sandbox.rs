//! /dev/outboard inside a sandbox with the rules of OpenSSH's sandbox before authentication.

use outboard_accel::{Direction, Request};
use outboard_tests::bytes::bytes;
use outboard_tests::child::{Exit, fork};
use outboard_tests::device::reached;
use outboard_tests::sandbox::enter;
use outboard_tests::sessions::by_software;

#[test]
fn the_sandbox_kills_for_what_it_does_not_allow() {
    let child = fork(Exit::Quick, || {
        enter();
        // SAFETY: no pointer is passed.
        unsafe { libc::socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0) };
        true
    });
    assert_eq!(child.wait(), Err(format!("the child died of signal {}", libc::SIGSYS)));
}

#[test]
fn requests_go_through_in_a_sandbox_that_allows_no_more_than_opensshs() {
    let test = "requests_go_through_in_a_sandbox_that_allows_no_more_than_opensshs";
    let Some(reached) = reached(test) else { return };
    let (key, iv, input) = (bytes(1, 16), bytes(2, 16), bytes(3, 200_000 / 16 * 16));
    let requests = [
        Request::new(Direction::Encrypt, &iv, &input[..4096]),
        Request::new(Direction::Decrypt, &iv, &input),
    ];
    let expected = requests.map(|request| by_software(&key, &request));
    let mut before = reached.open(&key);
    let child = fork(Exit::Quick, || {
        enter();
        // The session from before the sandbox, and one that is created inside it.
        let right = |session: &mut dyn outboard_accel::Session| {
            requests
                .iter()
                .zip(&expected)
                .all(|(request, expected)| session.crypt(request).is_ok_and(|result| result == expected))
        };
        right(&mut *before) && right(&mut *reached.open(&key))
    });
    child.wait().expect("a whole encryption in the sandbox");
}
