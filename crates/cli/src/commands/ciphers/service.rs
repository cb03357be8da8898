//! `outboard ciphers --service NAME`: which suites a service offers, which of them an accelerator
//! serves and how, and what changes if one is preferred.

mod advice;
mod offered;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Result, bail};
use outboard_console::aligned;
use outboard_console::{answer, progress};
use outboard_documents::choice::Entrant;
use outboard_openssl_conf::{installation::OpenSsl, provider_file};
use outboard_services::choice::{Negotiation, Offered, OfferedSuite};
use outboard_services::enable::{self, Inputs, Tree};
use serde::Serialize;

use self::advice::Advice;
use self::offered::offered;
pub use self::offered::offered_or_default;
use crate::commands::enable::contest;
use crate::commands::enable::suitability::{self, Outlook, Suitability};
use crate::commands::tune::GoalName;
use crate::live_service::systemctl;
use crate::tuning::panel::DriverTask;

/// The document of `--json`. Fields are only added within a version; sizes are in bytes.
#[derive(Serialize)]
struct ServiceSuites {
    /// `outboard-service-ciphers/1`.
    schema: &'static str,
    /// Name of the service.
    service: String,
    /// Size of its large requests; null: any size.
    bytes: Option<u32>,
    /// Where the suites come from: files with lines, or the program's default.
    sources: Vec<String>,
    /// In the order of the service.
    suites: Vec<SuiteRow>,
    #[serde(flatten)]
    advice: Advice,
    /// Figures of this machine for each suite and MAC; empty if `outboard tune` did not measure them.
    entrants: Vec<Entrant>,
}

/// A suite of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct SuiteRow {
    /// Its name in the service's configuration.
    suite: String,
    /// OpenSSL's cipher; null for one that outboard does not know.
    cipher: Option<String>,
    /// `direct`, `look-ahead` or `software`.
    served: &'static str,
    /// The driver; null in software.
    driver: Option<String>,
    /// The smallest request that is served; null in software.
    from: Option<u32>,
    /// Why it stays in software; null otherwise.
    reason: Option<String>,
}

impl SuiteRow {
    fn is_served(&self) -> bool {
        self.driver.is_some()
    }

    /// Whether it uses CBC, which today's protocols have replaced.
    fn is_legacy(&self) -> bool {
        self.cipher.as_deref().is_some_and(|cipher| cipher.ends_with("-CBC"))
    }
}

/// Prints the suites of a service.
pub fn show(name: &str, allow_legacy: bool, json: bool) -> Result<()> {
    let tree = Tree::at(Path::new("/"));
    let openssl = OpenSsl::find();
    let module = provider_file::find(None, &openssl)?;
    let units = systemctl::shown(enable::planned_units(name, false))?;
    let inputs = Inputs { openssl_cnf: openssl.own_file(), module, programs: Vec::new(), units };
    let plan = enable::plan(&tree, name, false, &inputs)?;
    let Some(negotiation) = Negotiation::of(name) else {
        bail!("the suites of {name} are not known here: nginx, apache, sshd, ssh and openvpn are");
    };
    progress("loading OpenSSL with the configuration of the service");
    let found = suitability::examine(&plan, &inputs, None);
    progress("");
    let found = found?;
    let offered = offered(negotiation, &tree)?;
    let rows = rows(&offered, &found);
    let contest = contest::of_policy(name, &tree, GoalName::default().into(), &found);
    let advice = advice::advise(negotiation, &offered, &rows, contest.as_ref(), allow_legacy);
    let answered = ServiceSuites {
        schema: "outboard-service-ciphers/1",
        service: name.to_owned(),
        bytes: found.bytes,
        sources: offered.sources,
        suites: rows,
        advice,
        entrants: contest.map(|contest| contest.document(name).entrants).unwrap_or_default(),
    };
    let report = if json { serde_json::to_string_pretty(&answered)? + "\n" } else { text(&answered) };
    Ok(answer(&report)?)
}

fn rows(offered: &Offered, found: &Suitability) -> Vec<SuiteRow> {
    offered.suites.iter().map(|suite| row(suite, &found.ciphers, found.bytes)).collect()
}

/// The suite that a peer of default configuration negotiates with a service, if no accelerator serves
/// it. `None` too for services whose suites are not known here.
pub fn unserved_default(name: &str, tree: &Tree, found: &Suitability) -> Option<UnservedDefault> {
    let negotiation = Negotiation::of(name)?;
    unserved(negotiation, &offered_or_default(negotiation, tree), found)
}

fn unserved(negotiation: Negotiation, offered: &Offered, found: &Suitability) -> Option<UnservedDefault> {
    let rows = rows(offered, found);
    let default = negotiation.default_suite(offered)?;
    let suite = rows.iter().find(|row| row.suite == default.name).filter(|suite| !suite.is_served())?;
    let is_beaten = |row: &SuiteRow| row.cipher.as_deref().is_some_and(|cipher| found.is_beaten(cipher));
    let mut better = rows.iter().filter(|row| row.is_served() && !row.is_legacy());
    // Where each is beaten, the service is enabled because AES is required.
    let better = better.clone().find(|row| !is_beaten(row)).or_else(|| better.next());
    Some(UnservedDefault {
        suite: suite.suite.clone(),
        setting: better.map(|better| negotiation.for_peers(&better.suite)),
    })
}

/// What peers negotiate.
pub struct UnservedDefault {
    pub suite: String,
    /// What to set so that they negotiate a suite that is served; `None` if none is served but those
    /// with CBC.
    pub setting: Option<String>,
}

impl UnservedDefault {
    /// What is to be set, or why nothing is, in words.
    pub fn remedy(&self) -> &str {
        self.setting.as_deref().unwrap_or("only suites with CBC are, which lower security")
    }

    /// One sentence for the service.
    pub fn sentence(&self, service: &str) -> String {
        format!(
            "a peer of default configuration negotiates {}, which no accelerator serves: {} (outboard ciphers --service {service})",
            self.suite,
            self.remedy()
        )
    }
}

fn row(suite: &OfferedSuite, ciphers: &[Outlook], bytes: Option<u32>) -> SuiteRow {
    let outlook = suite.cipher.and_then(|cipher| ciphers.iter().find(|one| one.cipher == cipher));
    let software = |reason: String| (None, None, "software", Some(reason));
    let (driver, from, served, reason) = match outlook.map(|one| (&one.by, one.task)) {
        None => software("no accelerator does it".to_owned()),
        Some((Err(why), _)) => software(why.clone()),
        Some((Ok((driver, None)), _)) => software(format!("software wins over {driver} at every size")),
        Some((Ok((driver, Some(from))), _)) if bytes.is_some_and(|bytes| *from > bytes) => {
            software(format!("{driver} wins from {from} bytes on, which are more than a request has"))
        }
        Some((Ok((driver, Some(from))), task)) => {
            let served = if task == DriverTask::Direct { "direct" } else { "look-ahead" };
            (Some(driver.clone()), Some(*from), served, None)
        }
    };
    let cipher = suite.cipher.map(str::to_owned);
    SuiteRow { suite: suite.name.clone(), cipher, served, driver, from, reason }
}

fn text(answered: &ServiceSuites) -> String {
    let size = answered.bytes.map_or("any size".to_owned(), |bytes| format!("up to {bytes} bytes"));
    let mut out =
        format!("{}: requests of {size}; suites from {}\n\n", answered.service, answered.sources.join(", "));
    let mut rows = vec![["suite", "served", "by", "from"].map(str::to_owned)];
    // Those that are not served are below the table, with their reason.
    for row in answered.suites.iter().filter(|row| row.is_served()) {
        let dash = || "-".to_owned();
        rows.push([
            row.suite.clone(),
            row.served.to_owned(),
            row.driver.clone().unwrap_or_else(dash),
            row.from.map_or_else(dash, |bytes| format!("{bytes} bytes")),
        ]);
    }
    match rows.len() {
        1 => out += "  no suite is served by an accelerator\n",
        _ => out += &aligned(&rows, 0..0, "  "),
    }
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in &answered.suites {
        let Some(reason) = row.reason.as_deref() else { continue };
        let name = row.cipher.as_deref().unwrap_or(&row.suite);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    for (reason, names) in reasons {
        let _ = write!(out, "\nin software: {}\n    {reason}\n", names.join(", "));
    }
    let _ = write!(out, "\n{}\n", answered.advice.advice);
    answered.advice.settings.iter().for_each(|line| _ = writeln!(out, "  {line}"));
    if let Some(price) = &answered.advice.price {
        let _ = writeln!(out, "Its price: {price}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_of_a_default_peer_is_served_or_named() {
        let served = |ciphers: &[&str]| -> Suitability {
            let outlook = |cipher: &&str| Outlook {
                cipher: (*cipher).to_owned(),
                by: Ok(("eng".to_owned(), Some(512))),
                measured: true,
                task: DriverTask::Direct,
            };
            Suitability {
                ciphers: ciphers.iter().map(outlook).collect(),
                bytes: Some(16384),
                refusal: None,
                contest: None,
                figures: Vec::new(),
            }
        };
        let of = |negotiation: Negotiation, found: &Suitability| {
            let mut offered = negotiation.by_default();
            offered.suites.push(OfferedSuite { name: "LEGACY".to_owned(), cipher: Some("AES-128-CBC") });
            unserved(negotiation, &offered, found).map(|one| (one.suite, one.setting))
        };
        let ctr = served(&["AES-128-CTR"]);
        for negotiation in [Negotiation::Sshd, Negotiation::Ssh] {
            let (suite, setting) = of(negotiation, &ctr).expect("chacha20 is not served");
            assert_eq!(suite, "chacha20-poly1305@openssh.com");
            assert!(setting.is_some_and(|setting| setting.contains("Ciphers ^aes128-ctr")));
        }
        let mut both = served(&["AES-128-CTR", "AES-128-GCM", "AES-256-GCM"]);
        let (_, setting) = of(Negotiation::Sshd, &both).expect("chacha20 is not served");
        assert!(setting.is_some_and(|setting| setting.contains("Ciphers ^aes128-gcm@openssh.com")));
        both.contest = Some(contest::tests::lost(Negotiation::Sshd, "AES-256-GCM"));
        let (_, setting) = of(Negotiation::Sshd, &both).expect("chacha20 is not served");
        assert!(setting.is_some_and(|setting| setting.contains("Ciphers ^aes128-ctr")), "GCM loses");
        let mut gcm = served(&["AES-256-GCM"]);
        gcm.contest.clone_from(&both.contest);
        let (_, setting) = of(Negotiation::Sshd, &gcm).expect("chacha20 is not served");
        assert!(setting.is_some_and(|setting| setting.contains("Ciphers ^aes256-gcm@openssh.com")));
        assert_eq!(of(Negotiation::Nginx, &served(&["AES-256-GCM"])), None);
        let (suite, setting) = of(Negotiation::Nginx, &served(&["AES-128-GCM"])).expect("it is not served");
        assert_eq!(suite, "TLS_AES_256_GCM_SHA384");
        assert!(setting.is_some_and(|setting| setting.contains("TLS_AES_128_GCM_SHA256")));
        for negotiation in [Negotiation::Nginx, Negotiation::Sshd] {
            let (_, setting) = of(negotiation, &served(&["AES-128-CBC"])).expect("it is not served");
            assert_eq!(setting, None);
        }
    }

    #[test]
    fn a_suite_is_served_from_its_threshold_if_requests_are_that_large() {
        let outlook =
            |cipher: &str, by, task| Outlook { cipher: cipher.to_owned(), by, measured: true, task };
        let ciphers = [
            outlook(
                "AES-128-GCM",
                Ok(("ecb".to_owned(), Some(512))),
                DriverTask::Ahead { direct_from: None },
            ),
            outlook("AES-256-GCM", Err("no driver".to_owned()), DriverTask::Direct),
            outlook("AES-128-CBC", Ok(("cbc".to_owned(), Some(65536))), DriverTask::Direct),
        ];
        let of = |cipher| {
            let row = row(&OfferedSuite { name: "X".to_owned(), cipher }, &ciphers, Some(16384));
            (row.served, row.driver, row.reason.unwrap_or_default())
        };
        assert_eq!(of(Some("AES-128-GCM")), ("look-ahead", Some("ecb".to_owned()), String::new()));
        assert_eq!(of(Some("AES-256-GCM")), ("software", None, "no driver".to_owned()));
        assert!(of(Some("AES-128-CBC")).2.starts_with("cbc wins from 65536 bytes"));
        assert_eq!(of(None).0, "software");
    }
}
