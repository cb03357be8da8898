//! How long tests wait for an event: long enough that only an event that never happens is a
//! failure.

use std::thread;
use std::time::{Duration, Instant};

/// The limit for events that take seconds at most: a test machine is emulated, on a shared host
/// that can be stopped for seconds at a time.
pub const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Waits for something that takes seconds at most.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_while(|| (!is_so()).then(|| format!("not {what}")));
}

/// Waits until `state` returns `None`; what it returned last is in the message of a failure.
#[track_caller]
pub fn wait_while(mut state: impl FnMut() -> Option<String>) {
    let start = Instant::now();
    while let Some(state) = state() {
        assert!(start.elapsed() < TIME_LIMIT, "{} seconds and {state}", TIME_LIMIT.as_secs());
        thread::sleep(Duration::from_millis(10));
    }
}
