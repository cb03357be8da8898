//! OpenSSL's configuration.

use outboard_documents::status::{Accelerator, Engines, OpenSsl};
use outboard_drivers::reach::{ProgramInterface, Reachable};

use super::Because;
use crate::facts::Facts;

/// What becomes of configured engines.
#[derive(PartialEq)]
enum Fate {
    Ignored,
    InSoftware,
    Deprecated,
}

/// Many published instructions configure engines.
fn engines(facts: &Facts, fate: &Fate) -> Vec<Because> {
    let OpenSsl { engines, version, .. } = &facts.status.openssl;
    let is_closed = |a: &Accelerator| {
        a.reach_by(ProgramInterface::AfAlg).is_some_and(|route| route.answer == Reachable::No)
    };
    let is_of_software = |engines: &Engines| {
        facts.status.accelerators.iter().any(is_closed)
            && engines.names.iter().any(|name| name.contains("afalg"))
    };
    let is_it = |engines: &&Engines| match () {
        () if facts.status.openssl.ignores_engines() => *fate == Fate::Ignored,
        () if is_of_software(engines) => *fate == Fate::InSoftware,
        () => *fate == Fate::Deprecated,
    };
    let found = engines.iter().filter(is_it).map(|engines| {
        let at = format!("{} line {}: engines {}", engines.file, engines.line, engines.names.join(", "));
        Because::new([version.as_deref().unwrap_or("4")], at)
    });
    found.collect()
}

pub fn engine_ignored(facts: &Facts) -> Vec<Because> {
    engines(facts, &Fate::Ignored)
}

pub fn engine_of_software(facts: &Facts) -> Vec<Because> {
    engines(facts, &Fate::InSoftware)
}

pub fn engine_configured(facts: &Facts) -> Vec<Because> {
    engines(facts, &Fate::Deprecated)
}

/// Programs with another library: the package with OpenSSL, or the program to use instead.
pub fn other_tls_library(facts: &Facts) -> Vec<Because> {
    let is_openwrt = facts.system.is_openwrt;
    let package = |name| facts.system.openwrt_package(name);
    let step = |program: &str| match program {
        "uhttpd" if is_openwrt => package("libustream-openssl"),
        "hostapd" if is_openwrt => package("wpad-openssl"),
        "dropbear" if is_openwrt => package("openssh-server"),
        "dropbear" => "use OpenSSH".to_owned(),
        "ocserv" => "none of its builds uses OpenSSL: leave it, or use OpenVPN or IPsec".to_owned(),
        _ => "use a build with OpenSSL, if there is one".to_owned(),
    };
    let because = |(program, library): &(String, String)| {
        let evidence = format!("the files of {program} name {library}");
        Because::new([program, library, &step(program)], evidence)
    };
    facts.other_tls.iter().map(because).collect()
}

pub fn no_default_provider(facts: &Facts) -> Vec<Because> {
    let sections = facts.status.openssl.provider_section.iter().filter(|section| section.is_without_default);
    let at = sections.map(|it| format!("{} line {}: {}", it.file, it.line, it.names.join(", ")));
    at.map(|at| Because::new([], at)).collect()
}

pub fn digests_offloaded(facts: &Facts) -> Vec<Because> {
    let lines = facts.status.openssl.digests.iter();
    lines
        .map(|it| {
            Because::new([&it.section], format!("{} line {}: DIGESTS = {}", it.file, it.line, it.value))
        })
        .collect()
}

pub fn padlock_engine_gone(facts: &Facts) -> Vec<Because> {
    let (openssl, units) = (&facts.status.openssl, &facts.status.cpu.padlock);
    let mut names = openssl.provider_section.iter().flat_map(|section| &section.names);
    let is_it = !units.is_empty() && openssl.ignores_engines() && !names.any(|name| name == "outboard");
    let version = openssl.version.as_deref().unwrap_or("4");
    let evidence = format!("/proc/cpuinfo: {}; OpenSSL {version}", units.join(" "));
    is_it.then(|| Because::new([], evidence)).into_iter().collect()
}
