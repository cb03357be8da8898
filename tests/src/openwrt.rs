//! The files of OpenWrt that outboard relies on, on another system. uci is OpenWrt's
//! (scripts/openwrt-uci); procd with rc.common, ubus, /etc/init.d/openssl, opkg and apk are stubs. Their
//! scripts run in busybox's ash, as on OpenWrt.

pub mod session;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::command::{helper, on_path, succeeded};
use crate::module::module;
use crate::mounted::Mounted;
use crate::systemd::AddedFiles;

const INIT_SCRIPTS: &str = "/etc/init.d";
const SECTION: &str = include_str!("../../packaging/openwrt/feed/outboard/files/outboard.cnf");
const MODULES: &str = include_str!("../../packaging/openwrt/modules");
/// As others leave it: uci would write it in another form.
const CONFIG_OF_OTHERS: &str = "# by hand\nconfig engine 'devcrypto'\n\toption enabled \"0\"\n\n\
    config provider legacy\n    option enabled 0\n";
/// The file of uci's package `openssl`.
pub const CONFIG_FILE: &str = "/etc/config/openssl";

/// The same after the package of the provider was installed.
#[must_use]
pub fn config() -> String {
    format!("{CONFIG_OF_OTHERS}\nconfig provider 'outboard'\n\toption enabled '1'\n")
}

/// The system looks like OpenWrt until this is dropped.
pub struct OpenWrt {
    files: AddedFiles,
    _scripts: Mounted,
    _mounted: [Mounted; 3],
}

impl OpenWrt {
    /// With init scripts of OpenSSL, outboard and nginx, which listens on 127.0.0.1:4433. Those of
    /// OpenSSL and outboard have run, as at boot.
    ///
    /// # Errors
    /// What is missing.
    pub fn imitate() -> Result<OpenWrt, String> {
        let mut openwrt = OpenWrt::without_outboard()?;
        openwrt.files.add("/etc/ssl/modules.cnf.d/outboard.cnf", SECTION);
        openwrt.files.add(CONFIG_FILE, &config());
        openwrt.files.add("/etc/modules.d/60-outboard", MODULES);
        let outboard = on_path("outboard").ok_or("the outboard command")?;
        let directory = outboard.parent().and_then(Path::to_str).expect("a plain path");
        script("outboard", &own_script(directory));
        init_script("outboard", "start");
        init_script("openssl", "start");
        Ok(openwrt)
    }

    /// The same without outboard's packages.
    fn without_outboard() -> Result<OpenWrt, String> {
        let busybox = on_path("busybox").ok_or("busybox")?;
        let (module, uci) = (module()?, helper("openwrt/sbin/uci")?);
        let mut files = AddedFiles::default();
        for (path, mode) in [("/sbin/uci", 0o755), ("/lib/config/uci.sh", 0o644)] {
            let from = uci.ancestors().nth(2).expect("the tools").join(&path[1..]);
            fs::create_dir_all(Path::new(path).parent().expect("a directory")).expect("a directory");
            fs::copy(from, path).expect("a tool of OpenWrt");
            fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("our own");
            files.remove_at_the_end(path);
        }
        // OpenWrt finds it by its name in OpenSSL's directory of modules.
        let place = format!("[outboard_sect]\nmodule = {}\n", module.display());
        files.add("/etc/ssl/modules.cnf.d/outboard-module.cnf", &place);
        files.add(CONFIG_FILE, CONFIG_OF_OTHERS);
        files.add(
            "/etc/config/nginx",
            "config nginx 'main'\n\toption configuration '/etc/nginx/outboard-test.conf'\n",
        );
        files.remove_at_the_end("/var/etc/ssl/providers.cnf");
        files.add(
            "/etc/nginx/outboard-test.conf",
            "events {}\npid /run/nginx.pid;\nerror_log /run/nginx-error.log;\nhttp {\naccess_log off;\nserver {\n\
             listen 127.0.0.1:4433 ssl;\nroot /var/www/outboard;\nssl_ciphers HIGH;\n\
             ssl_certificate /root/outboard-test.pem;\nssl_certificate_key /root/outboard-test.key;\n}\n}\n",
        );
        files.add("/root/outboard-openwrt.cnf", include_str!("openwrt/openssl.cnf"));
        files.add("/root/outboard-os-release", "NAME=\"OpenWrt\"\nID=\"openwrt\"\n");
        for (path, text) in [
            ("/sbin/procd", "#!/bin/false\n"),
            ("/etc/rc.common", include_str!("openwrt/rc.common")),
            ("/sbin/ubus", include_str!("openwrt/ubus")),
        ] {
            files.add(path, text);
            fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("our own");
        }
        let scripts = Mounted::over(INIT_SCRIPTS, "mode=755");
        script("nginx", include_str!("openwrt/nginx"));
        script("openssl", include_str!("openwrt/openssl"));
        let mounted = [
            Mounted::file("/root/outboard-openwrt.cnf", "/etc/ssl/openssl.cnf"),
            Mounted::file("/root/outboard-os-release", "/etc/os-release"),
            Mounted::file(busybox.to_str().expect("a plain path"), "/bin/sh"),
        ];
        init_script("openssl", "start");
        Ok(OpenWrt { files, _scripts: scripts, _mounted: mounted })
    }
}

/// Adds an init script.
fn script(name: &str, text: &str) {
    let path = Path::new(INIT_SCRIPTS).join(name);
    fs::write(&path, text).expect("a file");
    fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("our own");
}

/// outboard's, for a directory of programs.
fn own_script(directory: &str) -> String {
    include_str!("../../packaging/openwrt/outboard.init.in").replace("@BINDIR@", directory)
}

/// Runs an init script, which must succeed.
#[track_caller]
pub fn init_script(name: &str, action: &str) {
    let output =
        Command::new(Path::new(INIT_SCRIPTS).join(name)).arg(action).output().expect("an init script");
    succeeded(&output, &[name, action]);
}

/// Runs commands in OpenWrt's shell, which must succeed.
#[track_caller]
pub fn shell(commands: &str) -> String {
    succeeded(&Command::new("/bin/sh").args(["-euc", commands]).output().expect("a shell"), &[commands])
}
