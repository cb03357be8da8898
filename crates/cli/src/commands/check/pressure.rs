//! Memory pressure: a process of this command that repeatedly allocates the free memory and
//! releases it.
//!
//! Drivers allocate memory for each request; bounce buffers, descriptors and fallbacks fail or move
//! when memory is scarce. The process sets its oom_score_adj so that the kernel kills it first
//! (proc_pid_oom_score_adj(5)).

use std::fs;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Size of an allocation in bytes.
const PIECE: usize = 1 << 20;

/// Minimum size of a page in bytes.
const PAGE: usize = 4096;

const KEPT: Duration = Duration::from_millis(200);

/// The process. It ends when this value is dropped, and when this process is killed, because that
/// closes its standard input.
pub struct Pressure(Child);

impl Pressure {
    /// Starts the process, and waits until it has allocated memory for the first time.
    pub fn start() -> io::Result<Pressure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["check", "--hoard"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut pressure = Pressure(command.spawn()?);
        let mut word = [0];
        match pressure.0.stdout.as_mut().map(|stdout| stdout.read_exact(&mut word)) {
            Some(Ok(())) => Ok(pressure),
            _ => Err(io::Error::other("it ended before it had taken any")),
        }
    }
}

impl Drop for Pressure {
    fn drop(&mut self) {
        // The kernel may have killed it already for lack of memory.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs as the process until standard input is closed.
pub fn hoard() -> io::Result<()> {
    fs::write("/proc/self/oom_score_adj", "1000")?;
    std::thread::spawn(|| {
        // Any result means that standard input was closed.
        let _ = io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    let mut is_first = true;
    loop {
        let text = fs::read_to_string("/proc/meminfo")?;
        let room =
            room(&text).ok_or_else(|| io::Error::other("/proc/meminfo has no line about free memory"))?;
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        while pieces.len() < room / PIECE {
            let mut piece = vec![0; PIECE];
            // The kernel allocates a page at the first write.
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

/// Returns the bytes to allocate: the available memory minus 1/32 of the total.
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
