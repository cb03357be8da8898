//! The hardware random number generators, from /sys/class/misc/hw_random
//! (Documentation/admin-guide/hw_random.rst).

use outboard_drivers::root::Root;
use serde::Serialize;

/// The generators that the kernel reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hwrng {
    /// The generator behind /dev/hwrng; `None` if none is in use.
    pub current: Option<String>,
    /// All registered generators.
    pub available: Vec<String>,
    /// Entropy that the kernel credits, in bits per 1024 bits.
    pub quality: Option<u32>,
}

impl Hwrng {
    /// Reads sysfs; `None` if the kernel has no support for hardware generators.
    pub fn read(root: &Root) -> Option<Self> {
        let base = "sys/class/misc/hw_random";
        let file = |name: &str| root.text(&format!("{base}/{name}"));
        let available: Vec<String> = file("rng_available")
            // Newer kernels also list "none", which rng_current accepts.
            .map(|t| t.split_whitespace().filter(|name| *name != "none").map(String::from).collect())
            .unwrap_or_default();
        let current = file("rng_current").filter(|name| name != "none");
        if current.is_none() && available.is_empty() && !root.exists(base) {
            return None;
        }
        Some(Self { current, available, quality: file("rng_quality").and_then(|t| t.parse().ok()) })
    }
}
