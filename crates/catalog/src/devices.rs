//! Finds families by their devices, before a driver is bound to them.

use crate::families::{Family, all};

pub fn by_compatible(is_its: impl Fn(&str) -> bool) -> Option<&'static Family> {
    all().find(|family| family.compatible.iter().any(|compatible| is_its(compatible)))
}

pub fn by_pci(device: (u16, u16)) -> Option<&'static Family> {
    all().find(|family| family.pci.contains(&device))
}

pub fn by_acpi(is_its: impl Fn(&str) -> bool) -> Option<&'static Family> {
    all().find(|family| family.acpi.iter().any(|id| is_its(id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::Nature;

    #[test]
    fn devices_are_those_of_accelerators() {
        let id = |family: Option<&Family>| family.map(|family| family.id);
        let cesa = by_compatible(|compatible| compatible == "marvell,armada-38x-crypto");
        assert_eq!(id(cesa), Some("marvell-cesa"));
        assert_eq!(id(by_pci((0x1af4, 0x1054))), Some("virtio-crypto"));
        assert_eq!(id(by_pci((0x1af4, 0x1000))), None);
        for family in all().filter(|family| !(family.compatible.is_empty() && family.pci.is_empty())) {
            assert_eq!(family.nature, Nature::Accelerator, "{}", family.id);
        }
    }
}
