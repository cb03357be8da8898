//! Runs a command, and lets one of its changes of files fail, or kills it there.
//!
//! The kernel asks this process about each such system call (seccomp_unotify(2)), and the command
//! waits for the answer: so the state between any two changes can be examined too.

use std::ffi::c_void;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output};

/// What happens to a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    /// The command is killed before it.
    Kill,
    /// It fails with this number.
    Fails(i32),
    /// The command gets this signal, and the change is made.
    Signal(i32),
}

/// The descriptor of the listener in the command.
const LISTENER: libc::c_int = 190;

/// Calls that change a file. Of openat the ones that write.
const CHANGES: [libc::c_long; 12] = [
    libc::SYS_openat,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_write,
    libc::SYS_fsync,
    libc::SYS_fchmod,
    libc::SYS_fchown,
    libc::SYS_ftruncate,
    libc::SYS_fchmodat,
];

/// Calls that only older architectures have.
#[cfg(target_arch = "x86_64")]
const OLD_CHANGES: [libc::c_long; 6] =
    [libc::SYS_open, libc::SYS_mkdir, libc::SYS_rmdir, libc::SYS_unlink, libc::SYS_rename, libc::SYS_link];
#[cfg(not(target_arch = "x86_64"))]
const OLD_CHANGES: [libc::c_long; 0] = [];

/// `struct seccomp_notif` of linux/seccomp.h.
#[repr(C)]
#[derive(Default)]
struct Notification {
    id: u64,
    pid: u32,
    flags: u32,
    number: i32,
    arch: u32,
    instruction: u64,
    arguments: [u64; 6],
}

/// `struct seccomp_notif_resp`.
#[repr(C)]
struct Response {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

const USER_NOTIF: u32 = 0x7fc0_0000; // SECCOMP_RET_USER_NOTIF
const NEW_LISTENER: libc::c_ulong = 8; // SECCOMP_FILTER_FLAG_NEW_LISTENER
const CONTINUE: u32 = 1; // SECCOMP_USER_NOTIF_FLAG_CONTINUE
// As the generic ioctl.h encodes them.
const RECEIVE: libc::c_ulong = 0xc000_2100 | (size_of::<Notification>() as libc::c_ulong) << 16;
const SEND: libc::c_ulong = 0xc000_2101 | (size_of::<Response>() as libc::c_ulong) << 16;

/// Runs a command. The change number `at`, from 0 on, below one of `directories` gets the fault;
/// `None` injects none. `between` is called before each change. Returns the output, and the number
/// of changes that were seen.
#[track_caller]
pub fn run(
    mut command: Command,
    directories: &[&str],
    at: Option<(usize, InjectedFault)>,
    between: &mut dyn FnMut(),
) -> (Output, usize) {
    let filter = filter();
    let install = move || {
        // What starts the tests in the background may ignore them, which is inherited.
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            // SAFETY: the default action is no function.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        install(&filter)
    };
    // SAFETY: only system calls; the filter was made before.
    let mut child = unsafe { command.pre_exec(install) }.spawn().expect("the command runs");
    let listener = listener_of(&child);
    let mut seen = 0;
    while let Some(notification) = next(&listener, &mut child) {
        let is_ours = notification.pid == child.id();
        if !is_ours || !is_change(&notification, directories) {
            respond(&listener, &notification, 0);
            continue;
        }
        between();
        let fault = at.and_then(|(at, fault)| (at == seen).then_some(fault));
        seen += 1;
        match fault {
            None => respond(&listener, &notification, 0),
            Some(InjectedFault::Fails(error)) => respond(&listener, &notification, error),
            Some(InjectedFault::Signal(signal)) => {
                // SAFETY: no pointers; the child has not been waited for.
                unsafe { libc::kill(child.id() as libc::pid_t, signal) };
                respond(&listener, &notification, 0);
            }
            Some(InjectedFault::Kill) => child.kill().expect("a child that was not waited for"),
        }
    }
    between();
    (child.wait_with_output().expect("a child"), seen)
}

/// Has the kernel ask about the calls that may change a file. It lets opens that only read proceed,
/// which are most of the calls of a program that is loaded.
fn filter() -> Vec<libc::sock_filter> {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let jump = |test: u32, k: u32, jt: usize, jf: u8| libc::sock_filter {
        code: (libc::BPF_JMP | test | libc::BPF_K) as u16,
        jt: jt as u8,
        jf,
        k,
    };
    let load = |offset: u32| statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset);
    let allow = statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW);
    // Backwards, because jumps are relative to the end.
    let mut all = vec![statement(libc::BPF_RET | libc::BPF_K, USER_NOTIF), allow];
    for call in CHANGES.into_iter().chain(OLD_CHANGES) {
        if let Some(flags) = flags_argument(call) {
            let writes = (libc::O_CREAT | libc::O_WRONLY | libc::O_RDWR) as u32;
            // The low half of the argument in struct seccomp_data.
            let half = if cfg!(target_endian = "big") { 4 } else { 0 };
            all.extend([allow, jump(libc::BPF_JSET, writes, all.len(), 0), load(16 + 8 * flags + half)]);
            all.push(jump(libc::BPF_JEQ, call as u32, 0, 3));
        } else {
            all.push(jump(libc::BPF_JEQ, call as u32, all.len() - 1, 0));
        }
    }
    all.push(load(0));
    all.reverse();
    all
}

/// The argument of an open with its flags.
fn flags_argument(call: libc::c_long) -> Option<u32> {
    match call {
        libc::SYS_openat => Some(2),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => Some(1),
        _ => None,
    }
}

fn install(filter: &[libc::sock_filter]) -> io::Result<()> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the program and its instructions live during the call; the others have no pointers.
    unsafe {
        // Which a user other than root needs for a filter.
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        let listener =
            libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, NEW_LISTENER, &raw const program);
        // Without CLOEXEC, so that the parent can take it.
        match listener < 0 || libc::dup2(listener as libc::c_int, LISTENER) < 0 {
            true => Err(io::Error::last_os_error()),
            false => Ok(()),
        }
    }
}

fn listener_of(child: &Child) -> OwnedFd {
    // SAFETY: no pointers; the descriptors that are returned are new.
    unsafe {
        let pidfd = libc::syscall(libc::SYS_pidfd_open, child.id(), 0) as libc::c_int;
        let pidfd = OwnedFd::from_raw_fd(pidfd);
        let fd = libc::syscall(libc::SYS_pidfd_getfd, pidfd.as_raw_fd(), LISTENER, 0) as libc::c_int;
        assert!(fd >= 0, "pidfd_getfd: {}", io::Error::last_os_error());
        OwnedFd::from_raw_fd(fd)
    }
}

/// The next call that waits for an answer; `None` when the child has ended.
fn next(listener: &OwnedFd, child: &mut Child) -> Option<Notification> {
    loop {
        let mut poll = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid entry.
        let ready = unsafe { libc::poll(&raw mut poll, 1, 20) };
        if ready > 0 && poll.revents & libc::POLLIN != 0 {
            let mut notification = Notification::default();
            let to = (&raw mut notification).cast::<c_void>();
            // SAFETY: the kernel writes a structure of this size there.
            if unsafe { libc::ioctl(listener.as_raw_fd(), RECEIVE as _, to) } == 0 {
                return Some(notification);
            }
            // The caller was killed meanwhile.
        } else if has_ended(child) {
            return None;
        }
    }
}

/// Without taking the status, which is for `wait_with_output`.
fn has_ended(child: &Child) -> bool {
    // SAFETY: siginfo_t is plain data, which the call fills in.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_PID, child.id(), &raw mut info, flags) == 0 && info.si_pid() != 0
    }
}

/// error: 0 lets the call proceed.
fn respond(listener: &OwnedFd, notification: &Notification, error: i32) {
    let flags = if error == 0 { CONTINUE } else { 0 };
    let response = Response { id: notification.id, value: 0, error: -error, flags };
    // SAFETY: the kernel reads a structure of this size. It fails if the caller was killed.
    unsafe { libc::ioctl(listener.as_raw_fd(), SEND as _, &raw const response) };
}

fn is_change(call: &Notification, directories: &[&str]) -> bool {
    let [first, second, ..] = call.arguments;
    let number = libc::c_long::from(call.number);
    let is_old = OLD_CHANGES.contains(&number);
    let path = match number {
        libc::SYS_write | libc::SYS_fsync | libc::SYS_fchmod | libc::SYS_fchown | libc::SYS_ftruncate => {
            descriptor(call.pid, first as i32)
        }
        _ if is_old => text(call.pid, first),
        _ => {
            let name = text(call.pid, second);
            match name.starts_with('/') || first as i32 == libc::AT_FDCWD {
                true => name,
                false => format!("{}/{name}", descriptor(call.pid, first as i32)),
            }
        }
    };
    directories.iter().any(|directory| path.starts_with(directory))
}

fn descriptor(pid: u32, fd: i32) -> String {
    let path = fs::read_link(format!("/proc/{pid}/fd/{fd}"));
    path.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The string at an address of the process, of which 256 bytes are enough.
fn text(pid: u32, address: u64) -> String {
    let mut bytes = [0; 256];
    let memory = fs::File::open(format!("/proc/{pid}/mem"));
    let read = memory.and_then(|memory| memory.read_at(&mut bytes, address)).unwrap_or(0);
    let end = bytes[..read].iter().position(|byte| *byte == 0).unwrap_or(read);
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;

    /// Makes a directory and a file in it.
    fn change(folder: &std::path::Path) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", "mkdir d && echo text >d/f"]).current_dir(folder);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// The shell opens the file itself; mkdir is another process, whose changes are not counted.
    #[test]
    fn each_change_can_fail_or_be_the_last() {
        let folder = tempfile::tempdir().expect("a directory");
        let whole = run(change(folder.path()), &["d/"], None, &mut || {});
        assert!(whole.0.status.success(), "{:?}", whole.0);
        assert_eq!(whole.1, 1);
        fs::remove_dir_all(folder.path().join("d")).expect("made");
        let fault = Some((0, InjectedFault::Fails(libc::ENOSPC)));
        let (output, _) = run(change(folder.path()), &["d/"], fault, &mut || {});
        assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"), "{output:?}");
        assert!(!folder.path().join("d/f").exists());
        fs::remove_dir_all(folder.path().join("d")).expect("made");
        let (output, _) = run(change(folder.path()), &["d/"], Some((0, InjectedFault::Kill)), &mut || {});
        assert_eq!(output.status.signal(), Some(libc::SIGKILL));
        assert!(folder.path().join("d").exists() && !folder.path().join("d/f").exists());
    }
}
