//! Tests the end of a measurement in a process of its own, since the state belongs to the process.

use std::thread::sleep;
use std::time::Duration;

use outboard_measure::stop;

#[test]
fn the_limit_and_a_signal_that_is_sent_twice_end_the_measuring_and_not_the_program() {
    stop::listen();
    stop::limit(Duration::ZERO);
    assert_eq!((stop::asked(), stop::remaining()), (false, None));

    stop::limit(Duration::from_millis(50));
    stop::limit(Duration::from_secs(3600));
    assert!(stop::remaining().is_some_and(|left| left <= Duration::from_millis(50)));
    sleep(Duration::from_millis(60));
    assert_eq!((stop::asked(), stop::by_signal()), (true, false));

    // timeout(1) signals the process, then its group.
    for _ in 0..2 {
        // SAFETY: the handler that listen() installed is async-signal-safe.
        unsafe { libc::raise(libc::SIGTERM) };
    }
    assert!(stop::asked() && stop::by_signal());
}
