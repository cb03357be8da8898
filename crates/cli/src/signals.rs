//! The signals that end a command, held while it changes something: a change is finished or undone.

use std::sync::atomic::{AtomicI32, Ordering};

use anyhow::{Result, bail};

const HELD: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The last signal that came; 0: none.
static PENDING: AtomicI32 = AtomicI32::new(0);

extern "C" fn on_signal(signal: libc::c_int) {
    PENDING.store(signal, Ordering::Relaxed);
}

/// While this value exists, SIGINT, SIGTERM and SIGHUP are only noted. Programs that are started
/// meanwhile are ended by them as always: a handler is not inherited, as a blocked signal would be.
pub struct SignalGuard(Vec<(libc::c_int, libc::sigaction)>);

impl SignalGuard {
    /// Holds the signals, except those that are ignored (nohup(1)). To be taken after the lock, so
    /// that a command that waits for another one can be ended.
    pub fn hold() -> Self {
        // SAFETY: an all-zero sigaction is a valid value; the handler is async-signal-safe.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = on_signal as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        let mut before = Vec::new();
        for signal in HELD {
            // SAFETY: an all-zero sigaction is a valid value, which the call replaces.
            let mut old: libc::sigaction = unsafe { std::mem::zeroed() };
            // SAFETY: the pointers are valid; the first call only reads the disposition.
            unsafe { libc::sigaction(signal, std::ptr::null(), &mut old) };
            if old.sa_sigaction != libc::SIG_IGN {
                // SAFETY: as above.
                unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) };
                before.push((signal, old));
            }
        }
        SignalGuard(before)
    }
}

impl Drop for SignalGuard {
    fn drop(&mut self) {
        for (signal, before) in &self.0 {
            // SAFETY: the disposition that the kernel returned.
            unsafe { libc::sigaction(*signal, before, std::ptr::null_mut()) };
        }
    }
}

/// An error if a signal came: the caller undoes what it has done, or begins nothing more.
pub fn check() -> Result<()> {
    match PENDING.load(Ordering::Relaxed) {
        0 => Ok(()),
        libc::SIGINT => bail!("interrupted (SIGINT)"),
        libc::SIGHUP => bail!("interrupted (SIGHUP)"),
        _ => bail!("interrupted (SIGTERM)"),
    }
}

/// Ends this process by the signal that came, if one did. The caller has printed its result.
pub fn deliver() {
    let signal = PENDING.load(Ordering::Relaxed);
    if signal != 0 {
        // SAFETY: no memory is involved. The disposition may be that of a measurement.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_noted_and_the_disposition_is_restored() {
        let guard = SignalGuard::hold();
        assert!(check().is_ok());
        // SAFETY: the handler above is in place, and only stores a number.
        unsafe { libc::raise(libc::SIGHUP) };
        assert_eq!(check().unwrap_err().to_string(), "interrupted (SIGHUP)");
        drop(guard);
        PENDING.store(0, Ordering::Relaxed);
        // SAFETY: an all-zero sigaction is a valid value; nothing is changed.
        let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        unsafe { libc::sigaction(libc::SIGHUP, std::ptr::null(), &mut now) };
        assert_ne!(now.sa_sigaction, on_signal as *const () as libc::sighandler_t);
    }
}
