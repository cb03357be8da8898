//! OpenSSL's configuration.

use outboard_documents::status::Accelerator;
use outboard_drivers::reach::{ProgramInterface, Reachable};

use super::{Found, ProblemId, Status};

pub(super) fn find(status: &Status, found: &mut Found) {
    engines(status, found);
    let openssl = &status.openssl;
    if let Some(providers) = openssl.provider_section.as_ref().filter(|section| section.is_without_default) {
        found.problem(
            ProblemId::NoDefaultProvider,
            "openssl.cnf activates providers, but not the default one: every program that reads it loses TLS, certificates and \
             most algorithms"
                .into(),
            format!("{} line {}: {}", providers.file, providers.line, providers.names.join(", ")),
            "add `default = default_sect` to that section, and a section `[default_sect]` with `activate = 1`",
        );
    }
    for digests in &openssl.digests {
        found.problem(
            ProblemId::DigestsOffloaded,
            format!(
                "digests are sent to the accelerator, where short ones lose, and where with the engine devcrypto OpenSSH fails \
                 (section {})",
                digests.section
            ),
            format!("{} line {}: DIGESTS = {}", digests.file, digests.line, digests.value),
            "set DIGESTS = NONE, unless outboard bench shows a gain",
        );
    }
    let is_enabled = openssl
        .provider_section
        .as_ref()
        .is_some_and(|section| section.names.iter().any(|name| name == "outboard"));
    if !status.cpu.padlock.is_empty() && openssl.ignores_engines() && !is_enabled {
        found.problem(
            ProblemId::PadlockEngineGone,
            "programs could use the CPU's PadLock units, but OpenSSL 4 no longer has its engine padlock, and outboard's provider, \
             which executes the instructions, is not enabled"
                .into(),
            format!("/proc/cpuinfo: {}; OpenSSL {}", status.cpu.padlock.join(" "), openssl.version.as_deref().unwrap_or("4")),
            "outboard tune, then outboard enable",
        );
    }
}

/// Many published instructions configure engines.
fn engines(status: &Status, found: &mut Found) {
    let Some(engines) = &status.openssl.engines else { return };
    let at = format!("{} line {}: engines {}", engines.file, engines.line, engines.names.join(", "));
    let version = status.openssl.version.as_deref().unwrap_or("4");
    if status.openssl.ignores_engines() {
        found.problem(
            ProblemId::EngineIgnored,
            format!("openssl.cnf configures engines, which OpenSSL {version} ignores without a message"),
            at,
            "take the section out; outboard's provider replaces devcrypto and afalg",
        );
        return;
    }
    let is_closed = |a: &Accelerator| {
        a.reach_by(ProgramInterface::AfAlg).is_some_and(|route| route.answer == Reachable::No)
    };
    if status.accelerators.iter().any(is_closed) && engines.names.iter().any(|name| name.contains("afalg")) {
        found.problem(
            ProblemId::EngineOfSoftware,
            "the engine afalg is configured and reports that it is available, but on this kernel it computes in software".into(),
            at,
            "take the engine out; outboard's provider reaches the accelerator through /dev/outboard",
        );
    } else {
        found.problem(
            ProblemId::EngineConfigured,
            "openssl.cnf configures engines, which OpenSSL 4 no longer has".into(),
            at,
            "outboard's provider replaces devcrypto and afalg: outboard enable",
        );
    }
}
