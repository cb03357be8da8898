//! The document of `outboard setup --json`. Fields are only added within a version.

use outboard_advice::Obstacle;
use outboard_documents::Goal;
use outboard_documents::decision::ServiceDecision;
use serde::Serialize;

use super::found::Machine;
use super::needs::{Needs, PolicyState};

/// `outboard-setup/1`.
#[derive(Serialize)]
pub struct Setup {
    schema: &'static str,
    pub accelerators: Vec<String>,
    /// What is missing or prevents the use of an accelerator.
    pub obstacles: Vec<Obstacle>,
    /// Remarks that prevent nothing.
    pub remarks: Vec<String>,
    /// The drivers that the services need.
    pub drivers: Vec<DriverStep>,
    pub goal: &'static str,
    /// `absent`, `in-force`, `to-measure` or `measured`.
    pub policy: &'static str,
    /// Why it is to be measured; null otherwise.
    pub policy_reason: Option<String>,
    pub ciphers: Vec<String>,
    /// About how long the measurement takes, in seconds.
    pub seconds: u64,
    pub changed: bool,
    /// What to do with each service; empty before the measurement.
    pub services: Vec<ServiceDecision>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DriverStep {
    pub driver: String,
    /// The kernel's name.
    pub algorithm: String,
    pub purpose: String,
    pub state: DriverState,
    /// Why it is refused; null otherwise.
    pub reason: Option<String>,
}

/// What was done with a driver, or is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriverState {
    ToAllow,
    ToCheck,
    Allowed,
    Checked,
    Refused,
}

impl Setup {
    /// The document before there is a plan.
    pub fn of(machine: &Machine, goal: Goal) -> Self {
        Self {
            schema: "outboard-setup/1",
            accelerators: machine.status.accelerators.iter().map(|one| one.chip.clone()).collect(),
            obstacles: machine.found.obstacles.clone(),
            remarks: machine.found.remarks.clone(),
            drivers: Vec::new(),
            goal: goal.name(),
            policy: "absent",
            policy_reason: None,
            ciphers: Vec::new(),
            seconds: 0,
            changed: false,
            services: Vec::new(),
        }
    }

    pub fn plan(&mut self, needs: &Needs) {
        self.drivers.clone_from(&needs.drivers);
        self.ciphers = needs.ciphers.iter().map(|&cipher| cipher.to_owned()).collect();
        match &needs.policy {
            PolicyState::InForce => self.policy = "in-force",
            PolicyState::ToMeasure(why) => {
                self.policy = "to-measure";
                self.policy_reason = Some(why.clone());
                self.seconds = needs.time().as_secs();
            }
        }
    }
}
