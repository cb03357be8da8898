//! The hardware random number generators, from /sys/class/misc/hw_random (Documentation/admin-guide/hw_random.rst).

use outboard_drivers::root::Root;
use serde::Serialize;

/// The kernel's view of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hwrng {
    /// The one behind /dev/hwrng; `None` when none is in use.
    pub current: Option<String>,
    /// All that are registered.
    pub available: Vec<String>,
    /// Entropy that the kernel credits, in bits per 1024 bits.
    pub quality: Option<u32>,
}

impl Hwrng {
    /// `None` when the kernel has no support for them.
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
