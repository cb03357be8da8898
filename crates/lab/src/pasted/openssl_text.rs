//! OpenSSL's configuration, and the output of `openssl list -providers`. Both become what a bundle
//! has of them, so that they are judged as those of a machine.

use std::collections::BTreeMap;

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

const CONFIGURATION: &str = "etc/ssl/openssl.cnf";

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    configuration(lines, pasted);
    providers(lines, pasted);
}

/// The lines of an openssl.cnf that names engines or providers; a guide shows only a part of it.
fn configuration(lines: &[Line], pasted: &mut Pasted) {
    let is_start =
        |line: &Line| section_of(line.text).is_some() || value_of(line.text, "openssl_conf").is_some();
    let Some(start) = lines.iter().position(is_start) else { return };
    let names_any =
        |line: &&Line| ["engines", "providers"].iter().any(|key| value_of(line.text, key).is_some());
    let Some(last) = lines[start..].iter().rposition(|line| is_part(line.text) && !line.text.is_empty())
    else {
        return;
    };
    let part = &lines[start..=start + last];
    let Some(named) = part.iter().find(names_any) else { return };
    let mut text = String::new();
    let mut sections: BTreeMap<&str, usize> = BTreeMap::new();
    let mut section = "";
    let mut main = "";
    for line in part.iter().filter(|line| is_part(line.text)) {
        if let Some(name) = section_of(line.text) {
            section = name;
            sections.insert(name, line.number);
        }
        if line.number == named.number {
            main = section;
        }
        keys(*line, section, pasted);
    }
    let is_led_to = part.iter().any(|line| value_of(line.text, "openssl_conf").is_some());
    // The numbers of lines stay those of the text.
    let first = if is_led_to { String::new() } else { format!("openssl_conf = {main}") };
    text.push_str(&first);
    text.push('\n');
    for line in lines.iter().take(start + 1 + last).skip(usize::from(!is_led_to || start > 0)) {
        let is_inside = line.number >= part[0].number && is_part(line.text);
        text.push_str(if is_inside { line.text } else { "" });
        text.push('\n');
    }
    if !is_led_to && !main.is_empty() {
        pasted.remark(
            *named,
            format!(
                "the lines that are shown do not contain openssl_conf = {main}, which has to stand before the first section: \
                 without it OpenSSL ignores them"
            ),
        );
    }
    pasted.recognise("an openssl.cnf", sections.len(), "section");
    pasted.file(CONFIGURATION, text);
}

/// Keys of the engines devcrypto and afalg.
fn keys(line: Line, section: &str, pasted: &mut Pasted) {
    if value_of(line.text, "engines").is_some() {
        pasted.remark(
            line,
            "openssl.cnf loads engines: OpenSSL 1.1 and 3 do so, OpenSSL 4 has none and ignores the section; outboard's \
             provider takes the place of devcrypto and afalg: outboard enable",
        );
    }
    if value_of(line.text, "default_algorithms").is_some_and(|value| value.eq_ignore_ascii_case("all"))
        && section.contains("afalg")
    {
        pasted.remark(
            line,
            "the engine afalg has AES-CBC only, whatever default_algorithms is: TLS 1.3 and GCM stay in software",
        );
    }
    if value_of(line.text, "USE_SOFTDRIVERS").is_some_and(|value| value.starts_with(['1', '2'])) {
        pasted.remark(
            line,
            "USE_SOFTDRIVERS lets the engine use software of the kernel, which is slower than OpenSSL's own code",
        );
    }
    let text = line.text.trim_start_matches('#').trim();
    let is_switch = line.text.starts_with('#')
        && ["devcrypto", "afalg"]
            .iter()
            .any(|name| value_of(text, name).is_some_and(|value| !value.contains(' ')));
    if is_switch {
        pasted.remark(line, "this line is a comment: the engine is not used");
    }
}

fn section_of(text: &str) -> Option<&str> {
    let (name, rest) = text.strip_prefix('[')?.split_once(']')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b));
    let is_end = rest.trim().is_empty() || rest.trim_start().starts_with('#');
    (is_name && is_end).then_some(name)
}

fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.strip_prefix(key)?.trim_start().strip_prefix('=').map(str::trim)
}

/// Whether a line may be one of openssl.cnf: a section, a key with a value, a comment, or empty.
fn is_part(text: &str) -> bool {
    let is_key = text.split_once('=').is_some_and(|(key, _)| {
        let key = key.trim();
        !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:-".contains(&b))
    });
    text.is_empty() || text.starts_with('#') || section_of(text).is_some() || is_key
}

/// `Providers:`, then for each its name and three lines of properties.
fn providers(lines: &[Line], pasted: &mut Pasted) {
    let Some(start) = lines.iter().position(|line| line.text == "Providers:") else { return };
    let mut text = String::from("Providers:\n");
    let mut names = Vec::new();
    for line in &lines[start + 1..] {
        let is_name = line.text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b));
        if is_name && !line.text.is_empty() {
            names.push((*line, line.text));
            text.push_str(&format!("  {}\n", line.text));
        } else if ["name: ", "version: ", "status: "].iter().any(|key| line.text.starts_with(key)) {
            text.push_str(&format!("    {}\n", line.text));
            let is_of_openssl =
                names.last().is_some_and(|(_, name)| ["default", "base", "fips"].contains(name));
            if let Some(version) = line.text.strip_prefix("version: ").filter(|_| is_of_openssl) {
                pasted.file("outboard/openssl-version", format!("OpenSSL {version}\n"));
            }
        } else {
            break;
        }
    }
    if names.is_empty() {
        return;
    }
    pasted.recognise("openssl list -providers", names.len(), "provider");
    pasted.file("outboard/openssl-providers", text);
    match names.iter().find(|(_, name)| *name == "outboard") {
        Some(&(line, _)) => pasted.remark(
            line,
            "outboard's provider is active; whether hardware was used outboard prove shows, this list does not",
        ),
        None => pasted.remark(
            lines[start],
            "no provider of an accelerator is active in this process; engines do not appear in this list",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::recognise;
    use super::super::tests::remarks;

    fn file<'a>(pasted: &'a super::Pasted, path: &str) -> &'a str {
        &pasted.files.iter().find(|(name, _)| name == path).unwrap().1
    }

    #[test]
    fn a_part_of_a_configuration_is_read_with_the_line_numbers_of_the_text() {
        let text = "Edit it as follow:\n\n[default_conf]\nengines = engines_sect\n\n[engines_sect]\nafalg = afalg_engine\n\n\
                    [afalg_engine]\ndefault_algorithms = ALL\n\nthen restart\n";
        let pasted = recognise(text);
        assert_eq!(pasted.text.recognised, ["an openssl.cnf, 3 sections"]);
        let conf = file(&pasted, "etc/ssl/openssl.cnf");
        assert_eq!(conf.lines().next(), Some("openssl_conf = default_conf"));
        assert_eq!(conf.lines().nth(3), Some("engines = engines_sect"));
        assert!(!conf.contains("restart") && !conf.contains("Edit"), "{conf}");
        let all = remarks(text);
        assert!(all.contains("OpenSSL 4 has none") && all.contains("AES-CBC only"), "{all}");
        assert!(all.contains("do not contain openssl_conf = default_conf"), "{all}");
    }

    #[test]
    fn keys_and_comments_of_devcrypto_are_judged() {
        let text = "openssl_conf = openssl_def\n[openssl_def]\nengines=engine_section\n[engine_section]\n\
                    #devcrypto=devcrypto_section\n[devcrypto_section]\nCIPHERS=ALL\nUSE_SOFTDRIVERS=1\n";
        let all = remarks(text);
        assert!(all.contains("a comment") && all.contains("USE_SOFTDRIVERS"), "{all}");
        assert!(!all.contains("do not contain"), "{all}");
    }

    #[test]
    fn providers_become_the_answer_of_openssl() {
        let text = "Providers:\n  default\n    name: OpenSSL Default Provider\n    version: 3.0.15\n    status: active\n  \
                    outboard\n    name: outboard\n    version: 0.1.0\n    status: active\n";
        let pasted = recognise(text);
        assert_eq!(pasted.text.recognised, ["openssl list -providers, 2 providers"]);
        assert_eq!(file(&pasted, "outboard/openssl-providers"), text);
        assert_eq!(file(&pasted, "outboard/openssl-version"), "OpenSSL 3.0.15\n");
        assert!(remarks(text).contains("outboard's provider is active"));
        assert!(recognise("Providers:\nthe best of them are here\n").text.recognised.is_empty());
    }
}
