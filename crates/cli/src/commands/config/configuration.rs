//! What an openssl.cnf sets for outboard, with the policy file that it selects.

use std::path::{Path, PathBuf};

use outboard_catalog::CIPHER_NAMES;
use outboard_counters::Decision;
use outboard_documents::config::{Configuration, Line, Overridden, Served, Setting, Threshold};
use outboard_documents::status;
use outboard_inventory::policy::in_force;
use outboard_measure::evp::Library;
use outboard_openssl_conf::compose::{InForce, Setting as SetLine};
use outboard_openssl_conf::conf::{Conf, Environment, Origin};
use outboard_openssl_conf::installation::{Configuration as Present, OpenSsl};
use outboard_openssl_conf::provider_file;
use outboard_policy::{Policy, Tuned};

use crate::commands::ciphers;

/// Keys that the provider reads besides those of the policy, docs/provider.md.
const OTHER_KEYS: [&str; 2] = ["LOG_LEVEL", "COUNTERS"];
const LOG_LEVELS: [&str; 5] = ["off", "error", "warn", "info", "debug"];

pub fn of_shell() -> Configuration {
    let named_by = if std::env::var_os("OPENSSL_CONF").is_some() { "OPENSSL_CONF" } else { "OPENSSLDIR" };
    let env = |name: &str| std::env::var(name).ok();
    match OpenSsl::find().configuration() {
        Present::File(path) => of_file(&path, named_by, &env),
        Present::None => none(None, named_by, Vec::new()),
        Present::Unusable(path, cause) => {
            let problem = format!("{}: {cause}: OpenSSL continues without a configuration", path.display());
            none(Some(path), named_by, vec![problem])
        }
    }
}

fn none(file: Option<PathBuf>, named_by: &str, problems: Vec<String>) -> Configuration {
    Configuration {
        file,
        named_by: named_by.to_owned(),
        files: Vec::new(),
        activated: false,
        preferred: false,
        settings: Vec::new(),
        thresholds: Vec::new(),
        policy_file: None,
        problems,
    }
}

pub fn of_file(path: &Path, named_by: &str, env: &Environment) -> Configuration {
    let conf = match Conf::load(path, env) {
        Ok(conf) => conf,
        Err(why) => return none(Some(path.to_owned()), named_by, vec![why.to_string()]),
    };
    let InForce { is_activated, is_preferred, settings, mut problems } = InForce::of(&conf, path);
    let mut policy = Policy::default();
    let settings: Vec<Setting> = settings.into_iter().map(|one| setting(one, &mut policy)).collect();
    for bad in settings.iter().filter(|setting| setting.problem.is_some()) {
        let Setting { key, value, line, problem, .. } = bad;
        let why = problem.as_deref().unwrap_or_default();
        problems.push(format!("{}:{}: {key} = {value}: {why}", line.file.display(), line.line));
    }
    let (mut policy_file, mut thresholds) = (None, Vec::new());
    if is_activated {
        let path = policy.file.path();
        let (tuned, about) = path.map_or((None, None), |path| read_policy(path, &mut problems));
        let explicit = settings.iter().rev().find(|s| s.key == "THRESHOLDS" && s.problem.is_none());
        thresholds = thresholds_in_force(&policy, explicit, path.zip(tuned.as_ref()));
        policy_file = about;
    }
    Configuration {
        file: Some(path.to_owned()),
        named_by: named_by.to_owned(),
        files: conf.files,
        activated: is_activated,
        preferred: is_preferred,
        settings,
        thresholds,
        policy_file,
        problems,
    }
}

pub struct Asking {
    library: Library,
    module: PathBuf,
}

impl Asking {
    pub fn new() -> Result<Asking, String> {
        let module = provider_file::find(None, &OpenSsl::find());
        let module =
            module.map_err(|_| "the provider is not found, outboard ciphers names the places".to_owned())?;
        Ok(Asking { library: Library::open().map_err(|why| why.to_string())?, module })
    }
}

/// Adds what the provider decides with this configuration: which driver serves a cipher, and from which
/// size on. What it does not serve has no threshold.
pub fn with_decisions(mut found: Configuration, asking: &Result<Asking, String>) -> Configuration {
    if !found.activated {
        return found;
    }
    let decided = asking.as_ref().map_err(Clone::clone).and_then(|Asking { library, module }| {
        let decided = ciphers::decide(library, found.file.as_deref(), module, Vec::new());
        decided.map(|decided| decided.decisions).map_err(|why| format!("{why:#}"))
    });
    match decided {
        Ok(decisions) => found.thresholds.iter_mut().for_each(|one| serve(one, &decisions)),
        Err(why) => found.problems.push(format!("which driver serves the ciphers is not known: {why}")),
    }
    found
}

fn serve(threshold: &mut Threshold, decisions: &[(String, Decision)]) {
    let Some((_, decision)) = decisions.iter().find(|(name, _)| *name == threshold.cipher) else { return };
    let from = match decision {
        Decision::Offered { from, .. } => from.map(|from| from.map(|bytes| bytes as usize)),
        Decision::Left { .. } => [None; 2],
    };
    if from == [None; 2] && from != [threshold.encrypt, threshold.decrypt] {
        // The line set what does not happen.
        threshold.line = None;
    }
    [threshold.encrypt, threshold.decrypt] = from;
    threshold.served = Some(match decision {
        Decision::Offered { driver, key_stream, .. } => Served {
            driver: Some(driver.clone()),
            key_stream: key_stream.as_ref().map(|source| source.driver.clone()),
            key_stream_from: key_stream.as_ref().map(|source| source.from),
            reason: None,
        },
        Decision::Left { why, .. } => {
            Served { driver: None, key_stream: None, key_stream_from: None, reason: Some(why.clone()) }
        }
    });
}

fn setting(from: SetLine, policy: &mut Policy) -> Setting {
    let SetLine { section, key, value, origin, overridden, is_openssl_key } = from;
    let problem = if is_openssl_key { None } else { problem(&key, &value, policy) };
    let overridden =
        overridden.into_iter().map(|(origin, value)| Overridden { value, line: line(&origin) }).collect();
    Setting { section, key, value, line: line(&origin), overridden, problem }
}

fn line(origin: &Origin) -> Line {
    Line { file: origin.file.to_path_buf(), line: origin.line }
}

fn problem(key: &str, value: &str, policy: &mut Policy) -> Option<String> {
    let known = || Policy::KEYS.iter().chain(&OTHER_KEYS);
    match key {
        "LOG_LEVEL" if LOG_LEVELS.iter().any(|level| level.eq_ignore_ascii_case(value.trim())) => None,
        "LOG_LEVEL" => Some(format!("it is none of {}: the provider is not loaded", LOG_LEVELS.join(", "))),
        "COUNTERS" => None,
        key if Policy::KEYS.contains(&key) => match policy.set(key, value) {
            Ok(skipped) => skipped.first().map(|why| format!("skipped: {why}")),
            Err(why) => Some(format!("{why}: the provider is not loaded")),
        },
        key => Some(match known().find(|one| one.eq_ignore_ascii_case(key)) {
            Some(meant) => format!("unknown key, ignored: keys are case-sensitive, write {meant}"),
            None => "unknown key, ignored: docs/provider.md lists the keys".to_owned(),
        }),
    }
}

fn read_policy(path: &Path, problems: &mut Vec<String>) -> (Option<Tuned>, Option<status::Policy>) {
    let name = path.display().to_string();
    let Some(read) = Tuned::read(path).transpose() else {
        let problem = Some("there is no such file: outboard tune writes it".to_owned());
        return (None, Some(status::Policy { path: name, made: None, goal: None, in_force: false, problem }));
    };
    let (about, applied) = in_force(&name, read, Path::new("/"));
    if let Some(why) = &about.problem {
        problems.push(format!("{name}: not applied: {why}"));
    }
    (applied, Some(about))
}

/// In the order of the provider: THRESHOLDS, the policy file.
fn thresholds_in_force(
    policy: &Policy,
    explicit: Option<&Setting>,
    tuned: Option<(&Path, &Tuned)>,
) -> Vec<Threshold> {
    let offered = CIPHER_NAMES.iter().filter(|name| policy.ciphers.has(name));
    let threshold = |name: &&str| {
        let [encrypt, decrypt] = policy.from(tuned.and_then(|(_, tuned)| tuned.of(name)), name);
        let line = match (policy.thresholds.explicit(name), tuned) {
            (Some(_), _) => explicit.map(|setting| setting.line.clone()),
            (None, Some((file, tuned))) => {
                tuned.line_of(name).map(|line| Line { file: file.to_owned(), line })
            }
            (None, None) => None,
        };
        Threshold { cipher: (*name).to_owned(), encrypt, decrypt, line, served: None }
    };
    offered.map(threshold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "openssl_conf = i\n[i]\nproviders = p\nalg_section = a\n[a]\n\
        default_properties = ?provider=outboard\n[p]\noutboard = o\ndefault = d\n[d]\nactivate = 1\n";

    fn of(section: &str) -> Configuration {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("openssl.cnf");
        std::fs::write(&file, format!("{START}[o]\nactivate = 1\nPOLICY = NONE\n{section}")).unwrap();
        of_file(&file, "OPENSSL_CONF", &|_| None)
    }

    #[test]
    fn thresholds_name_the_line_that_sets_them() {
        let found = of("THRESHOLDS = AES-128-CBC:77\n");
        assert!(found.activated && found.preferred && found.problems.is_empty(), "{:?}", found.problems);
        let one = |name: &str| found.thresholds.iter().find(|t| t.cipher == name).unwrap();
        assert_eq!(one("AES-128-CBC").encrypt, Some(77));
        assert_eq!(one("AES-128-CBC").line.as_ref().map(|line| line.line), Some(15));
        assert_eq!(one("AES-256-CBC").encrypt, None);
        assert!(one("AES-256-CBC").line.is_none() && found.policy_file.is_none());
        let few = of("CIPHERS = AES-128-CBC\n");
        assert_eq!(few.thresholds.len(), 1);
    }

    #[test]
    fn a_cipher_has_the_thresholds_of_the_provider_and_none_where_no_driver_serves_it() {
        use outboard_counters::{KeyStreamSource, SoftwareReason};
        let mut found = of("LOG_LEVEL = off\n");
        let offered = |from, ahead: Option<u32>| Decision::Offered {
            driver: "a".to_owned(),
            interface: "/dev/outboard".to_owned(),
            from: [from; 2],
            key_stream: ahead.map(|from| KeyStreamSource { driver: "e".to_owned(), from, to: None }),
        };
        let why = || "no driver".to_owned();
        let decisions = [
            ("AES-128-CBC", offered(Some(8192), None)),
            ("AES-128-GCM", offered(None, Some(512))),
            ("AES-128-CCM", Decision::Left { reason: SoftwareReason::NoDriver, why: why() }),
        ]
        .map(|(name, decision)| (name.to_owned(), decision));
        found.thresholds.iter_mut().for_each(|one| serve(one, &decisions));
        let one = |name: &str| {
            let one = found.thresholds.iter().find(|t| t.cipher == name).unwrap();
            let served = one.served.clone().unwrap();
            (one.encrypt, served.driver, served.key_stream_from, served.reason)
        };
        assert_eq!(one("AES-128-CBC"), (Some(8192), Some("a".to_owned()), None, None));
        assert_eq!(one("AES-128-GCM"), (None, Some("a".to_owned()), Some(512), None));
        assert_eq!(one("AES-128-CCM"), (None, None, None, Some(why())));
    }

    #[test]
    fn unknown_and_invalid_keys_are_named_with_their_line() {
        let found =
            of("ciphers = ALL\nWHAT = 1\nUSE_SOFTDRIVERS = 9\nLOG_LEVEL = loud\nCIPHERS = AES-128-CBC,RC9\n");
        for expected in [
            "15: ciphers = ALL: unknown key, ignored: keys are case-sensitive, write CIPHERS",
            "16: WHAT = 1: unknown key",
            "17: USE_SOFTDRIVERS = 9: ",
            "18: LOG_LEVEL = loud: it is none of",
            "19: CIPHERS = AES-128-CBC,RC9: skipped: ",
        ] {
            assert!(found.problems.iter().any(|p| p.contains(expected)), "{expected}: {:?}", found.problems);
        }
    }

    #[test]
    fn a_policy_file_that_others_may_write_is_not_applied() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("policy");
        std::fs::write(&file, "outboard-policy 2\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
        let mut problems = Vec::new();
        let (applied, about) = read_policy(&file, &mut problems);
        assert!(applied.is_none() && !about.unwrap().in_force && problems[0].contains("not applied"));
        let (_, missing) = read_policy(&dir.path().join("none"), &mut problems);
        assert!(missing.unwrap().problem.unwrap().contains("outboard tune") && problems.len() == 1);
    }
}
