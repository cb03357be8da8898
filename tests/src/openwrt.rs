//! The files of OpenWrt that `outboard enable` relies on, on another system, with a stub of procd
//! and of ubus; their scripts run in busybox's ash, as on OpenWrt.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::command::{on_path, succeeded};
use crate::module::module;
use crate::mounted::Mounted;
use crate::systemd::AddedFiles;

const INIT_SCRIPTS: &str = "/etc/init.d";
/// The list that /etc/init.d/openssl makes from /etc/config/openssl.
pub const PROVIDERS: &str = "/var/etc/ssl/providers.cnf";
/// Its line for a provider that is enabled: a section NAME_sect must be in /etc/ssl/modules.cnf.d.
pub const ENABLED: &str = "outboard=outboard_sect\n";

/// The system looks like OpenWrt until this is dropped.
pub struct OpenWrt {
    _files: AddedFiles,
    _scripts: Mounted,
    _mounted: [Mounted; 2],
}

impl OpenWrt {
    /// With init scripts of outboard and of nginx, which listens on 127.0.0.1:4433.
    ///
    /// # Errors
    /// What is missing.
    pub fn imitate() -> Result<OpenWrt, String> {
        let busybox = on_path("busybox").ok_or("busybox")?;
        let module = module()?;
        let mut files = AddedFiles::default();
        let repository = "/etc/ssl/modules.cnf.d/outboard.cnf";
        files.add(repository, include_str!("../../packaging/openwrt/feed/outboard/files/outboard.cnf"));
        // OpenWrt finds it by its name in OpenSSL's directory of modules.
        let place = format!("[outboard_sect]\nmodule = {}\n", module.display());
        files.add("/etc/ssl/modules.cnf.d/outboard-module.cnf", &place);
        files.add(PROVIDERS, ENABLED);
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
        let mounted = [
            Mounted::file("/root/outboard-openwrt.cnf", "/etc/ssl/openssl.cnf"),
            Mounted::file(busybox.to_str().expect("a plain path"), "/bin/sh"),
        ];
        Ok(OpenWrt { _files: files, _scripts: scripts, _mounted: mounted })
    }
}

/// Runs an init script, which must succeed.
#[track_caller]
pub fn init_script(name: &str, action: &str) {
    let output =
        Command::new(Path::new(INIT_SCRIPTS).join(name)).arg(action).output().expect("an init script");
    succeeded(&output, &[name, action]);
}
