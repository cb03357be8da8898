//! Everything that advice depends on, read once.

use outboard_documents::decision::ServiceDecision;
use outboard_documents::status::{Service, Status};
use serde::{Deserialize, Serialize};

use crate::service::ServiceFacts;
use crate::system::System;
use crate::{rules, tunnels, verdict};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Facts {
    /// What was found; what is concluded from it is empty.
    pub status: Status,
    /// How parts are installed there.
    pub system: System,
    /// Drivers of accelerators whose engine has stopped.
    pub stopped: Vec<String>,
    /// The services with processes of their own that are installed or enabled.
    pub services: Vec<ServiceFacts>,
    /// Users within the kernel that are enabled: only a measurement decides about these.
    pub kernel_users: Vec<String>,
    /// OpenVPN, whether it is installed or not: the cipher of a tunnel is that of both ends.
    pub openvpn: ServiceFacts,
}

impl Facts {
    #[must_use]
    pub fn advise(mut self) -> Status {
        self.status.decisions = self.services.iter().map(ServiceFacts::decide).collect();
        let service = |one: &ServiceDecision| Service { name: one.service.clone(), enabled: one.enabled };
        let user = |name: &String| Service { name: name.clone(), enabled: true };
        let users = self.kernel_users.iter().map(user);
        self.status.services = self.status.decisions.iter().map(service).chain(users).collect();
        self.status.tunnels = tunnels::advise(&self.status, &self.openvpn);
        self.status.problems = rules::problems(&self);
        let verdict = verdict::conclude(&self.status);
        let steps = self.status.problems.iter().filter(|problem| !problem.is_note);
        let steps = steps.map(|problem| format!("{}: {}", problem.text, problem.next));
        self.status.advice = verdict.next.iter().cloned().chain(steps).collect();
        self.status.verdict = Some(verdict);
        self.status
    }
}
