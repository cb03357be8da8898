//! `outboard enable` and `disable` as commands, on a system below a directory.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use outboard_tests::image;

fn outboard(root: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outboard"));
    command.args(arguments).arg("--root").arg(root).output().unwrap()
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
    let root = image::with_nginx();
    // It refuses what enable refuses.
    fails(&outboard(root.path(), &["enable", "nginx", "--dry-run"]), 1, "add --force");
    let text = succeeds(&outboard(root.path(), &["enable", "nginx", "--dry-run", "--force"]));
    assert!(text.contains("+++ /etc/systemd/system/nginx.service.d/50-outboard.conf  (mode 0644)"), "{text}");
    assert!(text.contains("+Environment=OPENSSL_CONF=/etc/outboard/nginx.service.cnf\n"), "{text}");
    assert!(text.contains("+.include = /etc/ssl/openssl.cnf\n"), "{text}");
    assert!(text.contains("+module = /usr/lib/outboard/outboard.so\n"), "{text}");
    // Without the group, systemd would not start a unit that names it.
    assert!(!text.contains("SupplementaryGroups"), "{text}");
    assert!(!root.path().join("etc/outboard").exists());
}

#[test]
fn changes_are_shown_as_json_before_and_afterwards() {
    let root = image::with_nginx();
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&succeeds(&outboard(root.path(), arguments))).unwrap()
    };
    let shown = json(&["enable", "nginx", "--force", "--dry-run", "--json"]);
    assert_eq!(shown["schema"], "outboard-enable/1");
    assert_eq!((&shown["enabled"], &shown["acted"]), (&true.into(), &false.into()));
    let files = shown["files"].as_array().unwrap();
    let path = "/etc/systemd/system/nginx.service.d/50-outboard.conf";
    let drop_in = files.iter().find(|file| file["path"] == path).unwrap();
    assert!(drop_in["before"].is_null() && drop_in["after"].as_str().unwrap().contains("OPENSSL_CONF"));
    assert!(!root.path().join("etc/outboard").exists());

    let done = json(&["enable", "nginx", "--force", "--json"]);
    assert_eq!((&done["acted"], &done["files"]), (&true.into(), &shown["files"]));
    let listed = json(&["enable", "--list", "--json"]);
    let nginx = listed["services"].as_array().unwrap().iter().find(|one| one["name"] == "nginx").unwrap();
    assert_eq!((&nginx["restarts"], nginx["driver"].is_null()), (&true.into(), true));

    let disabled = json(&["disable", "nginx", "--json"]);
    assert_eq!((&disabled["schema"], &disabled["enabled"]), (&"outboard-enable/1".into(), &false.into()));
    let removed = disabled["files"].as_array().unwrap();
    assert_eq!(removed.len(), files.len());
    assert!(removed.iter().all(|file| file["before"].is_string() && file["after"].is_null()), "{disabled}");
}

#[test]
fn an_image_is_changed_only_with_force_and_restored() {
    let root = image::with_nginx();
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
    assert!(succeeds(&outboard(root.path(), &["enable", "--list"])).contains("disable --overwrite"));
    // That nothing was measured says nothing about edited files.
    fails(
        &outboard(root.path(), &["enable", "nginx", "--force"]),
        1,
        "--overwrite replaces it and keeps it as",
    );
    assert_eq!(fs::read_to_string(&configuration).unwrap(), "edited\n");
    fails(&outboard(root.path(), &["enable", "nginx", "--overwrite"]), 1, "add --force");
    let text = succeeds(&outboard(root.path(), &["enable", "nginx", "--force", "--overwrite"]));
    assert!(text.contains("the edited file is /etc/outboard/nginx.service.cnf.outboard-old\n"), "{text}");
    let kept = root.path().join("etc/outboard/nginx.service.cnf.outboard-old");
    assert_eq!(fs::read_to_string(&kept).unwrap(), "edited\n");
    fs::write(&configuration, "edited again\n").unwrap();
    let text = succeeds(&outboard(root.path(), &["disable", "nginx", "--overwrite"]));
    assert!(text.contains("the edited file is /etc/outboard/nginx.service.cnf.outboard-old\n"), "{text}");
    assert_eq!(fs::read_to_string(&kept).unwrap(), "edited again\n");
    assert!(!configuration.exists() && !root.path().join("etc/systemd").exists());
    fails(&outboard(root.path(), &["disable", "nginx"]), 1, "nginx: it is not enabled");
}

#[test]
fn all_services_are_disabled_although_one_fails() {
    let root = image::with_nginx();
    let apache = root.path().join("usr/lib/systemd/system/apache2.service");
    fs::write(apache, "[Service]\nExecStart=/usr/sbin/apache2\n").unwrap();
    succeeds(&outboard(root.path(), &["disable", "--all"]));
    assert!(!root.path().join("etc/outboard").exists());
    succeeds(&outboard(root.path(), &["enable", "apache", "nginx", "--force"]));
    fs::write(root.path().join("etc/outboard/apache2.service.cnf"), "edited\n").unwrap();
    fails(&outboard(root.path(), &["disable", "--all"]), 1, "apache: ");
    assert!(!root.path().join("etc/systemd/system/nginx.service.d").exists());
    succeeds(&outboard(root.path(), &["disable", "--all", "--overwrite"]));
    assert!(!root.path().join("etc/systemd").exists());
    succeeds(&outboard(root.path(), &["enable", "--unit", "nginx", "--force"]));
    succeeds(&outboard(root.path(), &["disable", "--all"]));
    assert!(!root.path().join("etc/systemd").exists());
    fails(&outboard(root.path(), &["disable", "--all", "nginx"]), 2, "cannot be used with");
}

#[test]
fn leftovers_of_an_interrupted_change_are_found_and_removed() {
    let root = image::with_nginx();
    let staged = root.path().join("etc/outboard/service-nginx.json.outboard-new");
    let directory = root.path().join("etc/outboard");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join(".lock"), "").unwrap();
    fails(&outboard(root.path(), &["disable", "nginx"]), 1, "nginx: it is not enabled");
    assert!(!directory.exists());
    fs::create_dir_all(root.path().join("usr/bin")).unwrap();
    fs::write(root.path().join("usr/bin/ssh"), "").unwrap();
    for arguments in [
        &["enable", "--list"][..],
        &["disable", "nginx"],
        &["disable", "--all"],
        &["enable", "ssh", "--force"],
    ] {
        fs::create_dir_all(staged.parent().unwrap()).unwrap();
        fs::write(&staged, "{").unwrap();
        let output = outboard(root.path(), arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("nginx: removed the new record of a change that was interrupted"), "{said}");
        assert!(!staged.exists(), "{arguments:?}");
    }
    fails(&outboard(root.path(), &["disable", "nginx"]), 1, "nginx: it is not enabled");
}

#[test]
fn a_service_whose_restart_was_interrupted_is_listed_as_unverified() {
    let root = image::with_nginx();
    succeeds(&outboard(root.path(), &["enable", "nginx", "--force"]));
    let record = root.path().join("etc/outboard/service-nginx.json");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace("\"unverified\": false", "\"unverified\": true")).unwrap();
    let list = succeeds(&outboard(root.path(), &["enable", "--list"]));
    assert!(
        list.contains("nginx: enable --restart ended before the restarted service was verified"),
        "{list}"
    );
    let again = succeeds(&outboard(root.path(), &["enable", "nginx", "--force"]));
    assert!(again.contains("before the restarted service was verified"), "{again}");
    succeeds(&outboard(root.path(), &["disable", "nginx"]));
    assert!(!root.path().join("etc/systemd").exists());
}

#[test]
fn an_image_cannot_lead_out_of_itself() {
    let (root, outside) = (image::with_nginx(), tempfile::tempdir().unwrap());
    let (nologin, victim) = (outside.path().join("nologin"), outside.path().join("victim"));
    fs::write(&victim, "text").unwrap();
    fs::create_dir(root.path().join("etc/outboard")).unwrap();
    std::os::unix::fs::symlink(&nologin, root.path().join("etc/outboard/.lock")).unwrap();
    fails(&outboard(root.path(), &["enable", "nginx", "--force"]), 1, "cannot be changed: Too many levels");
    assert!(!nologin.exists());
    let up = "/..".repeat(30);
    let record = format!(
        r#"{{"schema":"outboard-service/1","service":"nginx","unverified":false,"aes_required":null,"directories":[],"replaced":[],
        "files":[{{"path":"{up}{}","mode":420,"text":"text"}}]}}"#,
        victim.display()
    );
    fs::remove_file(root.path().join("etc/outboard/.lock")).unwrap();
    fs::write(root.path().join("etc/outboard/service-nginx.json"), record).unwrap();
    fails(&outboard(root.path(), &["disable", "nginx", "--overwrite"]), 1, "is not a plain path");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "text");
}

#[test]
fn names_are_checked() {
    let root = image::with_nginx();
    let of = |arguments: &[&str]| outboard(root.path(), arguments);
    fails(&of(&["enable", "nosuch", "--force"]), 1, "--unit nosuch");
    fails(&of(&["enable", "--unit", "nosuch", "--force"]), 1, "there is no unit nosuch.service");
    fails(&of(&["disable", "../../x"]), 1, "is not a service that outboard supports");
    fails(&of(&["disable", "--unit", "../../x"]), 1, "is not the name of a unit");
    fails(&of(&["enable"]), 2, "SERVICE");
    fails(&of(&["disable"]), 2, "SERVICE");
}

#[test]
fn an_image_is_not_restarted_and_steps_are_json() {
    let root = image::with_nginx();
    for command in ["enable", "disable"] {
        fails(&outboard(root.path(), &[command, "nginx", "--restart"]), 2, "cannot be used with '--root");
        fails(&outboard(root.path(), &[command, "nginx", "--progress"]), 2, "--json");
    }
    fails(&outboard(root.path(), &["enable", "nginx", "--restart", "--dry-run"]), 2, "cannot be used with");
}
