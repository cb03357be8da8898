//! The catalogue as a whole: complete entries, and no id or pattern in two of them.

use std::collections::HashMap;

use super::*;

/// The directories and files of drivers/crypto of Linux 6.12 with a driver, and those added until
/// 7.2.
const MAINLINE: &[(&str, &str)] = &[
    ("allwinner/sun4i-ss", "sun4i-ss"),
    ("allwinner/sun8i-ce", "sun8i-ce"),
    ("allwinner/sun8i-ss", "sun8i-ss"),
    ("amcc", "crypto4xx"),
    ("amlogic", "amlogic-gxl"),
    ("aspeed", "aspeed-hace"),
    ("atmel-aes.c", "atmel"),
    ("axis", "artpec6"),
    ("bcm", "bcm-spu"),
    ("caam", "caam"),
    ("cavium/cpt", "cavium-cpt"),
    ("cavium/nitrox", "nitrox"),
    ("cavium/zip", "cavium-zip"),
    ("ccp", "ccp"),
    ("ccree", "ccree"),
    ("chelsio", "chelsio"),
    ("exynos-rng.c", "exynos-rng"),
    ("gemini", "sl3516"),
    ("geode-aes.c", "geode"),
    ("hifn_795x.c", "hifn"),
    ("hisilicon", "hisi-sec"),
    ("hisilicon/hpre", "hisi-hpre"),
    ("hisilicon/zip", "hisi-zip"),
    ("img-hash.c", "img-hash"),
    ("inside-secure", "safexcel"),
    ("intel/iaa", "iaa"),
    ("intel/ixp4xx", "ixp4xx"),
    ("intel/keembay", "keembay"),
    ("intel/qat", "qat"),
    ("marvell/cesa", "marvell-cesa"),
    ("marvell/octeontx2", "octeontx-cpt"),
    ("mxs-dcp.c", "mxs-dcp"),
    ("n2_core.c", "n2"),
    ("nx", "nx"),
    ("omap-aes.c", "omap"),
    ("padlock-aes.c", "padlock"),
    ("qce", "qce"),
    ("qcom-rng.c", "qcom-rng"),
    ("rockchip", "rockchip"),
    ("s5p-sss.c", "s5p-sss"),
    ("sa2ul.c", "sa2ul"),
    ("sahara.c", "sahara"),
    ("starfive", "jh7110"),
    ("stm32", "stm32"),
    ("talitos.c", "talitos"),
    ("tegra", "tegra-se"),
    ("virtio", "virtio-crypto"),
    ("xilinx", "zynqmp"),
];

#[test]
fn every_driver_of_mainline_has_an_entry() {
    for (path, id) in MAINLINE {
        let family = all().find(|family| family.id == *id).unwrap_or_else(|| panic!("{id}"));
        assert_eq!(family.source, format!("drivers/crypto/{path}"), "{id}");
    }
}

#[test]
fn every_entry_is_complete() {
    for family in all() {
        let id = family.id;
        assert!(!family.vendor.is_empty() && !family.found_in.is_empty() && !family.chip.is_empty(), "{id}");
        assert!(family.bounds.length % 128 == 0 && family.bounds.length < 65536, "{id}");
        for source in family.all_limits().map(|limit| limit.source).chain([family.source]) {
            let in_linux = ["drivers/crypto", "arch/", "crypto"].iter().any(|path| source.starts_with(path));
            assert!(source.starts_with("https://") || in_linux, "{id}: {source}");
        }
        assert!(family.all_limits().all(|limit| !limit.text.is_empty()), "{id}");
        if family.nature == Nature::Software {
            assert_eq!(family.kind, EngineKind::Software, "{id}");
            continue;
        }
        assert!(!family.algorithms.is_empty(), "{id} has no algorithms");
        assert_ne!(family.kind, EngineKind::Software, "{id}");
        let instructions = family.nature == Nature::Instructions;
        assert_eq!(instructions, family.kind == EngineKind::CpuInstructions, "{id}");
        // What is not in mainline must say so.
        assert!(!family.options.is_empty() || !family.limits.is_empty() || family.id == "nss-crypto", "{id}");
        for option in values(family.options) {
            assert!(option.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{id}: {option}");
        }
        for architecture in values(family.debian) {
            let known = ["amd64", "arm64", "armhf", "i386", "ppc64el", "s390x", "riscv64"];
            assert!(known.contains(&architecture), "{id}: {architecture}");
        }
    }
}

#[test]
fn no_two_entries_claim_the_same_pattern_module_or_device() {
    let mut claimed: HashMap<String, &str> = HashMap::new();
    let mut claim = |what: String, id: &'static str| {
        if let Some(other) = claimed.insert(what.clone(), id) {
            panic!("{what} is in {other} and in {id}");
        }
    };
    for family in all() {
        claim(format!("id {}", family.id), family.id);
        values(family.names).for_each(|name| claim(format!("name {name}"), family.id));
        values(family.modules).for_each(|module| claim(format!("module {module}"), family.id));
        family.compatible.iter().for_each(|one| claim(format!("compatible {one}"), family.id));
        family.acpi.iter().for_each(|one| claim(format!("acpi {one}"), family.id));
        family.pci.iter().for_each(|one| claim(format!("pci {one:04x?}"), family.id));
    }
}

#[test]
fn patterns_are_plain_text_and_stars() {
    for family in all() {
        for pattern in [family.names, family.irqs].into_iter().flat_map(values) {
            assert!(!pattern.contains("**") && pattern != "*", "{}: {pattern}", family.id);
            let example = pattern.replace('*', "x");
            assert!(fits(pattern, &example), "{}: {pattern}", family.id);
        }
    }
}

#[test]
fn the_drivers_of_the_guides_are_in_the_tables() {
    for name in [
        "Armada 38x",
        "Geode LX",
        "PadLock",
        "vpn1411",
        "BCM5365",
        "BCM5821",
        "Cisco PIX VAC+",
        "AM335x",
        "AM437x",
        "AM57x",
        "DRA7",
        "AM65x",
        "AM64x",
        "AM62x",
        "AM62L",
        "J721E",
        "J721S2",
        "J784S4",
        "AES-NI",
    ] {
        assert!(!crate::search::search(name).is_empty(), "{name}");
    }
}

#[test]
fn the_pages_of_platforms_name_entries_that_exist() {
    let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/platforms");
    let mut named = Vec::new();
    for page in std::fs::read_dir(pages).unwrap() {
        let path = page.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let ids = text
            .match_indices("`outboard catalogue ")
            .filter_map(|(at, command)| text[at + command.len()..].split('`').next().map(str::to_owned));
        let known = |id: &String| all().any(|family| family.id == id);
        let before = named.len();
        named.extend(ids);
        assert!(named[before..].iter().all(known), "{}: {:?}", path.display(), &named[before..]);
        for option in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            let Some(option) = option.strip_prefix("CONFIG_CRYPTO") else { continue };
            let option = format!("CRYPTO{option}");
            assert!(all().any(|family| values(family.options).any(|one| one == option)), "{option}");
        }
    }
    for id in [
        "marvell-cesa",
        "eip93",
        "omap",
        "caam",
        "qce",
        "rockchip",
        "sun8i-ce",
        "padlock",
        "qat",
        "virtio-crypto",
    ] {
        assert!(named.iter().any(|one| one == id), "no page names {id}");
    }
}
