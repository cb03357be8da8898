//! The hardware random number generators, from /sys/class/misc/hw_random
//! (Documentation/admin-guide/hw_random.rst).

use outboard_documents::status::Hwrng;
use outboard_drivers::root::Root;

/// Reads sysfs; `None` if the kernel has no support for hardware generators.
pub fn read(root: &Root) -> Option<Hwrng> {
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
    Some(Hwrng { current, available, quality: file("rng_quality").and_then(|t| t.parse().ok()) })
}
