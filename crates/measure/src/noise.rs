//! Why figures may be worth less than they look.

use std::fs::{read_dir, read_to_string};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::cpu::{Cpu, cpus, seconds};
use crate::statistics::Summary;

/// From this relative deviation of the same arithmetic on, the machine is noisy.
const NOISY: f64 = 0.03;

/// Load before the start that is too much.
const LOADED: f64 = 0.5;

/// The part of the time that a hypervisor may give to others.
const STOLEN: f64 = 0.01;

/// Times arithmetic that is always the same, once in each turn.
#[derive(Default)]
pub struct Yardstick(Vec<f64>);

impl Yardstick {
    /// Once.
    pub fn lay(&mut self) {
        self.add(arithmetic());
    }

    /// Once, by another process.
    pub fn add(&mut self, took: Duration) {
        self.0.push(took.as_secs_f64());
    }

    /// What it says about the machine.
    pub fn warning(&self) -> Option<String> {
        let relative = Summary::of(&self.0)?.relative();
        let percent = relative * 100.0;
        (relative > NOISY).then(|| {
            format!(
                "the same arithmetic varied by {percent:.1} % from turn to turn: this machine is noisy, measure again when \
                 it is quiet"
            )
        })
    }
}

/// What it takes says how fast the machine is this moment: the middle of five, since what ends a measurement, such as to clean up
/// after it, may take a millisecond of one of them.
pub fn arithmetic() -> Duration {
    // Code that is run for the first time takes longer: caches, page faults, an emulator that translates it.
    churn(1000);
    let mut took = [Duration::ZERO; 5];
    for one in &mut took {
        let start = Instant::now();
        churn(1_000_000);
        *one = start.elapsed();
    }
    took.sort_unstable();
    took[2]
}

/// So many steps of xorshift64, in registers alone: memory is faster or slower by where it lies, in each process and at each call.
fn churn(steps: u32) {
    let mut x = black_box(1_u64);
    for _ in 0..steps {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    black_box(x);
}

/// What happens while one measures: a CPU that gets too hot, a hypervisor that has others to serve.
pub struct Vigil {
    began: Instant,
    cpu: Option<Cpu>,
    throttled: u64,
}

impl Vigil {
    /// From now on.
    pub fn begin() -> Vigil {
        Vigil { began: Instant::now(), cpu: Cpu::read(), throttled: throttled(Path::new("/")) }
    }

    /// What happened until now.
    pub fn warnings(&self) -> Vec<String> {
        let root = Path::new("/");
        let times = throttled(root).saturating_sub(self.throttled);
        let hot = (times > 0).then(|| {
            format!("the CPU was too hot {times} times and ran slower: let it cool, and measure again")
        });
        let spent = self.cpu.zip(Cpu::read()).map(|(then, now)| now.since(then));
        let stolen = spent.and_then(|spent| stolen(seconds(spent.steal), self.began.elapsed().as_secs_f64()));
        [hot, cooled(root), stolen].into_iter().flatten().collect()
    }
}

/// How often CPUs were slowed down because they were hot (x86: `arch/x86/kernel/cpu/mce/therm_throt.c`).
fn throttled(root: &Path) -> u64 {
    let cpus = entries(root, "sys/devices/system/cpu");
    let counts = cpus.iter().map(|cpu| cpu.join("thermal_throttle/core_throttle_count"));
    counts.filter_map(|file| read_to_string(file).ok()?.trim().parse::<u64>().ok()).sum()
}

/// A CPU that is slowed down now because something is hot (thermal/cpufreq_cooling.c, ACPI's processors).
fn cooled(root: &Path) -> Option<String> {
    entries(root, "sys/class/thermal").into_iter().find_map(|device| {
        let read = |name: &str| Some(read_to_string(device.join(name)).ok()?.trim().to_owned());
        let (kind, state) = (read("type")?, read("cur_state")?);
        let is_cpu = ["cpu", "Processor"].iter().any(|word| kind.contains(word));
        (is_cpu && state.parse::<u64>().is_ok_and(|state| state > 0)).then(|| {
            format!("{kind} is slowed down because the machine is hot (cooling state {state}): let it cool, and measure again")
        })
    })
}

fn stolen(steal: f64, wall: f64) -> Option<String> {
    let part = steal / (wall * cpus() as f64);
    (part > STOLEN).then(|| {
        format!(
            "the host gave {:.0} % of the CPU time to others meanwhile: measure again when it is quiet",
            part * 100.0
        )
    })
}

/// Other programs that ran before the start.
pub fn load() -> Option<String> {
    let text = read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split(' ').next()?.parse().ok()?;
    (load > LOADED).then(|| format!("the load was {load} before the start: other programs run here"))
}

/// What the machine is like before anything is measured.
pub fn warnings() -> Vec<String> {
    [load(), scaling(), virtual_machine(), debug_kernel(Path::new("/"))].into_iter().flatten().collect()
}

/// cpufreq governors that change the frequency with the load: short samples then measure the governor.
fn scaling() -> Option<String> {
    let governor = read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").ok()?;
    let governor = governor.trim();
    (!["performance", "userspace"].contains(&governor)).then(|| {
        format!(
            "the CPU's frequency is scaled by the governor {governor}: for figures that repeat, `cpupower frequency-set -g \
             performance` first"
        )
    })
}

fn virtual_machine() -> Option<String> {
    let cpuinfo = read_to_string("/proc/cpuinfo").ok()?;
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"))?;
    flags.split_ascii_whitespace().any(|flag| flag == "hypervisor").then(|| {
        "this is a virtual machine: what its host does besides is in the figures, and the accelerator is the host's"
            .to_owned()
    })
}

/// Options of the kernel that make each request cost several times as much.
const COSTLY: [&str; 6] =
    ["KASAN_GENERIC", "KCSAN", "KMSAN", "PROVE_LOCKING", "DEBUG_KMEMLEAK", "DMA_API_DEBUG"];

/// A kernel that looks for mistakes. What it was built with stands in a file that distributions install; lockdep and kmemleak
/// have files of their own.
fn debug_kernel(root: &Path) -> Option<String> {
    let read = |name: &str| read_to_string(root.join(name)).ok();
    let release = read("proc/sys/kernel/osrelease").unwrap_or_default();
    let config = read(&format!("boot/config-{}", release.trim())).unwrap_or_default();
    let has =
        |name: &str| config.lines().any(|line| line.strip_prefix("CONFIG_") == Some(&format!("{name}=y")));
    let files = [("proc/lockdep_stats", "PROVE_LOCKING"), ("sys/kernel/debug/kmemleak", "DEBUG_KMEMLEAK")];
    let is_seen = |name: &str| files.iter().any(|(file, of)| *of == name && root.join(file).exists());
    let found: Vec<&str> = COSTLY.into_iter().filter(|name| has(name) || is_seen(name)).collect();
    (!found.is_empty()).then(|| {
        format!(
            "this kernel looks for its own mistakes ({}): figures of another kernel are what counts",
            found.join(", ")
        )
    })
}

fn entries(root: &Path, folder: &str) -> Vec<std::path::PathBuf> {
    let Ok(entries) = read_dir(root.join(folder)) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

#[cfg(test)]
#[path = "noise_tests.rs"]
mod tests;
