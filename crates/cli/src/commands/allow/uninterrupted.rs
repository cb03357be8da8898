//! Holds back ^C and its like for as long as what is being done must be done or undone as a whole.

/// While it lives, SIGINT, SIGTERM and SIGHUP wait. Then they do what they always did.
pub struct Uninterrupted {
    held: Vec<i32>,
    before: libc::sigset_t,
}

impl Uninterrupted {
    /// Holds them back; those that are ignored (nohup(1)) stay ignored.
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

    /// Has one come? Then this process ends when this is dropped.
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
