//! `outboard config`: which configuration is in force, and from which files.

mod configuration;
mod service;
mod text;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::Args;
use outboard_console::{answer, ended};
use outboard_documents::config::{Config, Findings};
use outboard_drivers::{allow_list, root::Root};
use outboard_policy::{FINDINGS_FILE, FindingVerdict};
use outboard_services::enable::{Record, Tree};

use self::configuration::Asking;
use super::enable::{Named, named};

/// Show which configuration is in force, and the file and line of each setting
///
/// First for programs that this shell starts: openssl.cnf with its included files, the keys of outboard's section, the
/// thresholds that follow from them and from the policy file, the findings of `outboard check` and the drivers that are
/// allowed. Then for each enabled service: what was added for it, and what its running processes use, as far as this
/// user may read that. Keys that are unknown, invalid or overridden are named.
///
/// Nothing is changed.
///
/// Exit code 1 when a service that is named is neither enabled nor runs, or a file of /etc/outboard cannot be read.
#[derive(Args)]
pub struct Options {
    /// Only this service, as `outboard enable --list` names it; may be repeated
    #[arg(long = "service", value_name = "NAME")]
    services: Vec<String>,
    /// Only this systemd unit; may be repeated
    #[arg(long = "unit", value_name = "NAME")]
    units: Vec<String>,
    /// Print JSON (schema outboard-config/1)
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Options) -> ExitCode {
    let printed = config(options).and_then(|config| {
        let text = if options.json { outboard_documents::json(&config)? } else { text::text(&config) };
        Ok(answer(&text)?)
    });
    ended("config", printed)
}

fn config(options: &Options) -> Result<Config> {
    let tree = Tree::at(Path::new("/"));
    let is_limited = !(options.services.is_empty() && options.units.is_empty());
    // Another user may not reach the drivers that the service reaches.
    let asking = Asking::new();
    let is_root = rustix::process::geteuid().is_root();
    let not_root = Err("run this as root".to_owned());
    let for_services = if is_root { &asking } else { &not_root };
    let services: Result<Vec<_>> = if is_limited {
        named(&options.services, &options.units)
            .map(|one| service::service(&tree, one, for_services))
            .collect()
    } else {
        Record::services(&tree)
            .iter()
            .map(|key| service::service(&tree, Named::of_record(key), for_services))
            .collect()
    };
    let allowed = match allow_list::read(&Root::live()) {
        Ok(list) => Some(list.into_iter().map(|allowed| allowed.driver).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(anyhow!("the allow list of the module cannot be read: {error}")),
    };
    Ok(Config {
        shell: (!is_limited).then(|| configuration::with_decisions(configuration::of_shell(), &asking)),
        services: services?,
        allowed,
        findings: findings(Path::new(FINDINGS_FILE), Path::new("/")),
    })
}

/// The findings about the drivers in their current form.
pub fn findings(path: &Path, root: &Path) -> Findings {
    let mut found = Findings {
        path: path.to_owned(),
        exact: Vec::new(),
        wrong: Vec::new(),
        unanswered: Vec::new(),
        outdated: Vec::new(),
        problem: None,
    };
    let findings = match outboard_policy::Findings::read(path) {
        Ok(findings) => findings,
        Err(why) => {
            found.problem = Some(why.to_string());
            return found;
        }
    };
    let mut drivers: Vec<&str> = findings.all().map(|finding| finding.driver).collect();
    drivers.sort_unstable();
    drivers.dedup();
    for driver in drivers {
        let list = match findings.of(driver, root) {
            Some(finding) => match finding.verdict {
                FindingVerdict::Exact => &mut found.exact,
                FindingVerdict::Wrong => &mut found.wrong,
                FindingVerdict::Unanswered => &mut found.unanswered,
            },
            None => &mut found.outdated,
        };
        list.push(driver.to_owned());
    }
    found
}
