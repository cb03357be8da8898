//! Child processes of this command.

use std::io::{self, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use outboard_measure::clock::Clock;

pub fn bench_command(words: &[&str]) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("bench").args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
    Ok(command)
}

pub struct PipedChild {
    pub child: Child,
    /// Closing it ends the child.
    pub to: Option<ChildStdin>,
    pub from: BufReader<ChildStdout>,
}

impl PipedChild {
    pub fn start(command: &mut Command) -> io::Result<PipedChild> {
        let mut child = command.spawn()?;
        let to = child.stdin.take();
        let from = child.stdout.take().map(BufReader::new).ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(PipedChild { child, to, from })
    }
}

impl Drop for PipedChild {
    fn drop(&mut self) {
        self.to = None;
        // It may be measuring; the result is not needed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
