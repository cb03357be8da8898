//! A fault at each change of `outboard enable` and `disable` in an image
//! (`outboard_tests::interrupted`). Those of a running system are tested in test machines:
//! `tests/tests/device_interrupted*.rs`.

use std::fs;
use std::path::Path;

use outboard_tests::interrupted::{Place, services_can_be_undone};

/// An image with a unit of nginx and the provider.
fn image() -> tempfile::TempDir {
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

#[test]
fn a_fault_or_a_signal_at_any_change_of_a_service_can_be_undone() {
    let image = image();
    services_can_be_undone(Path::new(env!("CARGO_BIN_EXE_outboard")), &Place::Image(image.path()));
}
