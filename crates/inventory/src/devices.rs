//! Crypto devices without a driver: the module is missing, not loaded, or rejected the device.

use outboard_catalog::devices;
use outboard_catalog::families::{self, Family, values};
use outboard_drivers::root::Root;
use serde::Serialize;

/// A device without a driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnboundDevice {
    /// The bus.
    pub bus: &'static str,
    /// The device's name there.
    pub device: String,
    /// The engine.
    pub chip: &'static str,
    /// The modules to try, the most likely first.
    pub modules: Vec<&'static str>,
}

/// The virtio device number of a crypto device (linux/virtio_ids.h).
const VIRTIO_ID_CRYPTO: &str = "virtio:d00000014v";

/// All crypto devices of the platform, PCI and virtio buses without a driver.
pub fn unbound(root: &Root) -> Vec<UnboundDevice> {
    ["platform", "pci", "virtio"].into_iter().flat_map(|bus| of_bus(root, bus)).collect()
}

fn of_bus(root: &Root, bus: &'static str) -> Vec<UnboundDevice> {
    let base = format!("sys/bus/{bus}/devices");
    let mut found = Vec::new();
    for entry in root.list(&base) {
        let Some(modalias) = root.text(&format!("{base}/{}/modalias", entry.name)) else { continue };
        let Some(family) = family_of(&modalias) else { continue };
        if !root.exists(&format!("{base}/{}/driver", entry.name)) {
            found.push(UnboundDevice {
                bus,
                device: entry.name,
                chip: family.chip,
                modules: values(family.modules).collect(),
            });
        }
    }
    found
}

/// `of:NcryptoT(null)Cmarvell,armada-38x-crypto`, `pci:v00001022d00002082sv…`,
/// `virtio:d00000014v00001AF4`.
fn family_of(modalias: &str) -> Option<&'static Family> {
    if let Some(rest) = modalias.strip_prefix("of:N") {
        let compatible: Vec<&str> = rest.split('C').skip(1).collect();
        let all = rest.split_once('C').map_or("", |(_, all)| all);
        return devices::by_compatible(|c| compatible.contains(&c) || all == c);
    }
    if let Some(rest) = modalias.strip_prefix("pci:v") {
        let (vendor, rest) = rest.split_at_checked(8)?;
        let device = rest.strip_prefix('d')?.get(..8)?;
        let number = |hex| u32::from_str_radix(hex, 16).ok().and_then(|n| u16::try_from(n).ok());
        let id = (number(vendor)?, number(device)?);
        return devices::by_pci(id);
    }
    modalias
        .starts_with(VIRTIO_ID_CRYPTO)
        .then(|| families::accelerators().find(|f| f.id == "virtio-crypto"))?
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn aliases_of_three_buses_are_understood() {
        for (alias, id) in [
            ("of:NcryptoT(null)Cmarvell,armada-38x-crypto", "marvell-cesa"),
            ("of:NcryptoTcryptoCti,am64-sa2ul", "sa2ul"),
            ("of:NcryptoT(null)Cmediatek,mt7986-cryptoCinside-secure,safexcel-eip97", "safexcel"),
            ("pci:v00001022d00002082sv00001022sd00002082bc10sc10i00", "geode"),
            ("pci:v00008086d00004940sv00008086sd00000000bc0Bsc40i00", "qat"),
            ("virtio:d00000014v00001AF4", "virtio-crypto"),
        ] {
            assert_eq!(family_of(alias).map(|f| f.id), Some(id), "{alias}");
        }
        for other in
            ["virtio:d00000004v00001AF4", "pci:v00008086d0000", "pci:v0000é086d", "of:N", "acpi:PNP0C02:", ""]
        {
            assert!(family_of(other).is_none(), "{other}");
        }
    }

    #[test]
    fn a_device_with_a_driver_is_not_listed() {
        let dir = tempfile::tempdir().unwrap();
        for (name, driver) in [("f1090000.crypto", false), ("f10a0000.crypto", true)] {
            let device = dir.path().join("sys/bus/platform/devices").join(name);
            fs::create_dir_all(&device).unwrap();
            fs::write(device.join("modalias"), "of:NcryptoT(null)Cmarvell,armada-38x-crypto\n").unwrap();
            if driver {
                fs::create_dir(device.join("driver")).unwrap();
            }
        }
        let found = unbound(&Root::saved(dir.path()).unwrap());
        assert_eq!(found.iter().map(|d| d.device.as_str()).collect::<Vec<_>>(), ["f1090000.crypto"]);
        assert_eq!(found[0].modules[0], "marvell_cesa");
    }

    proptest! {
        #[test]
        fn any_alias_is_survived(alias in "(of:N|pci:v|virtio:d)?.{0,40}") {
            family_of(&alias);
        }
    }
}
