//! What keeps `outboard setup` from setting up a machine.

use outboard_documents::status::Status;
use outboard_drivers::reach::ProgramInterface;
use serde::Serialize;

use crate::system::{ModuleStep, System};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Obstacle {
    pub text: String,
    /// The line that helps; null if nothing does.
    pub next: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Obstacles {
    /// Each prevents the use of an accelerator.
    pub obstacles: Vec<Obstacle>,
    /// Remarks that prevent nothing.
    pub remarks: Vec<String>,
}

/// What prevents the use of an accelerator.
#[must_use]
pub fn obstacles(status: &Status, system: &System, has_provider: bool) -> Obstacles {
    let mut found = Obstacles::default();
    let obstacle = |text: &str, next| Obstacle { text: text.to_owned(), next };
    // Drivers that `outboard check` found wrong, and whose self-test failed, are not used.
    let mut drivers = status.accelerators.iter().flat_map(|one| &one.drivers);
    if !drivers.any(|name| status.is_usable(name) && !status.is_wrong(name)) {
        found.obstacles.extend(status.verdict.as_ref().map(|it| obstacle(&it.text, it.next.clone())));
        return found;
    }
    let device = ProgramInterface::DevOutboard.name();
    let has_device = status.nodes.iter().any(|node| node.path == device && node.exists);
    let step = system.module_step();
    let next = (step != ModuleStep::Loaded).then(|| step.to_string());
    let mut others = status.accelerators.iter().filter_map(|one| one.preferred.as_deref());
    match others.find(|interface| *interface != device) {
        _ if has_device => {}
        Some(interface) => found.remarks.push(format!(
            "Without outboard's module, programs use {interface}: look-ahead, which serves GCM and CTR, is not possible{}.",
            next.map(|next| format!(" ({next})")).unwrap_or_default()
        )),
        None => {
            let text = "Programs cannot reach the accelerator without outboard's module, which is not loaded.";
            found.obstacles.push(obstacle(text, next));
        }
    }
    if status.cpu_has_aes() == Some(true) {
        let text =
            "This CPU has AES instructions: OpenSSL's own code is probably faster than the accelerator.";
        found.remarks.push(text.to_owned());
    }
    if !has_provider && found.obstacles.is_empty() {
        found.obstacles.push(obstacle("OpenSSL has no provider outboard.so.", Some(system.provider_step())));
    }
    found
}
