//! Writes messages for the administrator to standard error, one line each.
//!
//! A library in a sandbox or chroot has only standard error. systemd stores it in the journal.

use std::fmt::{self, Write};
use std::panic::{PanicHookInfo, set_hook};
use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::standard_error::{LONGEST_LINE, StandardError};

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
#[derive(Clone, Copy)]
pub(crate) struct Log {
    pub(crate) level: Level,
    destination: StandardError,
}

impl Log {
    /// The log of a provider that is being loaded, on the standard error of this moment. Messages of
    /// panics go the same way.
    pub(crate) fn at_load() -> Log {
        let log = Log { level: Level::default(), destination: StandardError::remember() };
        // OnceLock::set() waits for another thread that sets the value, and a fork may leave that
        // thread behind: only one thread ever calls it.
        static IS_SET: AtomicBool = AtomicBool::new(false);
        if !IS_SET.swap(true, Ordering::Relaxed) && FOR_PANICS.set(log).is_ok() {
            set_hook(Box::new(report_panic));
        }
        log
    }

    /// A log without messages.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn silent() -> Log {
        Log { level: Level::Off, destination: StandardError::default() }
    }

    pub(crate) fn line(self, level: Level, text: fmt::Arguments<'_>) {
        if level > self.level || level == Level::Off {
            return;
        }
        let mut line = Line::default();
        // The line is cut where it is full.
        let _ = write!(line, "outboard[{}]: {}: {text}", std::process::id(), level.name());
        self.destination.write(line.ended());
    }
}

/// The log of the first provider of the process. A panic does not know a provider.
static FOR_PANICS: OnceLock<Log> = OnceLock::new();

fn report_panic(panic: &PanicHookInfo<'_>) {
    if let Some(log) = FOR_PANICS.get() {
        let text = panic.payload();
        let text = text.downcast_ref::<&str>().copied().or(text.downcast_ref::<String>().map(String::as_str));
        let (text, place) = (text.unwrap_or("no message"), panic.location());
        let place = place.map_or(("", 0), |place| (place.file(), place.line()));
        log.line(Level::Error, format_args!("a bug of outboard, {}:{}: {text}", place.0, place.1));
    }
}

/// A line on the stack: nothing is allocated for it.
struct Line {
    bytes: [u8; LONGEST_LINE],
    len: usize,
}

impl Default for Line {
    fn default() -> Line {
        Line { bytes: [0; LONGEST_LINE], len: 0 }
    }
}

impl Line {
    /// The bytes with a line feed after them.
    fn ended(&mut self) -> &[u8] {
        self.bytes[self.len] = b'\n';
        &self.bytes[..=self.len]
    }
}

impl Write for Line {
    /// Appends as much as leaves room for a line feed.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = LONGEST_LINE - 1 - self.len;
        let taken = (0..=room.min(text.len())).rfind(|&end| text.is_char_boundary(end)).unwrap_or(0);
        self.bytes[self.len..self.len + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.len += taken;
        if taken == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_between_two_characters_and_ends() {
        let mut line = Line::default();
        assert!(write!(line, "{}", "x".repeat(LONGEST_LINE - 3)).is_ok());
        assert!(write!(line, "\u{20ac}").is_err());
        assert_eq!((line.ended().len(), line.ended().last()), (LONGEST_LINE - 2, Some(&b'\n')));
        assert!(write!(line, "yz").is_ok() && write!(line, "z").is_err());
        assert!(line.ended().len() == LONGEST_LINE && line.ended().ends_with(b"xyz\n"));
    }

    #[test]
    fn levels_read_as_they_are_written() {
        for (name, level) in Level::NAMES {
            assert_eq!(name.to_uppercase().parse(), Ok(level));
            assert_eq!(level.name(), name);
        }
        assert!("verbose".parse::<Level>().unwrap_err().contains("verbose"));
    }
}
