//! The decision about each service and user within the kernel.

use std::path::Path;

use anyhow::Result;
use outboard_advice::ServiceFacts;
use outboard_documents::Goal;
use outboard_documents::decision::ServiceDecision;
use outboard_drivers::reach::KernelUser;
use outboard_drivers::root::Root;
use outboard_inventory::kernel_use;
use outboard_services::enable::{Plan, Tree};

use super::needs::AtHand;
use crate::commands::enable::{kernel_user, service_facts};

/// By the same facts as `outboard enable`.
pub fn decisions(services: &[AtHand], goal: Goal) -> Vec<ServiceDecision> {
    let tree = Tree::at(Path::new("/"));
    let has_tunnels = services.iter().any(|service| service.name == "strongswan");
    let has_disk = kernel_use::in_use(&Root::live(), KernelUser::Disk.route(), &[]).is_some();
    let users = [(KernelUser::Disk, has_disk), (KernelUser::Ipsec, has_tunnels)];
    let users = users.into_iter().filter(|(_, is_at_hand)| *is_at_hand);
    let of_user = |(user, _): (KernelUser, bool)| known(user.name(), kernel_user::facts(user, goal));
    let of_service = |service: &AtHand| {
        let facts = match &service.plan {
            Err(why) => Err(anyhow::anyhow!("{why}")),
            Ok(plan) => examined(&tree, service, plan, goal),
        };
        known(&service.name, facts.map(|facts| ServiceFacts { is_enabled: service.is_enabled, ..facts }))
    };
    services.iter().map(of_service).chain(users.map(of_user)).collect()
}

fn examined(tree: &Tree, service: &AtHand, plan: &Plan, goal: Goal) -> Result<ServiceFacts> {
    let mut facts = service_facts::examine(tree, plan, &service.inputs, Some(goal))?;
    facts.is_aes_required = service.is_aes_required;
    if !facts.is_aes_required {
        service_facts::complete(&mut facts, &service.inputs.module)?;
    }
    Ok(facts)
}

fn known(name: &str, facts: Result<ServiceFacts>) -> ServiceDecision {
    let facts = facts.unwrap_or_else(|error| ServiceFacts {
        name: name.to_owned(),
        obstacle: Some(format!("{error:#}")),
        ..ServiceFacts::default()
    });
    facts.decide()
}
