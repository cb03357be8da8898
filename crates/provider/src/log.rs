//! Messages for the administrator on standard error: all that a library has in a sandbox or chroot.
//! systemd stores it in the journal.

use std::fmt;
use std::panic::{PanicHookInfo, set_hook};
use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use outboard_catalog::shown::quoted;

use crate::stack_text::StackText;
use crate::standard_error::{LONGEST_LINE, StandardError};

/// Key `LOG_LEVEL`. Each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
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
            .ok_or_else(|| format!("{} is none of off, error, warn, info, debug", quoted(text)))
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Log {
    pub(crate) level: Level,
    destination: StandardError,
}

impl Log {
    /// On the standard error of this moment. Messages of panics go the same way.
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

    #[cfg(any(test, fuzzing))]
    pub(crate) fn silent() -> Log {
        Log { level: Level::Off, destination: StandardError::default() }
    }

    pub(crate) fn line(self, level: Level, text: fmt::Arguments<'_>) {
        if level > self.level || level == Level::Off {
            return;
        }
        let (process, level) = (std::process::id(), level.name());
        let mut line = StackText::<LONGEST_LINE>::new(format_args!("outboard[{process}]: {level}: {text}"));
        self.destination.write(line.as_line());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_read_as_they_are_written() {
        for (name, level) in Level::NAMES {
            assert_eq!(name.to_uppercase().parse(), Ok(level));
            assert_eq!(level.name(), name);
        }
        let error = "verbose".parse::<Level>().unwrap_err();
        assert!(error.contains("debug") && !error.contains("verbose"), "{error}");
    }
}
