//! Standard error as the destination of the log.
//!
//! The application may have closed descriptor 2 and opened a file or a connection under that
//! number. So a line goes only to the file that was standard error when the provider was loaded, to
//! a terminal, or to the journal. A write never ends, stops or blocks the application; a line that
//! cannot be written at once is lost.

use std::ffi::CStr;
use std::io;
use std::mem::zeroed;
use std::os::fd::RawFd;
use std::ptr::null_mut;

use outboard_accel::descriptor::FileIdentity;

/// In bytes: a pipe that poll(2) reports as writable takes as much and does not block (pipe(7)).
pub(crate) const LONGEST_LINE: usize = libc::PIPE_BUF;

/// Signals of a write, each with its error. SIGTTOU has none: while it is blocked, a terminal
/// accepts the output of a background process.
const RAISED: [(libc::c_int, Option<libc::c_int>); 3] =
    [(libc::SIGPIPE, Some(libc::EPIPE)), (libc::SIGXFSZ, Some(libc::EFBIG)), (libc::SIGTTOU, None)];

/// What descriptor 2 may be for a line to be written.
#[derive(Clone, Copy, Default)]
pub(crate) struct StandardError {
    /// `None` if it cannot have been standard error.
    at_load: Option<FileIdentity>,
    /// Device and inode of the journal's connection (systemd.exec(5), `$JOURNAL_STREAM`).
    journal: Option<(u64, u64)>,
}

impl StandardError {
    pub(crate) fn remember() -> StandardError {
        let fd = libc::STDERR_FILENO;
        let at_load = FileIdentity::of(fd).ok().filter(|file| is_for_messages(fd, file));
        StandardError { at_load, journal: journal() }
    }

    /// At most [`LONGEST_LINE`] bytes, by one write(2), so that lines of several processes do not
    /// mix.
    pub(crate) fn write(self, line: &[u8]) {
        let fd = libc::STDERR_FILENO;
        if FileIdentity::of(fd).is_ok_and(|now| self.accepts(&now)) && is_writable(fd) {
            write_without_signals(fd, line);
        }
    }

    fn accepts(&self, now: &FileIdentity) -> bool {
        self.at_load == Some(*now) || now.is_terminal() || self.journal == Some((now.device, now.inode))
    }
}

/// Not a file that is open for reading too, as a database is, nor a connection to another machine.
fn is_for_messages(fd: RawFd, file: &FileIdentity) -> bool {
    match file.kind {
        libc::S_IFREG | libc::S_IFBLK => {
            // SAFETY: no pointer is passed.
            let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
            flags >= 0 && flags & libc::O_ACCMODE == libc::O_WRONLY
        }
        libc::S_IFSOCK => {
            let (mut domain, mut len) = (0, size_of::<libc::c_int>() as libc::socklen_t);
            let at = (&raw mut domain).cast();
            // SAFETY: `domain` is writable for its length.
            let done = unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_DOMAIN, at, &mut len) };
            done == 0 && domain == libc::AF_UNIX
        }
        _ => true,
    }
}

fn journal() -> Option<(u64, u64)> {
    // SAFETY: the name ends with NUL; libcrypto reads its own variables at this time too.
    let value = unsafe { libc::getenv(c"JOURNAL_STREAM".as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: a variable of the environment ends with NUL; it is read before this function returns.
    let (device, inode) = unsafe { CStr::from_ptr(value) }.to_str().ok()?.split_once(':')?;
    Some((device.parse().ok()?, inode.parse().ok()?))
}

fn is_writable(fd: RawFd) -> bool {
    let mut poll = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one entry, readable and writable.
    unsafe { libc::poll(&mut poll, 1, 0) == 1 && poll.revents == libc::POLLOUT }
}

/// Errors are ignored: the last reader of a pipe may have gone, or the process has reached its file
/// size limit (RLIMIT_FSIZE, which sshd sets to 0).
fn write_without_signals(fd: RawFd, line: &[u8]) {
    // SAFETY: signal sets on the stack, which all zeroes or the functions initialise; the line is
    // readable for its length.
    unsafe {
        let (mut ours, mut before, mut pending) = (zeroed(), zeroed(), zeroed());
        libc::sigemptyset(&mut ours);
        for (signal, _) in RAISED {
            libc::sigaddset(&mut ours, signal);
        }
        if libc::pthread_sigmask(libc::SIG_BLOCK, &ours, &mut before) != 0 {
            return;
        }
        // Only a signal that the application has blocked can be pending.
        libc::sigemptyset(&mut pending);
        if RAISED.iter().any(|&(signal, _)| libc::sigismember(&before, signal) == 1) {
            libc::sigpending(&mut pending);
        }
        let written = libc::write(fd, line.as_ptr().cast(), line.len());
        let error = (written < 0).then(|| io::Error::last_os_error().raw_os_error()).flatten();
        for (signal, with) in RAISED {
            if with.is_some() && with == error && libc::sigismember(&pending, signal) == 0 {
                take_away(signal);
            }
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut());
    }
}

fn take_away(signal: libc::c_int) {
    let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a signal set on the stack; the time is readable; no information is requested.
    unsafe {
        let mut one = zeroed();
        libc::sigemptyset(&mut one);
        libc::sigaddset(&mut one, signal);
        while libc::sigtimedwait(&one, null_mut(), &at_once) < 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsRawFd;

    use super::*;

    fn temporary(open: &mut std::fs::OpenOptions, name: &str) -> File {
        let path = std::env::temp_dir().join(format!("outboard-{name}-{}", std::process::id()));
        let file = open.create(true).open(&path).expect("a temporary file");
        std::fs::remove_file(&path).expect("the file just created");
        file
    }

    #[test]
    fn a_file_that_is_open_for_reading_too_is_not_for_messages() {
        let is = |file: &File| {
            let fd = file.as_raw_fd();
            is_for_messages(fd, &FileIdentity::of(fd).expect("an open file"))
        };
        assert!(is(&temporary(File::options().write(true), "log")));
        assert!(!is(&temporary(File::options().write(true).read(true), "database")));
        assert!(is(&File::open("/dev/null").expect("a device that is everywhere")));
        let connection = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
        let fd = connection.as_raw_fd();
        assert!(!is_for_messages(fd, &FileIdentity::of(fd).expect("a socket")));
    }

    /// poll(2) does not see a reader that goes away after it.
    #[test]
    fn a_write_to_a_pipe_without_a_reader_leaves_no_signal_and_the_mask_as_it_was() {
        // SAFETY: the child calls only functions that are permitted after a fork, and ends below.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let mut ends = [0; 2];
            // SAFETY: the arrays and sets are writable; the child has one thread.
            unsafe {
                libc::signal(libc::SIGPIPE, libc::SIG_DFL);
                libc::pipe(ends.as_mut_ptr());
                libc::close(ends[0]);
                let has_no_reader = !is_writable(ends[1]);
                write_without_signals(ends[1], b"line\n");
                let (mut mask, mut pending) = (zeroed(), zeroed());
                libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &mut mask);
                let is_blocked = libc::sigismember(&mask, libc::SIGPIPE) == 1;
                // One that the application has blocked and that was pending stays.
                libc::sigaddset(&mut mask, libc::SIGPIPE);
                libc::pthread_sigmask(libc::SIG_BLOCK, &mask, null_mut());
                write_without_signals(ends[1], b"line\n");
                libc::sigpending(&mut pending);
                let was_taken = libc::sigismember(&pending, libc::SIGPIPE) == 0;
                libc::raise(libc::SIGPIPE);
                write_without_signals(ends[1], b"line\n");
                libc::sigpending(&mut pending);
                let is_kept = libc::sigismember(&pending, libc::SIGPIPE) == 1;
                libc::_exit(i32::from(!(has_no_reader && !is_blocked && was_taken && is_kept)));
            }
        }
        let mut status = 0;
        // SAFETY: waits for the child forked above.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0, "it ended by a signal, or with a failure");
    }
}
