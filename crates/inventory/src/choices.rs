//! What the suites of services cost on this machine, by the figures of `outboard tune`. The suites are
//! those that a service offers by default: `outboard ciphers --service` reads its configuration.

use outboard_documents::Goal;
use outboard_policy::Tuned;
use outboard_services::choice::{Contest, Negotiation};
use outboard_services::enable::{APPLICATIONS, Application};

/// The comparison of a service's suites; `None` where nothing was measured for it.
pub(crate) fn contest(known: &Application, tuned: Option<&Tuned>) -> Option<Contest> {
    let (negotiation, tuned) = (Negotiation::of(known.name)?, tuned?);
    let goals = [Goal::Throughput, Goal::Cpu, Goal::Balanced];
    let goal = goals.into_iter().find(|goal| goal.name() == tuned.value("goal")).unwrap_or_default();
    Contest::of(negotiation, negotiation.by_default(), known.requests.bytes?, goal, &tuned.figures())
}

/// The same for all services that are compared, by their names.
pub(crate) fn all(tuned: Option<&Tuned>) -> Vec<(&'static str, Contest)> {
    APPLICATIONS.iter().filter_map(|known| Some((known.name, contest(known, tuned)?))).collect()
}
