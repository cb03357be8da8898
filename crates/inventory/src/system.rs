//! Reads how parts are installed on a system.

use outboard_advice::{PackageManager, System};
use outboard_drivers::kernel::Release;
use outboard_drivers::root::Root;

use crate::kernel_build::has_module;

/// The directory of DKMS sources, with a directory `outboard-VERSION`.
const SOURCES: &str = "usr/src";

/// Reads it; `release` is that of the kernel.
pub fn read(root: &Root, release: Option<&str>) -> System {
    let has = |files: &[&str]| files.iter().any(|file| root.exists(file));
    let is_openwrt = is_release(root, "openwrt");
    let manager = if !is_openwrt && has(&["usr/bin/apt", "usr/bin/apt-get"]) {
        PackageManager::Apt
    } else if has(&["usr/bin/apk", "sbin/apk", "bin/apk"]) {
        PackageManager::Apk
    } else if has(&["bin/opkg", "usr/bin/opkg"]) {
        PackageManager::Opkg
    } else {
        of_release(root)
    };
    let plain = release.filter(|release| !release.contains('/'));
    let build = |prefix: &str| format!("{prefix}lib/modules/{}/build", release.unwrap_or("$(uname -r)"));
    let sources = root.list(SOURCES);
    let source = sources.iter().rev().find_map(|entry| entry.name.strip_prefix("outboard-"));
    System {
        manager,
        is_openwrt,
        is_unknown: manager == PackageManager::Other && release_file(root).is_none(),
        is_packaged: root.exists("var/lib/dpkg/info/outboard.list"),
        release: release.map(str::to_owned),
        is_loaded: root.exists("sys/module/outboard"),
        has_module: plain.and_then(|release| has_module(root, release, "outboard")) == Some(true),
        source: source.map(str::to_owned),
        has_dkms: has(&["usr/sbin/dkms", "usr/bin/dkms"]),
        has_headers: has(&[&build(""), &build("usr/")]),
    }
}

pub fn here() -> System {
    let root = Root::live();
    read(&root, Release::read(&root).map(|release| release.text).as_deref())
}

/// A saved tree seldom has programs.
fn of_release(root: &Root) -> PackageManager {
    if is_release(root, "debian") || is_release(root, "ubuntu") || is_release(root, "raspbian") {
        return PackageManager::Apt;
    }
    if is_release(root, "alpine") { PackageManager::Apk } else { PackageManager::Other }
}

/// os-release(5).
fn release_file(root: &Root) -> Option<String> {
    root.text("etc/os-release").or_else(|| root.text("usr/lib/os-release"))
}

/// Whether os-release(5) names a system by `ID=`.
pub fn is_release(root: &Root, id: &str) -> bool {
    let text = release_file(root).unwrap_or_default();
    let ids = text.lines().filter_map(|line| line.strip_prefix("ID="));
    ids.into_iter().any(|value| value.trim_matches(['"', '\'']) == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const RELEASE: &str = "6.12.1";

    /// The next step on a system with these files; a line after `=` is the text.
    fn step(files: &[&str]) -> String {
        let tree = tempfile::tempdir().unwrap();
        for file in files {
            let (path, text) = file.split_once('=').unwrap_or((file, ""));
            let path = tree.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = Root::saved(tree.path()).unwrap();
        read(&root, Some(RELEASE)).module_step().to_string()
    }

    #[test]
    fn each_system_gets_the_line_that_loads_the_module_there() {
        let dep = "lib/modules/6.12.1/modules.dep=updates/dkms/outboard.ko.xz:\n";
        let other = "lib/modules/6.12.1/modules.dep=kernel/a.ko:\n";
        let (debian, openwrt) = ("etc/os-release=ID=debian\n", "etc/os-release=ID=\"openwrt\"\n");
        let source = "usr/src/outboard-0.1.0/dkms.conf";
        for (files, expected) in [
            (&["sys/module/outboard/x", debian][..], "it is loaded"),
            (&[dep, debian], "modprobe outboard"),
            (
                &[other, debian, "var/lib/dpkg/info/outboard.list"],
                "in the directory of outboard's packages: apt install ./outboard-dkms_*.deb linux-headers-6.12.1 && modprobe outboard",
            ),
            // After make install.
            (&[other, debian], "install it as docs/install.md in outboard's source describes"),
            (
                &[other, debian, source],
                "apt install dkms linux-headers-6.12.1 && dkms install outboard/0.1.0 -k 6.12.1 && modprobe outboard",
            ),
            (
                &[other, source, "usr/sbin/dkms", "lib/modules/6.12.1/build/Makefile", debian],
                "dkms install outboard/0.1.0 -k 6.12.1 && modprobe outboard",
            ),
            (
                &[openwrt, "bin/opkg"],
                "in the directory of outboard's packages: opkg install ./kmod-outboard_*.ipk",
            ),
            (
                &[openwrt, "usr/bin/apk", "usr/bin/apt"],
                "in the directory of outboard's packages: apk add --allow-untrusted ./kmod-outboard-*.apk",
            ),
            (&["etc/os-release=ID=fedora\n"], "install it as docs/install.md in outboard's source describes"),
        ] {
            assert_eq!(step(files), expected, "{files:?}");
        }
    }
}
