//! The terminal: raw mode, the alternate screen, keys. It is restored however the screen ends.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use crate::documents::watch::Watch;
use crate::monitor::{Sample, rates};
use anyhow::{Context as _, Result};
use outboard_drivers::root::Root;
use outboard_measure::stop;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use super::view;

/// How long a signal or a new size may take until it is noticed.
const NOTICE: Duration = Duration::from_millis(200);

const USUAL: (u16, u16) = (80, 24);

// ECMA-48 and, for the alternate screen and the cursor, xterm's private modes.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[?1049l\x1b[?25h";
const HOME: &str = "\x1b[H";
const BOLD: &str = "\x1b[1m";
const PLAIN: &str = "\x1b[m";
const ERASE_LINE: &str = "\x1b[2K";
const ERASE_BELOW: &str = "\x1b[J";

/// The terminal in raw mode with the alternate screen, until dropped.
struct Screen {
    before: Termios,
    size: (u16, u16),
}

impl Screen {
    fn open() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        let screen = Self { before, size: size() };
        write(ENTER)?;
        Ok(screen)
    }

    fn draw(&mut self, watch: Option<&Watch>, interval: Duration) -> io::Result<()> {
        self.size = size();
        let (columns, height) = self.size;
        let lines = view::lines(watch, interval, columns.into(), height.into());
        let mut text = format!("{HOME}{BOLD}");
        for (row, line) in lines.iter().enumerate() {
            // Raw mode does not begin a new line by itself.
            let start = if row > 0 { "\r\n" } else { "" };
            text += &format!("{start}{ERASE_LINE}{line}{PLAIN}");
        }
        // From the next line on: after the last column, the cursor is still on the last character.
        if lines.len() < height.into() {
            text += &format!("\r\n{ERASE_BELOW}");
        }
        write(&text)
    }
}

/// Errors mean that the terminal is gone.
impl Drop for Screen {
    fn drop(&mut self) {
        let _ = write(LEAVE);
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

fn size() -> (u16, u16) {
    let reported = tcgetwinsize(io::stdout()).ok().map(|size| (size.ws_col, size.ws_row));
    reported.filter(|(columns, lines)| *columns > 0 && *lines > 0).unwrap_or(USUAL)
}

/// Shows a new sample after each interval, until a key or a signal ends it.
pub fn show(interval: Duration) -> Result<()> {
    let mut screen = Screen::open().context("the terminal cannot be used")?;
    let root = Root::live();
    let mut last = Sample::take(&root);
    let mut watch: Option<Watch> = None;
    let mut next = Instant::now() + interval.min(Duration::from_secs(1));
    loop {
        screen.draw(watch.as_ref(), interval)?;
        loop {
            let left = next.saturating_duration_since(Instant::now());
            if stop::asked() || key_ends(left.min(NOTICE))? {
                return Ok(());
            }
            if left.is_zero() {
                break;
            }
            if size() != screen.size {
                screen.draw(watch.as_ref(), interval)?;
            }
        }
        let now = Sample::take(&root);
        watch = Some(rates(&last, &now));
        last = now;
        next = Instant::now() + interval;
    }
}

/// Waits for a key, and returns whether it ends the view. So does the end of the input.
fn key_ends(within: Duration) -> io::Result<bool> {
    let input = io::stdin();
    let mut descriptors = [PollFd::new(&input, PollFlags::IN)];
    let within = Timespec::try_from(within).map_err(io::Error::other)?;
    match poll(&mut descriptors, Some(&within)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(false),
        ready => ready?,
    };
    let mut bytes = [0; 64];
    let read = rustix::io::read(&input, &mut bytes)?;
    Ok(is_end(&bytes[..read]))
}

/// q, ^C, or ESC alone: other keys begin with ESC, too.
fn is_end(keys: &[u8]) -> bool {
    keys.is_empty() || keys == b"\x1b" || keys.iter().any(|key| matches!(key, b'q' | b'Q' | 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q_escape_and_the_end_of_the_input_end_the_view_and_arrows_do_not() {
        for end in [&b""[..], b"q", b"xQ", b"\x03", b"\x1b"] {
            assert!(is_end(end), "{end:?}");
        }
        for other in [&b"x"[..], b"\x1b[A", b"\x1bOP"] {
            assert!(!is_end(other), "{other:?}");
        }
    }
}
