//! Blocks termination signals during an operation that must complete or be undone as a whole.

/// While this value exists, SIGINT, SIGTERM and SIGHUP are blocked. They are delivered when it is
/// dropped.
pub struct Uninterrupted {
    held: Vec<i32>,
    before: libc::sigset_t,
}

impl Uninterrupted {
    /// Blocks the signals, except those that are ignored (nohup(1)).
    pub fn new() -> Self {
        let held: Vec<i32> = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP]
            .into_iter()
            .filter(|&signal| !is_ignored(signal))
            .collect();
        // SAFETY: sigset_t is plain data, filled by sigemptyset before it is used; the calls take valid pointers.
        let before = unsafe {
            let mut set = std::mem::zeroed::<libc::sigset_t>();
            let mut before = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            for &signal in &held {
                libc::sigaddset(&mut set, signal);
            }
            libc::sigprocmask(libc::SIG_BLOCK, &set, &mut before);
            before
        };
        Self { held, before }
    }

    /// Returns whether a signal is pending. If so, this process ends when the value is dropped.
    pub fn is_over(&self) -> bool {
        // SAFETY: sigset_t is plain data, filled by sigpending.
        let set = unsafe {
            let mut set = std::mem::zeroed::<libc::sigset_t>();
            libc::sigpending(&mut set);
            set
        };
        // SAFETY: the set was filled by sigpending.
        self.held.iter().any(|&signal| unsafe { libc::sigismember(&set, signal) } == 1)
    }
}

impl Drop for Uninterrupted {
    fn drop(&mut self) {
        // SAFETY: the set was filled by sigprocmask.
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

fn is_ignored(signal: i32) -> bool {
    // SAFETY: sigaction is plain data; nothing is changed, the old one is only read.
    let action = unsafe {
        let mut action = std::mem::zeroed::<libc::sigaction>();
        libc::sigaction(signal, std::ptr::null(), &mut action);
        action
    };
    action.sa_sigaction == libc::SIG_IGN
}
