//! What `outboard enable` adds on OpenWrt, in a scratch system.

use std::fs;
use std::path::Path;

use outboard_services::enable::{
    Applied, Inputs, Plan, Tree, Unplannable, disable, enable, init_scripts, is_openwrt, plan,
};
use tempfile::TempDir;

const SECTION: &str = "etc/ssl/modules.cnf.d/outboard.cnf";
const PROVIDERS: &str = "var/etc/ssl/providers.cnf";
const MODULES: &str = "etc/modules.d/60-outboard";

struct System {
    root: TempDir,
    tree: Tree,
    inputs: Inputs,
}

impl System {
    /// OpenWrt with nginx, OpenSSH's server and outboard's packages.
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let tree = Tree::at(root.path());
        let inputs = Inputs {
            openssl_cnf: Some("/etc/ssl/openssl.cnf".into()),
            module: "/usr/lib/ossl-modules/outboard.so".into(),
            programs: Vec::new(),
        };
        let system = Self { root, tree, inputs };
        for (path, text) in [
            ("sbin/procd", ""),
            ("etc/rc.common", ""),
            ("etc/init.d/nginx", ""),
            ("etc/init.d/sshd", ""),
            ("etc/init.d/uhttpd", ""),
            ("etc/outboard/allowed", ""),
            (SECTION, include_str!("../../../packaging/openwrt/feed/outboard/files/outboard.cnf")),
            (PROVIDERS, "outboard=outboard\n"),
            (MODULES, include_str!("../../../packaging/openwrt/modules")),
        ] {
            system.write(path, text);
        }
        system
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn plan(&self, name: &str) -> Plan {
        plan(&self.tree, name, false, &self.inputs).unwrap()
    }

    fn refusal(&self, name: &str, is_unit: bool) -> String {
        plan(&self.tree, name, is_unit, &self.inputs).unwrap_err().to_string()
    }

    fn paths(plan: &Plan) -> Vec<&str> {
        plan.files.iter().map(|file| file.path.to_str().unwrap()).collect()
    }
}

#[test]
fn a_service_gets_a_file_for_each_of_its_programs() {
    let system = System::new();
    assert!(is_openwrt(&system.tree) && !is_openwrt(&Tree::at(Path::new("/nonexistent"))));
    let plan = system.plan("sshd");
    let names = ["sshd", "sshd-session", "sshd-auth"].map(|name| format!("/etc/outboard/programs.d/{name}"));
    assert_eq!(System::paths(&plan), names);
    assert_eq!(plan.next, ["/etc/init.d/sshd restart"]);
    assert_eq!(init_scripts(&system.tree, "sshd"), ["sshd"]);
    assert_eq!(init_scripts(&system.tree, "uhttpd.service"), ["uhttpd"]);
    assert_eq!(System::paths(&system.plan("openssl")), ["/etc/outboard/programs.d/_all"]);
}

#[test]
fn a_unit_is_an_init_script_with_the_programs_that_procd_runs() {
    let mut system = System::new();
    assert!(system.refusal("uhttpd", true).contains("procd runs no program for /etc/init.d/uhttpd"));
    system.inputs.programs = vec!["/usr/sbin/uhttpd".into()];
    let plan = plan(&system.tree, "uhttpd", true, &system.inputs).unwrap();
    assert_eq!(
        (System::paths(&plan), plan.service.as_str()),
        (vec!["/etc/outboard/programs.d/uhttpd"], "uhttpd.service")
    );
    assert!(system.refusal("absent", true).contains("/etc/init.d/absent"));
    assert!(system.refusal("../etc", true).contains("is not the name"));
}

#[test]
fn two_services_share_a_program_until_the_second_is_disabled() {
    let mut system = System::new();
    let file = system.root.path().join("etc/outboard/programs.d/nginx");
    assert_eq!(enable(&system.tree, &system.plan("nginx"), false).unwrap(), Applied::Written);
    system.inputs.programs = vec!["/usr/sbin/nginx".into()];
    let unit = plan(&system.tree, "nginx", true, &system.inputs).unwrap();
    assert_eq!(enable(&system.tree, &unit, false).unwrap(), Applied::Written);
    disable(&system.tree, "nginx", false).unwrap();
    assert!(file.exists());
    disable(&system.tree, "nginx.service", false).unwrap();
    assert!(!file.exists() && !file.parent().unwrap().exists());
}

#[test]
fn what_prevents_it_is_named_with_the_next_step() {
    let system = System::new();
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
    fs::remove_file(system.root.path().join(PROVIDERS)).unwrap();
    system.plan("nginx");
    // As another version of the package had it.
    system.write(SECTION, "[outboard]\nactivate = 1\n");
    assert!(system.refusal("nginx", false).contains("install libopenssl-outboard"));
}

#[test]
fn the_module_is_loaded_at_boot() {
    let system = System::new();
    fs::remove_file(system.root.path().join(MODULES)).unwrap();
    let paths = ["/etc/modules.d/60-outboard-enabled", "/etc/outboard/programs.d/nginx"];
    assert_eq!(System::paths(&system.plan("nginx")), paths);
    enable(&system.tree, &system.plan("nginx"), false).unwrap();
    assert_eq!(System::paths(&system.plan("nginx")), paths, "it stays its own");
    system.write("etc/modules.d/10-crypto", "outboard trace=1\n");
    assert_eq!(System::paths(&system.plan("nginx")), paths[1..]);
}
