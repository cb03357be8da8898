//! The facts for the decision about a service: what the provider decides with its new configuration, the
//! policy of `outboard tune`, and what the suites that it offers cost here.

use std::path::Path;

use anyhow::{Context as _, Result};
use outboard_advice::{
    CipherFacts, DriverTask, PolicyState, ServiceFacts, compared_names, compared_size, entrants,
};
use outboard_console::progress;
use outboard_counters::{Decision, KeyStreamSource, SoftwareReason};
use outboard_documents::Goal;
use outboard_documents::decision::Entrant;
use outboard_measure::Measuring;
use outboard_measure::evp::Library;
use outboard_policy::{POLICY_FILE, Tuned};
use outboard_services::enable::{Inputs, Plan, Tree};
use outboard_services::negotiation::Negotiation;

use crate::commands::ciphers;
use crate::commands::ciphers::service::offered_or_default;
use crate::tuning::panel::{self, Accelerated};

/// Loads OpenSSL with the planned configuration and has the provider decide. `goal` is the one that the
/// user named.
pub fn examine(tree: &Tree, plan: &Plan, inputs: &Inputs, goal: Option<Goal>) -> Result<ServiceFacts> {
    progress(&format!("{}: loading OpenSSL with the new configuration", plan.service));
    let library = Library::open()?;
    let decided = ciphers::decide(&library, plan.existing.as_deref(), &inputs.module, Vec::new())
        .context("OpenSSL does not use the provider with the new configuration");
    progress("");
    let (policy, state) = match Tuned::read(Path::new(POLICY_FILE)) {
        Ok(None) => (None, PolicyState::Absent),
        Ok(Some(policy)) => match policy.is_of(Path::new("/")) {
            Ok(()) => (Some(policy), PolicyState::InForce),
            Err(why) => (None, PolicyState::Unfit(why.to_string())),
        },
        Err(why) => (None, PolicyState::Unfit(why.to_string())),
    };
    let tuned_for = policy.as_ref().map(|policy| policy.value("goal"));
    let other_goal = tuned_for.filter(|tuned| goal.is_some_and(|goal| goal.name() != *tuned));
    let policy_state = other_goal.map(|tuned| PolicyState::OtherGoal(tuned.to_owned())).unwrap_or(state);
    let offered = Negotiation::of(&plan.service).map(|it| offered_or_default(it, tree));
    let figures = policy.as_ref().map(Tuned::figures).unwrap_or_default();
    let compared = offered.as_ref().zip(plan.requests.bytes);
    Ok(ServiceFacts {
        name: plan.service.clone(),
        bytes: plan.requests.bytes,
        ciphers: of_decisions(plan.requests.ciphers, &decided?.decisions, policy.as_ref()),
        entrants: compared.map(|(offered, bytes)| entrants(offered, bytes, &figures)).unwrap_or_default(),
        offered,
        goal: goal.or(tuned_for.and_then(Goal::by_name)).unwrap_or_default(),
        policy: policy_state,
        is_enabled: false,
        is_aes_required: plan.aes_required.is_some(),
        obstacle: None,
    })
}

fn of_decisions(
    names: &[&str],
    decisions: &[(String, Decision)],
    policy: Option<&Tuned>,
) -> Vec<CipherFacts> {
    let of = |cipher: &&str| {
        let decision = decisions.iter().find(|(name, _)| name == cipher).map(|(_, decision)| decision);
        let row = policy.and_then(|policy| policy.of(cipher));
        let facts = CipherFacts { cipher: (*cipher).to_owned(), ..CipherFacts::default() };
        match (decision, row) {
            (Some(Decision::Offered { driver, key_stream, from, .. }), row) => {
                let direct_from = from.iter().flatten().min().copied();
                let is_smaller =
                    |ahead: &&KeyStreamSource| direct_from.is_none_or(|direct| ahead.from <= direct);
                match key_stream.as_ref().filter(is_smaller) {
                    Some(source) => {
                        let row = policy.and_then(|policy| policy.lookahead(cipher));
                        CipherFacts {
                            driver: Some(source.driver.clone()),
                            from: Some(source.from),
                            is_measured: row
                                .is_some_and(|row| row.driver == source.driver && row.from.is_some()),
                            task: DriverTask::Ahead { direct_from },
                            ..facts
                        }
                    }
                    None => CipherFacts {
                        is_measured: row.is_some_and(|row| row.driver == driver),
                        driver: Some(driver.clone()),
                        from: direct_from,
                        only_encrypts: from[1].is_none(),
                        ..facts
                    },
                }
            }
            // The provider does not offer what never wins.
            (_, Some(row)) if row.is_never() => {
                CipherFacts { driver: Some(row.driver.to_owned()), is_measured: true, ..facts }
            }
            (Some(Decision::Left { why, reason }), _) => {
                let awaits_measurement = *reason == SoftwareReason::NotMeasured;
                CipherFacts { why: why.clone(), awaits_measurement, ..facts }
            }
            (None, _) => CipherFacts { why: "the provider decided nothing".to_owned(), ..facts },
        }
    };
    names.iter().map(of).collect()
}

/// Measures what the suites of a service cost, unless `outboard tune` has measured each cipher that the
/// accelerator serves. Nothing is measured for a service that is refused anyway.
pub fn complete(facts: &mut ServiceFacts, module: &Path) -> Result<()> {
    let Some((offered, bytes)) = facts.offered.as_ref().zip(facts.bytes) else { return Ok(()) };
    let served: Vec<Accelerated<'_>> = {
        let names = compared_names(offered, |_| true);
        let its = facts.ciphers.iter().filter(|one| one.is_measured && one.is_served(Some(bytes)));
        let its = its.filter(|one| names.contains(&one.cipher.as_str()));
        its.filter_map(|one| {
            Some(Accelerated { cipher: &one.cipher, driver: one.driver.as_deref()?, task: one.task })
        })
        .collect()
    };
    let is_known = |one: &Accelerated<'_>| {
        let is_it =
            |known: &Entrant| known.cipher == one.cipher && known.driver.as_deref() == Some(one.driver);
        facts.entrants.iter().any(is_it)
    };
    if !facts.is_to_compare() || served.iter().all(is_known) {
        return Ok(());
    }
    let names = compared_names(offered, |name| served.iter().any(|one| one.cipher == name));
    progress(&format!("{}: measuring {}, some seconds", facts.name, names.join(", ")));
    let _measuring = Measuring::begin()?;
    let panel = panel::measure(module, facts.goal, compared_size(bytes), &names, &served);
    progress("");
    crate::signals::check()?;
    let panel = panel?.unwrap_or_default();
    panel.faults.iter().for_each(|fault| outboard_console::say(&format!("{}: {fault}", facts.name)));
    facts.entrants = entrants(offered, bytes, &panel.figures);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The driver, the threshold, and whether it was measured.
    fn of(decision: Decision, policy: &str) -> (Option<String>, Option<u32>, bool) {
        let policy = Tuned::parse(format!("outboard-policy 2\ngoal balanced\n{policy}\n")).unwrap();
        let decisions = [("AES-128-GCM".to_owned(), decision)];
        let [one] = &of_decisions(&["AES-128-GCM"], &decisions, Some(&policy))[..] else { panic!() };
        (one.driver.clone(), one.from, one.is_measured)
    }

    fn offered(from: Option<u32>, key_stream: Option<u32>) -> Decision {
        let key_stream = key_stream.map(|from| KeyStreamSource { driver: "ecb".to_owned(), from, to: None });
        let (driver, interface) = ("eng".to_owned(), "/dev/outboard".to_owned());
        Decision::Offered { driver, interface, from: [from, None], key_stream }
    }

    #[test]
    fn the_provider_decides_and_the_policy_says_whether_that_was_measured() {
        let direct = |policy| of(offered(Some(4096), None), policy);
        let eng = || Some("eng".to_owned());
        assert_eq!(direct("AES-128-GCM 4096 never eng"), (eng(), Some(4096), true));
        assert_eq!(direct("AES-128-GCM 4096 never other"), (eng(), Some(4096), false));
        let left = || Decision::Left { reason: SoftwareReason::NoDriver, why: "no driver".to_owned() };
        assert_eq!(of(left(), "AES-128-GCM never never eng"), (eng(), None, true));
        assert_eq!(of(left(), ""), (None, None, false));
    }

    #[test]
    fn look_ahead_is_measured_where_it_won_with_the_same_driver() {
        let ahead = |policy| of(offered(None, Some(512)), policy);
        let ecb = || Some("ecb".to_owned());
        assert_eq!(ahead("lookahead AES-128-GCM 512 ecb 4096"), (ecb(), Some(512), true));
        for other in ["lookahead AES-128-GCM 512 other", "lookahead AES-128-GCM never ecb", ""] {
            assert_eq!(ahead(other), (ecb(), Some(512), false), "{other}");
        }
        let larger = of(offered(Some(256), Some(512)), "AES-128-GCM 256 never eng");
        assert_eq!(larger, (Some("eng".to_owned()), Some(256), true));
    }
}
