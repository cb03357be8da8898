//! The installed OpenSSL: its version, its provider directory, its active providers, and whether
//! its configuration still uses engines.

mod config;
mod run;

use std::time::Duration;

use outboard_documents::secrets;
use outboard_documents::status::OpenSsl;
use outboard_drivers::root::Root;
use outboard_openssl_conf::conf::{Conf, Environment};

pub use config::Configuration;
pub use run::Pending;

/// The time limit for `openssl`, which takes seconds on a busy router.
const TIME_LIMIT: Duration = Duration::from_secs(10);

const VERSION: &str = "openssl-version";

/// The configuration that status reads, of a root that is not the running system; variables are
/// those of the environment in which it was recorded.
pub fn recorded_configuration(root: &Root, variables: &Environment) -> Option<Conf> {
    let version = root.answer(VERSION, || None).unwrap_or_default();
    config::load(root, from_version(&version).config_dir.as_deref(), variables).map(|(conf, _)| conf)
}

pub struct Question {
    version: Option<Pending>,
    providers: Option<Pending>,
}

impl Question {
    /// Starts `openssl version -a` and `openssl list -providers` on the running system; nothing for
    /// a saved tree.
    pub fn ask(root: &Root) -> Self {
        let start =
            |arguments: &[&str]| root.is_live().then(|| Pending::start("openssl", arguments)).flatten();
        Self { version: start(&["version", "-a"]), providers: start(&["list", "-providers"]) }
    }

    /// Waits for the output of both commands, at most 10 s each.
    pub fn answer(self, root: &Root) -> OpenSsl {
        let text = |name, pending: Option<Pending>| {
            root.answer(name, || pending.and_then(|p| p.finish(TIME_LIMIT))).unwrap_or_default()
        };
        let mut found = from_version(&text(VERSION, self.version));
        found.providers = from_providers(&text("openssl-providers", self.providers));
        let configured = config::read(root, found.config_dir.as_deref());
        found.engines = configured.engines;
        found.provider_section = configured.providers;
        found.digests = configured.digests;
        found.random = configured.random;
        found
    }
}

/// Parses the output of `openssl version -a` (openssl-version(1)).
pub fn from_version(text: &str) -> OpenSsl {
    let quoted = |key: &str| {
        let line = text.lines().find_map(|l| l.strip_prefix(key))?;
        Some(line.trim().trim_matches('"').to_string())
    };
    OpenSsl {
        version: text
            .lines()
            .next()
            .and_then(|l| l.strip_prefix("OpenSSL "))
            .and_then(|l| l.split(' ').next())
            .map(String::from),
        modules_dir: quoted("MODULESDIR:"),
        config_dir: quoted("OPENSSLDIR:"),
        ..OpenSsl::default()
    }
}

/// Parses the output of `openssl list -providers`: names are indented by two, their properties by
/// four.
pub fn from_providers(text: &str) -> Vec<String> {
    text.lines()
        .filter(|l| l.starts_with("  ") && !l.starts_with("   ") && !l.contains(':'))
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .map(secrets::name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_openssl_are_read() {
        let text = "OpenSSL 3.5.4 30 Sep 2025 (Library: OpenSSL 3.5.4 30 Sep 2025)\nbuilt on: Tue\n\
            OPENSSLDIR: \"/usr/lib/ssl\"\nMODULESDIR: \"/usr/lib/x86_64-linux-gnu/ossl-modules\"\n";
        let found = from_version(text);
        assert_eq!(found.version.as_deref(), Some("3.5.4"));
        assert_eq!(found.modules_dir.as_deref(), Some("/usr/lib/x86_64-linux-gnu/ossl-modules"));
        assert_eq!(found.config_dir.as_deref(), Some("/usr/lib/ssl"));
        let text = "Providers:\n  default\n    name: OpenSSL Default Provider\n    version: 3.5.4\n    status: active\n";
        assert_eq!(from_providers(text), ["default"]);
        assert_eq!(from_version(""), OpenSsl::default());
    }
}
