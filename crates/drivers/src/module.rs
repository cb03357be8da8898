//! The device drivers behind a kernel module and the devices bound to them, from sysfs.

use outboard_catalog::families::values;

use crate::root::Root;

/// A device driver, as in /sys/bus/BUS/drivers/NAME, and its devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceDriver {
    /// The bus: `platform`, `pci`, `virtio` …
    pub bus: String,
    pub name: String,
    pub devices: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hardware {
    /// Whether /sys/bus could be read; if not, an empty list means nothing.
    pub sysfs: bool,
    pub drivers: Vec<DeviceDriver>,
}

impl Hardware {
    pub fn devices(&self) -> impl Iterator<Item = (&DeviceDriver, &str)> {
        self.drivers.iter().flat_map(|d| d.devices.iter().map(move |name| (d, name.as_str())))
    }

    /// Whether a device is bound; `None` if that cannot be determined.
    pub fn is_bound(&self) -> Option<bool> {
        let has_device = self.drivers.iter().any(|d| !d.devices.is_empty());
        (has_device || (self.sysfs && !self.drivers.is_empty())).then_some(has_device)
    }
}

/// The device drivers of `module` (from /sys/module/MODULE/drivers) and those that its family is
/// known to use (`bound` as in [`Family`](outboard_catalog::families::Family)): drivers that are
/// built in, and drivers whose crypto code lives in another module, do not show under the module.
pub fn hardware(root: &Root, module: &str, bound: &str) -> Hardware {
    let mut names: Vec<String> = Vec::new();
    // There are few: insertion in order needs less code than sorting.
    let mut add = |name: String| {
        if let Err(at) = names.binary_search(&name) {
            names.insert(at, name);
        }
    };
    if module != "kernel" {
        for entry in root.list(&format!("sys/module/{module}/drivers")) {
            add(entry.name.replacen(':', "/", 1));
        }
    }
    values(bound).for_each(|name| add(name.to_string()));
    let drivers = names.iter().filter_map(|name| device_driver(root, name)).collect();
    Hardware { sysfs: root.exists("sys/bus"), drivers }
}

/// The device driver called `bus/driver`; `None` if there is none.
fn device_driver(root: &Root, name: &str) -> Option<DeviceDriver> {
    let (bus, name) = name.split_once('/')?;
    let path = format!("sys/bus/{bus}/drivers/{name}");
    let entries = root.list(&path);
    if entries.is_empty() && !root.exists(&path) {
        return None;
    }
    let mut devices = Vec::new();
    for entry in entries {
        if entry.is_link_or_dir && entry.name != "module" {
            devices.push(entry.name);
        }
    }
    Some(DeviceDriver { bus: bus.to_string(), name: name.to_string(), devices })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use outboard_catalog::families;

    #[test]
    fn devices_are_found_through_the_module_and_through_the_family() {
        let dir = tempfile::tempdir().unwrap();
        let at = |p: &str| dir.path().join(p);
        fs::create_dir_all(at("sys/bus/platform/drivers/marvell-cesa")).unwrap();
        symlink(
            "../../../../devices/f1090000.crypto",
            at("sys/bus/platform/drivers/marvell-cesa/f1090000.crypto"),
        )
        .unwrap();
        symlink("../../../../module/x", at("sys/bus/platform/drivers/marvell-cesa/module")).unwrap();
        fs::write(at("sys/bus/platform/drivers/marvell-cesa/bind"), "").unwrap();
        let root = Root::saved(dir.path()).unwrap();
        let built_in = hardware(&root, "kernel", families::by_name("mv-cbc-aes").unwrap().bound);
        assert_eq!(
            built_in.devices().map(|(d, n)| (d.name.as_str(), n)).collect::<Vec<_>>(),
            [("marvell-cesa", "f1090000.crypto")]
        );
        assert!(hardware(&root, "acme", "").drivers.is_empty());
        fs::create_dir_all(at("sys/module/acme/drivers")).unwrap();
        symlink("x", at("sys/module/acme/drivers/platform:marvell-cesa")).unwrap();
        assert_eq!(hardware(&root, "acme", ""), built_in);
    }
}
