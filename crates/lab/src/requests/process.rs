//! Child processes of this command.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use outboard_measure::clock::Clock;

/// Returns a command that runs `outboard bench` with these arguments, connected by pipes.
pub fn bench_command(words: &[&str]) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("bench").args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
    Ok(command)
}

/// Formats a clock as an argument, because measuring the cycle rate again takes long.
pub fn cycles(clock: Clock) -> String {
    clock.cycles_per_second().map_or_else(|| "-".to_owned(), |cycles| cycles.to_string())
}

/// Parses the argument of [`cycles`].
pub fn clock(cycles: &str) -> Clock {
    Clock::known(cycles.parse().ok())
}

/// Makes the kernel send the command a signal when this process ends for any reason.
pub fn die_with_parent(command: &mut Command, signal: i32) {
    let parent = std::process::id();
    // SAFETY: both calls are async-signal-safe system calls without pointers.
    unsafe {
        command.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, signal) != 0 {
                return Err(io::Error::last_os_error());
            }
            // The parent ended before prctl(2) was called.
            if libc::getppid() as u32 == parent { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        });
    }
}
