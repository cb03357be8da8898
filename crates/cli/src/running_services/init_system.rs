//! The init system that runs the services: systemd, or procd on OpenWrt.

use std::path::Path;

use anyhow::{Result, bail};
use outboard_console::printable;
use outboard_documents::secrets;
use outboard_services::enable::{AddedFile, Tree, changed_units, init_scripts, is_openwrt};

use super::{procd, systemctl};

/// The init system of the running system. A unit is one of systemd, or an init script of procd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitSystem {
    Systemd,
    Procd,
}

impl InitSystem {
    /// An error if it is another one.
    pub fn find() -> Result<Self> {
        if systemctl::is_booted() {
            return Ok(Self::Systemd);
        }
        if is_openwrt(&Tree::at(Path::new("/"))) {
            return Ok(Self::Procd);
        }
        bail!(
            "neither systemd nor procd runs here: leave out --restart, and restart the service by its init script"
        )
    }

    pub fn units(self, tree: &Tree, service: &str, files: &[AddedFile]) -> Vec<String> {
        match self {
            Self::Systemd => changed_units(files),
            Self::Procd => init_scripts(tree, service),
        }
    }

    pub fn running(self, units: &[String]) -> Result<Vec<String>> {
        match self {
            Self::Systemd => systemctl::running(units),
            Self::Procd => procd::running(units),
        }
    }

    /// Has systemd read all unit files; procd reads an init script at each start.
    pub fn read_changes(self) -> Result<()> {
        match self {
            Self::Systemd => systemctl::daemon_reload(),
            Self::Procd => Ok(()),
        }
    }

    /// An error if the processes of a unit get another OPENSSL_CONF. procd sets none.
    pub fn check_openssl_conf(self, unit: &str, wanted: &str) -> Result<()> {
        match self {
            Self::Systemd => systemctl::check_openssl_conf(unit, wanted),
            Self::Procd => Ok(()),
        }
    }

    pub fn restart(self, units: &[String]) -> Result<()> {
        match self {
            Self::Systemd => systemctl::restart(units),
            Self::Procd => procd::restart(units),
        }
    }

    pub fn is_active(self, unit: &str) -> Result<bool> {
        match self {
            Self::Systemd => systemctl::is_active(unit),
            Self::Procd => procd::is_active(unit),
        }
    }

    pub fn processes(self, unit: &str) -> Result<Vec<u32>> {
        match self {
            Self::Systemd => systemctl::processes(unit),
            Self::Procd => procd::processes(unit),
        }
    }

    /// CPU time of a unit since it started, in nanoseconds; `None` if the init system does not
    /// measure it.
    pub fn cpu_nanoseconds(self, unit: &str) -> Option<u64> {
        match self {
            Self::Systemd => systemctl::cpu_nanoseconds(unit),
            Self::Procd => None,
        }
    }

    /// The last lines that a unit logged; empty if the log cannot be read.
    pub fn last_messages(self, unit: &str) -> String {
        let lines = match self {
            Self::Systemd => systemctl::last_messages(unit),
            Self::Procd => procd::last_messages(unit),
        };
        shown(&lines)
    }

    /// Whether the provider is mapped only in processes of enabled services. On OpenWrt every
    /// program that loads OpenSSL's configuration maps it.
    pub fn maps_provider_by_service(self) -> bool {
        self == Self::Systemd
    }
}

/// Lines of a log, which contain what clients of the service choose, and may contain its secrets.
fn shown(lines: &str) -> String {
    printable(&String::from_utf8_lossy(&secrets::text(lines.as_bytes()))).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_log_have_no_escape_sequences_and_no_passwords() {
        let lines = "\n    \u{1b}]0;pwn\u{7}from 192.168.7.9\n    password: hunter2";
        assert_eq!(shown(lines), "\n    \u{fffd}]0;pwn\u{fffd}from REMOVED\n    password: REMOVED");
    }
}
