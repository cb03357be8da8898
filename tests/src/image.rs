//! Images of systems, for the commands that change one below a directory (`--root`).

use std::fs;

use tempfile::TempDir;

/// A system with a unit of nginx, and the provider as a package installs it.
#[must_use]
pub fn with_nginx() -> TempDir {
    let root = tempfile::tempdir().expect("a directory");
    for (path, text) in [
        ("usr/lib/systemd/system/nginx.service", "[Service]\nExecStart=/usr/sbin/nginx\n"),
        ("usr/lib/outboard/outboard.so", ""),
        ("etc/ssl/openssl.cnf", "config_diagnostics = 1\n"),
    ] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    root
}
