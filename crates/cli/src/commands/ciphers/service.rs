//! `outboard ciphers --service NAME`: which suites a service offers, which of them an accelerator
//! serves and how, and what to do.

mod offered;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Result, bail};
use outboard_advice::{LegacyChoice, SuiteServed, details};
use outboard_console::{aligned, answer};
use outboard_documents::decision::ServiceDecision;
use outboard_openssl_conf::{installation::OpenSsl, provider_file};
use outboard_services::enable::{self, Inputs, Tree};
use outboard_services::negotiation::Negotiation;
use serde::Serialize;

use self::offered::offered;
pub use self::offered::offered_or_default;
use crate::commands::enable::service_facts;
use crate::running_services::systemctl;

/// The document of `--json`. Fields are only added within a version; sizes are in bytes.
#[derive(Serialize)]
struct ServiceSuites {
    /// `outboard-service-ciphers/1`.
    schema: &'static str,
    /// Where the suites come from: files with lines, or the program's default.
    sources: Vec<String>,
    /// In the order of the service.
    suites: Vec<SuiteServed>,
    #[serde(flatten)]
    decision: ServiceDecision,
    /// The setting that prefers a suite with CBC, if that was asked for and nothing else is served.
    legacy: Option<LegacyChoice>,
}

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
    let offered = offered(negotiation, &tree)?;
    let sources = offered.sources.clone();
    let mut facts = service_facts::examine(&tree, &plan, &inputs, None)?;
    facts.offered = Some(offered);
    let legacy = facts.legacy_choice();
    let mut decision = facts.decide();
    if legacy.is_some() && !allow_legacy {
        decision.why += "; --allow-legacy shows the setting that prefers one, and its price";
    }
    let answered = ServiceSuites {
        schema: "outboard-service-ciphers/1",
        sources,
        suites: facts.suites(),
        decision,
        legacy: legacy.filter(|_| allow_legacy),
    };
    let report = if json { outboard_documents::pretty(&answered)? } else { text(&answered, &facts.size()) };
    Ok(answer(&report)?)
}

fn text(answered: &ServiceSuites, size: &str) -> String {
    let mut out = format!(
        "{}: requests of {size}; suites from {}\n\n",
        answered.decision.service,
        answered.sources.join(", ")
    );
    let mut rows = vec![["suite", "served", "by", "from"].map(str::to_owned)];
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in &answered.suites {
        let name = row.cipher.unwrap_or(&row.suite);
        match (&row.driver, row.from, row.reason.as_deref()) {
            (Some(driver), Some(from), _) => {
                rows.push([
                    row.suite.clone(),
                    row.served.to_owned(),
                    driver.clone(),
                    format!("{from} bytes"),
                ]);
            }
            (_, _, Some(reason)) => match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name),
                None => reasons.push((reason, vec![name])),
            },
            _ => {}
        }
    }
    match rows.len() {
        1 => out += "  no suite is served by an accelerator\n",
        _ => out += &aligned(&rows, 0..0, "  "),
    }
    for (reason, names) in reasons {
        let _ = write!(out, "\nin software: {}\n    {reason}\n", names.join(", "));
    }
    let _ = write!(out, "\n{}", details(&answered.decision));
    if let Some(legacy) = &answered.legacy {
        let _ = writeln!(out, "{}", legacy.text);
        legacy.settings.iter().for_each(|line| _ = writeln!(out, "  {line}"));
        legacy.price.iter().for_each(|price| _ = writeln!(out, "Its price: {price}"));
    }
    out
}
