//! Writes messages for the administrator to standard error, one line each.
//!
//! A library in a sandbox or chroot has only standard error. systemd stores it in the journal.

use std::fmt;
use std::io;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::str::FromStr;

/// Key `LOG_LEVEL`: which messages are written. Each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// No messages.
    Off,
    /// Wrong results of a driver.
    Error,
    /// Failures of a driver.
    #[default]
    Warn,
    /// Which algorithms are offered, and the reasons.
    Info,
    /// Decisions about single contexts.
    Debug,
}

impl Level {
    const NAMES: [(&'static str, Level); 5] = [
        ("off", Level::Off),
        ("error", Level::Error),
        ("warn", Level::Warn),
        ("info", Level::Info),
        ("debug", Level::Debug),
    ];

    fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
        found
            .map(|&(_, level)| level)
            .ok_or_else(|| format!("\"{text}\" is none of off, error, warn, info, debug"))
    }
}

/// Writes the lines of enabled levels.
#[derive(Clone, Copy, Default)]
pub(crate) struct Log {
    pub(crate) level: Level,
}

impl Log {
    /// Writes one line with a single write(2), so that lines of several processes do not mix.
    pub(crate) fn line(self, level: Level, text: fmt::Arguments<'_>) {
        if level > self.level || level == Level::Off {
            return;
        }
        let line = format!("outboard[{}]: {}: {text}\n", std::process::id(), level.name());
        write_unharmed(line.as_bytes());
    }
}

/// Writes to standard error. Errors are ignored, for example if standard error is closed. If it is
/// a file and the process has reached its file size limit (RLIMIT_FSIZE, which sshd sets to 0
/// before authentication), the line is lost, but the process survives: SIGXFSZ then stays blocked
/// in this thread, because the pending signal would be delivered as soon as it is unblocked.
fn write_unharmed(line: &[u8]) {
    let (mut file_size, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: signal sets on the stack, initialised by the functions; the line is readable for its
    // length.
    unsafe {
        libc::sigemptyset(file_size.as_mut_ptr());
        libc::sigaddset(file_size.as_mut_ptr(), libc::SIGXFSZ);
        let blocked = libc::pthread_sigmask(libc::SIG_BLOCK, file_size.as_ptr(), before.as_mut_ptr()) == 0;
        let written = libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len());
        let is_too_large = written < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EFBIG);
        if blocked && !is_too_large {
            libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), null_mut());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_read_as_they_are_written() {
        for (name, level) in Level::NAMES {
            assert_eq!(name.to_uppercase().parse(), Ok(level));
            assert_eq!(level.name(), name);
        }
        assert!("verbose".parse::<Level>().unwrap_err().contains("verbose"));
    }
}
