//! Processes that this one starts.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use outboard_measure::clock::Clock;

/// `outboard bench` again, with these words, which is spoken to through pipes.
pub fn again(words: &[&str]) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("bench").args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
    Ok(command)
}

/// A clock as a word of its command line: to find out how fast the cycles are takes long.
pub fn cycles(clock: Clock) -> String {
    clock.cycles_per_second().map_or_else(|| "-".to_owned(), |cycles| cycles.to_string())
}

/// That clock.
pub fn clock(cycles: &str) -> Clock {
    Clock::known(cycles.parse().ok())
}

/// Has the kernel send what the command starts this signal when this process ends, however that ends.
pub fn end_with_us(command: &mut Command, signal: i32) {
    let parent = std::process::id();
    // SAFETY: both calls are async-signal-safe system calls without pointers.
    unsafe {
        command.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, signal) != 0 {
                return Err(io::Error::last_os_error());
            }
            // It ended before it was asked to tell.
            if libc::getppid() as u32 == parent { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        });
    }
}
