//! Commands on a terminal of a given width: no line is longer than the terminal, except a word that
//! has the line alone, and what is copied.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Command, Stdio};

/// The widest label, with the space after it. On narrow terminals text is below its label.
const LABEL: usize = 24;
const INDENT: usize = 6;

/// Opens a terminal of that width: what the user sees, and what the command gets.
fn terminal(columns: u16) -> (File, OwnedFd) {
    let size = libc::winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let (mut user, mut command) = (-1, -1);
    // SAFETY: the descriptors and the size are valid for the call; name and attributes may be null.
    let opened =
        unsafe { libc::openpty(&mut user, &mut command, std::ptr::null_mut(), std::ptr::null(), &size) };
    assert_eq!(opened, 0, "openpty: {}", std::io::Error::last_os_error());
    // SAFETY: both descriptors were opened by the call and have no other owner.
    unsafe { (File::from_raw_fd(user), OwnedFd::from_raw_fd(command)) }
}

/// What a command prints on a terminal, without attributes and progress.
pub fn shown_on_terminal(columns: u16, command: &mut Command) -> String {
    let (mut user, side) = terminal(columns);
    let other = side.try_clone().expect("a descriptor");
    command.env("NO_COLOR", "1").stdin(Stdio::null()).stdout(side).stderr(other);
    let mut child = command.spawn().expect("the command starts");
    // The command owns copies of the terminal.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    // After the command has ended, a read fails with EIO.
    while let Ok(count @ 1..) = user.read(&mut chunk) {
        bytes.extend_from_slice(&chunk[..count]);
    }
    child.wait().expect("it ends");
    let text = String::from_utf8(bytes).expect("UTF-8").replace("\r\n", "\n");
    // Progress is replaced by what follows it.
    let lines = text.lines().map(|line| line.rsplit("\r\x1b[K").next().unwrap_or_default());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Whether a line is a command or a line of a file.
fn is_copied(line: &str) -> bool {
    let text = line.trim_start();
    let is_command = ["outboard ", "sudo ", "export "].iter().any(|start| text.starts_with(start));
    line != text && is_command || line.starts_with(['+', '-', '#'])
}

/// Runs the command, and requires that its output fits the terminal.
#[track_caller]
pub fn assert_fits(columns: u16, command: &mut Command) {
    let text = shown_on_terminal(columns, command);
    assert!(!text.trim().is_empty(), "{command:?}");
    for line in text.lines() {
        let fits = line.chars().count() <= usize::from(columns);
        // A path or a name below its label, of which no line could hold both.
        let longest = line.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
        let indent = if columns < 60 { INDENT } else { LABEL };
        let is_long_word = longest + indent > usize::from(columns);
        assert!(fits || is_long_word || is_copied(line), "{columns} columns, {command:?}: {line:?}\n{text}");
    }
}
