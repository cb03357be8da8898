//! Hardware random number generators.

use super::{Found, ProblemId, Status};

const SYSFS: &str = "/sys/class/misc/hw_random";

pub(super) fn find(status: &Status, found: &mut Found) {
    failing(status, found);
    let Some(rng) = &status.hwrng else { return };
    match (&rng.current, rng.available.first()) {
        (None, Some(first)) => found.problem(
            ProblemId::HwrngUnused,
            format!("the hardware random number generator {first} is here, and none is selected"),
            format!("{SYSFS}/rng_available: {}; rng_current: none", rng.available.join(" ")),
            format!("outboard rng test, then outboard rng select {first}"),
        ),
        (Some(current), _) if rng.quality == Some(0) => found.note(
            ProblemId::HwrngUncredited,
            format!("the kernel reads {current}, and credits it with no entropy"),
            format!("{SYSFS}/rng_quality: 0"),
            "outboard rng assess estimates what it delivers; outboard rng quality sets what the kernel credits",
        ),
        _ => {}
    }
}

/// A generator whose blocks fail the tests of FIPS 140-2.
fn failing(status: &Status, found: &mut Found) {
    let remarks = status.pasted.iter().flat_map(|pasted| &pasted.remarks);
    for remark in remarks.filter(|remark| remark.is_failing_rng) {
        found.problem(
            ProblemId::HwrngFailing,
            format!("the random number generator fails the tests of FIPS 140-2: {}", remark.text),
            remark.line.clone(),
            "do not use it: select another one or none (outboard rng select), and report it to its maintainers",
        );
    }
}
