//! Other processes: their children, their open files, and their end.

use std::collections::HashSet;
use std::fs;
use std::os::fd::RawFd;
use std::path::PathBuf;

use crate::time_limit::wait_until;

/// A process id. It may be reused after the process has ended.
pub type Pid = u32;

/// The children that its main thread started and that were not waited for.
pub fn children(of: Pid) -> Vec<Pid> {
    let text = fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// The names of all processes.
pub fn process_names() -> Vec<String> {
    let all = fs::read_dir("/proc").expect("proc is mounted").flatten();
    let names = all.filter_map(|entry| fs::read_to_string(entry.path().join("comm")).ok());
    names.map(|name| name.trim_end().to_owned()).collect()
}

/// The network namespaces of all processes.
pub fn network_namespaces() -> HashSet<PathBuf> {
    let all = fs::read_dir("/proc").expect("proc is mounted").flatten();
    all.filter_map(|entry| fs::read_link(entry.path().join("ns/net")).ok()).collect()
}

/// Whether it has this file open.
pub fn has_open(pid: Pid, file: &str) -> bool {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| target.as_os_str() == file)
}

/// The descriptors of this process for a file.
pub fn descriptors(file: &str) -> Vec<RawFd> {
    let open = fs::read_dir("/proc/self/fd").expect("proc is mounted").flatten();
    open.filter(|entry| fs::read_link(entry.path()).is_ok_and(|target| target.as_os_str() == file))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// The state in one letter (proc_pid_stat(5)); `None` when there is no such process.
fn state(pid: Pid) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Sends a signal, if there is such a process.
pub fn signal(pid: Pid, signal: i32) {
    let pid = i32::try_from(pid).expect("a process number");
    // SAFETY: no pointer.
    unsafe { libc::kill(pid, signal) };
}

/// A child of a process and the child's own child. The former is stopped, so that this does not
/// change.
#[track_caller]
pub fn stopped_with_a_child(of: Pid) -> (Pid, Pid) {
    let mut found = None;
    wait_until("a grandchild", || {
        let Some(&child) = children(of).first() else { return false };
        signal(child, libc::SIGSTOP);
        wait_until("stopped", || state(child).is_none_or(|state| "TZX".contains(state)));
        found = children(child).first().map(|&grandchild| (child, grandchild));
        if found.is_none() {
            signal(child, libc::SIGCONT);
        }
        found.is_some()
    });
    found.expect("it was found")
}

/// Waits until all of them have ended.
#[track_caller]
pub fn wait_until_gone(pids: &[Pid]) {
    // A zombie has ended; it has not been waited for.
    wait_until("ended", || pids.iter().all(|&pid| state(pid).is_none_or(|state| "ZX".contains(state))));
}
