//! Engines in an openssl.cnf (config(5ssl)): the section that `openssl_conf` names may have a line
//! `engines = SECTION`, and that section lists the engines.

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

/// Parses the file that OpenSSL reads: $OPENSSL_CONF, or openssl.cnf in its directory, or in
/// /etc/ssl.
pub(super) fn read(root: &Root, config_dir: Option<&str>) -> Option<Engines> {
    let own = root.is_live().then(|| std::env::var("OPENSSL_CONF").ok()).flatten();
    let files: Vec<String> = match own {
        Some(file) => vec![file],
        None => config_dir
            .into_iter()
            .chain(["/etc/ssl", "/etc/pki/tls"])
            .map(|d| format!("{d}/openssl.cnf"))
            .collect(),
    };
    let (file, bytes) = files.into_iter().find_map(|file| {
        let bytes = if root.is_live() && Path::new(&file).is_relative() {
            std::fs::read(&file).ok()?
        } else {
            root.read(file.trim_start_matches('/')).ok()?
        };
        Some((file, bytes))
    })?;
    let (line, names) = parse_engines(&bytes)?;
    Some(Engines { file, line, names })
}

/// The line of `engines = SECTION` and the engines in that section; `None` if no such line is in
/// force.
pub fn parse_engines(bytes: &[u8]) -> Option<(usize, Vec<String>)> {
    let text = String::from_utf8_lossy(bytes);
    let mut section = "default";
    let mut settings: Vec<(usize, &str, &str, &str)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = name.trim();
        } else if let Some((key, value)) = line.split_once('=') {
            settings.push((index + 1, section, key.trim(), value.trim()));
        }
    }
    let main = settings.iter().rev().find(|(_, s, key, _)| *s == "default" && *key == "openssl_conf")?.3;
    let (line, _, _, engines) =
        settings.iter().rev().find(|(_, s, key, _)| *s == main && *key == "engines")?;
    let names = settings
        .iter()
        .filter(|(_, s, _, _)| s == engines)
        .map(|(_, _, key, _)| (*key).to_string())
        .collect();
    Some((*line, names))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    proptest! {
        #[test]
        fn any_file_is_survived(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            parse_engines(&bytes);
        }
    }
}
