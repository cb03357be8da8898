//! The parts of an existing configuration that matter for adding outboard.

use std::path::Path;

use super::NAME;
use super::properties::Properties;
use crate::conf::{Conf, DEFAULT_SECTION};

pub(super) struct Existing {
    /// The init sections: that of `openssl_conf` first, then those of programs that use another
    /// key.
    pub(super) inits: Vec<Init>,
    /// Whether `openssl_conf` is set. If not, the first init section is outboard's own, which no
    /// key names yet.
    pub(super) starts: bool,
    pub(super) outboard_sections: Vec<String>,
    active: Vec<String>,
}

/// An init section, which lists the modules of libcrypto to configure.
#[derive(Default)]
pub(super) struct Init {
    pub(super) section: String,
    pub(super) properties: Properties,
    /// The keys of the default section that name this section.
    names: Vec<String>,
}

impl Existing {
    pub(super) fn look(conf: &Conf) -> Self {
        let mut found =
            Self { inits: Vec::new(), starts: false, outboard_sections: Vec::new(), active: Vec::new() };
        let keys = conf.section(DEFAULT_SECTION).map(|s| s.entries()).unwrap_or_default();
        let (main, others): (Vec<_>, Vec<_>) = keys
            .into_iter()
            .filter(|(key, value)| {
                *key == "openssl_conf" || (key.ends_with("_conf") && conf.section(value).is_some())
            })
            .partition(|(key, _)| *key == "openssl_conf");
        found.starts = !main.is_empty();
        if !found.starts {
            found.inits.push(Init { section: super::INIT.to_owned(), ..Init::default() });
        }
        for (key, section) in main.into_iter().chain(others) {
            found.init(conf, key, section);
        }
        found
    }

    fn init(&mut self, conf: &Conf, key: &str, section: &str) {
        if let Some(known) = self.inits.iter_mut().find(|i| i.section == section) {
            known.names.push(key.to_owned());
            return;
        }
        let mut properties = Properties::default();
        for (module, value) in conf.section(section).map(|s| s.entries()).unwrap_or_default() {
            match module.rsplit_once('.').map_or(module, |(name, _)| name) {
                "providers" => self.providers(conf, value),
                "alg_section" => read_properties(conf, value, &mut properties),
                _ => {}
            }
        }
        self.inits.push(Init { section: section.to_owned(), properties, names: vec![key.to_owned()] });
    }

    fn providers(&mut self, conf: &Conf, list: &str) {
        for (entry, section) in conf.section(list).map(|s| s.entries()).unwrap_or_default() {
            let settings = conf.section(section).map(|s| s.entries()).unwrap_or_default();
            // The part up to the first dot only makes keys unique.
            let bare = |key: &'_ str| key.split_once('.').map_or(key, |(_, rest)| rest).to_owned();
            let get = |wanted: &str| settings.iter().rev().find(|(k, _)| bare(k) == wanted).map(|(_, v)| *v);
            let name = get("identity").map_or_else(|| bare(entry), str::to_owned);
            if name == NAME && !self.outboard_sections.iter().any(|s| s == section) {
                self.outboard_sections.push(section.to_owned());
            }
            // OpenSSL 3.0 treats any value as yes. Since 3.4 these values mean no.
            let off = ["0", "no", "NO", "false", "FALSE", "off", "OFF"];
            if get("activate").is_some_and(|v| !off.contains(&v)) {
                self.active.push(name);
            }
        }
    }

    pub(super) fn fips(&self) -> bool {
        self.inits.iter().any(|i| i.properties.fips())
    }

    pub(super) fn is_active(&self, name: &str) -> bool {
        self.active.iter().any(|active| active == name)
    }

    /// Reasons why OpenSSL would not use outboard with this configuration.
    pub(super) fn prevented(&self, conf: &Conf, path: Option<&Path>) -> Vec<String> {
        let file = path.unwrap_or(Path::new("openssl.cnf")).display();
        let mut reasons: Vec<String> = Vec::new();
        if let Some(why) = &conf.refused {
            reasons.push(format!(
                "OpenSSL refuses the whole configuration, outboard with it: {why}. Correct that line first"
            ));
        }
        for Init { section, properties, .. } in &self.inits {
            if properties.fips() {
                reasons.push(format!(
                    "{file}: [{section}] asks for fips=yes, so outboard will not be used: it is not validated and never claims to be"
                ));
            }
            if let Some(rival) = properties.rival() {
                reasons.push(format!(
                    "{file}: [{section}] asks for {rival} in default_properties, so outboard will not be preferred: \
                     remove that entry to use it"
                ));
            }
        }
        reasons
    }

    pub(super) fn notes(&self, conf: &Conf, path: Option<&Path>) -> Vec<String> {
        let file = path.unwrap_or(Path::new("openssl.cnf")).display();
        let mut notes: Vec<String> = conf.warnings.iter().map(ToString::to_string).collect();
        let missing = self.inits.iter().filter(|init| conf.section(&init.section).is_none());
        let named = missing.filter(|init| !init.names.is_empty());
        notes.extend(named.map(|Init { names, .. }| {
            format!("{file}: the section that {} names does not exist", names.join(", "))
        }));
        if !self.fips() && !self.active.is_empty() && !self.is_active("default") {
            notes.push(format!(
                "{file} activates {} and not the default provider, which outboard needs: it is activated here",
                self.active.join(", ")
            ));
        }
        notes
    }
}

/// Evaluates alg_section as evp_cnf.c does: the last value applies, and fips_mode adds to the
/// existing properties.
fn read_properties(conf: &Conf, section: &str, properties: &mut Properties) {
    for (key, value) in conf.section(section).map(|s| s.entries()).unwrap_or_default() {
        match key {
            "default_properties" => *properties = Properties::parse(value),
            "fips_mode" => {
                let yes = ["yes", "y", "true", "1"].contains(&value.to_ascii_lowercase().as_str());
                properties.set(if yes { "fips=yes" } else { "-fips" });
            }
            _ => {}
        }
    }
}
