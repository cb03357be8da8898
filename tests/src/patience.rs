//! How long tests wait for what others do: so long that only what never comes is a failure.

use std::thread;
use std::time::{Duration, Instant};

/// What takes seconds at most may take this long: a test machine is emulated, on a host that others use too and that may
/// stand still for seconds at a time.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Waits for something that takes seconds at most.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{} seconds and not {what}", PATIENCE.as_secs());
        thread::sleep(Duration::from_millis(10));
    }
}
