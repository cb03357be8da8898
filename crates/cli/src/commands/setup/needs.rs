//! The services of this machine, and what they need: drivers, and the measurement of ciphers.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use outboard_accel::primitive::Primitive;
use outboard_advice::compared_size;
use outboard_catalog::kernel_name;
use outboard_documents::Goal;
use outboard_drivers::Judged;
use outboard_drivers::find::survey;
use outboard_drivers::judge::Verdict;
use outboard_drivers::proc_crypto::Selftest;
use outboard_drivers::root::Root;
use outboard_measure::openssl_pair::has_key_stream;
use outboard_openssl_conf::installation::OpenSsl;
use outboard_policy::{POLICY_FILE, Tuned};
use outboard_services::enable::{
    self, APPLICATIONS, Application, Inputs, Plan, Record, Tree, Unplannable, driver_of_key,
};
use outboard_services::negotiation::Negotiation;

use super::document::{DriverState, DriverStep};
use super::found::Machine;
use crate::commands::allow::{list, memory::Memory};
use crate::commands::check::findings;
use crate::commands::enable::{Named, inputs_here};

/// About the time that the measurement of a cipher takes, without and with look-ahead.
const DIRECT: Duration = Duration::from_secs(8);
const AHEAD: Duration = Duration::from_secs(25);

/// The algorithm that computes key stream.
const KEY_STREAM: &str = "ecb(aes)";

pub struct AtHand {
    pub name: String,
    /// What would be added for it, or why that is not possible.
    pub plan: Result<Plan, Unplannable>,
    pub inputs: Inputs,
    pub is_enabled: bool,
    /// It was enabled although another cipher may be faster.
    pub is_aes_required: bool,
}

pub enum PolicyState {
    InForce,
    ToMeasure(String),
}

pub struct Needs {
    pub services: Vec<AtHand>,
    pub drivers: Vec<DriverStep>,
    /// OpenSSL's names of the ciphers that are measured.
    pub ciphers: Vec<&'static str>,
    pub policy: PolicyState,
    pub goal: Goal,
}

impl Needs {
    /// Finds the services, and what is done of what they need.
    pub fn of(machine: &Machine, module: &Path, goal: Goal) -> Result<Self> {
        let services = at_hand(module)?;
        let ciphers = ciphers(&services);
        let allowed = list::read_if_loaded()?.unwrap_or_default();
        let saved = Memory::read()?;
        let is_done = |driver: &str| match machine.has_device {
            true => allowed.iter().any(|entry| entry.driver == driver) && saved.has(driver),
            false => findings::is_exact(driver),
        };
        let survey = survey(&Root::live())?;
        let drivers = steps(&survey.drivers, &ciphers, machine.has_device, is_done, findings::wrong)?;
        let policy = policy_state(&drivers, &services, goal);
        Ok(Self { services, drivers, ciphers, policy, goal })
    }

    /// Whether no driver can serve the services.
    pub fn is_without_driver(&self) -> bool {
        self.drivers.iter().all(|step| step.state == DriverState::Refused)
    }

    pub fn is_work_left(&self) -> bool {
        matches!(self.policy, PolicyState::ToMeasure(_)) || self.drivers.iter().any(is_to_do)
    }

    pub fn time(&self) -> Duration {
        self.ciphers.iter().map(|cipher| time_of(cipher)).sum()
    }
}

pub fn time_of(cipher: &str) -> Duration {
    if has_key_stream(cipher) { AHEAD } else { DIRECT }
}

/// Whether a driver is to be allowed or checked.
pub fn is_to_do(step: &DriverStep) -> bool {
    matches!(step.state, DriverState::ToAllow | DriverState::ToCheck)
}

/// The services that are installed, and those that are enabled by the name of their unit. Users
/// within the kernel are not among them: `outboard enable` measures these itself.
fn at_hand(module: &Path) -> Result<Vec<AtHand>> {
    let tree = Tree::at(Path::new("/"));
    let openssl = OpenSsl::find();
    let is_unit = |key: &String| Application::by_name(key).is_none() && driver_of_key(key).is_none();
    let known = APPLICATIONS.iter().map(|application| application.name.to_owned());
    let names = known.chain(Record::services(&tree).into_iter().filter(is_unit));
    let mut found = Vec::new();
    for name in names {
        let service = Named::of_record(&name);
        let inputs = inputs_here(&tree, service, &openssl, module.to_owned())?;
        let plan = enable::plan(&tree, &name, service.is_unit(), &inputs);
        if !matches!(plan, Err(Unplannable::NotInstalled { .. } | Unplannable::InKernel(_))) {
            let record = Record::read(&tree, &name).ok().flatten();
            let is_aes_required = record.as_ref().is_some_and(|record| record.aes_required.is_some());
            found.push(AtHand { name, plan, inputs, is_enabled: record.is_some(), is_aes_required });
        }
    }
    Ok(found)
}

/// The ciphers of the services, in the order of the services. The whole system, and a unit of any
/// program, count as a web server: what is rare is not measured for them.
fn ciphers(services: &[AtHand]) -> Vec<&'static str> {
    let of_web = Application::by_name("nginx").map_or(&[][..], |nginx| nginx.requests.ciphers);
    let mut all: Vec<&'static str> = Vec::new();
    for service in services {
        let known = Application::by_name(&service.name).filter(|known| known.requests.bytes.is_some());
        for &cipher in known.map_or(of_web, |known| known.requests.ciphers) {
            if !all.contains(&cipher) {
                all.push(cipher);
            }
        }
    }
    all
}

/// The drivers for ciphers, one for each algorithm: the one that the kernel prefers. `is_done` is
/// whether a driver is allowed or checked, `wrong` returns the fault that was found in it.
fn steps(
    drivers: &[Judged],
    ciphers: &[&str],
    has_device: bool,
    is_done: impl Fn(&str) -> bool,
    wrong: impl Fn(&str) -> Result<Option<String>>,
) -> Result<Vec<DriverStep>> {
    let mut needed: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut add = |algorithm: &'static str, purpose| match needed.iter_mut().find(|(it, _)| *it == algorithm)
    {
        Some((_, purposes)) => purposes.push(purpose),
        None => needed.push((algorithm, vec![purpose])),
    };
    for cipher in ciphers {
        // First: look-ahead needs no other driver.
        if has_device && has_key_stream(cipher) {
            add(KEY_STREAM, *cipher);
        }
        if let Some(algorithm) = kernel_name(cipher) {
            add(algorithm, cipher);
        }
    }
    let mut steps = Vec::new();
    for (algorithm, purposes) in needed {
        let mut candidates: Vec<&Judged> = drivers
            .iter()
            .filter(|one| one.judgement.verdict == Verdict::Accelerator && one.driver.algorithm == algorithm)
            .filter(|_| Primitive::by_kernel_name(algorithm).is_some())
            .collect();
        candidates.sort_by_key(|one| std::cmp::Reverse(one.driver.priority));
        let mut refused = None;
        let mut chosen = None;
        for candidate in candidates {
            let name = candidate.driver.name.as_str();
            let why = match (&candidate.driver.selftest, wrong(name)?) {
                (Selftest::Passed, None) => {
                    chosen = Some(name);
                    break;
                }
                (_, Some(fault)) => fault,
                _ => "the kernel's self-test of it has not passed: dmesg | grep alg:".to_owned(),
            };
            refused.get_or_insert((name, why));
        }
        let purpose = match algorithm {
            KEY_STREAM => format!("look-ahead for {}", purposes.join(", ")),
            _ => purposes.join(", "),
        };
        let step = |driver: &str, state, reason| DriverStep {
            driver: driver.to_owned(),
            algorithm: algorithm.to_owned(),
            purpose: purpose.clone(),
            state,
            reason,
        };
        steps.extend(match (chosen, refused) {
            (Some(name), _) => {
                let state = match (is_done(name), has_device) {
                    (true, true) => DriverState::Allowed,
                    (true, false) => DriverState::Checked,
                    (false, true) => DriverState::ToAllow,
                    (false, false) => DriverState::ToCheck,
                };
                Some(step(name, state, None))
            }
            (None, Some((name, why))) => Some(step(name, DriverState::Refused, Some(why))),
            (None, None) => None,
        });
    }
    Ok(steps)
}

/// The policy is measured again where a driver that is used, or what a service may choose between, is not
/// among what was measured.
fn policy_state(drivers: &[DriverStep], services: &[AtHand], goal: Goal) -> PolicyState {
    let policy = match Tuned::read(Path::new(POLICY_FILE)) {
        Ok(Some(policy)) => policy,
        Ok(None) => return PolicyState::ToMeasure("nothing was measured on this machine".to_owned()),
        Err(why) => return PolicyState::ToMeasure(format!("{POLICY_FILE}: {why}")),
    };
    if let Err(why) = policy.is_of(Path::new("/")) {
        return PolicyState::ToMeasure(format!("{POLICY_FILE}: {why}"));
    }
    if policy.value("goal") != goal.name() {
        return PolicyState::ToMeasure(format!("it was measured for the goal {}", policy.value("goal")));
    }
    let used = drivers.iter().filter(|step| step.state != DriverState::Refused);
    let mut new = used.filter(|step| !policy.has_driver(&step.driver)).map(|step| step.driver.as_str());
    let figures = policy.figures();
    let is_compared = |service: &&AtHand| {
        let bytes = service.plan.as_ref().ok().and_then(|plan| plan.requests.bytes);
        let bytes = bytes.filter(|_| Negotiation::of(&service.name).is_some());
        bytes.is_none_or(|bytes| figures.iter().any(|figure| figure.bytes == compared_size(bytes)))
    };
    let left = services.iter().find(|service| !is_compared(service)).map(|service| service.name.as_str());
    match new.next().or(left) {
        Some(name) => PolicyState::ToMeasure(format!("{name} was not measured")),
        None => PolicyState::InForce,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn helios4() -> Vec<Judged> {
        let fixture =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures/armada388-helios4");
        survey(&Root::saved(&fixture).unwrap()).unwrap().drivers
    }

    const CIPHERS: [&str; 3] = ["AES-128-GCM", "AES-128-CTR", "AES-128-CBC"];

    fn found(has_device: bool, wrong: &str) -> Vec<(String, DriverState)> {
        let is_done = |driver: &str| driver == "mv-cbc-aes";
        let wrong = |driver: &str| Ok((driver == wrong).then(|| "a wrong result".to_owned()));
        let steps = steps(&helios4(), &CIPHERS, has_device, is_done, wrong).unwrap();
        steps.into_iter().map(|step| (step.driver, step.state)).collect()
    }

    #[test]
    fn look_ahead_needs_the_driver_of_ecb_although_no_cipher_is_ecb() {
        let [ecb, cbc] = &found(true, "")[..] else { panic!() };
        assert_eq!((ecb.0.as_str(), ecb.1), ("mv-ecb-aes", DriverState::ToAllow));
        assert_eq!((cbc.0.as_str(), cbc.1), ("mv-cbc-aes", DriverState::Allowed));
        let [cbc] = &found(false, "")[..] else { panic!("look-ahead without the device") };
        assert_eq!((cbc.0.as_str(), cbc.1), ("mv-cbc-aes", DriverState::Checked));
    }

    #[test]
    fn a_driver_that_was_found_wrong_is_refused_and_the_others_are_not() {
        let steps = found(true, "mv-ecb-aes");
        assert_eq!(steps[0], ("mv-ecb-aes".to_owned(), DriverState::Refused));
        assert_eq!(steps[1].1, DriverState::Allowed);
    }
}
