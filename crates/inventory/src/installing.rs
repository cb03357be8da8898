//! How a part that is missing is installed on this system: the one place that knows its package
//! manager and the names of the packages.

use std::fmt;

use outboard_drivers::root::Root;

use crate::kernel_build::has_module;

/// What installs packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackageManager {
    /// Debian and its derivatives.
    Apt,
    /// OpenWrt from 25.12 on, and Alpine.
    Apk,
    /// OpenWrt before 25.12.
    Opkg,
    /// Another one, or none.
    Other,
}

/// A system on which parts are installed.
#[derive(Debug)]
pub struct Installing<'a> {
    root: &'a Root,
    manager: PackageManager,
}

/// What leads to a loaded module of outboard's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModuleStep {
    /// It is loaded.
    Loaded,
    /// One line of the shell loads it, after it has installed what is missing.
    Command(String),
    /// No command is known for this system.
    Document(&'static str),
}

impl fmt::Display for ModuleStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModuleStep::Loaded => f.write_str("it is loaded"),
            ModuleStep::Command(command) => f.write_str(command),
            ModuleStep::Document(file) => write!(f, "install it as {file} describes"),
        }
    }
}

/// The directory of DKMS sources, with a directory `outboard-VERSION`.
const SOURCES: &str = "usr/src";

impl<'a> Installing<'a> {
    /// Finds the package manager of a system.
    pub fn on(root: &'a Root) -> Self {
        let has = |files: &[&str]| files.iter().any(|file| root.exists(file));
        let manager = if has(&["usr/bin/apt", "usr/bin/apt-get"]) {
            PackageManager::Apt
        } else if has(&["usr/bin/apk", "sbin/apk", "bin/apk"]) {
            PackageManager::Apk
        } else if has(&["bin/opkg", "usr/bin/opkg"]) {
            PackageManager::Opkg
        } else {
            of_release(root)
        };
        Self { root, manager }
    }

    /// What installs packages there.
    pub fn manager(&self) -> PackageManager {
        self.manager
    }

    /// The line that installs packages.
    pub fn packages(&self, names: &str) -> Option<String> {
        Some(match self.manager {
            PackageManager::Apt => format!("apt install {names}"),
            PackageManager::Apk => format!("apk add {names}"),
            PackageManager::Opkg => format!("opkg install {names}"),
            PackageManager::Other => return None,
        })
    }

    /// The line that installs a package of OpenWrt. Where the version of OpenWrt is not known, it
    /// names both package managers.
    pub fn openwrt_package(&self, name: &str) -> String {
        match (self.manager, self.packages(name)) {
            (PackageManager::Apk | PackageManager::Opkg, Some(line)) => line,
            _ => format!("apk add {name} (before OpenWrt 25.12: opkg install {name})"),
        }
    }

    /// Whether the system is OpenWrt.
    pub fn is_openwrt(&self) -> bool {
        is_release(self.root, "openwrt")
    }

    /// Whether no file identifies the system.
    pub fn is_unknown(&self) -> bool {
        self.manager == PackageManager::Other && release_file(self.root).is_none()
    }

    /// What loads outboard's module on the kernel of this release.
    pub fn module(&self, release: Option<&str>) -> ModuleStep {
        const LOAD: &str = "modprobe outboard";
        if self.root.exists("sys/module/outboard") {
            return ModuleStep::Loaded;
        }
        let then_load = |install: String| ModuleStep::Command(format!("{install} && {LOAD}"));
        let plain = release.filter(|release| !release.contains('/'));
        if plain.and_then(|release| has_module(self.root, release, "outboard")) == Some(true) {
            return ModuleStep::Command(LOAD.to_owned());
        }
        if let Some(version) = self.source() {
            return then_load(self.with_dkms(&version, release.unwrap_or("$(uname -r)")));
        }
        match self.manager {
            PackageManager::Apt => {
                then_load(format!("apt install ./outboard-dkms_*.deb linux-headers-{}", or_uname(release)))
            }
            PackageManager::Apk | PackageManager::Opkg if self.is_openwrt() => {
                then_load(self.openwrt_package("kmod-outboard"))
            }
            _ => ModuleStep::Document("docs/install.md"),
        }
    }

    /// What installs the provider.
    pub fn provider(&self) -> String {
        match self.manager {
            PackageManager::Apt => {
                "apt install ./outboard_*.deb ./openssl-provider-outboard_*.deb".to_owned()
            }
            PackageManager::Apk | PackageManager::Opkg if self.is_openwrt() => {
                self.openwrt_package("libopenssl-outboard")
            }
            _ => "install it as docs/install.md describes".to_owned(),
        }
    }

    /// The version of the module's source for DKMS.
    fn source(&self) -> Option<String> {
        let names = self.root.list(SOURCES);
        names.iter().rev().find_map(|entry| entry.name.strip_prefix("outboard-").map(str::to_owned))
    }

    /// Builds the module from its source for DKMS.
    fn with_dkms(&self, version: &str, release: &str) -> String {
        let has_headers = self.root.exists(&format!("lib/modules/{release}/build"))
            || self.root.exists(&format!("usr/lib/modules/{release}/build"));
        let has_dkms = ["usr/sbin/dkms", "usr/bin/dkms"].iter().any(|file| self.root.exists(file));
        let mut missing = Vec::new();
        if !has_dkms {
            missing.push("dkms".to_owned());
        }
        if !has_headers && self.manager == PackageManager::Apt {
            missing.push(format!("linux-headers-{release}"));
        }
        let build = format!("dkms install outboard/{version} -k {release}");
        match (missing.is_empty(), self.packages(&missing.join(" "))) {
            (false, Some(install)) => format!("{install} && {build}"),
            _ => build,
        }
    }
}

fn or_uname(release: Option<&str>) -> &str {
    release.unwrap_or("$(uname -r)")
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
        Installing::on(&root).module(Some(RELEASE)).to_string()
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
            (&[other, debian], "apt install ./outboard-dkms_*.deb linux-headers-6.12.1 && modprobe outboard"),
            (
                &[other, debian, source],
                "apt install dkms linux-headers-6.12.1 && dkms install outboard/0.1.0 -k 6.12.1 && modprobe outboard",
            ),
            (
                &[other, source, "usr/sbin/dkms", "lib/modules/6.12.1/build/Makefile", debian],
                "dkms install outboard/0.1.0 -k 6.12.1 && modprobe outboard",
            ),
            (&[openwrt, "bin/opkg"], "opkg install kmod-outboard && modprobe outboard"),
            (&[openwrt, "usr/bin/apk"], "apk add kmod-outboard && modprobe outboard"),
            (&["etc/os-release=ID=fedora\n"], "install it as docs/install.md describes"),
        ] {
            assert_eq!(step(files), expected, "{files:?}");
        }
    }
}
