//! A server process for the duration of a measurement; it ends with this process, even if that is
//! killed.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::requests::process::die_with_parent;
use anyhow::{Context, Result, bail};
use outboard_measure::cpu::seconds;
use outboard_measure::stop;

use super::measure::UserSystemTime;

/// Time limit for a server to start; slow boards generate keys and read certificates first.
const TIME_LIMIT: Duration = Duration::from_secs(180);

/// Time to end after SIGTERM, before the process is killed.
const FAREWELL: Duration = Duration::from_secs(5);

const TICK: Duration = Duration::from_millis(20);

/// A server process. Dropping this value terminates it, and the kernel does so when this process is
/// killed.
pub struct ServerProcess {
    name: String,
    child: Child,
    log: PathBuf,
}

impl ServerProcess {
    /// Starts the server in its own process group, so that only this program receives ^C. Its
    /// output is appended to `log`.
    pub fn start(name: &str, mut command: Command, log: PathBuf) -> Result<ServerProcess> {
        let log_file = OpenOptions::new().create(true).append(true).open(&log);
        let log_file = log_file.with_context(|| format!("{}", log.display()))?;
        command.process_group(0).stdin(Stdio::null()).stdout(log_file.try_clone()?).stderr(log_file);
        die_with_parent(&mut command, libc::SIGTERM);
        let child = command.spawn().with_context(|| format!("{name} cannot be started"))?;
        Ok(ServerProcess { name: name.to_owned(), child, log })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the server accepts connections.
    pub fn answers(&mut self, address: SocketAddr) -> Result<()> {
        self.until(&format!("it does not answer at {address}"), || TcpStream::connect(address).is_ok())
    }

    pub fn wait_for_log(&mut self, words: &str) -> Result<()> {
        let log = self.log.clone();
        self.until(&format!("\"{words}\" is not in the log"), || log_contains(&log, words))
    }

    /// Waits for a condition. `not_yet` is the error message if it is never met.
    pub fn until(&mut self, not_yet: &str, mut is_done: impl FnMut() -> bool) -> Result<()> {
        let start = Instant::now();
        while !is_done() {
            if let Some(status) = self.child.try_wait()? {
                bail!("{} ended ({status}): {}", self.name, self.words());
            }
            if stop::asked() {
                bail!("interrupted");
            }
            if start.elapsed() > TIME_LIMIT {
                bail!("{}: {not_yet} after {} s: {}", self.name, TIME_LIMIT.as_secs(), self.words());
            }
            sleep(TICK);
        }
        Ok(())
    }

    pub fn words(&self) -> String {
        last_words(&self.log)
    }

    /// Returns the CPU time that the server used while `serve` ran its clients; the error of
    /// `serve` is returned.
    pub fn during(&self, serve: impl FnOnce() -> Result<(), String>) -> Result<UserSystemTime, String> {
        let spent = || self.spent().map_err(|error| format!("/proc: {error}"));
        let before = spent()?;
        serve().map_err(|error| format!("{error}; log of {}: {}", self.name, self.words()))?;
        Ok(spent()?.since(before))
    }

    /// User and system time of the server and of its descendants, including those that have ended
    /// and were waited for.
    fn spent(&self) -> io::Result<UserSystemTime> {
        spent_below(self.pid(), Path::new("/proc"))
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let Ok(pid) = i32::try_from(self.child.id()) else { return };
        let send = |signal| {
            // SAFETY: no pointer is passed. The group ID is that of a child that was not waited
            // for, so it cannot have been reused.
            unsafe { libc::kill(-pid, signal) };
        };
        let proc = Path::new("/proc");
        // sshd's sessions have process groups of their own, and end with their clients.
        let family = below(self.pid(), proc).unwrap_or_default();
        let start = Instant::now();
        send(libc::SIGTERM);
        while matches!(self.child.try_wait(), Ok(None)) {
            if start.elapsed() > FAREWELL {
                send(libc::SIGKILL);
                // After SIGKILL the process ends soon.
                let _ = self.child.wait();
                return;
            }
            sleep(TICK);
        }
        let is_there = |(pid, _): &(u32, Process)| proc.join(pid.to_string()).exists();
        while family.iter().any(is_there) && start.elapsed() < FAREWELL {
            sleep(TICK);
        }
    }
}

pub const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

pub fn free_port(address: IpAddr) -> Result<SocketAddr> {
    let unused = TcpListener::bind((address, 0)).with_context(|| format!("no port of {address}"))?;
    Ok(unused.local_addr()?)
}

fn log_contains(log: &Path, words: &str) -> bool {
    fs::read(log).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(words))
}

fn last_words(log: &Path) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match &lines[lines.len().saturating_sub(5)..] {
        [] => "(empty log)".to_owned(),
        last => last.join("; "),
    }
}

fn spent_below(top: u32, proc: &Path) -> io::Result<UserSystemTime> {
    let mine = below(top, proc)?;
    let add = |sum: (u64, u64), (_, one): &(u32, Process)| {
        (sum.0.saturating_add(one.user), sum.1.saturating_add(one.system))
    };
    let ticks = mine.iter().fold((0, 0), add);
    Ok(UserSystemTime { user: seconds(ticks.0), system: seconds(ticks.1) })
}

/// Returns a process and its descendants.
fn below(top: u32, proc: &Path) -> io::Result<Vec<(u32, Process)>> {
    let mut all = HashMap::new();
    for entry in fs::read_dir(proc)?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // A process that has ended meanwhile is included in the sum of its parent.
        let stat = fs::read(entry.path().join("stat")).unwrap_or_default();
        if let Some(one) = Process::parse(&String::from_utf8_lossy(&stat)) {
            all.insert(pid, one);
        }
    }
    let is_below = |pid: u32| {
        let mut at = pid;
        // The depth of the tree cannot exceed the number of processes.
        for _ in 0..=all.len() {
            if at == top {
                return true;
            }
            match all.get(&at) {
                Some(process) => at = process.parent,
                None => return false,
            }
        }
        false
    };
    let pids: Vec<u32> = all.keys().copied().filter(|&pid| is_below(pid)).collect();
    Ok(pids.into_iter().filter_map(|pid| all.remove_entry(&pid)).collect())
}

#[derive(Debug, PartialEq)]
struct Process {
    parent: u32,
    user: u64,
    system: u64,
}

impl Process {
    /// proc_pid_stat(5): the name, in parentheses, may contain anything; ppid is field 4, utime to cstime are 14 to 17.
    fn parse(stat: &str) -> Option<Process> {
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |field: usize| fields.get(field - 3)?.parse::<i64>().ok().map(|n| n.max(0) as u64);
        Some(Process {
            parent: fields.get(1)?.parse().ok()?,
            user: ticks(14)?.saturating_add(ticks(16)?),
            system: ticks(15)?.saturating_add(ticks(17)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_with_its_owner_and_its_last_words_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo ready; sleep 1000 & wait"]);
        let log = folder.path().join("log");
        let mut process = ServerProcess::start("sh", shell, log.clone()).unwrap();
        process
            .until("it is silent", || fs::read_to_string(&log).is_ok_and(|text| text == "ready\n"))
            .unwrap();
        let pid = process.pid();
        assert_eq!(process.words(), "ready");
        drop(process);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
        let mut fails = Command::new("sh");
        fails.args(["-c", "echo no such certificate >&2; exit 3"]);
        let mut process = ServerProcess::start("sh", fails, log).unwrap();
        let error = process.answers(free_port(LOCALHOST).unwrap()).unwrap_err().to_string();
        assert!(error.contains("exit status: 3") && error.contains("no such certificate"), "{error}");
    }

    #[test]
    fn the_time_of_a_tree_has_those_who_ended_in_it() {
        let folder = tempfile::tempdir().unwrap();
        for (pid, parent, ticks) in
            [(10, 1, "1 2 3 4"), (11, 10, "10 20 30 40"), (12, 11, "100 0 0 -1"), (13, 2, "9 9 9 9")]
        {
            let place = folder.path().join(pid.to_string());
            fs::create_dir(&place).unwrap();
            let stat = format!("{pid} (a) (b) S {parent} 1 1 0 -1 4194560 0 0 0 0 {ticks} 20 0 1 0 5\n");
            fs::write(place.join("stat"), stat).unwrap();
        }
        fs::create_dir(folder.path().join("14")).unwrap();
        fs::create_dir(folder.path().join("self")).unwrap();
        assert_eq!(
            spent_below(10, folder.path()).unwrap(),
            UserSystemTime { user: seconds(144), system: seconds(66) }
        );
        assert_eq!(Process::parse("1 (x) S 0 1"), None);
        assert_eq!(Process::parse(""), None);
    }

    #[test]
    fn it_is_seen_to_work() {
        let folder = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", "while :; do :; done"]);
        let mut process = ServerProcess::start("sh", shell, folder.path().join("log")).unwrap();
        let pid = process.pid();
        process.until("it is idle", || spent_below(pid, Path::new("/proc")).unwrap().user > 0.0).unwrap();
        assert!(process.spent().unwrap().user > 0.0);
    }
}
