//! Memory pressure: a process of this command that takes what memory is free, gives it back, and takes it again.
//!
//! Drivers allocate for each request, and bounce buffers, descriptors and fallbacks fail or move when memory is scarce. Whoever is
//! killed for it is this process: it asks for that (oom_score_adj, proc_pid_oom_score_adj(5)).

use std::fs;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// What is taken at a time, in bytes.
const PIECE: usize = 1 << 20;

/// Pages are at least as large.
const PAGE: usize = 4096;

/// How long all of it is kept.
const KEPT: Duration = Duration::from_millis(200);

/// The process. Ended when dropped, and by its closed standard input when this one is killed.
pub struct Pressure(Child);

impl Pressure {
    /// Starts it, and waits until it has taken memory for the first time.
    pub fn start() -> io::Result<Pressure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["check", "--hoard"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut pressure = Pressure(command.spawn()?);
        let mut word = [0];
        match pressure.0.stdout.as_mut().map(|said| said.read_exact(&mut word)) {
            Some(Ok(())) => Ok(pressure),
            _ => Err(io::Error::other("it ended before it had taken any")),
        }
    }
}

impl Drop for Pressure {
    fn drop(&mut self) {
        // It may have been killed already, being asked for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the process does, until its standard input is closed.
pub fn hoard() -> io::Result<()> {
    fs::write("/proc/self/oom_score_adj", "1000")?;
    std::thread::spawn(|| {
        // Its end, whatever it says.
        let _ = io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    let mut is_first = true;
    loop {
        let text = fs::read_to_string("/proc/meminfo")?;
        let room =
            room(&text).ok_or_else(|| io::Error::other("/proc/meminfo says nothing of free memory"))?;
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        while pieces.len() < room / PIECE {
            let mut piece = vec![0; PIECE];
            // Only what is written to is taken.
            piece.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
            pieces.push(piece);
        }
        if is_first {
            is_first = false;
            let mut out = io::stdout();
            out.write_all(b"\n")?;
            out.flush()?;
        }
        sleep(KEPT);
        drop(std::hint::black_box(pieces));
    }
}

/// How much can be taken in bytes: all that is available but for a thirty-second of the memory.
fn room(meminfo: &str) -> Option<usize> {
    let kib = |key: &str| -> Option<usize> {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    Some(kib("MemAvailable")?.saturating_sub(kib("MemTotal")? / 32).saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_memory_stays_free() {
        let text = "MemTotal:         64000 kB\nMemFree:  1000 kB\nMemAvailable:     32000 kB\n";
        assert_eq!(room(text), Some(30000 * 1024));
        assert_eq!(room(&text.replace("32000", "1000")), Some(0));
        for damaged in
            ["", "MemTotal: 1 kB", "MemTotal: x kB\nMemAvailable: 1 kB\n", "MemTotal: 1\nMemAvailable: 1\n"]
        {
            assert_eq!(room(damaged), None, "{damaged}");
        }
    }
}
