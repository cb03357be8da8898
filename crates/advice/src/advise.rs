//! From facts to advice: decisions about services, problems and the verdict.

use outboard_documents::decision::ServiceDecision;
use outboard_documents::status::{Service, Status};

use crate::facts::Facts;
use crate::service::ServiceFacts;
use crate::{rules, verdict};

impl Facts {
    #[must_use]
    pub fn advise(mut self) -> Status {
        self.status.decisions = self.services.iter().map(ServiceFacts::decide).collect();
        let service = |one: &ServiceDecision| Service { name: one.service.clone(), enabled: one.enabled };
        let user = |name: &String| Service { name: name.clone(), enabled: true };
        let users = self.kernel_users.iter().map(user);
        self.status.services = self.status.decisions.iter().map(service).chain(users).collect();
        self.status.problems = rules::problems(&self);
        let verdict = verdict::conclude(&self.status);
        let steps = self.status.problems.iter().filter(|problem| !problem.is_note);
        let steps = steps.map(|problem| format!("{}: {}", problem.text, problem.next));
        self.status.advice = verdict.next.iter().cloned().chain(steps).collect();
        self.status.verdict = Some(verdict);
        self.status
    }
}
