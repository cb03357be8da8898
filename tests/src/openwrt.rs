//! The files of OpenWrt that `outboard enable` relies on, on another system. uci, libubox and jshn are
//! OpenWrt's (tests/openwrt); procd with rc.common, ubus and /etc/init.d/openssl are stubs. Their
//! scripts run in busybox's ash, as on OpenWrt.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::command::{helper, on_path, succeeded};
use crate::module::module;
use crate::mounted::Mounted;
use crate::systemd::AddedFiles;

const INIT_SCRIPTS: &str = "/etc/init.d";
/// As the package's postinst leaves it, after lines of another hand: uci would write them in another
/// form.
pub const CONFIG: &str = "# by hand\nconfig engine 'devcrypto'\n\toption enabled \"0\"\n\n\
    config provider legacy\n    option enabled 0\n\nconfig provider 'outboard'\n\toption enabled '1'\n";
/// The file of uci's package `openssl`.
pub const CONFIG_FILE: &str = "/etc/config/openssl";

/// The system looks like OpenWrt until this is dropped.
pub struct OpenWrt {
    _files: AddedFiles,
    _scripts: Mounted,
    _mounted: [Mounted; 2],
}

impl OpenWrt {
    /// With init scripts of OpenSSL, outboard and nginx, which listens on 127.0.0.1:4433. Those of
    /// OpenSSL and outboard have run, as at boot.
    ///
    /// # Errors
    /// What is missing.
    pub fn imitate() -> Result<OpenWrt, String> {
        let busybox = on_path("busybox").ok_or("busybox")?;
        let outboard = on_path("outboard").ok_or("the outboard command")?;
        let (module, tools) = (module()?, helper("openwrt-tools")?);
        let mut files = AddedFiles::default();
        let installed = succeeded(&Command::new(tools).arg("/").output().expect("a program"), &["tools"]);
        installed.lines().for_each(|path| files.remove_at_the_end(path));
        let section = include_str!("../../packaging/openwrt/feed/outboard/files/outboard.cnf");
        files.add("/etc/ssl/modules.cnf.d/outboard.cnf", section);
        // OpenWrt finds it by its name in OpenSSL's directory of modules.
        let place = format!("[outboard_sect]\nmodule = {}\n", module.display());
        files.add("/etc/ssl/modules.cnf.d/outboard-module.cnf", &place);
        files.add(CONFIG_FILE, CONFIG);
        files.add(
            "/etc/config/nginx",
            "config nginx 'main'\n\toption configuration '/etc/nginx/outboard-test.conf'\n",
        );
        files.remove_at_the_end("/var/etc/ssl/providers.cnf");
        files.add("/etc/modules.d/60-outboard", include_str!("../../packaging/openwrt/modules"));
        files.add(
            "/etc/nginx/outboard-test.conf",
            "events {}\npid /run/nginx.pid;\nerror_log /run/nginx-error.log;\nhttp {\naccess_log off;\nserver {\n\
             listen 127.0.0.1:4433 ssl;\nroot /var/www/outboard;\nssl_ciphers HIGH;\n\
             ssl_certificate /root/outboard-test.pem;\nssl_certificate_key /root/outboard-test.key;\n}\n}\n",
        );
        files.add("/root/outboard-openwrt.cnf", include_str!("openwrt/openssl.cnf"));
        for (path, text) in [
            ("/sbin/procd", "#!/bin/false\n"),
            ("/etc/rc.common", include_str!("openwrt/rc.common")),
            ("/sbin/ubus", include_str!("openwrt/ubus")),
        ] {
            files.add(path, text);
            fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("our own");
        }
        let scripts = Mounted::over(INIT_SCRIPTS, "mode=755");
        let script = |name: &str, text: &str| {
            let path = Path::new(INIT_SCRIPTS).join(name);
            fs::write(&path, text).expect("a file");
            fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("our own");
        };
        script("nginx", include_str!("openwrt/nginx"));
        script("openssl", include_str!("openwrt/openssl"));
        let directory = outboard.parent().and_then(Path::to_str).expect("a plain path");
        let own = include_str!("../../packaging/openwrt/outboard.init.in");
        script("outboard", &own.replace("@BINDIR@", directory));
        let mounted = [
            Mounted::file("/root/outboard-openwrt.cnf", "/etc/ssl/openssl.cnf"),
            Mounted::file(busybox.to_str().expect("a plain path"), "/bin/sh"),
        ];
        let made = OpenWrt { _files: files, _scripts: scripts, _mounted: mounted };
        init_script("outboard", "start");
        init_script("openssl", "start");
        Ok(made)
    }
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
