//! fork(2) in tests: a child returns its result as its exit status.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::time_limit::TIME_LIMIT;

/// How a child ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// `_exit(2)`: nothing is cleaned up.
    Quick,
    /// `exit(3)`: OpenSSL and the provider clean up.
    Clean,
}

/// A forked child.
#[derive(Debug)]
pub struct ForkedChild(libc::pid_t);

const RIGHT: i32 = 0;
const WRONG: i32 = 1;
const PANICKED: i32 = 2;

/// Forks. The child runs `body`, which returns whether it passed, and ends.
pub fn fork(exit: Exit, body: impl FnOnce() -> bool) -> ForkedChild {
    // SAFETY: the child calls what the test calls, libcrypto and malloc. glibc and OpenSSL keep
    // both usable in the child of a process with threads. The child ends below and never returns
    // into the test harness.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork: {}", std::io::Error::last_os_error());
    if pid > 0 {
        return ForkedChild(pid);
    }
    // The capture of libtest is in the parent.
    std::panic::set_hook(Box::new(|panic| {
        let _ = writeln!(std::io::stderr(), "\nin the child: {panic}");
    }));
    let status = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        Ok(true) => RIGHT,
        Ok(false) => WRONG,
        Err(_) => PANICKED,
    };
    // SAFETY: both end the child.
    unsafe {
        match exit {
            Exit::Quick => libc::_exit(status),
            Exit::Clean => libc::exit(status),
        }
    }
}

/// Runs `body` in a child; an error is printed and fails the test.
#[track_caller]
pub fn in_child(body: impl FnOnce() -> Result<(), String>) {
    let child = fork(Exit::Quick, || {
        let found = body();
        if let Err(problem) = &found {
            // Not captured: the capture of libtest is in the parent.
            let _ = writeln!(std::io::stderr(), "\nin the child: {problem}");
        }
        found.is_ok()
    });
    child.wait().unwrap_or_else(|problem| panic!("{problem}"));
}

/// Runs `body` in a process of its own: a driver that returned a wrong result is disabled for the
/// process. A panic in it fails the test.
#[track_caller]
pub fn in_own_process(body: impl FnOnce()) {
    in_child(|| {
        body();
        Ok(())
    });
}

/// As [`in_own_process`], for a body that returns a text.
#[track_caller]
pub fn text_of_own_process(body: impl FnOnce() -> String) -> String {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    in_own_process(|| std::fs::write(file.path(), body()).expect("the text"));
    std::fs::read_to_string(file.path()).expect("the text")
}

impl ForkedChild {
    /// Waits for the child; `Err` describes its failure.
    pub fn wait(self) -> Result<(), String> {
        let start = Instant::now();
        let mut status = 0;
        loop {
            // SAFETY: the process is a child of this one, and the status is a local variable.
            let ended = unsafe { libc::waitpid(self.0, &mut status, libc::WNOHANG) };
            if ended == self.0 {
                break;
            }
            if start.elapsed() > TIME_LIMIT {
                // SAFETY: the child has not been waited for, so the process id is still its own.
                unsafe {
                    libc::kill(self.0, libc::SIGKILL);
                    libc::waitpid(self.0, &mut status, 0);
                }
                return Err("the child hangs".to_owned());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        if libc::WIFSIGNALED(status) {
            return Err(format!("the child died of signal {}", libc::WTERMSIG(status)));
        }
        match libc::WEXITSTATUS(status) {
            RIGHT => Ok(()),
            WRONG => Err("the child's bytes are wrong".to_owned()),
            PANICKED => Err("the child panicked".to_owned()),
            other => Err(format!("the child ended with status {other}")),
        }
    }
}
