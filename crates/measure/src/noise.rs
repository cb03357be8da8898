//! Why figures may be worth less than they look.

use std::fs::read_to_string;
use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::statistics::Summary;

/// From this relative deviation of the same arithmetic on, the machine is noisy.
const NOISY: f64 = 0.03;

/// Load before the start that is too much.
const LOADED: f64 = 0.5;

/// Times arithmetic that is always the same, once in each turn.
#[derive(Default)]
pub struct Yardstick(Vec<f64>);

impl Yardstick {
    /// Once.
    pub fn lay(&mut self) {
        self.0.push(arithmetic().as_secs_f64());
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

/// What it takes says how quiet the machine is.
fn arithmetic() -> Duration {
    let start = Instant::now();
    let mut x = 1_u64;
    for i in 0..1_000_000 {
        x = black_box(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i));
    }
    start.elapsed()
}

/// Other programs that ran before the start.
pub fn load() -> Option<String> {
    let text = read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split(' ').next()?.parse().ok()?;
    (load > LOADED).then(|| format!("the load was {load} before the start: other programs run here"))
}

/// What the machine is like before anything is measured.
pub fn warnings() -> Vec<String> {
    [load(), scaling(), virtual_machine()].into_iter().flatten().collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yardstick_that_varies_is_told() {
        assert_eq!(Yardstick(vec![1.0, 1.01, 0.99, 1.0]).warning(), None);
        let warning = Yardstick(vec![1.0, 1.2, 0.9, 1.1, 0.8]).warning().unwrap();
        assert!(warning.contains("10.0 %"), "{warning}");
        assert_eq!(Yardstick::default().warning(), None);
    }
}
