//! ^C ends the measuring, not the program.

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

extern "C" fn on_signal(_: libc::c_int) {
    STOP.store(true, Ordering::Relaxed);
}

/// From here on SIGINT and SIGTERM are remembered; the second one of them ends the program.
pub fn listen() {
    remember(libc::SA_RESETHAND);
}

/// They are remembered, each time: by a process whose end is for the one to say that started it, and whom ^C reaches as well.
pub fn listen_on() {
    remember(0);
}

fn remember(flags: libc::c_int) {
    // SAFETY: an all-zero sigaction is a valid value; the handler only stores to an atomic.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as libc::sighandler_t;
        action.sa_flags = flags | libc::SA_RESTART;
        for signal in [libc::SIGINT, libc::SIGTERM] {
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// Whether somebody wants the end.
pub fn asked() -> bool {
    STOP.load(Ordering::Relaxed)
}
