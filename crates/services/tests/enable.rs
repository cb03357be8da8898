//! Enabling and disabling services in a scratch system: what is written, that it is removed byte
//! for byte, and that an interruption between any two steps can be completed and undone.

mod scratch;

use outboard_services::enable::{
    APPLICATIONS, Applied, Failure, Plan, Record, State, Unplannable, changed_units, disable, enable,
    perform, plan, set_verified, state, steps_to_enable,
};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use scratch::System;

/// A system with units of nginx and OpenVPN.
fn debian() -> System {
    let system = System::with(&[
        ("/etc/ssl/openssl.cnf", "openssl_conf = init\n[init]\n"),
        ("/etc/group", "root:x:0:\noutboard:x:990:\n"),
        ("/usr/lib/systemd/system/nginx.service", "[Service]\nExecStart=/usr/sbin/nginx\n"),
        (
            "/usr/lib/systemd/system/openvpn-server@.service",
            "[Service]\nDeviceAllow=/dev/null rw\nDeviceAllow=/dev/net/tun rw\n",
        ),
    ]);
    fs::create_dir(system.path("/etc/outboard")).unwrap();
    system
}

impl System {
    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Path, permissions and content of everything.
    fn snapshot(&self) -> Vec<(PathBuf, u32, Option<Vec<u8>>)> {
        fn walk(directory: &Path, all: &mut Vec<(PathBuf, u32, Option<Vec<u8>>)>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let about = path.symlink_metadata().unwrap();
                all.push((path.clone(), about.permissions().mode(), fs::read(&path).ok()));
                if about.is_dir() {
                    walk(&path, all);
                }
            }
        }
        let mut all = Vec::new();
        walk(&self.path("/"), &mut all);
        all.sort();
        all
    }

    fn state(&self, service: &str) -> State {
        state(&self.tree, &Record::read(&self.tree, service).unwrap().unwrap()).unwrap()
    }
}

#[test]
fn nginx_gets_a_configuration_and_a_drop_in() {
    let system = debian();
    assert_eq!(enable(&system.tree, &system.plan("nginx"), false).unwrap(), Applied::Written);
    let configuration = system.text("/etc/outboard/nginx.service.cnf");
    assert!(configuration.contains("\n.include = /etc/ssl/openssl.cnf\n"), "{configuration}");
    assert!(configuration.contains("[outboard_default_provider]\nactivate = 1\n"), "{configuration}");
    assert!(configuration.contains("module = /usr/lib/outboard.so\n"), "{configuration}");
    assert!(configuration.contains("COUNTERS = /run/outboard-nginx.service/\n"), "{configuration}");
    insta::assert_snapshot!(system.text("/etc/systemd/system/nginx.service.d/50-outboard.conf"), @r"
    # Written by `outboard enable nginx`; `outboard disable nginx` removes it.
    [Unit]
    After=outboard-restore.service

    [Service]
    Environment=OPENSSL_CONF=/etc/outboard/nginx.service.cnf
    SupplementaryGroups=outboard
    RuntimeDirectory=outboard-nginx.service
    ");
    assert_eq!(system.text("/etc/modules-load.d/outboard.conf").lines().last(), Some("outboard"));
    assert_eq!(system.state("nginx"), State::Complete);
    assert_eq!(enable(&system.tree, &system.plan("nginx"), false).unwrap(), Applied::Unchanged);
}

#[test]
fn a_unit_that_lists_its_devices_gets_the_device_and_others_keep_all() {
    let system = debian();
    enable(&system.tree, &system.plan("openvpn"), false).unwrap();
    let text = system.text("/etc/systemd/system/openvpn-server@.service.d/50-outboard.conf");
    assert!(text.contains("DeviceAllow=/dev/outboard rw\n"), "{text}");
    // Instances of a template would remove the directory of each other.
    assert!(!text.contains("RuntimeDirectory="), "{text}");
    assert!(!system.text("/etc/outboard/openvpn-server@.service.cnf").contains("COUNTERS"));
    assert_eq!(system.plan("openvpn").next[1], "systemctl try-restart 'openvpn-server@*.service'");
}

#[test]
fn disable_removes_the_counters_whatever_the_service_put_there() {
    let system = debian();
    fs::create_dir_all(system.path("/run/other")).unwrap();
    fs::write(system.path("/run/other/file"), "kept").unwrap();
    let before = system.snapshot();
    enable(&system.tree, &system.plan("nginx"), false).unwrap();
    // As systemd and a hostile service leave it.
    let directory = system.path("/run/outboard-nginx.service");
    fs::create_dir_all(directory.join("counters/deep")).unwrap();
    std::os::unix::fs::symlink(system.path("/run/other"), directory.join("link")).unwrap();
    assert_eq!(outboard_services::enable::counted_units(&system.tree), ["nginx.service"]);
    disable(&system.tree, "nginx", false).unwrap();
    assert_eq!(system.snapshot(), before);
}

#[test]
fn disable_restores_the_system_twice_in_a_row_and_with_several_services() {
    let system = debian();
    let before = system.snapshot();
    for _ in 0..2 {
        for service in ["nginx", "openvpn", "openssl"] {
            enable(&system.tree, &system.plan(service), false).unwrap();
        }
        assert_eq!(Record::services(&system.tree), ["nginx", "openssl", "openvpn"]);
        disable(&system.tree, "nginx", false).unwrap();
        // The others still need it.
        assert!(system.path("/etc/modules-load.d/outboard.conf").exists());
        assert_eq!(system.state("openvpn"), State::Complete);
        disable(&system.tree, "openssl", false).unwrap();
        disable(&system.tree, "openvpn", false).unwrap();
        assert_eq!(system.snapshot(), before);
    }
    let error = disable(&system.tree, "nginx", false).unwrap_err();
    assert!(matches!(error, Failure::NotEnabled), "{error}");
}

#[test]
fn an_interruption_between_any_two_steps_can_be_completed_and_undone() {
    let complete = |system: &System| {
        enable(&system.tree, &system.plan("nginx"), false).unwrap();
        assert_eq!(system.state("nginx"), State::Complete);
    };
    let count = steps_to_enable(&debian().tree, &debian().plan("nginx"), false).unwrap().len();
    assert!(count > 6, "{count}");
    for done in 0..=count {
        for then_disable in [false, true] {
            let system = debian();
            let before = system.snapshot();
            let steps = steps_to_enable(&system.tree, &system.plan("nginx"), false).unwrap();
            for step in &steps[..done] {
                perform(&system.tree, step).unwrap();
            }
            let drop_in = system.path("/etc/systemd/system/nginx.service.d/50-outboard.conf");
            let configuration = system.path("/etc/outboard/nginx.service.cnf");
            assert!(!drop_in.exists() || configuration.exists(), "after {done} steps");
            if !then_disable {
                complete(&system);
            }
            if then_disable && done == 0 {
                assert!(disable(&system.tree, "nginx", false).is_err());
            } else {
                disable(&system.tree, "nginx", false).unwrap();
            }
            assert_eq!(system.snapshot(), before, "after {done} steps, {then_disable}");
        }
    }
}

#[test]
fn an_interrupted_replacement_can_be_completed_and_undone_too() {
    for done in 0..=16 {
        for then_disable in [false, true] {
            let mut system = debian();
            let before = system.snapshot();
            enable(&system.tree, &system.plan("nginx"), false).unwrap();
            system.inputs.module = "/opt/outboard.so".into();
            // The new plan has a file less.
            system.write("/usr/lib/modules-load.d/outboard.conf", "outboard\n");
            let steps = steps_to_enable(&system.tree, &system.plan("nginx"), false).unwrap();
            assert!(steps.len() <= 16);
            for step in steps.iter().take(done) {
                perform(&system.tree, step).unwrap();
                // The service works at any time.
                let text = system.text("/etc/outboard/nginx.service.cnf");
                assert!(text.contains("outboard.so\n"), "{text}");
                system.text("/etc/systemd/system/nginx.service.d/50-outboard.conf");
            }
            if !then_disable {
                enable(&system.tree, &system.plan("nginx"), false).unwrap();
                assert_eq!(system.state("nginx"), State::Complete);
                assert!(!system.path("/etc/modules-load.d/outboard.conf").exists());
            }
            disable(&system.tree, "nginx", false).unwrap();
            fs::remove_file(system.path("/usr/lib/modules-load.d/outboard.conf")).unwrap();
            fs::remove_dir(system.path("/usr/lib/modules-load.d")).unwrap();
            assert_eq!(system.snapshot(), before, "after {done} steps, {then_disable}");
        }
    }
}

#[test]
fn files_of_others_and_edited_files_are_not_touched() {
    let system = debian();
    let drop_in = "/etc/systemd/system/nginx.service.d/50-outboard.conf";
    system.write(drop_in, "# the administrator's\n");
    let before = system.snapshot();
    let error = enable(&system.tree, &system.plan("nginx"), true).unwrap_err();
    assert!(error.to_string().contains("50-outboard.conf exists and is not outboard's"), "{error}");
    assert_eq!(system.snapshot(), before);

    fs::remove_file(system.path(drop_in)).unwrap();
    enable(&system.tree, &system.plan("nginx"), false).unwrap();
    system.write("/etc/outboard/nginx.service.cnf", "# edited\n");
    let edited = system.snapshot();
    assert_eq!(system.state("nginx"), State::Edited(vec!["/etc/outboard/nginx.service.cnf".into()]));
    for result in [
        disable(&system.tree, "nginx", false).map(|_| ()),
        enable(&system.tree, &system.plan("nginx"), false).map(|_| ()),
    ] {
        assert!(matches!(result.unwrap_err(), Failure::Edited(_)));
    }
    assert_eq!(system.snapshot(), edited);
    enable(&system.tree, &system.plan("nginx"), true).unwrap();
    assert_eq!(system.state("nginx"), State::Complete);
    assert_eq!(system.text("/etc/outboard/nginx.service.cnf.outboard-old"), "# edited\n");
    system.write("/etc/outboard/nginx.service.cnf", "# edited again\n");
    let kept = disable(&system.tree, "nginx", true).unwrap();
    assert_eq!(kept, [Path::new("/etc/outboard/nginx.service.cnf.outboard-old")]);
    assert_eq!(system.text("/etc/outboard/nginx.service.cnf.outboard-old"), "# edited again\n");
    assert!(!system.path("/etc/outboard/nginx.service.cnf").exists());
}

#[test]
fn mode_and_kind_of_a_file_are_part_of_the_state_and_repaired() {
    let system = debian();
    enable(&system.tree, &system.plan("nginx"), false).unwrap();
    let enabled = system.snapshot();
    let configuration = system.path("/etc/outboard/nginx.service.cnf");
    fs::set_permissions(&configuration, Permissions::from_mode(0o600)).unwrap();
    assert_eq!(system.state("nginx"), State::Incomplete);
    assert_eq!(enable(&system.tree, &system.plan("nginx"), false).unwrap(), Applied::Written);
    assert_eq!(system.snapshot(), enabled);
    // A link to a file with the same text.
    let elsewhere = system.path("/etc/outboard/elsewhere");
    fs::rename(&configuration, &elsewhere).unwrap();
    symlink("elsewhere", &configuration).unwrap();
    assert_eq!(system.state("nginx"), State::Incomplete);
    enable(&system.tree, &system.plan("nginx"), false).unwrap();
    fs::remove_file(elsewhere).unwrap();
    assert_eq!(system.snapshot(), enabled);
}

/// Only root can give a file to another user.
#[test]
fn the_owner_of_a_file_is_part_of_the_state_and_repaired() {
    let system = debian();
    enable(&system.tree, &system.plan("nginx"), false).unwrap();
    let drop_in = system.path("/etc/systemd/system/nginx.service.d/50-outboard.conf");
    if std::os::unix::fs::chown(&drop_in, Some(65534), Some(65534)).is_err() {
        println!("SKIP: the_owner_of_a_file_is_part_of_the_state_and_repaired: root");
        return;
    }
    assert_eq!(system.state("nginx"), State::Incomplete);
    assert_eq!(enable(&system.tree, &system.plan("nginx"), false).unwrap(), Applied::Written);
    let about = fs::metadata(&drop_in).unwrap();
    assert_eq!((about.uid(), about.gid()), (0, 0));
    assert_eq!(system.state("nginx"), State::Complete);
}

#[test]
fn a_service_is_unverified_until_its_restart_has_ended() {
    let system = debian();
    let before = system.snapshot();
    let plan = Plan { unverified: true, ..system.plan("nginx") };
    enable(&system.tree, &plan, false).unwrap();
    assert_eq!(system.state("nginx"), State::Unverified);
    // It is not verified by being enabled again.
    assert_eq!(enable(&system.tree, &system.plan("nginx"), false).unwrap(), Applied::Unchanged);
    assert_eq!(system.state("nginx"), State::Unverified);
    set_verified(&system.tree, "nginx").unwrap();
    assert_eq!(system.state("nginx"), State::Complete);
    disable(&system.tree, "nginx", false).unwrap();
    enable(&system.tree, &plan, false).unwrap();
    disable(&system.tree, "nginx", false).unwrap();
    assert_eq!(system.snapshot(), before);
}

#[test]
fn a_record_that_was_staged_and_not_put_in_place_is_found_and_removed() {
    let system = debian();
    let before = system.snapshot();
    system.write("/etc/outboard/service-nginx.json.outboard-new", "{");
    assert_eq!(Record::services(&system.tree), [] as [&str; 0]);
    assert_eq!(Record::staged(&system.tree), ["nginx"]);
    Record::remove_staged(&system.tree).unwrap();
    assert_eq!(system.snapshot(), before);
}

/// A record of an image names files outside of it, and its directories are links to outside.
#[test]
fn an_image_reaches_nothing_outside_of_it() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("50-outboard.conf");
    fs::write(&file, "text").unwrap();
    let up: String = "/..".repeat(30);
    for path in [format!("{up}{}", file.display()), "/etc/link/50-outboard.conf".to_owned()] {
        let system = debian();
        symlink(outside.path(), system.path("/etc/link")).unwrap();
        let record = serde_json::json!({
            "schema": "outboard-service/1", "service": "nginx", "unverified": false, "aes_required": null, "replaced": [],
            "files": [{ "path": path, "mode": 0o100_644 & 0o7777, "text": "text" }],
            "directories": [Path::new(&path).parent().unwrap()],
        });
        system.write("/etc/outboard/service-nginx.json", &record.to_string());
        let result = disable(&system.tree, "nginx", true);
        assert_eq!(fs::read_to_string(&file).unwrap(), "text", "{path}: {result:?}");
        assert_eq!(result.is_err(), path.contains(".."), "{path}: {result:?}");
    }
    // The units, the configuration and the lock of an image are links to outside, too.
    fs::write(outside.path().join("nginx.service"), "[Service]\nPrivateDevices=yes\n").unwrap();
    fs::write(outside.path().join("openssl.cnf"), "openssl_conf = init\n[init]\nbroken line\n").unwrap();
    let system = debian();
    for (link, target) in [
        ("/usr/lib/systemd/system/nginx.service", "nginx.service"),
        ("/etc/ssl/openssl.cnf", "openssl.cnf"),
        ("/etc/outboard/.lock", "new"),
    ] {
        let link = system.path(link);
        let _ = fs::remove_file(&link);
        symlink(outside.path().join(target), link).unwrap();
    }
    assert!(system.tree.lock(Path::new("/etc/outboard")).is_err());
    let refusal = system.refusal("nginx", false);
    assert!(refusal.contains("is a link to another unit"), "{refusal}");
    let refusal = system.refusal("openssl", false);
    assert!(refusal.contains("No such file"), "{refusal}");
    assert!(!outside.path().join("new").exists());
}

#[test]
fn a_lock_leaves_no_file_and_the_next_holder_has_one_that_others_see() {
    let system = debian();
    let directory = Path::new("/etc/outboard");
    let lock = system.tree.lock(directory).unwrap().unwrap();
    let (waiting, is_held) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let tree = system.tree.clone();
    let waiter = std::thread::spawn(move || {
        let lock = loop {
            if let Some(lock) = tree.lock(Path::new("/etc/outboard")).unwrap() {
                break lock;
            }
        };
        waiting.send(()).unwrap();
        released.recv().unwrap();
        drop(lock);
    });
    // The waiter opens the file that is removed here, and must then take the next one.
    std::thread::sleep(std::time::Duration::from_millis(50));
    drop(lock);
    is_held.recv().unwrap();
    assert!(system.tree.lock(directory).unwrap().is_none());
    release.send(()).unwrap();
    waiter.join().unwrap();
    assert!(!system.path("/etc/outboard").exists());
    system.write("/etc/outboard/policy", "mine");
    drop(system.tree.lock(directory).unwrap().unwrap());
    let left: Vec<_> =
        fs::read_dir(system.path("/etc/outboard")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["policy"]);
}

#[test]
fn a_directory_that_is_a_link_is_not_followed() {
    let system = debian();
    let elsewhere = tempfile::tempdir().unwrap();
    let directory = system.path("/etc/systemd/system/nginx.service.d");
    fs::create_dir_all(directory.parent().unwrap()).unwrap();
    symlink(elsewhere.path(), &directory).unwrap();
    let error = enable(&system.tree, &system.plan("nginx"), true).unwrap_err();
    assert!(error.to_string().contains("nginx.service.d is not a directory"), "{error}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_failing_write_leaves_the_system_as_it_was() {
    let system = debian();
    fs::create_dir_all(system.path("/etc/systemd/system/nginx.service.d")).unwrap();
    // A directory has the temporary name of the drop-in: the last file cannot be written.
    fs::create_dir(system.path("/etc/systemd/system/nginx.service.d/50-outboard.conf.outboard-new")).unwrap();
    let plan = system.plan("nginx");
    assert!(matches!(enable(&system.tree, &plan, false).unwrap_err(), Failure::Step { .. }));
    for path in ["/etc/outboard/nginx.service.cnf", "/etc/modules-load.d/outboard.conf"] {
        assert!(!system.path(path).exists(), "{path}");
    }
    assert!(!system.path("/etc/systemd/system/nginx.service.d/50-outboard.conf").exists());
}

#[test]
fn a_unit_with_a_configuration_of_its_own_keeps_it() {
    let system = debian();
    system.write("/etc/own.cnf", "config_diagnostics = 1\n");
    system.write(
        "/etc/systemd/system/nginx.service.d/10-own.conf",
        "[Service]\nEnvironment=\"OPENSSL_CONF=/etc/own.cnf\"\n",
    );
    let text = &system.plan("nginx").files[0].text;
    assert!(text.contains(".include = /etc/own.cnf\n") && !text.contains("/etc/ssl/openssl.cnf"), "{text}");
}

#[test]
fn an_impossible_request_is_refused_with_the_reason() {
    let system = debian();
    let says = |name: &str, is_unit, text: &str| {
        let refusal = system.refusal(name, is_unit);
        assert!(refusal.contains(text), "{refusal}");
    };
    says("postfix", false, "--unit postfix");
    says("apache", false, "there is no unit apache2.service, httpd.service");
    says("nosuch", true, "there is no unit nosuch.service");
    for name in ["../etc/passwd", "a b", "-x", "", "a\n.service"] {
        says(name, true, "is not the name of a systemd service");
    }
    system.write("/etc/systemd/system/private.service", "[Service]\nPrivateDevices=yes\n");
    says("private", true, "PrivateDevices=yes");
    system.write("/etc/default/over", "OPENSSL_CONF=/x\n");
    system.write("/etc/systemd/system/over.service", "[Service]\nEnvironmentFile=-/etc/default/over\n");
    says("over", true, "/etc/default/over sets or unsets OPENSSL_CONF");
    system.write("/etc/systemd/system/over.service", "[Service]\nEnvironmentFile=-/etc/default/o*r\n");
    says("over", true, "/etc/default/over sets or unsets OPENSSL_CONF");
    system.write("/etc/systemd/system/over.service", "[Service]\nUnsetEnvironment=A OPENSSL_CONF\n");
    says("over", true, "/etc/systemd/system/over.service sets or unsets OPENSSL_CONF");
    system.write("/etc/systemd/system/over.service", "[Service]\nExecStart=/bin/true\n");
    let later = "/etc/systemd/system/over.service.d/60-own.conf";
    system.write(later, "[Service]\nEnvironment=OPENSSL_CONF=/etc/ssl/openssl.cnf\n");
    says("over", true, "60-own.conf sets or unsets OPENSSL_CONF");
    system.write(later, "[Service]\nEnvironment=\n");
    says("over", true, "60-own.conf sets or unsets OPENSSL_CONF");
    fs::remove_file(system.path(later)).unwrap();
    system.write("/run/systemd/system/service.d/90-all.conf", "[Service]\nEnvironment=OPENSSL_CONF=/x\n");
    says("over", true, "service.d/90-all.conf sets or unsets OPENSSL_CONF");
    fs::remove_dir_all(system.path("/run/systemd/system/service.d")).unwrap();
    symlink("/dev/null", system.path("/etc/systemd/system/masked.service")).unwrap();
    says("masked", true, "systemctl unmask");
    symlink("/usr/lib/systemd/system/nginx.service", system.path("/etc/systemd/system/alias.service"))
        .unwrap();
    says("alias.service", true, "is a link to another unit");
    system.write("/etc/ssl/openssl.cnf", "openssl_conf = init\n[init]\nbroken line\n");
    says("nginx", false, "OpenSSL refuses the whole configuration");
    system.write(
        "/etc/ssl/openssl.cnf",
        "openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = fips=yes\n",
    );
    says("nginx", false, "asks for fips=yes");
    fs::remove_file(system.path("/etc/ssl/openssl.cnf")).unwrap();
    says("nginx", false, "cannot be read");
}

/// With the output of `systemctl show`.
#[test]
fn the_properties_of_a_unit_decide_where_it_runs() {
    let mut system = debian();
    system.write("/etc/web.cnf", "config_diagnostics = 1\n");
    let (fragment, later) = ("/usr/lib/systemd/system/nginx.service", "/run/generated/90-own.conf");
    let loaded =
        format!("Id=nginx.service\nLoadState=loaded\nNeedDaemonReload=no\nFragmentPath={fragment}\n");
    let mut says = |shown: &str| {
        system.inputs.units.insert("nginx.service".to_owned(), shown.to_owned());
        plan(&system.tree, "nginx", false, &system.inputs).map_err(|why| why.to_string())
    };
    let refused = |plan: Result<Plan, String>, text: &str| {
        let refusal = plan.unwrap_err();
        assert!(refusal.contains(text), "{refusal}");
    };
    refused(says("Id=nginx.service\nLoadState=not-found\n"), "there is no unit nginx.service");
    refused(says("Id=nginx.service\nLoadState=masked\n"), "systemctl unmask");
    refused(says(&loaded.replace("Id=nginx", "Id=web")), "is a link to another unit");
    refused(says(&format!("{loaded}PrivateDevices=yes\n")), "PrivateDevices=yes");
    refused(
        says(&format!("{loaded}UnsetEnvironment=A OPENSSL_CONF\n")),
        "/usr/lib/systemd/system/nginx.service sets or unsets OPENSSL_CONF",
    );
    let text = |plan: Result<Plan, String>| -> String {
        plan.unwrap().files.into_iter().map(|file| file.text).collect()
    };
    let own = |shown: &str| format!("{loaded}Environment=A=1 OPENSSL_CONF={shown}\nDevicePolicy=auto\n");
    let of_web = text(says(&own("/etc/web.cnf")));
    assert!(of_web.contains(".include = /etc/web.cnf\n") && !of_web.contains("DeviceAllow"), "{of_web}");
    // What outboard's own drop-in sets is not what the unit had before.
    let ours =
        "DropInPaths=/etc/systemd/system/nginx.service.d/50-outboard.conf\nDeviceAllow=/dev/outboard rw\n";
    let again = text(says(&format!("{}{ours}", own("/etc/outboard/nginx.service.cnf"))));
    assert!(again.contains(".include = /etc/ssl/openssl.cnf\n") && !again.contains("DeviceAllow"), "{again}");
    let listed = text(says(&format!("{loaded}DevicePolicy=auto\nDeviceAllow=char-rtc r\n")));
    assert!(listed.contains("DeviceAllow=/dev/outboard rw\n"), "{listed}");
    system.write("/etc/default/over", "OPENSSL_CONF=/x\n");
    for (file, line) in
        [("/etc/default/over", "EnvironmentFiles=/etc/default/over (ignore_errors=yes)"), (later, "")]
    {
        system.write(later, &format!("[Service]\n{}\n", if file == later { "Environment=" } else { "" }));
        let shown = format!("{loaded}DropInPaths={later}\n{line}\n");
        system.inputs.units.insert("nginx.service".to_owned(), shown);
        let refusal = system.refusal("nginx", false);
        assert!(refusal.contains(&format!("{file} sets or unsets OPENSSL_CONF")), "{refusal}");
    }
    // Files that systemd has not read yet are those of the next start.
    let outdated = "Id=nginx.service\nLoadState=not-found\nNeedDaemonReload=yes\n";
    system.inputs.units.insert("nginx.service".to_owned(), outdated.to_owned());
    system.plan("nginx");
}

#[test]
fn a_record_that_is_damaged_stops_every_change() {
    let system = debian();
    enable(&system.tree, &system.plan("nginx"), false).unwrap();
    system.write("/etc/outboard/service-nginx.json", "{");
    let before = system.snapshot();
    assert!(matches!(disable(&system.tree, "nginx", true).unwrap_err(), Failure::Record(_)));
    assert!(matches!(enable(&system.tree, &system.plan("openvpn"), true).unwrap_err(), Failure::Record(_)));
    assert_eq!(system.snapshot(), before);
}

#[test]
fn the_whole_system_and_the_ssh_client_are_planned() {
    let system = debian();
    let refused = |name, is_unit| {
        let why = plan(&system.tree, name, is_unit, &system.inputs).err();
        assert!(matches!(why, Some(Unplannable::NotInstalled { .. })), "{name}: {why:?}");
        why.map(|why| why.to_string()).unwrap_or_default()
    };
    assert!(refused("ssh", false).ends_with("install the package of OpenSSH's client"));
    assert!(refused("strongswan", false).ends_with("for a unit with another name: --unit NAME"));
    let unit = refused("nosuch", true);
    assert!(unit.contains("there is no unit nosuch.service") && !unit.contains("--unit"), "{unit}");
    system.write("/usr/bin/ssh", "");
    let paths = |name| -> Vec<PathBuf> { system.plan(name).files.into_iter().map(|f| f.path).collect() };
    assert_eq!(paths("ssh").last().unwrap(), Path::new("/usr/local/bin/ssh"));
    enable(&system.tree, &system.plan("ssh"), false).unwrap();
    let mode = fs::metadata(system.path("/usr/local/bin/ssh")).unwrap().permissions();
    assert_eq!(mode, Permissions::from_mode(0o100_755));
    assert_eq!(paths("openssl").last().unwrap(), Path::new("/etc/profile.d/outboard.sh"));
    assert!(matches!(plan(&system.tree, "disk", false, &system.inputs), Err(Unplannable::InKernel(_))));
    assert_eq!(APPLICATIONS.len(), 10);
}

#[test]
fn a_record_yields_its_units_and_restores_what_it_lists() {
    let system = debian();
    for (service, units) in
        [("nginx", &["nginx.service"][..]), ("openvpn", &["openvpn-server@.service"]), ("openssl", &[])]
    {
        let plan = system.plan(service);
        assert_eq!(changed_units(&plan.files), units);
        enable(&system.tree, &plan, false).unwrap();
        let enabled = system.snapshot();
        let record = Record::read(&system.tree, service).unwrap().unwrap();
        disable(&system.tree, service, false).unwrap();
        assert_eq!(enable(&system.tree, &Plan::of_record(&record), false).unwrap(), Applied::Written);
        assert_eq!(system.snapshot(), enabled);
    }
}
