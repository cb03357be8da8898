//! Engines and random sources in an openssl.cnf (config(5ssl)): the section that `openssl_conf`
//! names may have lines `engines = SECTION` and `random = SECTION`. The first section lists engines,
//! the second one names a generator and its seed source.

use std::path::Path;

use outboard_drivers::root::Root;
use serde::Serialize;

/// An `engines` line that is in force, or would be with an OpenSSL that supports engines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Engines {
    /// The file.
    pub file: String,
    /// The line of `engines = …`, counted from 1.
    pub line: usize,
    /// The engines listed.
    pub names: Vec<String>,
}

/// The random sources that a configuration names; `None` for OpenSSL's defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RandomSources {
    /// The file.
    pub file: String,
    /// The generator.
    pub generator: Option<String>,
    /// The seed source of the generator.
    pub seed: Option<String>,
}

/// The section of a configuration that lists providers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProviderSection {
    /// The file.
    pub file: String,
    /// The line of `providers = …`, counted from 1.
    pub line: usize,
    /// The providers that it activates.
    pub names: Vec<String>,
    /// Whether it activates providers, but neither the default one nor the one for FIPS.
    pub is_without_default: bool,
}

/// A line `DIGESTS = …` that offloads digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DigestsLine {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// Its section.
    pub section: String,
    /// Its value.
    pub value: String,
}

/// The file that OpenSSL reads: $OPENSSL_CONF, or openssl.cnf in its directory, or in /etc/ssl.
pub(super) fn file(root: &Root, config_dir: Option<&str>) -> Option<(String, Vec<u8>)> {
    let own = root.is_live().then(|| std::env::var("OPENSSL_CONF").ok()).flatten();
    let files: Vec<String> = match own {
        Some(file) => vec![file],
        None => config_dir
            .into_iter()
            .chain(["/etc/ssl", "/etc/pki/tls"])
            .map(|d| format!("{d}/openssl.cnf"))
            .collect(),
    };
    files.into_iter().find_map(|file| {
        let bytes = if root.is_live() && Path::new(&file).is_relative() {
            std::fs::read(&file).ok()?
        } else {
            root.read(file.trim_start_matches('/')).ok()?
        };
        Some((file, bytes))
    })
}

/// A line `key = value` of a section.
struct Setting<'a> {
    /// Its number, counted from 1.
    line: usize,
    section: &'a str,
    key: &'a str,
    value: &'a str,
}

fn settings(text: &str) -> Vec<Setting<'_>> {
    let mut section = "default";
    let mut settings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = name.trim();
        } else if let Some((key, value)) = line.split_once('=') {
            settings.push(Setting { line: index + 1, section, key: key.trim(), value: value.trim() });
        }
    }
    settings
}

/// The last line of a key, which is the one in force.
fn last<'a, 'b>(settings: &'b [Setting<'a>], section: &str, key: &str) -> Option<&'b Setting<'a>> {
    settings.iter().rev().find(|setting| setting.section == section && setting.key == key)
}

/// The line of `engines = SECTION` and the engines in that section; `None` if no such line is in
/// force.
pub fn parse_engines(bytes: &[u8]) -> Option<(usize, Vec<String>)> {
    let text = String::from_utf8_lossy(bytes);
    let settings = settings(&text);
    let main = last(&settings, "default", "openssl_conf")?.value;
    let engines = last(&settings, main, "engines")?;
    let listed = settings.iter().filter(|setting| setting.section == engines.value);
    Some((engines.line, listed.map(|setting| setting.key.to_string()).collect()))
}

/// The line of `providers = SECTION`, the providers that are activated there, and whether that
/// switches the default provider off (OpenSSL's config(5), "Provider Configuration").
pub fn parse_providers(bytes: &[u8]) -> Option<(usize, Vec<String>, bool)> {
    let text = String::from_utf8_lossy(bytes);
    let settings = settings(&text);
    let main = last(&settings, "default", "openssl_conf")?.value;
    let providers = last(&settings, main, "providers")?;
    let mut names: Vec<String> = Vec::new();
    for listed in settings.iter().filter(|setting| setting.section == providers.value) {
        let is_active = last(&settings, listed.value, "activate").is_some_and(|setting| {
            ["1", "yes", "true", "on"].contains(&setting.value.to_ascii_lowercase().as_str())
        });
        let name = last(&settings, listed.value, "identity").map_or(listed.key, |setting| setting.value);
        if is_active {
            names.push(name.to_owned());
        }
    }
    let is_complete = names.is_empty() || names.iter().any(|name| name == "default" || name == "fips");
    Some((providers.line, names, !is_complete))
}

/// The lines `DIGESTS = …` of configured engines and providers that do not say NONE.
pub fn parse_digests(bytes: &[u8]) -> Vec<(usize, String, String)> {
    let text = String::from_utf8_lossy(bytes);
    let settings = settings(&text);
    let Some(main) = last(&settings, "default", "openssl_conf") else { return Vec::new() };
    let lists = ["engines", "providers"].into_iter().filter_map(|key| last(&settings, main.value, key));
    let sections = lists.flat_map(|list| settings.iter().filter(|setting| setting.section == list.value));
    let digests = sections.filter_map(|listed| last(&settings, listed.value, "DIGESTS"));
    digests
        .filter(|setting| !setting.value.eq_ignore_ascii_case("NONE") && !setting.value.is_empty())
        .map(|setting| (setting.line, setting.section.to_owned(), setting.value.to_owned()))
        .collect()
}

/// The generator and the seed source that a configuration names (config(5ssl), "Random
/// Configuration").
pub fn parse_random(bytes: &[u8]) -> Option<(Option<String>, Option<String>)> {
    let text = String::from_utf8_lossy(bytes);
    let settings = settings(&text);
    let main = last(&settings, "default", "openssl_conf")?.value;
    let section = last(&settings, main, "random")?.value;
    let named = |key| last(&settings, section, key).map(|setting| setting.value.to_string());
    let found = (named("random"), named("seed"));
    (found != (None, None)).then_some(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_seed_source_of_a_configuration_is_found() {
        let text = "openssl_conf = main\n[main]\nrandom = sources\n[sources]\n# seed = JITTER\nseed = OUTBOARD-HWRNG\n\
            random = HASH-DRBG\n[other]\nseed = NONE\n";
        let found = (Some("HASH-DRBG".to_string()), Some("OUTBOARD-HWRNG".to_string()));
        assert_eq!(parse_random(text.as_bytes()), Some(found));
        for without in ["", "[main]\nrandom = sources\n", "openssl_conf = main\n[main]\nrandom = sources\n"] {
            assert_eq!(parse_random(without.as_bytes()), None, "{without}");
        }
    }

    #[test]
    fn the_recipe_of_the_router_guides_is_found() {
        let text = "openssl_conf = openssl_def\n[openssl_def]\n# comment\nengines=engine_section\n\n[engine_section]\n\
            devcrypto=devcrypto_section\n#afalg=afalg_section\n[devcrypto_section]\nCIPHERS=ALL\n";
        assert_eq!(parse_engines(text.as_bytes()), Some((4, vec!["devcrypto".to_string()])));
    }

    #[test]
    fn a_section_that_nothing_leads_to_is_not_in_force() {
        for text in [
            "[openssl_def]\nengines=engine_section\n",
            "openssl_conf = init\n[init]\nproviders = p\n#engines = e\n",
            "",
        ] {
            assert_eq!(parse_engines(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_provider_that_is_activated_switches_the_default_one_off() {
        let text = |sections: &str| {
            format!(
                "openssl_conf = main\n[main]\nproviders = list\n[list]\noutboard = ob\ndefault = de\nfips = fi\n{sections}"
            )
        };
        for (sections, names, is_without_default) in [
            ("[ob]\nactivate = 1\n", vec!["outboard"], true),
            ("[ob]\nactivate = 1\n[de]\nactivate = yes\n", vec!["outboard", "default"], false),
            ("[ob]\nactivate = 1\n[fi]\nactivate = 1\n", vec!["outboard", "fips"], false),
            ("[ob]\nactivate = 0\n", vec![], false),
        ] {
            let found = parse_providers(text(sections).as_bytes()).unwrap();
            assert_eq!((found.0, found.2), (3, is_without_default), "{sections}");
            assert_eq!(found.1, names, "{sections}");
        }
        assert_eq!(parse_providers(b"[main]\nproviders = list\n"), None);
    }

    #[test]
    fn offloaded_digests_are_found_where_they_are_in_force() {
        let text = "openssl_conf = main\n[main]\nengines = list\n[list]\ndevcrypto = dc\n[dc]\nDIGESTS = ALL\n[other]\nDIGESTS = ALL\n";
        assert_eq!(parse_digests(text.as_bytes()), [(7, "dc".to_owned(), "ALL".to_owned())]);
        assert!(parse_digests(text.replace("ALL", "none").as_bytes()).is_empty());
    }

    proptest! {
        #[test]
        fn any_file_is_survived(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            parse_engines(&bytes);
            parse_providers(&bytes);
            parse_digests(&bytes);
        }
    }
}
