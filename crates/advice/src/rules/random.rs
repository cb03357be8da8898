//! Hardware random number generators.

use super::Because;
use crate::facts::Facts;

const SYSFS: &str = "/sys/class/misc/hw_random";

/// A generator whose blocks fail the tests of FIPS 140-2.
pub fn failing(facts: &Facts) -> Vec<Because> {
    let remarks = facts.status.pasted.iter().flat_map(|pasted| &pasted.remarks);
    let failing = remarks.filter(|remark| remark.is_failing_rng);
    failing.map(|remark| Because::new([&remark.text], &*remark.line)).collect()
}

pub fn unused(facts: &Facts) -> Vec<Because> {
    let unselected = facts.status.hwrng.iter().filter(|rng| rng.current.is_none());
    let found = unselected.filter_map(|rng| {
        let available = rng.available.join(" ");
        let evidence = format!("{SYSFS}/rng_available: {available}; rng_current: none");
        Some(Because::new([rng.available.first()?], evidence))
    });
    found.collect()
}

pub fn uncredited(facts: &Facts) -> Vec<Because> {
    let current = facts.status.hwrng.iter().filter(|rng| rng.quality == Some(0));
    let current = current.filter_map(|rng| rng.current.as_ref());
    current.map(|current| Because::new([current], format!("{SYSFS}/rng_quality: 0"))).collect()
}
