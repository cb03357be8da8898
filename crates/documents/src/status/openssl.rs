//! The installed OpenSSL and its configuration.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct OpenSsl {
    /// The version, e.g. `3.5.4`; `None` if the command is missing or prints nothing, and for a
    /// saved tree that is no bundle.
    pub version: Option<String>,
    pub modules_dir: Option<String>,
    pub config_dir: Option<String>,
    pub providers: Vec<String>,
    pub engines: Option<Engines>,
    pub provider_section: Option<ProviderSection>,
    pub digests: Vec<DigestsLine>,
    /// The random sources in its configuration; `None` for its defaults.
    pub random: Option<RandomSources>,
}

impl OpenSsl {
    /// Whether this version silently ignores an `engines` section: OpenSSL 4 and later have no
    /// engines.
    pub fn ignores_engines(&self) -> bool {
        let major =
            self.version.as_deref().and_then(|v| v.split('.').next()).and_then(|m| m.parse::<u32>().ok());
        major.is_some_and(|m| m >= 4)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Engines {
    pub file: String,
    /// The line of `engines = …`, counted from 1.
    pub line: usize,
    pub names: Vec<String>,
}

/// The random sources that a configuration names; `None` for OpenSSL's defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct RandomSources {
    pub file: String,
    pub generator: Option<String>,
    pub seed: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct ProviderSection {
    pub file: String,
    /// The line of `providers = …`, counted from 1.
    pub line: usize,
    pub names: Vec<String>,
    /// Whether it activates providers, but neither the default one nor the one for FIPS.
    pub is_without_default: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct DigestsLine {
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    pub section: String,
    pub value: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_openssl_4_ignores_engines() {
        for (version, ignores) in [("3.6.5", false), ("4.0.3", true), ("10.0.0", true), ("odd", false)] {
            let found = OpenSsl { version: Some(version.into()), ..OpenSsl::default() };
            assert_eq!(found.ignores_engines(), ignores, "{version}");
        }
    }
}
