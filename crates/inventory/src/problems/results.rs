//! Wrong and missing results, and measurements that are not in force.

use outboard_documents::check::CheckVerdict;
use outboard_documents::status::Checked;
use outboard_drivers::root::Root;

use super::{Found, ProblemId, Status};

pub(super) fn find(status: &Status, root: &Root, found: &mut Found) {
    for driver in status.accelerators.iter().flat_map(|accelerator| &accelerator.drivers) {
        unanswered(status, root, driver, found);
    }
    for checked in status.checked.iter().filter(|checked| checked.verdict == CheckVerdict::Wrong) {
        let Some(fault) = &checked.fault else { continue };
        let driver = &checked.driver;
        found.problem(
            ProblemId::WrongWhenChecked,
            format!("{driver} gave a wrong result when it was checked, and the provider does not use it"),
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
            "the measured thresholds are not in force, and software does all".into(),
            format!("{}: {problem}", policy.path),
            "outboard tune measures again",
        );
    }
}

/// A driver that did not answer a check, or whose engine has stopped.
fn unanswered(status: &Status, root: &Root, driver: &str, found: &mut Found) {
    let stopped = format!("sys/class/misc/outboard/drivers/{driver}/stopped");
    let has_stopped = root.text(&stopped).is_some_and(|text| text == "1");
    let is_it = |checked: &&Checked| checked.driver == driver && checked.verdict == CheckVerdict::Unanswered;
    let (text, evidence) = match status.checked.iter().find(is_it) {
        Some(checked) => (
            format!(
                "{driver} did not complete a request of a check in time, and the provider does not use it"
            ),
            format!("/etc/outboard/checked: {}", checked.made),
        ),
        None if has_stopped => (
            format!(
                "the engine of {driver} has stopped: it completes no request, and programs compute in software until one \
                 that is sent after a pause, of up to a minute, is completed"
            ),
            format!("/{stopped}: 1"),
        ),
        None => return,
    };
    found.problem(
        ProblemId::Unanswered,
        text,
        evidence,
        format!(
            "outboard check {driver} tries it again; outboard disallow {driver} withdraws it; a restart of the system starts \
             its engine anew"
        ),
    );
}
