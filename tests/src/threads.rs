//! Threads of tests.

use std::thread::ScopedJoinHandle;

/// Waits until the threads have ended. A scope alone waits for their closures: libcrypto's thread-local
/// destructors would run at the same time as those of exit(3), and free the same memory.
#[track_caller]
pub fn join(threads: Vec<ScopedJoinHandle<'_, ()>>) {
    threads.into_iter().for_each(|thread| thread.join().expect("a thread"));
}
