//! What systemd says of a unit: `systemctl show`, systemctl(1). It has read all drop-ins, also those
//! of generators and of directories that are not read here, and it expands specifiers.

use std::path::PathBuf;

use super::tree::Tree;
use super::unit::{DROP_IN, Found, Unit, is_yes, openssl_conf, unsets};

/// The properties that [`Inputs::units`](super::Inputs::units) must have.
pub const UNIT_PROPERTIES: &str = "Id,LoadState,NeedDaemonReload,FragmentPath,DropInPaths,Environment,\
    EnvironmentFiles,UnsetEnvironment,PrivateDevices,DevicePolicy,DeviceAllow";

/// The name by which systemd is asked about a unit: of a template only instances can be shown.
#[must_use]
pub fn shown_name(unit: &str) -> String {
    unit.replace("@.", "@outboard.")
}

#[derive(Debug, Default)]
pub(super) struct Shown {
    id: String,
    load_state: String,
    /// A file of the unit changed since.
    pub(super) is_outdated: bool,
    fragment: PathBuf,
    drop_ins: Vec<PathBuf>,
    openssl_conf: Option<String>,
    environment_files: Vec<PathBuf>,
    unsets: bool,
    has_private_devices: bool,
    restricts_devices: bool,
}

impl Shown {
    pub(super) fn parse(text: &str) -> Self {
        let mut shown = Self::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            match key {
                "Id" => value.clone_into(&mut shown.id),
                "LoadState" => value.clone_into(&mut shown.load_state),
                "NeedDaemonReload" => shown.is_outdated = is_yes(value),
                "FragmentPath" => shown.fragment = value.into(),
                "DropInPaths" => shown.drop_ins = value.split_whitespace().map(PathBuf::from).collect(),
                "Environment" => shown.openssl_conf = openssl_conf(value),
                // "/etc/default/x (ignore_errors=yes)", a line for each.
                "EnvironmentFiles" => {
                    let path = value.rsplit_once(" (").map_or(value, |(path, _)| path);
                    shown.environment_files.push(path.into());
                }
                "UnsetEnvironment" => shown.unsets = unsets(value),
                "PrivateDevices" => shown.has_private_devices = is_yes(value),
                "DevicePolicy" => shown.restricts_devices |= value != "auto" && !value.is_empty(),
                // The line of outboard's own drop-in does not count.
                "DeviceAllow" => {
                    shown.restricts_devices |= !value.is_empty() && !value.starts_with("/dev/outboard ");
                }
                _ => {}
            }
        }
        shown
    }

    /// The unit; `None` if it is not installed. OPENSSL_CONF is read from the files that systemd
    /// names: once outboard's drop-in is there, systemd says only what that sets.
    pub(super) fn read(self, tree: &Tree, name: &str) -> std::io::Result<Option<Found>> {
        if self.load_state == "masked" {
            return Ok(Some(Found::Masked));
        }
        if self.load_state == "not-found" || self.fragment.as_os_str().is_empty() {
            return Ok(None);
        }
        if self.id != shown_name(name) {
            return Ok(Some(Found::Alias));
        }
        let mut unit = Unit::default();
        unit.read_all(tree, &self.fragment, &self.drop_ins)?;
        if !self.drop_ins.iter().any(|path| path.ends_with(DROP_IN)) {
            unit.openssl_conf = self.openssl_conf;
        }
        unit.environment_files = self.environment_files;
        unit.unset_by = self.unsets.then(|| unit.unset_by.take().unwrap_or(self.fragment));
        unit.has_private_devices = self.has_private_devices;
        unit.restricts_devices = self.restricts_devices;
        unit.overrides(tree);
        Ok(Some(Found::Unit(unit)))
    }
}
