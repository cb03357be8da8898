//! How a missing part is installed on a system: the one place that knows its package manager and the
//! names of the packages.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub enum PackageManager {
    /// Debian and its derivatives.
    Apt,
    /// OpenWrt from 25.12 on, and Alpine.
    Apk,
    /// OpenWrt before 25.12.
    Opkg,
    /// Another one, or none.
    #[default]
    Other,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct System {
    pub manager: PackageManager,
    pub is_openwrt: bool,
    /// No file identifies it.
    pub is_unknown: bool,
    /// Whether outboard came in a package of Debian's.
    pub is_packaged: bool,
    /// The kernel's release; `None` if it is not known.
    pub release: Option<String>,
    /// outboard's module is loaded.
    pub is_loaded: bool,
    /// The kernel has outboard's module.
    pub has_module: bool,
    /// The version of the module's source for DKMS.
    pub source: Option<String>,
    pub has_dkms: bool,
    /// The headers of the kernel are there.
    pub has_headers: bool,
}

/// What leads to a loaded module of outboard's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModuleStep {
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

/// In the source, as no package has it.
const INSTALL: &str = "docs/install.md in outboard's source";

impl System {
    /// The line that installs packages of the system's own.
    #[must_use]
    pub fn packages(&self, names: &str) -> Option<String> {
        Some(match self.manager {
            PackageManager::Apt => format!("apt install {names}"),
            PackageManager::Apk => format!("apk update && apk add {names}"),
            PackageManager::Opkg => format!("opkg update && opkg install {names}"),
            PackageManager::Other => return None,
        })
    }

    /// The line that installs a package of OpenWrt. Where the version of OpenWrt is not known, it names
    /// both package managers.
    #[must_use]
    pub fn openwrt_package(&self, name: &str) -> String {
        match (self.manager, self.packages(name)) {
            (PackageManager::Apk | PackageManager::Opkg, Some(line)) => line,
            _ => format!("apk add {name} (before OpenWrt 25.12: opkg install {name})"),
        }
    }

    /// The line that removes a package of OpenWrt; `otherwise` on other systems.
    #[must_use]
    pub fn without_openwrt_package(&self, name: &str, otherwise: &str) -> String {
        match self.manager {
            _ if !self.is_openwrt => otherwise.to_owned(),
            PackageManager::Opkg => format!("opkg remove {name}"),
            _ => format!("apk del {name}"),
        }
    }

    /// What installs a package of outboard's, by its names on Debian and on OpenWrt, with the further
    /// packages that it needs on Debian. None is published: it came in a file, or by `make install`.
    fn own_package(&self, debian: &str, needed: &str, openwrt: &str) -> Result<String, &'static str> {
        let line = match self.manager {
            PackageManager::Opkg if self.is_openwrt => format!("opkg install ./{openwrt}_*.ipk"),
            _ if self.is_openwrt => format!("apk add --allow-untrusted ./{openwrt}-*.apk"),
            _ if self.is_packaged => format!("apt install ./{debian}_*.deb{needed}"),
            _ => return Err(INSTALL),
        };
        Ok(format!("in the directory of outboard's packages: {line}"))
    }

    /// What loads outboard's module.
    #[must_use]
    pub fn module_step(&self) -> ModuleStep {
        const LOAD: &str = "modprobe outboard";
        let then_load = |install: String| ModuleStep::Command(format!("{install} && {LOAD}"));
        let headers = format!(" linux-headers-{}", self.release.as_deref().unwrap_or("$(uname -r)"));
        match (&self.source, self.own_package("outboard-dkms", &headers, "kmod-outboard")) {
            _ if self.is_loaded => ModuleStep::Loaded,
            _ if self.has_module => ModuleStep::Command(LOAD.to_owned()),
            (Some(version), _) => then_load(self.with_dkms(version)),
            // OpenWrt loads the modules of a package that it installs.
            (None, Ok(line)) if self.is_openwrt => ModuleStep::Command(line),
            (None, Ok(line)) => then_load(line),
            (None, Err(file)) => ModuleStep::Document(file),
        }
    }

    #[must_use]
    pub fn provider_step(&self) -> String {
        self.part_step("openssl-provider-outboard", "libopenssl-outboard")
    }

    /// What installs a part of outboard, by the names of its package on Debian and on OpenWrt.
    #[must_use]
    pub fn part_step(&self, debian: &str, openwrt: &str) -> String {
        self.own_package(debian, "", openwrt).unwrap_or_else(|file| format!("install it as {file} describes"))
    }

    /// Builds the module from its source for DKMS.
    fn with_dkms(&self, version: &str) -> String {
        let release = self.release.as_deref().unwrap_or("$(uname -r)");
        let mut missing = Vec::new();
        if !self.has_dkms {
            missing.push("dkms".to_owned());
        }
        if !self.has_headers && self.manager == PackageManager::Apt {
            missing.push(format!("linux-headers-{release}"));
        }
        let build = format!("dkms install outboard/{version} -k {release}");
        match (missing.is_empty(), self.packages(&missing.join(" "))) {
            (false, Some(install)) => format!("{install} && {build}"),
            _ => build,
        }
    }
}
