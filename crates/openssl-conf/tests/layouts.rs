//! Tests composed configurations with the installed `openssl`. Its legacy provider replaces
//! outboard.
//!
//! OUTBOARD_TEST_OPENSSL=/path/to/openssl selects another OpenSSL.

use outboard_openssl_conf::compose::{Composed, OutboardSection, compose};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn program() -> String {
    std::env::var("OUTBOARD_TEST_OPENSSL").unwrap_or_else(|_| "openssl".into())
}

/// The module used in place of outboard. `None` if `openssl` or its legacy provider is not
/// installed: the tests then pass, and print a message if only the provider is missing.
fn stand_in() -> Option<PathBuf> {
    let output = Command::new(program()).args(["version", "-m"]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let dir = std::env::var("OPENSSL_MODULES").ok().or(text.split('"').nth(1).map(str::to_owned))?;
    let module = Path::new(&dir).join("legacy.so");
    if !module.exists() {
        eprintln!("skipped: {} is not installed", module.display());
        return None;
    }
    Some(module)
}

fn no_env(_: &str) -> Option<String> {
    None
}

struct Run {
    composed: Composed,
    /// `openssl list -providers`, names only.
    providers: Vec<String>,
    stderr: String,
    dir: tempfile::TempDir,
}

impl Run {
    /// Composes from a file that contains `existing` (`None`: no file) and lists the providers that
    /// OpenSSL loads.
    fn new(existing: Option<&str>, keys: &[(&str, &str)]) -> Option<Self> {
        let module = stand_in()?;
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().join("a $tricky 'name' #1.cnf");
        if let Some(text) = existing {
            fs::write(&base, text).unwrap();
        }
        let keys = keys.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let section = OutboardSection { module, keys };
        let composed = compose(existing.map(|_| base.as_path()), &section, &no_env).unwrap();
        fs::write(dir.path().join("composed.cnf"), &composed.text).unwrap();
        let mut run = Self { composed, providers: Vec::new(), stderr: String::new(), dir };
        let (out, err) = run.openssl(&["list", "-providers"]);
        run.providers = out
            .lines()
            .filter(|l| l.starts_with("  ") && !l.starts_with("   "))
            .map(|l| l.trim().to_owned())
            .collect();
        run.stderr = err;
        Some(run)
    }

    fn openssl(&self, args: &[&str]) -> (String, String) {
        let conf = self.dir.path().join("composed.cnf");
        let output = Command::new(program()).args(args).env("OPENSSL_CONF", conf).output().unwrap();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }

    fn loads(&self, providers: &[&str]) {
        assert_eq!(self.stderr, "", "in\n{}", self.composed.text);
        assert_eq!(self.providers, providers, "in\n{}", self.composed.text);
    }
}

macro_rules! run {
    ($existing:expr) => {
        run!($existing, &[])
    };
    ($existing:expr, $keys:expr) => {
        match Run::new($existing, $keys) {
            Some(run) => run,
            None => return,
        }
    };
}

const DIAGNOSTICS: &str = "config_diagnostics = 1\n";

#[test]
fn without_any_file() {
    let run = run!(None);
    run.loads(&["default", "outboard"]);
    assert!(run.composed.notes.is_empty());
}

#[test]
fn without_openssl_conf_and_with_settings_left_in_another_section() {
    run!(Some(DIAGNOSTICS)).loads(&["default", "outboard"]);
    run!(Some("config_diagnostics = 1\n[ req ]\ndefault_bits = 2048")).loads(&["default", "outboard"]);
}

#[test]
fn with_a_providers_list_with_one_without_any_activation_and_with_one_missing() {
    let base = "config_diagnostics = 1\nopenssl_conf = my init\n[my init]\nproviders = p\n[p]\ndefault = d\n";
    run!(Some(&format!("{base}[d]\nactivate = 1\n"))).loads(&["default", "outboard"]);
    run!(Some(&format!("{base}[d]\n"))).loads(&["default", "outboard"]);
    let run = run!(Some(&format!("{base}base = b\n[d]\n[b]\nactivate = 1\n")));
    run.loads(&["base", "default", "outboard"]);
    assert!(run.composed.notes[0].contains("activates base and not the default provider"));
    run!(Some("config_diagnostics = 1\nopenssl_conf = i\n[i]\n")).loads(&["default", "outboard"]);
}

#[test]
fn with_an_init_section_that_is_missing() {
    let run = run!(Some("config_diagnostics = 1\nopenssl_conf = gone\n"));
    run.loads(&["default", "outboard"]);
    assert!(run.composed.notes[0].ends_with("the section that openssl_conf names does not exist"));
}

#[test]
fn with_openssl_conf_set_late_and_twice() {
    let text = "openssl_conf = first\n[first]\n[second]\n[default]\nopenssl_conf = second\n[other]\nx=1";
    let run = run!(Some(&format!("{DIAGNOSTICS}{text}")));
    run.loads(&["default", "outboard"]);
    assert!(run.composed.text.contains("[second]\nproviders.outboard"));
    assert!(!run.composed.text.contains("[first]"));
}

#[test]
fn ssl_conf_stays_in_force() {
    let text = "openssl_conf = i\n[i]\nssl_conf = s\n[s]\nsystem_default = d\n[d]\nCipherString = AES128-SHA256:@SECLEVEL=0\nMinProtocol = TLSv1.2\n";
    let run = run!(Some(&format!("{DIAGNOSTICS}{text}")));
    run.loads(&["default", "outboard"]);
    let (ciphers, _) = run.openssl(&["ciphers", "-s", "-tls1_2"]);
    assert_eq!(ciphers.trim(), "AES128-SHA256");
}

#[test]
fn a_byte_order_mark_is_survived() {
    let run = run!(Some("\u{feff}# comment\nconfig_diagnostics = 1\nopenssl_conf = i\n[i]\n"));
    run.loads(&["default", "outboard"]);
    assert!(!run.composed.text.contains(".include"));
}

#[test]
fn nested_includes_in_a_path_with_blanks_and_signs() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("d")).unwrap();
    fs::write(dir.path().join("d/inner.cnf"), "[i]\nproviders = p\n[p]\nbase = b\n[b]\nactivate = 1")
        .unwrap();
    let path = dir.path().display();
    let text = format!(
        "{DIAGNOSTICS}openssl_conf = i\n.pragma = dollarid:true\n.pragma = includedir:{path}\n.include d\n"
    );
    run!(Some(&text)).loads(&["base", "default", "outboard"]);
}

#[test]
fn a_line_that_openssl_refuses_is_named() {
    let run = run!(Some("openssl_conf = i\n[i]\nwhat is this\n"));
    assert!(!run.providers.contains(&"outboard".to_owned()));
    assert!(
        run.composed.notes[0].contains(":3: the = after the name is missing"),
        "{:?}",
        run.composed.notes
    );
}

#[test]
fn properties_are_merged_and_parse() {
    let alg = |q: &str| {
        format!("{DIAGNOSTICS}openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = {q}\n")
    };
    let run = run!(Some(&alg("?provider=default,?fips=yes")));
    run.loads(&["default", "outboard"]);
    assert!(run.composed.text.contains("default_properties = ?fips=yes,?provider=outboard\n"));

    let run = run!(Some(&alg("provider=default")));
    run.loads(&["default", "outboard"]);
    assert!(run.composed.notes[0].contains("asks for provider=default"), "{:?}", run.composed.notes);
}

#[test]
fn fips_stays_in_force_and_default_is_not_added() {
    let text = "openssl_conf = i\n[i]\nproviders = p\nalg_section = a\n[a]\nfips_mode = yes\n[p]\nbase = b\n[b]\nactivate = 1\n";
    let run = run!(Some(&format!("{DIAGNOSTICS}{text}")));
    run.loads(&["base", "outboard"]);
    assert!(run.composed.text.contains("default_properties = fips=yes,?provider=outboard\n"));
    assert!(run.composed.notes[0].contains("asks for fips=yes, so outboard will not be used"));
}

#[test]
fn outboard_that_is_there_already_gets_the_new_settings() {
    let text = "openssl_conf = i\n[i]\nproviders = p\n[p]\noutboard = o\ndefault = d\n[d]\nactivate = 1\n[o]\nmodule = /nonexistent.so\nactivate = 1\n";
    let run = run!(Some(&format!("{DIAGNOSTICS}{text}")));
    run.loads(&["default", "outboard"]);
}

#[test]
fn settings_with_any_character_pass() {
    let keys = [("COUNTERS", "/tmp/a b/$c#d/\"e\"\\"), ("THRESHOLDS", "ALL:1"), ("LOG_LEVEL", "")];
    run!(Some(DIAGNOSTICS), &keys).loads(&["default", "outboard"]);
    let run = run!(Some("[ALL]\nx = 1\n"), &[("CIPHERS", "ALL")]);
    assert!(run.composed.notes[0].contains("has a section [ALL]"));
}

#[test]
fn programs_with_a_name_of_their_own_get_it_too() {
    let text = "nodejs_conf = n\nother_conf = none\n[n]\nproviders = p\n[p]\n";
    let run = run!(Some(&format!("{DIAGNOSTICS}{text}")));
    run.loads(&["default", "outboard"]);
    assert!(run.composed.text.contains("[n]\nproviders.outboard = outboard_providers\n"));
    assert!(!run.composed.text.contains("[none]"));
}

#[test]
fn wrong_keys_and_values_are_refused() {
    let section = |key: &str, value: &str| OutboardSection {
        module: "/x.so".into(),
        keys: vec![(key.to_owned(), value.to_owned())],
    };
    for (key, value) in [("", "1"), ("A B", "1"), ("A]\n[B", "1"), ("A", "\0")] {
        assert!(compose(None, &section(key, value), &no_env).is_err(), "{key:?} {value:?}");
    }
    let error = compose(Some(Path::new("/nonexistent.cnf")), &section("A", "1"), &no_env).unwrap_err();
    assert!(error.to_string().contains("/nonexistent.cnf: cannot be read"), "{error}");
}

#[test]
fn the_text_is_this() {
    let section = OutboardSection {
        module: "/usr/lib/ossl-modules/outboard.so".into(),
        keys: vec![("THRESHOLDS".into(), "ALL:4096".into()), ("COUNTERS".into(), "/tmp/a b/counters".into())],
    };
    insta::assert_snapshot!(compose(None, &section, &no_env).unwrap().text);
}

/// As in the section that OpenWrt's package adds.
#[test]
fn a_restriction_to_programs_is_lifted() {
    let directory = tempfile::tempdir().unwrap();
    let existing = directory.path().join("openssl.cnf");
    let text = "openssl_conf = i\n[i]\nproviders = p\n[p]\noutboard = outboard\n[outboard]\nactivate = 1\n";
    let with = |line: &str| {
        std::fs::write(&existing, format!("{text}{line}")).unwrap();
        compose(Some(&existing), &OutboardSection::default(), &no_env).unwrap().text
    };
    assert!(with("PROGRAMS = /etc/outboard/programs.d\n").contains("\n[outboard]\nPROGRAMS = ALL\n"));
    assert!(!with("").contains("PROGRAMS"));
    assert!(with("COUNTERS = /var/run/outboard/\n").contains("\n[outboard]\nCOUNTERS = \"\"\n"));
}
