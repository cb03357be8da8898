//! The command: starts it, forwards signals to it and waits for it.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use crate::environment;

pub struct Ended {
    pub words: Vec<String>,
    pub status: ExitStatus,
    /// The command left processes running; their later work is not in the proof.
    pub left_running: bool,
}

/// The reason why the command was not run.
pub enum Refused {
    Exec(String, io::Error),
    Signal(i32),
}

/// The signals that are blocked while the command runs, so that none of them ends this process before the proof is
/// printed and the scratch directory removed.
pub struct Signals {
    held: libc::sigset_t,
    /// The signal mask before: the command starts with it.
    before: libc::sigset_t,
    /// The action of SIGCHLD before: the command starts with it.
    on_child: libc::sighandler_t,
}

impl Signals {
    /// Blocks them until this process ends.
    pub fn hold() -> Self {
        // SAFETY: a sigset_t is plain data that sigemptyset initializes; the calls only read and write these two.
        unsafe {
            let mut held = std::mem::zeroed::<libc::sigset_t>();
            let mut before = held;
            libc::sigemptyset(&mut held);
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGCHLD] {
                libc::sigaddset(&mut held, signal);
            }
            // If the parent process ignored SIGCHLD, children would be reaped without a status (wait(2)).
            let on_child = libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            libc::sigprocmask(libc::SIG_BLOCK, &held, &mut before);
            Self { held, before, on_child }
        }
    }

    /// Makes a command start with the signals as they were before [`Signals::hold`].
    fn release_in(&self, command: &mut Command) {
        let (before, on_child) = (self.before, self.on_child);
        let release = move || {
            // SAFETY: the set was filled by sigprocmask, the handler is SIG_DFL or SIG_IGN, since exec leaves no other.
            unsafe {
                libc::signal(libc::SIGCHLD, on_child);
                libc::sigprocmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
            }
            Ok(())
        };
        // SAFETY: between fork and exec only signal and sigprocmask are called, which are async-signal-safe.
        unsafe { command.pre_exec(release) };
    }

    /// A signal that is pending, such as ^C before the command was started.
    fn pending(&self) -> Option<i32> {
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        loop {
            // SAFETY: the set is a valid one and the call does not wait; the siginfo may be null.
            match unsafe { libc::sigtimedwait(&self.held, std::ptr::null_mut(), &now) } {
                libc::SIGCHLD => {}
                signal => return (signal > 0).then_some(signal),
            }
        }
    }

    /// Waits for the next signal. Returns its number, and whether a process sent it; a signal from
    /// the terminal reaches the command too. `None`: the wait was interrupted.
    fn next(&self) -> Option<(i32, bool)> {
        // SAFETY: siginfo_t is plain data, written by the kernel; the set is a valid one.
        let (signal, info) = unsafe {
            let mut info = std::mem::zeroed::<libc::siginfo_t>();
            (libc::sigwaitinfo(&self.held, &mut info), info)
        };
        (signal > 0).then_some((signal, info.si_code <= 0))
    }
}

/// Runs the command until it ends, with OPENSSL_CONF set to `configuration` if there is one,
/// otherwise with an unchanged environment.
pub fn run(command: &[OsString], configuration: Option<&Path>, signals: &Signals) -> Result<Ended, Refused> {
    let words: Vec<String> = command.iter().map(|w| w.to_string_lossy().into_owned()).collect();
    let name = words.first().cloned().unwrap_or_default();
    let refused = |cause| Refused::Exec(name.clone(), cause);
    let Some((program, arguments)) = command.split_first() else {
        return Err(refused(io::ErrorKind::NotFound.into()));
    };
    if let Some(signal) = signals.pending() {
        return Err(Refused::Signal(signal));
    }
    // Orphans become children of this process instead of init, so that processes left running are
    // detected (prctl(2)).
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let mut command = Command::new(program);
    command.args(arguments);
    environment::restore(&mut command);
    if let Some(configuration) = configuration {
        command.env("OPENSSL_CONF", configuration);
    }
    signals.release_in(&mut command);
    let mut child = command.spawn().map_err(refused)?;
    let status = wait(&mut child, signals).map_err(refused)?;
    Ok(Ended { words, status, left_running: some_left() })
}

fn wait(child: &mut Child, signals: &Signals) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if let Some((signal, true)) = signals.next() {
            forward(child, signal);
        }
    }
}

/// Forwards a signal that was sent to this process only.
fn forward(child: &Child, signal: i32) {
    if signal == libc::SIGCHLD {
        return;
    }
    if let Ok(pid) = libc::pid_t::try_from(child.id()) {
        // SAFETY: the child has not been waited for, so its number is still its own.
        unsafe { libc::kill(pid, signal) };
    }
}

fn some_left() -> bool {
    loop {
        match rustix::process::wait(rustix::process::WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

impl Ended {
    pub fn code(&self) -> u8 {
        let code = self.status.code().or(self.status.signal().map(|n| 128 + n)).unwrap_or(255);
        u8::try_from(code).unwrap_or(255)
    }

    pub fn signal(&self) -> Option<i32> {
        self.status.signal()
    }
}

impl Refused {
    /// Returns 127 if the command does not exist, 126 if it cannot be run, 128 + N after signal N.
    pub fn code(&self) -> u8 {
        match self {
            Self::Exec(_, cause) if cause.kind() == io::ErrorKind::NotFound => 127,
            Self::Exec(..) => 126,
            Self::Signal(n) => u8::try_from(128 + n).unwrap_or(255),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, cause) = match self {
            Self::Exec(name, cause) => (name, cause),
            Self::Signal(n) => return write!(f, "ended by signal {n} before the command was started"),
        };
        let advice = match cause.raw_os_error() {
            Some(libc::ENOENT) => "check its name, PATH and the interpreter in its first line",
            Some(libc::EACCES) => "make it an executable file (chmod +x)",
            Some(libc::ENOEXEC) => "give a script a #! line, or run it by its interpreter",
            _ => "try it without outboard",
        };
        write!(f, "{name} cannot be run: {cause}; {advice}")
    }
}
