//! What to do with a service: the one decision that all commands show.

use outboard_documents::Goal;
use outboard_documents::decision::{Decision, Entrant, ServiceDecision};
use outboard_policy::POLICY_FILE;
use outboard_services::enable::Application;
use outboard_services::negotiation::{Negotiation, Offered, OfferedSuite};
use serde::{Deserialize, Serialize};

/// What the decision about a service depends on.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ServiceFacts {
    pub name: String,
    /// Size of its large requests; `None`: any size.
    pub bytes: Option<u32>,
    pub ciphers: Vec<CipherFacts>,
    /// What it offers its peers; `None`: that is not known.
    pub offered: Option<Offered>,
    /// What its suites cost here; fewer than two if that was not measured.
    pub entrants: Vec<Entrant>,
    pub policy: PolicyState,
    pub goal: Goal,
    pub is_enabled: bool,
    /// Whether other ciphers than AES are not to be used.
    pub is_aes_required: bool,
    /// Why it cannot be enabled at all.
    pub obstacle: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct CipherFacts {
    /// OpenSSL's name; for disks and IPsec the setting.
    pub cipher: String,
    pub driver: Option<String>,
    /// The smallest request that goes to the driver; `None`: no request does.
    pub from: Option<u32>,
    /// Why no driver is reached.
    pub why: String,
    /// Whether that was measured on this machine.
    pub is_measured: bool,
    /// An accelerator could serve it, and software does since nothing was measured.
    pub awaits_measurement: bool,
    /// The driver wins for encryption only: AES-CBC in software decrypts several blocks at once.
    #[serde(default)]
    pub only_encrypts: bool,
    pub task: DriverTask,
}

/// What a driver does for a cipher.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub enum DriverTask {
    #[default]
    Direct,
    /// Key stream in advance.
    Ahead {
        /// The smallest request in bytes that goes to a driver while no key stream is ready. `None`:
        /// software does all of them.
        direct_from: Option<u32>,
    },
}

/// The state of what `outboard tune` measured.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub enum PolicyState {
    /// Nothing was measured.
    #[default]
    Absent,
    /// It does not apply, for a reason.
    Unfit(String),
    InForce,
    /// It applies, and was measured for this goal, which is not the wanted one.
    OtherGoal(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SuiteServed {
    /// Its name in the service's configuration.
    pub suite: String,
    /// OpenSSL's cipher; null for one that outboard does not know.
    pub cipher: Option<&'static str>,
    /// `direct`, `look-ahead` or `software`.
    pub served: &'static str,
    /// The driver; null in software.
    pub driver: Option<String>,
    /// The smallest request that is served; null in software.
    pub from: Option<u32>,
    /// Why it stays in software; null otherwise.
    pub reason: Option<String>,
}

/// A suite with CBC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LegacyChoice {
    pub text: String,
    /// Lines of the service's configuration that prefer it.
    pub settings: Vec<String>,
    /// What it costs in security.
    pub price: Option<&'static str>,
}

/// The step that measures what is missing.
pub const SETUP: &str = "outboard setup";

/// Where no suite is served.
const NONE_SERVED: &str = "no accelerator serves any of the suites that it offers";

/// Where none but suites with CBC are served.
const ONLY_CBC: &str = "of the suites that it offers only those with CBC are served, which lower security";

impl CipherFacts {
    /// Whether requests of this size go to the accelerator; `None`: any size occurs.
    #[must_use]
    pub fn is_served(&self, bytes: Option<u32>) -> bool {
        self.driver.is_some() && self.from.is_some_and(|from| bytes.is_none_or(|bytes| from <= bytes))
    }

    /// Why it stays in software, if it does.
    fn reason(&self, bytes: Option<u32>) -> Option<String> {
        Some(match (&self.driver, self.from) {
            (None, _) => self.why.clone(),
            (Some(driver), None) => format!("software wins over {driver} at every size"),
            (Some(driver), Some(from)) if bytes.is_some_and(|bytes| from > bytes) => {
                format!("{driver} wins from {from} bytes on, which are more than a request has")
            }
            (Some(_), Some(_)) => return None,
        })
    }
}

/// A decision before its next step.
struct Verdict {
    decision: Decision,
    why: String,
    /// `outboard enable` refuses the service without this option.
    refused_without: Option<&'static str>,
    /// The step that replaces the usual one.
    next: Option<String>,
}

impl Verdict {
    fn new(decision: Decision, why: String) -> Self {
        Self { decision, why, refused_without: None, next: None }
    }

    fn refused(decision: Decision, why: String) -> Self {
        Self { refused_without: Some("--force enables it all the same"), ..Self::new(decision, why) }
    }

    fn unknown(why: &str, next: String) -> Self {
        Self { next: Some(next), ..Self::refused(Decision::Unknown, why.to_owned()) }
    }
}

impl ServiceFacts {
    /// How its suites are negotiated; `None` where that is not known here.
    #[must_use]
    pub fn negotiation(&self) -> Option<Negotiation> {
        Negotiation::of(&self.name)
    }

    #[must_use]
    pub fn decide(&self) -> ServiceDecision {
        let Verdict { decision, why, refused_without, next } = self.verdict();
        let refused = refused_without.is_some();
        let next = next.or_else(|| self.next(&decision, refused));
        ServiceDecision {
            service: self.name.clone(),
            decision,
            why,
            next,
            enabled: self.is_enabled,
            refused,
            bytes: self.bytes,
            entrants: self.entrants.clone(),
        }
    }

    fn verdict(&self) -> Verdict {
        self.without_suites().unwrap_or_else(|| match self.negotiation().zip(self.offered.as_ref()) {
            Some((negotiation, offered)) => self.among_suites(negotiation, offered),
            None => Verdict::new(Decision::Use { settings: Vec::new() }, self.served_words()),
        })
    }

    /// Whether an accelerator wins over the same cipher in software, so that the suites of the service are
    /// to be compared.
    #[must_use]
    pub fn is_to_compare(&self) -> bool {
        self.without_suites().is_none()
    }

    /// What is decided before the suites are compared.
    fn without_suites(&self) -> Option<Verdict> {
        let leave = |why: String| Verdict::refused(Decision::Leave, why);
        let unmeasured = "which of the two wins was not measured on this machine";
        let reached = || self.ciphers.iter().filter(|one| one.driver.is_some());
        let wins = reached().any(|one| one.is_measured && one.is_served(self.bytes));
        let is_measured = reached().all(|one| one.is_measured);
        let is_measured = is_measured && !self.ciphers.iter().any(|one| one.awaits_measurement);
        Some(match (&self.obstacle, &self.policy) {
            (Some(why), _) => leave(why.clone()),
            _ if is_measured && reached().next().is_none() => leave(
                "no accelerator can be reached for its ciphers: outboard status has the reasons".to_owned(),
            ),
            (_, PolicyState::Unfit(why)) => {
                Verdict::unknown(&format!("{POLICY_FILE} is not used: {why}"), SETUP.to_owned())
            }
            _ if !wins && is_measured => leave(format!("software wins for its requests of {}", self.size())),
            _ if !wins => Verdict::unknown(unmeasured, SETUP.to_owned()),
            (_, PolicyState::OtherGoal(tuned)) => {
                let next = format!("{SETUP} --goal {}", self.goal.name());
                Verdict::unknown(&format!("it was measured for the goal {tuned}"), next)
            }
            _ => return None,
        })
    }

    /// An accelerator wins over the same cipher in software: now the suites compete.
    fn among_suites(&self, negotiation: Negotiation, offered: &Offered) -> Verdict {
        let prefer =
            |one: &Entrant| Decision::Prefer { other: one.suite.clone(), settings: self.settings_for(one) };
        if let Some((winner, why)) = self.beaten() {
            let (decision, why) = match self.is_negotiated(winner) {
                true => (Decision::Leave, format!("{why}; peers negotiate {} already", winner.suite)),
                false => (prefer(winner), why),
            };
            let option = Some("where AES is required, --aes-required enables it all the same");
            return Verdict { refused_without: option, ..Verdict::new(decision, why) };
        }
        let default = negotiation.default_suite(offered);
        let served = |suite: &OfferedSuite| self.is_suite_served(suite);
        let is_default_served = default.is_none_or(served);
        let is_compared = self.entrants.len() > 1;
        let unserved = default.map_or(String::new(), |suite| {
            format!("a peer of default configuration negotiates {}, which no accelerator serves", suite.name)
        });
        let best = self.best();
        match best {
            Some(best) if !self.is_negotiated(best) && (best.driver.is_none() || !is_default_served) => {
                let why = if is_default_served { String::new() } else { unserved + "; " };
                Verdict::new(prefer(best), why + &self.sentence())
            }
            Some(best) if is_default_served => {
                let settings = self.settings_for(best);
                Verdict::new(
                    Decision::Use { settings },
                    format!("{}; {}", self.served_words(), self.sentence()),
                )
            }
            Some(_) => Verdict::new(
                Decision::Leave,
                format!("{unserved}, and which is the best choice: {}", self.sentence()),
            ),
            None if is_default_served && (is_compared || self.is_without_rival(offered)) => {
                Verdict::new(Decision::Use { settings: Vec::new() }, self.served_words())
            }
            None if !offered.suites.iter().any(served) => {
                Verdict::refused(Decision::Leave, NONE_SERVED.to_owned())
            }
            None => match offered.suites.iter().find(|suite| !suite.is_legacy() && served(suite)) {
                None => Verdict::new(Decision::Leave, format!("{unserved}: {ONLY_CBC}")),
                Some(first) if self.is_aes_required => {
                    let settings = negotiation.settings(offered, first, None);
                    Verdict::new(Decision::Prefer { other: first.name.clone(), settings }, unserved)
                }
                Some(_) => {
                    let why = "what another cipher that it offers costs was not measured on this machine";
                    Verdict::unknown(why, SETUP.to_owned())
                }
            },
        }
    }

    /// Whether there is nothing to compare with.
    fn is_without_rival(&self, offered: &Offered) -> bool {
        self.is_aes_required || offered.suites.iter().all(|suite| suite.cipher.is_some())
    }

    fn is_suite_served(&self, suite: &OfferedSuite) -> bool {
        let its = self
            .ciphers
            .iter()
            .find(|one| Some(one.cipher.as_str()) == suite.cipher || one.cipher == suite.name);
        its.is_some_and(|one| one.is_served(self.bytes))
    }

    fn next(&self, decision: &Decision, is_refused: bool) -> Option<String> {
        let name = &self.name;
        let known = Application::by_name(name);
        let has_process = known.is_none_or(|known| !known.programs.is_empty());
        let restart = if known.is_none_or(|known| !known.units.is_empty()) { " --restart" } else { "" };
        let has_suites = has_process && self.negotiation().is_some();
        let named = if known.is_some() { name.clone() } else { format!("--unit {name}") };
        match (decision, self.is_enabled) {
            (_, true) if is_refused => Some(format!("outboard disable {named}{restart}")),
            (Decision::Use { .. }, false) => Some(format!("outboard enable {named}{restart}")),
            (Decision::Prefer { .. }, _) if has_suites => Some(format!("outboard ciphers --service {name}")),
            (_, true) if has_process && !restart.is_empty() => {
                let service = if known.is_some() { "--service" } else { "--unit" };
                Some(format!("outboard prove {service} {name}"))
            }
            _ => None,
        }
    }

    /// The error of `outboard enable`; `None` where it enables the service.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        let Verdict { decision, why, refused_without, next } = self.verdict();
        let hint = refused_without?;
        Some(match decision {
            Decision::Prefer { other, settings } => {
                format!("{why}; prefer {other}: `{}`; {hint}", settings.join("` `"))
            }
            Decision::Unknown => format!("{why}: run {}; {hint}", next.unwrap_or_default()),
            _ => format!("{why}; {hint}"),
        })
    }

    /// What is lost where AES is required: the reason for the record of the service.
    #[must_use]
    pub fn loss(&self) -> Option<String> {
        let free = Self { is_aes_required: false, ..self.clone() };
        free.beaten().map(|(_, why)| why)
    }

    #[must_use]
    pub fn suites(&self) -> Vec<SuiteServed> {
        let suites = self.offered.iter().flat_map(|offered| &offered.suites);
        suites.map(|suite| self.suite(suite)).collect()
    }

    fn suite(&self, suite: &OfferedSuite) -> SuiteServed {
        let its = suite.cipher.and_then(|cipher| self.ciphers.iter().find(|one| one.cipher == cipher));
        let reason = its.map_or(Some("no accelerator does it".to_owned()), |one| one.reason(self.bytes));
        let its = its.filter(|_| reason.is_none());
        SuiteServed {
            suite: suite.name.clone(),
            cipher: suite.cipher,
            served: match its.map(|one| one.task) {
                None => "software",
                Some(DriverTask::Direct) => "direct",
                Some(DriverTask::Ahead { .. }) => "look-ahead",
            },
            driver: its.and_then(|one| one.driver.clone()),
            from: its.and_then(|one| one.from),
            reason,
        }
    }

    /// The first suite with CBC that is served, where none but such are.
    #[must_use]
    pub fn legacy_choice(&self) -> Option<LegacyChoice> {
        let (negotiation, offered) = self.negotiation().zip(self.offered.as_ref())?;
        let mut served = offered.suites.iter().filter(|suite| self.is_suite_served(suite));
        let legacy =
            served.next().filter(|first| first.is_legacy() && served.all(OfferedSuite::is_legacy))?;
        let text = format!("If {} is preferred, the accelerator serves it:", legacy.name);
        let settings = negotiation.settings(offered, legacy, None);
        Some(LegacyChoice { text, settings, price: negotiation.price_of_cbc() })
    }

    /// The size of its requests in words.
    #[must_use]
    pub fn size(&self) -> String {
        self.bytes.map_or("any size".to_owned(), |bytes| format!("up to {bytes} bytes"))
    }

    /// The ciphers of which requests are accelerated.
    fn served_words(&self) -> String {
        let mut groups: Vec<(&str, u32, Vec<&str>)> = Vec::new();
        for one in self.ciphers.iter().filter(|one| one.is_measured && one.is_served(self.bytes)) {
            let Some((driver, from)) = one.driver.as_deref().zip(one.from) else { continue };
            match groups.iter_mut().find(|(d, f, _)| (*d, *f) == (driver, from)) {
                Some((_, _, ciphers)) => ciphers.push(&one.cipher),
                None => groups.push((driver, from, vec![&one.cipher])),
            }
        }
        let words = groups
            .iter()
            .map(|(driver, from, ciphers)| format!("{} from {from} bytes by {driver}", ciphers.join(", ")));
        words.collect::<Vec<_>>().join("; ")
    }
}
