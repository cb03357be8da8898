//! `outboard enable` and `disable` as commands, on a system below a directory.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn outboard(root: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outboard"));
    command.args(arguments).arg("--root").arg(root).output().unwrap()
}

/// A system with nginx, and the provider as a package installs it.
fn system() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("usr/lib/systemd/system/nginx.service", "[Service]\nExecStart=/usr/sbin/nginx\n"),
        ("usr/lib/outboard/outboard.so", ""),
        ("etc/ssl/openssl.cnf", "config_diagnostics = 1\n"),
    ] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

#[track_caller]
fn succeeds(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn fails(output: &Output, code: i32, says: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), text.contains(says)), (Some(code), true), "{text}");
}

#[test]
fn a_dry_run_shows_the_files_and_writes_none() {
    let root = system();
    let text = succeeds(&outboard(root.path(), &["enable", "nginx", "--dry-run"]));
    assert!(text.contains("+++ /etc/systemd/system/nginx.service.d/50-outboard.conf  (mode 0644)"), "{text}");
    assert!(text.contains("+Environment=OPENSSL_CONF=/etc/outboard/nginx.service.cnf\n"), "{text}");
    assert!(text.contains("+.include = /etc/ssl/openssl.cnf\n"), "{text}");
    assert!(text.contains("+module = /usr/lib/outboard/outboard.so\n"), "{text}");
    // Without the group, systemd would not start a unit that names it.
    assert!(!text.contains("SupplementaryGroups"), "{text}");
    assert!(!root.path().join("etc/outboard").exists());
}

#[test]
fn an_image_is_changed_only_with_force_and_restored() {
    let root = system();
    fails(&outboard(root.path(), &["enable", "nginx"]), 1, "add --force");
    succeeds(&outboard(root.path(), &["enable", "nginx", "--force"]));
    let list = succeeds(&outboard(root.path(), &["enable", "--list", "--json"]));
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list["schema"], "outboard-services/1");
    let services = list["services"].as_array().unwrap();
    let state = |name: &str| services.iter().find(|s| s["name"] == name).unwrap()["state"].clone();
    assert_eq!((state("nginx"), state("openvpn")), ("enabled".into(), "not enabled".into()));
    let configuration = root.path().join("etc/outboard/nginx.service.cnf");
    fs::write(&configuration, "edited\n").unwrap();
    fails(&outboard(root.path(), &["disable", "nginx"]), 1, "was changed since outboard wrote it");
    assert!(succeeds(&outboard(root.path(), &["enable", "--list"])).contains("disable --force"));
    succeeds(&outboard(root.path(), &["disable", "nginx", "--force"]));
    assert!(!configuration.exists() && !root.path().join("etc/systemd").exists());
    fails(&outboard(root.path(), &["disable", "nginx"]), 1, "nginx: it is not enabled");
}

#[test]
fn all_services_are_disabled_although_one_fails() {
    let root = system();
    let apache = root.path().join("usr/lib/systemd/system/apache2.service");
    fs::write(apache, "[Service]\nExecStart=/usr/sbin/apache2\n").unwrap();
    succeeds(&outboard(root.path(), &["disable", "--all"]));
    assert!(!root.path().join("etc/outboard").exists());
    succeeds(&outboard(root.path(), &["enable", "apache", "nginx", "--force"]));
    fs::write(root.path().join("etc/outboard/apache2.service.cnf"), "edited\n").unwrap();
    fails(&outboard(root.path(), &["disable", "--all"]), 1, "apache: ");
    assert!(!root.path().join("etc/systemd/system/nginx.service.d").exists());
    succeeds(&outboard(root.path(), &["disable", "--all", "--force"]));
    assert!(!root.path().join("etc/systemd").exists());
    succeeds(&outboard(root.path(), &["enable", "--unit", "nginx", "--force"]));
    succeeds(&outboard(root.path(), &["disable", "--all"]));
    assert!(!root.path().join("etc/systemd").exists());
    fails(&outboard(root.path(), &["disable", "--all", "nginx"]), 2, "cannot be used with");
}

#[test]
fn names_are_checked() {
    let root = system();
    let of = |arguments: &[&str]| outboard(root.path(), arguments);
    fails(&of(&["enable", "nosuch", "--force"]), 1, "--unit nosuch");
    fails(&of(&["enable", "--unit", "nosuch", "--force"]), 1, "there is no unit nosuch.service");
    fails(&of(&["disable", "../../x"]), 1, "is not a service that outboard supports");
    fails(&of(&["disable", "--unit", "../../x"]), 1, "is not the name of a unit");
    fails(&of(&["enable"]), 2, "SERVICE");
    fails(&of(&["disable"]), 2, "SERVICE");
}

#[test]
fn an_image_is_not_restarted_and_json_has_a_document() {
    let root = system();
    for command in ["enable", "disable"] {
        fails(&outboard(root.path(), &[command, "nginx", "--restart"]), 2, "cannot be used with '--root");
        fails(&outboard(root.path(), &[command, "nginx", "--json"]), 2, "--json");
    }
    fails(&outboard(root.path(), &["enable", "nginx", "--restart", "--dry-run"]), 2, "cannot be used with");
}
