//! What `outboard enable` adds on OpenWrt, in a scratch system.

mod scratch;

use std::fs;
use std::path::Path;

use outboard_services::enable::{
    Applied, Plan, Tree, Unplannable, counted_programs, counted_units, disable, enable, init_scripts,
    is_openwrt, plan,
};
use scratch::System;

const SECTION: &str = "/etc/ssl/modules.cnf.d/outboard.cnf";
const PROVIDERS: &str = "/var/etc/ssl/providers.cnf";
const MODULES: &str = "/etc/modules.d/60-outboard";

/// OpenWrt with nginx, OpenSSH's server and outboard's packages.
fn openwrt() -> System {
    System::with(&[
        ("/sbin/procd", ""),
        ("/etc/rc.common", ""),
        ("/etc/init.d/nginx", ""),
        ("/etc/init.d/sshd", ""),
        ("/etc/init.d/uhttpd", ""),
        ("/etc/outboard/allowed", ""),
        (SECTION, include_str!("../../../packaging/openwrt/feed/outboard/files/outboard.cnf")),
        (PROVIDERS, "outboard=outboard_sect\n"),
        (MODULES, include_str!("../../../packaging/openwrt/modules")),
    ])
}

fn paths(plan: &Plan) -> Vec<&str> {
    plan.files.iter().map(|file| file.path.to_str().unwrap()).collect()
}

#[test]
fn a_service_gets_a_file_for_each_of_its_programs() {
    let system = openwrt();
    assert!(is_openwrt(&system.tree) && !is_openwrt(&Tree::at(Path::new("/nonexistent"))));
    let plan = system.plan("sshd");
    let names = ["sshd", "sshd-session", "sshd-auth"].map(|name| format!("/etc/outboard/programs.d/{name}"));
    assert_eq!(paths(&plan), names);
    assert_eq!(plan.next, ["/etc/init.d/sshd restart"]);
    assert_eq!(init_scripts(&system.tree, "sshd"), ["sshd"]);
    assert_eq!(init_scripts(&system.tree, "uhttpd.service"), ["uhttpd"]);
    assert_eq!(counted_programs(&plan.files), ["sshd", "sshd-session", "sshd-auth"]);
    let plan = system.plan("openssl");
    assert_eq!(paths(&plan), ["/etc/outboard/programs.d/_all"]);
    assert!(counted_programs(&plan.files).is_empty());
}

#[test]
fn a_unit_is_an_init_script_with_the_programs_that_procd_runs() {
    let mut system = openwrt();
    assert!(system.refusal("uhttpd", true).contains("procd runs no program for /etc/init.d/uhttpd"));
    system.inputs.programs = vec!["/usr/sbin/uhttpd".into()];
    let plan = plan(&system.tree, "uhttpd", true, &system.inputs).unwrap();
    assert_eq!(
        (paths(&plan), plan.service.as_str()),
        (vec!["/etc/outboard/programs.d/uhttpd"], "uhttpd.service")
    );
    assert!(system.refusal("absent", true).contains("/etc/init.d/absent"));
    assert!(system.refusal("../etc", true).contains("is not the name"));
}

/// Names that uci and procd can have, but no package of OpenWrt.
#[test]
fn hostile_names_add_no_file_elsewhere_and_do_not_enable_every_program() {
    let mut system = openwrt();
    let names = ["/tmp/_all", "/", "..", "/usr/bin/a b\n[x]", "/usr/bin/-rf", "/usr/bin/ä"];
    system.inputs.programs = names.iter().map(Into::into).collect();
    let found = plan(&system.tree, "uhttpd", true, &system.inputs).unwrap();
    let programs = Path::new("/etc/outboard/programs.d");
    assert!(found.files.iter().all(|file| file.path.parent() == Some(programs)), "{:?}", paths(&found));
    assert_eq!(found.files.len(), 3);
    system.inputs.programs.truncate(3);
    assert!(system.refusal("uhttpd", true).contains("procd runs no program"));
    for unit in ["a\nb", "$(reboot)", "a b", "-rf", "..", "a/../../b", "'", ""] {
        assert!(plan(&system.tree, unit, true, &system.inputs).is_err(), "{unit:?}");
    }
    // Sections of /etc/config/openssl, from which OpenWrt makes this file.
    for name in
        ["outboard x", "#outboard", "outboard_sect", "OUTBOARD", "[outboard]\noutboard.x", "\u{feff}outboard"]
    {
        system.write(PROVIDERS, &format!("{name}=outboard_sect\n"));
        assert!(system.refusal("nginx", false).contains("switched off"), "{name:?}");
    }
}

#[test]
fn two_services_share_a_program_until_the_second_is_disabled() {
    let mut system = openwrt();
    let file = system.path("/etc/outboard/programs.d/nginx");
    assert_eq!(enable(&system.tree, &system.plan("nginx"), false).unwrap(), Applied::Written);
    system.inputs.programs = vec!["/usr/sbin/nginx".into()];
    let unit = plan(&system.tree, "nginx", true, &system.inputs).unwrap();
    assert_eq!(enable(&system.tree, &unit, false).unwrap(), Applied::Written);
    system.write("/var/run/outboard/nginx", "counters");
    disable(&system.tree, "nginx", false).unwrap();
    assert!(file.exists());
    assert_eq!(counted_units(&system.tree), ["nginx"]);
    disable(&system.tree, "nginx.service", false).unwrap();
    assert!(!file.exists() && !file.parent().unwrap().exists());
    assert!(counted_units(&system.tree).is_empty());
}

#[test]
fn an_obstacle_is_named_with_the_next_step() {
    let system = openwrt();
    assert!(
        system
            .refusal("openvpn", false)
            .contains("openvpn is not installed: there is no unit /etc/init.d/openvpn")
    );
    assert!(system.refusal("ssh", false).contains("/usr/bin/ssh"));
    assert!(matches!(plan(&system.tree, "disk", false, &system.inputs), Err(Unplannable::InKernel(_))));
    system.write(PROVIDERS, "# legacy=legacy\nlegacy=legacy\n");
    assert!(system.refusal("nginx", false).contains("uci set openssl.outboard.enabled=1"));
    // It is made at boot, so an image lacks it.
    fs::remove_file(system.path(PROVIDERS)).unwrap();
    system.plan("nginx");
    // As another version of the package had it.
    system.write(SECTION, "[outboard_sect]\nactivate = 1\n");
    assert!(system.refusal("nginx", false).contains("libopenssl-outboard"));
}

#[test]
fn the_module_is_loaded_at_boot() {
    let system = openwrt();
    fs::remove_file(system.path(MODULES)).unwrap();
    let files = ["/etc/modules.d/60-outboard-enabled", "/etc/outboard/programs.d/nginx"];
    assert_eq!(paths(&system.plan("nginx")), files);
    enable(&system.tree, &system.plan("nginx"), false).unwrap();
    assert_eq!(paths(&system.plan("nginx")), files, "it stays its own");
    system.write("/etc/modules.d/10-crypto", "outboard trace=1\n");
    assert_eq!(paths(&system.plan("nginx")), files[1..]);
}
