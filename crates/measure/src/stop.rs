//! Ends a measurement early: by a signal, or by the limit of `--for`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

static SIGNALLED: AtomicBool = AtomicBool::new(false);
/// The time of the first signal in milliseconds; 32-bit MIPS and PowerPC lack 64-bit atomics.
static FIRST: AtomicU32 = AtomicU32::new(0);
static DEADLINE: OnceLock<Instant> = OnceLock::new();

/// A second signal within this time, in milliseconds, is the same request: timeout(1) sends SIGTERM
/// to the process and to its group.
const SAME: u32 = 1000;

extern "C" fn on_first_signal(signal: libc::c_int) {
    let now = milliseconds();
    if !SIGNALLED.swap(true, Ordering::Relaxed) {
        FIRST.store(now, Ordering::Relaxed);
    } else if now.wrapping_sub(FIRST.load(Ordering::Relaxed)) >= SAME {
        // SAFETY: signal and raise are async-signal-safe; the signal is delivered when this handler
        // returns.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

extern "C" fn on_signal(_: libc::c_int) {
    SIGNALLED.store(true, Ordering::Relaxed);
}

/// The monotonic clock in milliseconds, modulo 2^32.
fn milliseconds() -> u32 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call only writes to `now`, and is async-signal-safe.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    (now.tv_sec as u32).wrapping_mul(1000).wrapping_add((now.tv_nsec / 1_000_000) as u32)
}

/// Makes SIGINT and SIGTERM set a flag, so that the command can print its results. A second signal,
/// a second or more later, ends the program.
pub fn listen() {
    handle(on_first_signal);
}

/// Makes SIGINT and SIGTERM only set a flag: for a child that its parent ends.
pub fn listen_on() {
    handle(on_signal);
}

fn handle(handler: extern "C" fn(libc::c_int)) {
    // SAFETY: an all-zero sigaction is a valid value; the handlers call only async-signal-safe
    // functions.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        for signal in [libc::SIGINT, libc::SIGTERM] {
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// Ends the measurement after this time; zero is no limit. Only the first limit counts.
pub fn limit(time: Duration) {
    if let (false, Some(deadline)) = (time.is_zero(), Instant::now().checked_add(time)) {
        DEADLINE.get_or_init(|| deadline);
    }
}

/// The remaining time; `None` without a limit.
pub fn remaining() -> Option<Duration> {
    DEADLINE.get().map(|deadline| deadline.saturating_duration_since(Instant::now()))
}

/// Whether to stop measuring now, because of a signal or the limit.
pub fn asked() -> bool {
    by_signal() || remaining().is_some_and(|left| left.is_zero())
}

pub fn by_signal() -> bool {
    SIGNALLED.load(Ordering::Relaxed)
}
