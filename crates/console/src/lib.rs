//! Output of commands: progress, messages, tables, times and sizes; and the parsing of time limits.
//! All that reaches a terminal is printed here, without what a terminal would act on.

mod advice;
mod columns;
mod printable;
mod quantities;
mod shortened;
mod width;

pub use advice::advice;
pub use columns::{aligned, aligned_list, aligned_within};
pub use printable::{is_unprintable, printable, printable_line};
pub use quantities::{amount, percent, size};
pub use shortened::{First, counted, first_of};
pub use width::{NARROWEST, WIDEST, columns, wrapped};

use printable::printable_styled;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// The exit code of a command that ^C interrupted.
pub const INTERRUPTED: u8 = 130;

/// When all steps of the command are expected to end.
static END: Mutex<Option<Instant>> = Mutex::new(None);

/// Has [`progress`] show the time until then; `None`: no longer.
pub fn expect_end(end: Option<Instant>) {
    *END.lock().unwrap_or_else(PoisonError::into_inner) = end;
}

/// Prints a step, with the time until the expected end.
pub type PrintStep = fn(&str, Option<Duration>);

/// What prints the steps in place of the terminal.
static STEPS: OnceLock<PrintStep> = OnceLock::new();

/// Has [`progress`] call `print` with each step, with and without a terminal.
pub fn print_steps_by(print: PrintStep) {
    STEPS.get_or_init(|| print);
}

/// Whether steps are printed, so that each document is one line of a stream.
pub fn is_stream() -> bool {
    STEPS.get().is_some()
}

/// Shows the current step on a terminal; the next one replaces it, and an empty one removes it.
pub fn progress(text: &str) {
    let end = *END.lock().unwrap_or_else(PoisonError::into_inner);
    let left = end.filter(|_| !text.is_empty()).map(|end| end.saturating_duration_since(Instant::now()));
    if let Some(print) = STEPS.get() {
        if !text.is_empty() {
            print(text, left);
        }
    } else if io::stderr().is_terminal() {
        let left = left.map(|left| format!(" (about {} left)", time(left))).unwrap_or_default();
        // A line that the terminal wraps would not be replaced.
        let most = columns(io::stderr()).map_or(usize::MAX, |columns| columns - 1);
        let text: String = printable(text).chars().take(most.saturating_sub(left.len())).collect();
        // If stderr is closed, the progress cannot be shown.
        let _ = write!(io::stderr(), "\r\x1b[K{text}{left}");
    }
}

/// Asks the user on a terminal. Without one the answer is no.
pub fn confirm(question: &str) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    // If stderr is closed, the answer is no as well.
    let _ = write!(io::stderr(), "{} [y/N] ", printable(question));
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line);
    read.is_ok() && ["y", "yes"].contains(&line.trim().to_ascii_lowercase().as_str())
}

/// The width of the terminal to which results are printed; `None` if it is none.
pub fn output_columns() -> Option<usize> {
    columns(io::stdout())
}

/// Prints a line to stderr, in lines that fit the terminal. If it is closed, the message cannot be shown.
pub fn say(text: &str) {
    let text = width::fit(&shortened::without_numbers(&printable(text)), columns(io::stderr()));
    let _ = writeln!(io::stderr(), "{text}");
}

/// The exit code of a command. Prints its error.
pub fn exit_code(command: &str, result: Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        say(&format!("outboard {command}: {error:#}"));
        ExitCode::FAILURE
    })
}

/// The same for a command that succeeds where there is no error.
pub fn ended(command: &str, result: Result<()>) -> ExitCode {
    exit_code(command, result.map(|()| ExitCode::SUCCESS))
}

/// Prints the result to stdout, in lines that fit the terminal. A closed pipe is not an error.
pub fn answer(text: &str) -> io::Result<()> {
    print(&width::fit(&printable(text), columns(io::stdout())))
}

/// Prints what a program reads, such as a script, with lines of any length.
pub fn answer_whole(text: &str) -> io::Result<()> {
    print(&printable(text))
}

/// Prints a line of a stream. Returns whether its reader is still there.
pub fn answer_line(text: &str) -> io::Result<bool> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        other => other.map(|()| true),
    }
}

pub fn answer_styled(text: &str) -> io::Result<()> {
    print(&printable_styled(text))
}

fn print(text: &str) -> io::Result<()> {
    // The reader, such as head(1), may have closed the pipe.
    answer_line(text).map(drop)
}

/// Parses a time: `90s`, `10m`, `2h`, or seconds.
pub fn duration(text: &str) -> Result<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        other => bail!("\"{other}\" is no unit of time: write 90s, 10m or 2h"),
    };
    let number: u32 = digits.parse().context("it is not a time: write 90s, 10m or 2h")?;
    Ok(Duration::from_secs(u64::from(number) * unit))
}

/// Parses the time between two samples: 1 s or more.
pub fn interval(text: &str) -> Result<Duration> {
    let time = duration(text)?;
    ensure!(!time.is_zero(), "it must be 1s or more");
    Ok(time)
}

/// Formats minutes and seconds: `1:05`.
pub fn time(left: Duration) -> String {
    let seconds = left.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, seconds) in [("7", 7), ("90s", 90), ("10m", 600), ("2h", 7200), ("0", 0)] {
            assert_eq!(duration(text).unwrap(), Duration::from_secs(seconds), "{text}");
        }
        for wrong in ["", "m", "10d", "-1", "1.5h", "10 m"] {
            assert!(duration(wrong).unwrap_err().to_string().contains("10m"), "{wrong}");
        }
    }

    #[test]
    fn times_are_minutes_and_seconds() {
        assert_eq!([5, 65, 600].map(|seconds| time(Duration::from_secs(seconds))), ["0:05", "1:05", "10:00"]);
    }
}
