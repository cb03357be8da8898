//! Engines, providers and random sources in an openssl.cnf (config(5ssl)): the section that
//! `openssl_conf` names may have lines `engines = SECTION`, `providers = SECTION` and `random =
//! SECTION`. The first two sections list engines and providers, the third one names a generator and
//! its seed source.

use std::io;
use std::path::{Path, PathBuf};

use outboard_documents::secrets;
use outboard_documents::status::{DigestsLine, Engines, ProviderSection, RandomSources};
use outboard_drivers::root::Root;
use outboard_openssl_conf::conf::{Conf, DEFAULT_SECTION, Environment, Files, Section, System};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configuration {
    pub engines: Option<Engines>,
    pub providers: Option<ProviderSection>,
    pub digests: Vec<DigestsLine>,
    pub random: Option<RandomSources>,
}

impl Configuration {
    pub fn of(conf: &Conf, file: &Path) -> Self {
        let Some(main) = conf.section(DEFAULT_SECTION).and_then(|first| first.get("openssl_conf")) else {
            return Configuration::default();
        };
        let line_of = |section: &str, key: &str| {
            let origin = conf.section(section)?.origin(key)?;
            let named = if origin.file.as_os_str().is_empty() { file } else { &*origin.file };
            Some((secrets::path(&named.to_string_lossy()), origin.line))
        };
        let value = |section: &str, key: &str| conf.section(section)?.get(key);
        // Pairs of name and section, of `KEY = SECTION`.
        let listed = |key: &str| -> Vec<(&str, &str)> {
            value(main, key).and_then(|list| conf.section(list)).map(Section::entries).unwrap_or_default()
        };
        let engines = listed("engines");
        let engines = line_of(main, "engines").filter(|_| !engines.is_empty()).map(|(file, line)| Engines {
            file,
            line,
            names: engines.iter().map(|(name, _)| secrets::name(name)).collect(),
        });
        let providers = line_of(main, "providers").map(|(file, line)| {
            let is_active = |section: &str| {
                value(section, "activate").is_some_and(|text| {
                    ["1", "yes", "true", "on"].contains(&text.to_ascii_lowercase().as_str())
                })
            };
            let listed = listed("providers").into_iter().filter(|(_, section)| is_active(section));
            let names: Vec<String> =
                listed.map(|(name, section)| value(section, "identity").unwrap_or(name).to_owned()).collect();
            let is_complete =
                names.is_empty() || names.iter().any(|name| name == "default" || name == "fips");
            let names = names.iter().map(|name| secrets::name(name)).collect();
            ProviderSection { file, line, names, is_without_default: !is_complete }
        });
        let sections = ["engines", "providers"].into_iter().flat_map(listed);
        let digests = sections.filter_map(|(_, section)| {
            let text = value(section, "DIGESTS")
                .filter(|text| !text.is_empty() && !text.eq_ignore_ascii_case("NONE"))?;
            let (file, line) = line_of(section, "DIGESTS")?;
            Some(DigestsLine { file, line, section: secrets::name(section), value: secrets::digests(text) })
        });
        let random = value(main, "random").and_then(|section| {
            let named = |key| value(section, key).map(secrets::name);
            let found = RandomSources {
                file: secrets::path(&file.to_string_lossy()),
                generator: named("random"),
                seed: named("seed"),
            };
            (found.generator.is_some() || found.seed.is_some()).then_some(found)
        });
        Configuration { engines, providers, digests: digests.collect(), random }
    }
}

/// What a bundle keeps of the environment: the file that OPENSSL_CONF names.
const NAMED_FILE: &str = "openssl-conf";

/// Reads the file that OpenSSL reads ($OPENSSL_CONF, or openssl.cnf in its directory, or in
/// /etc/ssl), and those that it includes.
pub(super) fn read(root: &Root, config_dir: Option<&str>) -> Configuration {
    let variable = |name: &str| root.is_live().then(|| std::env::var(name).ok()).flatten();
    load(root, config_dir, &variable)
        .map_or_else(Configuration::default, |(conf, file)| Configuration::of(&conf, &file))
}

pub(super) fn load(root: &Root, config_dir: Option<&str>, variable: &Environment) -> Option<(Conf, PathBuf)> {
    let files: Vec<PathBuf> = match root.answer(NAMED_FILE, || variable("OPENSSL_CONF")) {
        Some(file) => vec![file.into()],
        None => config_dir
            .into_iter()
            .chain(["/etc/ssl", "/etc/pki/tls"])
            .map(|directory| Path::new(directory).join("openssl.cnf"))
            .collect(),
    };
    files.into_iter().find_map(|file| Some((Conf::load_from(&Tree(root), &file, variable).ok()?, file)))
}

struct Tree<'a>(&'a Root);

impl Tree<'_> {
    /// The path below the root; `None` for one that is relative to the working directory.
    fn below(&self, path: &Path) -> Option<String> {
        let is_elsewhere = self.0.is_live() && path.is_relative();
        (!is_elsewhere).then(|| path.to_string_lossy().trim_start_matches('/').to_owned())
    }
}

impl Files for Tree<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.below(path).map_or_else(|| System.read(path), |relative| self.0.read(&relative))
    }

    fn list(&self, path: &Path) -> io::Result<Option<Vec<PathBuf>>> {
        let Some(relative) = self.below(path) else { return System.list(path) };
        let names: Vec<PathBuf> =
            self.0.list(&relative).into_iter().map(|entry| path.join(entry.name)).collect();
        Ok((!names.is_empty()).then_some(names))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn found(text: &str) -> Configuration {
        Configuration::of(&Conf::parse(text.as_bytes()), Path::new("openssl.cnf"))
    }

    fn engines(line: usize, names: &[&str]) -> Option<Engines> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Some(Engines { file: "openssl.cnf".into(), line, names })
    }

    #[test]
    fn the_seed_source_of_a_configuration_is_found() {
        let text = "openssl_conf = main\n[main]\nrandom = sources\n[sources]\n# seed = JITTER\nseed = OUTBOARD-HWRNG\n\
            random = HASH-DRBG\n[other]\nseed = NONE\n";
        let random = found(text).random.unwrap();
        assert_eq!((random.file.as_str(), random.generator.as_deref()), ("openssl.cnf", Some("HASH-DRBG")));
        assert_eq!(random.seed.as_deref(), Some("OUTBOARD-HWRNG"));
        for without in ["", "[main]\nrandom = sources\n", "openssl_conf = main\n[main]\nrandom = sources\n"] {
            assert_eq!(found(without), Configuration::default(), "{without}");
        }
    }

    #[test]
    fn the_recipe_of_the_router_guides_is_found() {
        let text = "openssl_conf = openssl_def\n[openssl_def]\n# comment\nengines=engine_section\n\n[engine_section]\n\
            devcrypto=devcrypto_section\n#afalg=afalg_section\n[devcrypto_section]\nCIPHERS=ALL\n";
        assert_eq!(found(text).engines, engines(4, &["devcrypto"]));
    }

    #[test]
    fn a_section_that_nothing_leads_to_or_that_is_empty_is_not_in_force() {
        for text in [
            "[openssl_def]\nengines=engine_section\n",
            "openssl_conf = init\n[init]\nproviders = p\n#engines = e\n",
            "openssl_conf = init\n[init]\nengines = e\n[e]\n[f]\ndevcrypto = g\n",
            "",
        ] {
            assert_eq!(found(text).engines, None, "{text}");
        }
    }

    #[test]
    fn included_files_count_of_a_saved_tree_too() {
        let tree = tempfile::tempdir().unwrap();
        for (path, text) in [
            (
                "etc/ssl/openssl.cnf",
                "openssl_conf = init\n[init]\nproviders = p\nengines = e\n[p]\ndefault = d\n\
                .include /var/etc/ssl/providers.cnf\n[d]\nactivate = 1\n[e]\n.include /var/etc/ssl/engines.cnf\n\
                .include /etc/ssl/modules.cnf.d\n",
            ),
            ("var/etc/ssl/providers.cnf", "outboard=outboard_sect\n"),
            ("var/etc/ssl/engines.cnf", "# none\ndevcrypto=devcrypto_sect\n"),
            ("etc/ssl/modules.cnf.d/outboard.cnf", "[outboard_sect]\nactivate = 1\n"),
            ("etc/ssl/modules.cnf.d/devcrypto.cnf", "[devcrypto_sect]\n\nDIGESTS = ALL\n"),
            ("etc/ssl/modules.cnf.d/README", "[outboard_sect]\nactivate = 0\n"),
        ] {
            let path = tree.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = read(&Root::saved(tree.path()).unwrap(), None);
        assert_eq!(found.engines.unwrap().names, ["devcrypto"]);
        let providers = found.providers.unwrap();
        assert_eq!((providers.names, providers.line), (vec!["default".to_owned(), "outboard".to_owned()], 3));
        let file = "/etc/ssl/modules.cnf.d/devcrypto.cnf".to_owned();
        let line = DigestsLine { file, line: 3, section: "devcrypto_sect".into(), value: "ALL".into() };
        assert_eq!(found.digests, [line]);
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
            let providers = found(&text(sections)).providers.unwrap();
            assert_eq!((providers.line, providers.is_without_default), (3, is_without_default), "{sections}");
            assert_eq!(providers.names, names, "{sections}");
        }
        assert_eq!(found("[main]\nproviders = list\n").providers, None);
    }

    #[test]
    fn offloaded_digests_are_found_where_they_are_in_force() {
        let text = "openssl_conf = main\n[main]\nengines = list\n[list]\ndevcrypto = dc\n[dc]\nDIGESTS = ALL\n[other]\nDIGESTS = ALL\n";
        let digests = found(text).digests;
        assert_eq!(digests.len(), 1);
        assert_eq!(
            (digests[0].line, digests[0].section.as_str(), digests[0].value.as_str()),
            (7, "dc", "ALL")
        );
        assert!(found(&text.replace("ALL", "none")).digests.is_empty());
    }
}
