//! Devices without a driver, in trees made for each state.

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
        ("acpi:AMDI0C00:", "ccp"),
    ] {
        assert_eq!(family_of(alias).map(|f| f.id), Some(id), "{alias}");
    }
    for other in
        ["virtio:d00000004v00001AF4", "pci:v00008086d0000", "pci:v0000é086d", "of:N", "acpi:PNP0C02:", ""]
    {
        assert!(family_of(other).is_none(), "{other}");
    }
}

const CESA: &str = "of:NcryptoT(null)Cmarvell,armada-38x-crypto";
const DEVICE: &str = "sys/bus/platform/devices/f1090000.crypto";

/// The devices of a tree with an Armada's engine and these files.
fn unbound_in(modalias: &str, files: &[(&str, &str)]) -> Vec<UnboundDevice> {
    let dir = tempfile::tempdir().unwrap();
    let alias = (format!("{DEVICE}/modalias"), format!("{modalias}\n"));
    for (file, text) in files.iter().map(|(file, text)| (*file, *text)).chain([(&*alias.0, &*alias.1)]) {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    unbound(&Root::saved(dir.path()).unwrap(), Some("6.12.1"))
}

#[test]
fn a_device_with_a_driver_is_not_listed() {
    assert!(unbound_in(CESA, &[(&format!("{DEVICE}/driver/bind"), "")]).is_empty());
    let found = unbound_in(CESA, &[]);
    assert_eq!((found.len(), found[0].modules[0].as_str()), (1, "marvell_cesa"));
    assert_eq!(found[0].state, UnboundState::Unknown);
}

#[test]
fn each_state_has_its_evidence_and_its_next_step() {
    const DEP: &str = "lib/modules/6.12.1/modules.dep";
    const RELEASE: &str = "etc/os-release";
    for (files, state, evidence, next) in [
        (
            &[(DEP, "kernel/a.ko:\n"), (RELEASE, "ID=debian\n")][..],
            UnboundState::NotBuilt,
            "modules.dep",
            "armhf, arm64",
        ),
        (
            &[("boot/config-6.12.1", "# CONFIG_CRYPTO_DEV_MARVELL_CESA is not set\n")],
            UnboundState::NotBuilt,
            "CONFIG_CRYPTO_DEV_MARVELL_CESA is not set",
            "CONFIG_CRYPTO_DEV_MARVELL_CESA=m",
        ),
        (
            &[(DEP, "kernel/drivers/crypto/marvell/cesa/marvell-cesa.ko:\n")],
            UnboundState::NotLoaded,
            "not loaded",
            "modprobe marvell_cesa",
        ),
        (
            &[(
                "lib/modules/6.12.1/modules.alias",
                "alias of:N*T*Cmarvell,armada-38x-crypto cesa_of_vendor\n",
            )],
            UnboundState::NotLoaded,
            "modules.alias names cesa_of_vendor",
            "modprobe cesa_of_vendor",
        ),
        (
            &[("sys/bus/platform/drivers/marvell-cesa/bind", "")],
            UnboundState::ProbeFailed,
            "platform/marvell-cesa is registered",
            "dmesg | grep f1090000.crypto",
        ),
        (
            &[("sys/module/marvell_cesa/initstate", "live\n")],
            UnboundState::ProbeFailed,
            "/sys/module/marvell_cesa",
            "dmesg",
        ),
        (
            &[("sys/kernel/debug/devices_deferred", "f1090000.crypto\tplatform: wait for supplier\n")],
            UnboundState::Deferred,
            "wait for supplier",
            "deferred",
        ),
    ] {
        let found = unbound_in(CESA, files);
        assert_eq!((found.len(), found[0].state), (1, state), "{files:?}");
        assert!(found[0].evidence.contains(evidence), "{}", found[0].evidence);
        assert!(found[0].next.contains(next), "{}", found[0].next);
    }
}

#[test]
fn openwrt_is_told_its_package() {
    let files =
        [("lib/modules/6.12.1/modules.dep", "kernel/a.ko:\n"), ("etc/os-release", "ID=\"openwrt\"\n")];
    let found = unbound_in("of:NcryptoT(null)Cinside-secure,safexcel-eip93ies", &files);
    assert!(found[0].next.starts_with("apk add kmod-crypto-hw-eip93"), "{}", found[0].next);
}

#[test]
fn a_card_that_linux_cannot_drive_is_named() {
    let dir = tempfile::tempdir().unwrap();
    for (name, alias) in [
        ("0000:03:00.0", "pci:v0000108Ed00005455sv00000000sd00000000bc10sc00i00"),
        ("0000:04:00.0", "pci:v0000ABCDd00001234sv00000000sd00000000bc10sc80i00"),
        ("0000:05:00.0", "pci:v0000ABCDd00001235sv00000000sd00000000bc02sc00i00"),
    ] {
        let device = dir.path().join("sys/bus/pci/devices").join(name);
        fs::create_dir_all(&device).unwrap();
        fs::write(device.join("modalias"), alias).unwrap();
    }
    let found = unbound(&Root::saved(dir.path()).unwrap(), None);
    assert_eq!(found.iter().map(|one| one.state).collect::<Vec<_>>(), [UnboundState::NoDriver; 2]);
    assert!(found[0].chip.contains("ubsec") && found[0].next.contains("outboard catalogue ubsec"));
    assert!(found[1].chip.contains("abcd:1234"), "{}", found[1].chip);
}

proptest! {
    #[test]
    fn any_alias_is_survived(alias in "(of:N|pci:v|virtio:d)?.{0,40}") {
        family_of(&alias);
        pci_id(&alias);
    }
}
