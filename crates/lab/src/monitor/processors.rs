//! CPU time that the kernel spends for devices, proc_stat(5) and proc_pid_stat(5), in clock ticks.

use outboard_drivers::root::Root;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelTime {
    pub interrupts: u64,
    pub softirqs: u64,
    /// In interrupt threads, which are part of the system's time.
    pub threads: u64,
}

impl KernelTime {
    /// Reads the current times; `None` without /proc/stat.
    #[must_use]
    pub fn read(root: &Root) -> Option<Self> {
        let text = root.text("proc/stat")?;
        let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let ticks: Vec<u64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let (interrupts, softirqs) = (*ticks.get(5)?, *ticks.get(6)?);
        let entries = root.list("proc");
        let pids = entries.iter().filter(|entry| entry.name.bytes().all(|b| b.is_ascii_digit()));
        let threads = pids.filter_map(|entry| interrupt_thread(root, &entry.name));
        Some(Self { interrupts, softirqs, threads: threads.fold(0, u64::saturating_add) })
    }

    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            interrupts: self.interrupts.saturating_sub(earlier.interrupts),
            softirqs: self.softirqs.saturating_sub(earlier.softirqs),
            threads: self.threads.saturating_sub(earlier.threads),
        }
    }
}

/// The CPU time of a process, if it is an interrupt thread of the kernel: `irq/24-name`.
fn interrupt_thread(root: &Root, pid: &str) -> Option<u64> {
    let text = root.text(&format!("proc/{pid}/stat"))?;
    let (start, rest) = text.rsplit_once(')')?;
    start.split_once('(').filter(|(_, name)| name.starts_with("irq/"))?;
    cpu_time(rest)
}

/// utime + stime, the fields 14 and 15, from the text behind the name, which is field 2.
fn cpu_time(rest: &str) -> Option<u64> {
    let mut fields = rest.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()?.saturating_add(next()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn times_are_read_and_damaged_files_are_left_out() {
        let tree = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = tree.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let root = Root::saved(tree.path()).unwrap();
        assert_eq!(KernelTime::read(&root), None);
        write("proc/stat", "cpu  1 2 3 4 5 60 70 8 9 9\n");
        let tail = "S 2 0 0 0 -1 69238848 0 0 0 0 3 40 0 0";
        write("proc/24/stat", &format!("24 (irq/24-a) b) {tail}\n"));
        write("proc/25/stat", &format!("25 (nginx) {tail}\n"));
        write("proc/26/stat", "26 (irq/26-x) S 1");
        write("proc/27/stat", ")(");
        let now = KernelTime::read(&root).unwrap();
        assert_eq!(now, KernelTime { interrupts: 60, softirqs: 70, threads: 43 });
        let earlier = KernelTime { interrupts: 50, softirqs: 100, threads: 3 };
        assert_eq!(now.since(earlier), KernelTime { interrupts: 10, softirqs: 0, threads: 40 });
        write("proc/stat", "cpu  1 2 3\n");
        assert_eq!(KernelTime::read(&root), None);
    }
}
