//! The signals that end a command, held while it changes something: a change is finished or undone.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};

const HELD: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The last signal that came; 0: none.
static PENDING: AtomicI32 = AtomicI32::new(0);

static UNDOING: AtomicBool = AtomicBool::new(false);

extern "C" fn on_signal(signal: libc::c_int) {
    PENDING.store(signal, Ordering::Relaxed);
}

/// While a value exists, SIGINT, SIGTERM and SIGHUP are only noted. Programs that are started
/// meanwhile are ended by them as always: a handler is not inherited, as a blocked signal would be.
#[derive(Debug)]
pub struct SignalGuard(());

/// The number of guards, and the dispositions before the first.
static GUARDS: Mutex<(usize, Vec<(libc::c_int, libc::sigaction)>)> = Mutex::new((0, Vec::new()));

impl SignalGuard {
    /// Holds the signals, except those that are ignored (nohup(1)). To be taken after the lock, so
    /// that a command that waits for another one can be ended.
    pub fn hold() -> Self {
        let mut guards = GUARDS.lock().unwrap_or_else(PoisonError::into_inner);
        guards.0 += 1;
        if guards.0 == 1 {
            guards.1 = HELD.into_iter().filter_map(note).collect();
        }
        SignalGuard(())
    }
}

/// Has a signal noted. Returns its disposition before; `None` if it is ignored.
fn note(signal: libc::c_int) -> Option<(libc::c_int, libc::sigaction)> {
    // SAFETY: an all-zero sigaction is a valid value, which the call replaces.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: the pointers are valid or null; the call only reads the disposition.
    unsafe { libc::sigaction(signal, std::ptr::null(), &mut before) };
    if before.sa_sigaction == libc::SIG_IGN {
        return None;
    }
    let mut noted = before;
    noted.sa_sigaction = on_signal as *const () as libc::sighandler_t;
    noted.sa_flags = libc::SA_RESTART;
    // SAFETY: the handler is async-signal-safe: it only stores a number.
    unsafe { libc::sigaction(signal, &noted, std::ptr::null_mut()) };
    Some((signal, before))
}

impl Drop for SignalGuard {
    fn drop(&mut self) {
        let mut guards = GUARDS.lock().unwrap_or_else(PoisonError::into_inner);
        guards.0 -= 1;
        if guards.0 == 0 {
            for (signal, before) in guards.1.drain(..) {
                // SAFETY: the disposition that the kernel returned.
                unsafe { libc::sigaction(signal, &before, std::ptr::null_mut()) };
            }
        }
    }
}

/// Undoes a change: [`check`] does not fail meanwhile.
pub fn without_interruption<T>(undo: impl FnOnce() -> T) -> T {
    UNDOING.store(true, Ordering::Relaxed);
    let result = undo();
    UNDOING.store(false, Ordering::Relaxed);
    result
}

/// An error if a signal came: the caller undoes what it has done, or begins nothing more.
pub fn check() -> Result<()> {
    match PENDING.load(Ordering::Relaxed) {
        _ if UNDOING.load(Ordering::Relaxed) => Ok(()),
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
    fn a_signal_is_noted_and_does_not_end_an_undo() {
        // It may be ignored, as under nohup(1).
        // SAFETY: no memory is involved.
        unsafe { libc::signal(libc::SIGHUP, libc::SIG_DFL) };
        let guard = SignalGuard::hold();
        assert!(check().is_ok());
        // SAFETY: the handler above is in place, and only stores a number.
        unsafe { libc::raise(libc::SIGHUP) };
        assert_eq!(check().unwrap_err().to_string(), "interrupted (SIGHUP)");
        assert!(without_interruption(check).is_ok() && check().is_err());
        drop(guard);
        PENDING.store(0, Ordering::Relaxed);
    }
}
