//! Whether an accelerator wins for the requests of a service, by the decisions of the provider and
//! the measurements of `outboard tune`.

use std::path::Path;

use anyhow::{Context as _, Result};
use outboard_counters::{Decision, KeyStreamSource, SoftwareReason};
use outboard_measure::evp::Library;
use outboard_policy::CipherFigure;
use outboard_policy::{POLICY_FILE, Tuned};
use outboard_services::choice::Contest;
use outboard_services::enable::{Inputs, Plan, Requests};

use crate::commands::ciphers;
use crate::tuning::panel::DriverTask;

/// What was found.
#[derive(Debug)]
pub struct Suitability {
    /// One entry for each cipher of the service.
    pub ciphers: Vec<Outlook>,
    /// Size of the service's large requests, if it has one.
    pub bytes: Option<u32>,
    /// Why the service should not be enabled.
    pub refusal: Option<String>,
    /// How the suites of the service compare, if that was measured.
    pub contest: Option<Contest>,
    /// The figures of the policy, if it is in force.
    pub figures: Vec<CipherFigure>,
}

impl Suitability {
    /// Whether another cipher was measured to win over the mode of a cipher.
    pub fn is_beaten(&self, cipher: &str) -> bool {
        self.contest.as_ref().is_some_and(|contest| contest.is_beaten(cipher))
    }
}

/// What happens with a cipher of the service.
#[derive(Debug, PartialEq, Eq)]
pub struct Outlook {
    /// OpenSSL's name.
    pub cipher: String,
    /// The driver and the smallest request that goes to it, or why none does.
    pub by: Result<(String, Option<u32>), String>,
    /// Whether the threshold was measured on this machine.
    pub measured: bool,
    /// What the driver does.
    pub task: DriverTask,
}

impl Outlook {
    /// Whether requests of this size go to the accelerator; `None`: any size occurs.
    pub fn wins(&self, bytes: Option<u32>) -> bool {
        let from = self.by.as_ref().ok().and_then(|(_, from)| *from);
        from.is_some_and(|from| bytes.is_none_or(|bytes| from <= bytes))
    }
}

/// Loads OpenSSL with the planned configuration and has the provider decide.
pub fn examine(plan: &Plan, inputs: &Inputs, goal: Option<&str>) -> Result<Suitability> {
    let library = Library::open()?;
    let decided = ciphers::decide(&library, plan.existing.as_deref(), &inputs.module, Vec::new())
        .context("OpenSSL does not use the provider with the new configuration")?;
    let decisions = decided.decisions;
    let (policy, unfit) = match Tuned::read(Path::new(POLICY_FILE)) {
        Ok(policy) => (policy, None),
        Err(why) => (None, Some(why.to_string())),
    };
    let stale = policy.as_ref().and_then(|policy| policy.is_of(Path::new("/")).err());
    let unfit = unfit.or(stale.map(|why| why.to_string()));
    Ok(judge(&plan.requests, &decisions, policy.as_ref(), unfit, goal))
}

fn judge(
    requests: &Requests,
    decisions: &[(String, Decision)],
    policy: Option<&Tuned>,
    unfit: Option<String>,
    goal: Option<&str>,
) -> Suitability {
    let outlook = |cipher: &&str| {
        let decision = decisions.iter().find(|(name, _)| name == cipher).map(|(_, decision)| decision);
        let row = policy.filter(|_| unfit.is_none()).and_then(|policy| policy.of(cipher));
        let direct_from = match decision {
            Some(Decision::Offered { from, .. }) => from.iter().flatten().min().copied(),
            _ => None,
        };
        let (by, measured, task) = match (decision, row) {
            (Some(Decision::Offered { driver, key_stream, .. }), row) => {
                let is_smaller =
                    |ahead: &&KeyStreamSource| direct_from.is_none_or(|direct| ahead.from <= direct);
                match key_stream.as_ref().filter(is_smaller) {
                    Some(source) => {
                        let row = policy.filter(|_| unfit.is_none()).and_then(|it| it.lookahead(cipher));
                        let is_measured =
                            row.is_some_and(|row| row.driver == source.driver && row.from.is_some());
                        (
                            Ok((source.driver.clone(), Some(source.from))),
                            is_measured,
                            DriverTask::Ahead { direct_from },
                        )
                    }
                    None => (
                        Ok((driver.clone(), direct_from)),
                        row.is_some_and(|row| row.driver == driver),
                        DriverTask::Direct,
                    ),
                }
            }
            // The provider does not offer what never wins.
            (_, Some(row)) if row.is_never() => (Ok((row.driver.to_owned(), None)), true, DriverTask::Direct),
            (Some(Decision::Left { why, .. }), _) => (Err(why.clone()), false, DriverTask::Direct),
            (None, _) => (Err("the provider decided nothing".to_owned()), false, DriverTask::Direct),
        };
        Outlook { cipher: (*cipher).to_owned(), by, measured, task }
    };
    let is_in_force = unfit.is_none();
    let ciphers: Vec<Outlook> = requests.ciphers.iter().map(outlook).collect();
    let wins = |one: &Outlook| one.wins(requests.bytes);
    let is_unmeasured = requests.ciphers.iter().any(|cipher| {
        let is_its = |(name, decision): &(String, Decision)| {
            let unmeasured = SoftwareReason::NotMeasured;
            name == cipher && matches!(decision, Decision::Left { reason, .. } if *reason == unmeasured)
        };
        decisions.iter().any(is_its)
    });
    let size = requests.bytes.map_or("any size".to_owned(), |bytes| format!("up to {bytes} bytes"));
    let refusal = if !ciphers.iter().any(wins) && !is_unmeasured {
        Some(match ciphers.iter().all(|one| one.by.is_err()) {
            true => {
                "no accelerator can be reached for its ciphers (outboard status, outboard setup)".to_owned()
            }
            false => format!("software wins for its requests of {size}"),
        })
    } else if let Some(why) = unfit {
        Some(format!("{POLICY_FILE} is not used: {why}"))
    } else if !ciphers.iter().any(|one| wins(one) && one.measured) {
        Some("which of the two wins was not measured on this machine: run outboard tune".to_owned())
    } else {
        let tuned_for = policy.map_or("", |policy| policy.value("goal"));
        let other = goal.filter(|goal| *goal != tuned_for);
        other.map(|goal| format!("it was measured for the goal {tuned_for}: run outboard tune --goal {goal}"))
    };
    let figures = policy.filter(|_| is_in_force).map(Tuned::figures).unwrap_or_default();
    Suitability { ciphers, bytes: requests.bytes, refusal, contest: None, figures }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUESTS: Requests = Requests { ciphers: &["AES-128-GCM", "AES-128-CBC"], bytes: Some(16384) };

    fn offered(from: [Option<u32>; 2]) -> Vec<(String, Decision)> {
        let left = Decision::Left { reason: SoftwareReason::NoDriver, why: "no driver".to_owned() };
        let cbc = Decision::Offered {
            driver: "eng".into(),
            interface: "/dev/outboard".into(),
            from,
            key_stream: None,
        };
        vec![("AES-128-GCM".to_owned(), left), ("AES-128-CBC".to_owned(), cbc)]
    }

    fn policy(line: &str) -> Tuned {
        Tuned::parse(format!("outboard-policy 2\ngoal balanced\n{line}\n")).unwrap()
    }

    fn refusal(decisions: &[(String, Decision)], policy: Option<&Tuned>, unfit: Option<&str>) -> String {
        let found = judge(&REQUESTS, decisions, policy, unfit.map(str::to_owned), None);
        found.refusal.unwrap_or_default()
    }

    #[test]
    fn only_a_measured_win_at_the_size_of_the_service_is_accepted() {
        let measured = policy("AES-128-CBC 4096 never eng");
        let wins = offered([Some(4096), None]);
        assert_eq!(refusal(&wins, Some(&measured), None), "");
        assert!(refusal(&wins, None, None).contains("was not measured"));
        assert!(refusal(&wins, Some(&policy("AES-128-CBC 4096 never other")), None).contains("not measured"));
        assert!(refusal(&wins, Some(&measured), Some("stale")).ends_with("is not used: stale"));
        for from in [[Some(16385), None], [None, None]] {
            let text = refusal(&offered(from), Some(&measured), None);
            assert_eq!(text, "software wins for its requests of up to 16384 bytes");
        }
        let why = "not measured: sudo outboard tune".to_owned();
        let unmeasured = Decision::Left { reason: SoftwareReason::NotMeasured, why };
        for others in [vec![], offered([None; 2])] {
            let all = [vec![("AES-128-GCM".to_owned(), unmeasured.clone())], others].concat();
            assert!(refusal(&all, Some(&measured), None).contains("was not measured"), "{all:?}");
            assert!(refusal(&all, Some(&measured), Some("stale")).ends_with("is not used: stale"));
        }
        let left = &offered([None, None])[..1];
        assert!(refusal(left, Some(&measured), None).contains("no accelerator"));
        let never = policy("AES-128-GCM never never eng");
        assert!(refusal(left, Some(&never), None).contains("software wins"));
    }

    #[test]
    fn look_ahead_wins_where_it_was_measured() {
        let Decision::Offered { driver, interface, .. } = offered([None, None]).remove(1).1 else { panic!() };
        let gcm = |from| {
            let key_stream = Some(KeyStreamSource { driver: "ecb".to_owned(), from, to: None });
            let (driver, interface) = (driver.clone(), interface.clone());
            let decision = Decision::Offered { driver, interface, from: [None, None], key_stream };
            vec![("AES-128-GCM".to_owned(), decision)]
        };
        let measured = policy("lookahead AES-128-GCM 512 ecb 4096");
        assert_eq!(refusal(&gcm(512), Some(&measured), None), "");
        assert!(refusal(&gcm(16385), Some(&measured), None).contains("software wins"));
        for other in ["lookahead AES-128-GCM 512 other", "lookahead AES-128-GCM never ecb", ""] {
            assert!(refusal(&gcm(512), Some(&policy(other)), None).contains("not measured"), "{other}");
        }
    }

    #[test]
    fn a_goal_must_be_the_measured_one() {
        let (measured, wins) = (policy("AES-128-CBC 4096 never eng"), offered([Some(4096), None]));
        let of = |goal| judge(&REQUESTS, &wins, Some(&measured), None, Some(goal)).refusal;
        assert_eq!(of("balanced"), None);
        assert!(of("cpu").unwrap().ends_with("outboard tune --goal cpu"));
    }
}
