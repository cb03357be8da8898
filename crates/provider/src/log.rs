//! One line to standard error where something happened that an administrator should know.
//!
//! Standard error is all that is left to a library in a sandbox or a chroot; systemd keeps it in the journal.

use std::fmt;
use std::io;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::str::FromStr;

/// Key `LOG_LEVEL`: what is said. Each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Nothing.
    Off,
    /// Wrong results of a driver.
    Error,
    /// Failures of a driver.
    #[default]
    Warn,
    /// What is offered, and why or why not.
    Info,
    /// Decisions on single contexts.
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

/// Writes lines of a level that is switched on.
#[derive(Clone, Copy, Default)]
pub(crate) struct Log {
    pub(crate) level: Level,
}

impl Log {
    /// One line, written at once so that lines of several processes do not mix.
    pub(crate) fn line(self, level: Level, text: fmt::Arguments<'_>) {
        if level > self.level || level == Level::Off {
            return;
        }
        let line = format!("outboard[{}]: {}: {text}\n", std::process::id(), level.name());
        write_unharmed(line.as_bytes());
    }
}

/// Writes to standard error. A closed one is nobody's problem; and where it is a file and files may not grow (RLIMIT_FSIZE, which
/// sshd sets to 0 before authentication), the line is lost, and not the process: SIGXFSZ stays blocked in this thread then, since
/// it would strike once let through.
fn write_unharmed(line: &[u8]) {
    let (mut file_size, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: sets on the stack, filled by the functions; the line is readable for its length.
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
