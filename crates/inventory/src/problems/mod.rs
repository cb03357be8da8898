//! Problems: what keeps an accelerator from being used well, or makes cryptography slow or wrong.
//! Each kind has a stable id, which `outboard explain` describes.

mod access;
mod cpu;
mod devices;
mod explain;
mod known_faults;
mod openssl;
mod random;
mod results;
mod selection;

use outboard_documents::status::{Problem, ProblemId, Status};
use outboard_drivers::root::Root;

pub use explain::explanation;

use crate::installing::Installing;

/// The problems that were found, the most important first.
#[derive(Default)]
struct Found(Vec<Problem>);

impl Found {
    fn problem(&mut self, id: ProblemId, text: String, evidence: impl Into<String>, next: impl Into<String>) {
        self.0.push(Problem { id, is_note: false, text, evidence: evidence.into(), next: next.into() });
    }

    fn note(&mut self, id: ProblemId, text: String, evidence: impl Into<String>, next: impl Into<String>) {
        self.0.push(Problem { id, is_note: true, text, evidence: evidence.into(), next: next.into() });
    }
}

/// The problems of a status that is otherwise complete, of the system in `root`.
pub fn find(status: &Status, root: &Root) -> Vec<Problem> {
    let mut found = Found::default();
    results::find(status, root, &mut found);
    let installing = Installing::on(root);
    devices::find(status, &installing, &mut found);
    known_faults::find(status, &mut found);
    cpu::find(status, &mut found);
    selection::find(status, &mut found);
    access::find(status, &installing, &mut found);
    openssl::find(status, &mut found);
    random::find(status, &mut found);
    found.0
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
