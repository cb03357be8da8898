//! `outboard allow` and `outboard disallow` as commands, as far as they need neither the module nor
//! root. The other tests are in tests/tests/device_allow.rs and device_restore.rs.

use assert_cmd::Command;
use std::path::Path;

const MODULE: &str = "/sys/class/misc/outboard";
const REMEMBERED: &str = "/etc/outboard";

/// Exit code, standard output, standard error.
fn outboard(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("outboard").unwrap().args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn contradicting_options_are_a_usage_error() {
    for arguments in [
        &["allow", "--now"][..],
        &["allow", "--force"],
        &["allow", "--list", "driver"],
        &["allow", "--restore", "driver"],
        &["allow", "--restore", "--list"],
        &["allow", "--restore", "--now"],
        &["allow", "--restore", "--force"],
        &["allow", "--restore", "--json"],
        &["allow", "--restore", "--wait", "soon"],
        &["allow", "--restore", "--wait", "3601"],
        &["allow", "--list", "--now"],
        &["allow", "--wait", "5", "driver"],
        &["allow", "--json"],
        &["allow", "--progress", "driver"],
        &["disallow"],
        &["disallow", "--list"],
    ] {
        let (code, out, error) = outboard(arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(error.starts_with("error: ") && error.contains("--help"), "{arguments:?}: {error}");
    }
}

#[test]
fn help_names_the_file_and_what_the_boot_does() {
    let (code, out, _) = outboard(&["allow", "--help"]);
    assert_eq!(code, Some(0));
    assert!(
        out.contains("/etc/outboard/allowed") && out.contains("--restore") && out.contains("--now"),
        "{out}"
    );
}

#[test]
fn without_the_module_nothing_is_allowed_and_nothing_written() {
    if Path::new(MODULE).exists() {
        return; // tests/tests/device_allow.rs tests this case
    }
    let was_there = Path::new(REMEMBERED).exists();
    for (arguments, command) in [
        (&["allow", "cbc-aes-x"][..], "allow"),
        (&["allow", "--now", "cbc-aes-x"], "allow"),
        (&["allow", "--restore"], "allow --restore"),
        (&["disallow", "--now", "cbc-aes-x"], "disallow"),
    ] {
        let (code, out, error) = outboard(arguments);
        let expected = format!("outboard {command}: the outboard module is not loaded: ");
        assert_eq!((code, out), (Some(1), String::new()), "{arguments:?}");
        assert!(error.starts_with(&expected) && error.len() > expected.len() + 1, "{arguments:?}: {error}");
    }
    let (code, _, error) = outboard(&["disallow", "no-such-driver"]);
    assert_eq!(code, Some(1));
    assert_eq!(
        error,
        "outboard disallow: no-such-driver is neither allowed nor saved (outboard allow --list)\n"
    );
    assert_eq!(Path::new(REMEMBERED).exists(), was_there);
}

#[test]
fn the_list_is_shown_without_the_module_too() {
    let loaded = Path::new(MODULE).exists();
    let (code, out, error) = outboard(&["allow", "--list"]);
    assert_eq!(code, Some(if loaded { 0 } else { 1 }), "{error}");
    assert_eq!(error.contains("not loaded"), !loaded, "{error}");
    // "No driver is allowed: outboard allow DRIVER allows one" is not useful without the module.
    assert!(loaded || !out.contains("No driver is allowed"), "{out}");
    let (code, out, error) = outboard(&["allow", "--list", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert_eq!(value["schema"], "outboard-allow/1");
    assert_eq!(value["module_loaded"], loaded);
    assert!(value["drivers"].is_array());
}
