//! What a configuration sets for outboard, and with which lines.

use std::path::Path;

use super::NAME;
use super::existing::Existing;
use crate::conf::{Conf, Origin};

/// The keys of a provider's section that libcrypto itself reads, config(5).
const OPENSSL_KEYS: [&str; 4] = ["identity", "module", "activate", "soft_load"];

#[derive(Clone, Debug, Default)]
pub struct InForce {
    pub is_activated: bool,
    pub is_preferred: bool,
    pub settings: Vec<Setting>,
    /// What in the configuration prevents the use of outboard, and what OpenSSL ignores in it.
    pub problems: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Setting {
    pub section: String,
    pub key: String,
    pub value: String,
    pub origin: Origin,
    pub overridden: Vec<(Origin, String)>,
    pub is_openssl_key: bool,
}

impl InForce {
    #[must_use]
    pub fn of(conf: &Conf, path: &Path) -> Self {
        let found = Existing::look(conf);
        let is_activated = found.is_active(NAME) && conf.refused.is_none();
        let mut problems = found.prevented(conf, Some(path));
        let is_prevented = !problems.is_empty();
        problems.extend(conf.warnings.iter().map(ToString::to_string));
        problems.extend(found.missing_sections(conf, Some(path)));
        if found.is_active(NAME) && !found.is_active("default") && !found.fips() {
            problems.push(format!(
                "{}: the default provider is not activated: all that outboard does not offer is missing; add a section \
                 with activate = 1 for it, or let outboard enable write the configuration",
                path.display()
            ));
        }
        if found.outboard_sections.len() > 1 {
            problems.push(format!(
                "{}: several sections configure outboard: {}",
                path.display(),
                found.outboard_sections.join(", ")
            ));
        }
        if is_activated && !found.prefers_outboard() && !is_prevented {
            problems.push(format!(
                "{}: default_properties does not prefer outboard: only programs that request provider=outboard use it; \
                 set default_properties = ?provider=outboard",
                path.display()
            ));
        }
        let settings = found.outboard_sections.iter().flat_map(|name| settings(conf, name)).collect();
        Self { is_activated, is_preferred: is_activated && found.prefers_outboard(), settings, problems }
    }
}

fn settings(conf: &Conf, name: &str) -> Vec<Setting> {
    let Some(section) = conf.section(name) else { return Vec::new() };
    let setting = |(key, value): (&str, &str)| {
        // libcrypto ignores the part of its own keys up to the first dot (provider_conf.c).
        let bare = key.split_once('.').map_or(key, |(_, rest)| rest);
        Some(Setting {
            section: name.to_owned(),
            key: key.to_owned(),
            value: value.to_owned(),
            origin: section.origin(key)?.clone(),
            overridden: section.overridden(key).to_vec(),
            is_openssl_key: OPENSSL_KEYS.contains(&bare),
        })
    };
    section.entries().into_iter().filter_map(setting).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_force(text: &str) -> InForce {
        InForce::of(&Conf::parse(text.as_bytes()), Path::new("/etc/ssl/openssl.cnf"))
    }

    const START: &str = "openssl_conf = i\n[i]\nproviders = p\nalg_section = a\n[p]\noutboard = o\n";

    #[test]
    fn lines_of_the_section_are_listed_with_their_origin() {
        let text = format!(
            "{START}default = d\n[d]\nactivate = 1\n[a]\ndefault_properties = ?provider=outboard\n\
             [o]\nmodule = /x.so\nactivate = 1\nCIPHERS = NONE\nCIPHERS = ALL\nciphers = x\n"
        );
        let found = in_force(&text);
        assert!(found.is_activated && found.is_preferred, "{:?}", found.problems);
        assert_eq!(found.problems, Vec::<String>::new());
        let rows: Vec<_> =
            found.settings.iter().map(|s| (s.key.as_str(), s.origin.line, s.is_openssl_key)).collect();
        let expected = [("module", 13, true), ("activate", 14, true), ("CIPHERS", 16, false)];
        assert_eq!(rows[..3], expected);
        assert_eq!(found.settings[2].overridden[0].1, "NONE");
    }

    #[test]
    fn a_setting_that_prevents_the_use_is_a_problem() {
        let without_default = in_force(&format!("{START}[o]\nactivate = 1\n"));
        assert!(without_default.is_activated);
        assert!(without_default.problems.iter().any(|p| p.contains("default provider")));
        let not_preferred = in_force(&format!("{START}default = o2\n[o2]\nactivate = 1\n[o]\nactivate=1\n"));
        assert!(not_preferred.problems.iter().any(|p| p.contains("?provider=outboard")));
        let refused = in_force(&format!("{START}[o]\nactivate = 1\nno equals sign\n"));
        assert!(!refused.is_activated && refused.problems[0].contains("refuses the whole"));
        assert!(!in_force("").is_activated && in_force("").problems.is_empty());
    }
}
