//! Wrong results, and measurements that are not in force.

use super::{Found, ProblemId};
use crate::status::Status;

pub(super) fn find(status: &Status, found: &mut Found) {
    for checked in &status.checked {
        let Some(fault) = &checked.fault else { continue };
        let driver = &checked.driver;
        found.problem(
            ProblemId::WrongWhenChecked,
            format!("{driver} gave outboard check a wrong result, and the provider does not use it"),
            format!("/etc/outboard/checked: {} ({fault})", checked.made),
            format!(
                "report it to its maintainers, and do not let dm-crypt or IPsec use it either; outboard check --forget {driver} lets it \
                 be tried again"
            ),
        );
    }
    // Measurements belong to a kernel, a CPU and a driver.
    let Some(policy) = &status.policy else { return };
    if let Some(problem) = &policy.problem {
        found.problem(
            ProblemId::PolicyUnused,
            "the measured thresholds are not in force, and the provider uses its built-in ones".into(),
            format!("{}: {problem}", policy.path),
            "outboard tune measures again",
        );
    }
}
