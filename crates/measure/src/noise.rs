//! Warns of conditions that make measurements unreliable.

use std::fs::{read_dir, read_to_string};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::cpu::{Cpu, cpus, seconds};
use crate::statistics::Summary;

/// The relative deviation of equal arithmetic from which on the machine counts as noisy.
const NOISY: f64 = 0.03;

/// The load average before the start that causes a warning.
const LOADED: f64 = 0.5;

/// The fraction of the CPU time that a hypervisor may give to other guests.
const STOLEN: f64 = 0.01;

/// The time of arithmetic that is always the same, measured once per turn.
#[derive(Default)]
pub struct SpeedReference(Vec<f64>);

impl SpeedReference {
    pub fn measure(&mut self) {
        self.add(arithmetic());
    }

    pub fn add(&mut self, took: Duration) {
        self.0.push(took.as_secs_f64());
    }

    /// A warning if the times vary too much.
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

/// Measures the current speed of the machine: the median of five runs, since the end of a
/// measurement, such as its cleanup, may take a millisecond of one of them.
pub fn arithmetic() -> Duration {
    // The first run of code takes longer: caches, page faults, translation in an emulator.
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

/// Runs this number of steps of xorshift64, in registers only: the speed of memory depends on its
/// address, which differs between processes and calls.
fn churn(steps: u32) {
    let mut x = black_box(1_u64);
    for _ in 0..steps {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    black_box(x);
}

/// Detects events during a measurement: a CPU that gets too hot, a hypervisor that runs other
/// guests.
pub struct DisturbanceMonitor {
    began: Instant,
    cpu: Option<Cpu>,
    throttled: u64,
}

impl DisturbanceMonitor {
    pub fn begin() -> DisturbanceMonitor {
        DisturbanceMonitor { began: Instant::now(), cpu: Cpu::read(), throttled: throttled(Path::new("/")) }
    }

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

/// How often CPUs were throttled because they were hot (x86:
/// `arch/x86/kernel/cpu/mce/therm_throt.c`).
fn throttled(root: &Path) -> u64 {
    let cpus = entries(root, "sys/devices/system/cpu");
    let counts = cpus.iter().map(|cpu| cpu.join("thermal_throttle/core_throttle_count"));
    counts.filter_map(|file| read_to_string(file).ok()?.trim().parse::<u64>().ok()).sum()
}

/// A CPU that is throttled now because a part of the machine is hot (thermal/cpufreq_cooling.c,
/// ACPI processor devices).
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

/// A warning if other programs ran before the start.
pub fn load() -> Option<String> {
    let text = read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split(' ').next()?.parse().ok()?;
    (load > LOADED).then(|| format!("the load was {load} before the start: other programs run here"))
}

/// Warnings about the machine before a measurement.
pub fn warnings() -> Vec<String> {
    [load(), scaling(), virtual_machine(), debug_kernel(Path::new("/"))].into_iter().flatten().collect()
}

/// A warning about cpufreq governors that change the frequency with the load: short samples then
/// measure the governor.
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
        "this is a virtual machine: other work of its host is in the figures, and the accelerator is the host's"
            .to_owned()
    })
}

const COSTLY: [&str; 6] =
    ["KASAN_GENERIC", "KCSAN", "KMSAN", "PROVE_LOCKING", "DEBUG_KMEMLEAK", "DMA_API_DEBUG"];

/// A warning about a debugging kernel. Distributions install the kernel's configuration in /boot;
/// lockdep and kmemleak have files of their own.
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
            "this kernel has debugging options that slow it down ({}): measure with a kernel without them",
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
