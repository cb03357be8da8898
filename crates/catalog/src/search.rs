//! Finds entries of the catalogue by what a user knows: a chip, board, driver, module, vendor or
//! device id.

use crate::families::{Family, all, fits, values};

/// Where the kernel's source can be read.
const LINUX: &str = "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/";

/// The entries that match a name, in the order of the tables. An entry with exactly that id is the
/// only one.
pub fn search(name: &str) -> Vec<&'static Family> {
    let wanted = name.to_lowercase();
    if let Some(family) = all().find(|family| family.id == wanted) {
        return vec![family];
    }
    let by_driver: Vec<_> = all().filter(|family| fits(family.names, name)).take(1).collect();
    if !by_driver.is_empty() {
        return by_driver;
    }
    all().filter(|family| matches(family, &wanted)).collect()
}

fn matches(family: &Family, wanted: &str) -> bool {
    let contains = |text: &str| text.to_lowercase().contains(wanted);
    // Modules are spelled with - in file names and with _ in /sys/module.
    let module = wanted.replace('-', "_");
    [family.vendor, family.chip, family.found_in, family.kind.name(), family.openwrt]
        .into_iter()
        .any(contains)
        || values(family.modules).any(|one| one.to_lowercase() == module)
        || values(family.options).any(|one| format!("config_{}", one.to_lowercase()).ends_with(wanted))
        || family.bsd == wanted
        || family.boards.iter().any(|board| contains(board.name) || board.words.iter().any(|w| contains(w)))
        || family.compatible.iter().any(|compatible| compatible.to_lowercase() == wanted)
        || family.acpi.iter().any(|id| id.to_lowercase() == wanted)
        || family.pci.iter().any(|(vendor, device)| format!("{vendor:04x}:{device:04x}") == wanted)
}

/// A source as an URL; paths are relative to Linux' source.
pub fn url(source: &str) -> String {
    if source.contains("://") { source.to_owned() } else { format!("{LINUX}{source}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_chip_board_driver_module_vendor_and_device() {
        for (name, id) in [
            ("omap", "omap"),
            ("Helios4", "marvell-cesa"),
            ("Turris Omnia", "marvell-cesa"),
            ("EdgeRouter X", "eip93"),
            ("mv-cbc-aes", "marvell-cesa"),
            ("marvell-cesa", "marvell-cesa"),
            ("geode-aes", "geode"),
            ("glxsb", "geode"),
            ("vpn1411", "hifn"),
            ("13a3:0020", "hifn"),
            ("Sun Crypto Accelerator", "ubsec"),
            ("14e4:5823", "ubsec"),
            ("BCM5365", "ubsec-ssb"),
            ("ltq-deu-vr9", "ltq-deu"),
            ("CONFIG_CRYPTO_DEV_SA2UL", "sa2ul"),
            ("kmod-crypto-hw-padlock", "padlock"),
            ("inside-secure,safexcel-eip93ies", "eip93"),
            ("J721S2", "sa2ul"),
            ("AM62L", "dthev2"),
            ("AMDI0C00", "ccp"),
        ] {
            let found: Vec<&str> = search(name).iter().map(|family| family.id).collect();
            assert_eq!(found, [id], "{name}");
        }
        assert!(search("Marvell").len() > 3);
        assert!(search("no such thing").is_empty());
    }

    #[test]
    fn a_path_is_in_the_source_of_linux() {
        assert!(url("drivers/crypto/caam").starts_with("https://git.kernel.org/"));
        assert_eq!(url("https://example.org/"), "https://example.org/");
    }
}
