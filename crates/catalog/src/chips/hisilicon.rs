//! HiSilicon.

use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // Kunpeng 916, 920 and later
    Family {
        id: "hisi-sec",
        names: "hisi_sec_*",
        modules: "hisi_sec|hisi_sec2",
        bound: "platform/hisi_sec_platform_driver|pci/hisi_sec2",
        irqs: "hisi_sec*",
        chip: "HiSilicon SEC",
        compatible: &["hisilicon,hip06-sec", "hisilicon,hip07-sec"],
        pci: &[(0x19e5, 0xa255), (0x19e5, 0xa256)],
        ..Family::ROW
    },
    // Kunpeng 920 and later
    Family {
        id: "hisi-hpre",
        names: "hpre-*",
        modules: "hisi_hpre",
        bound: "pci/hisi_hpre",
        irqs: "hisi_hpre*",
        chip: "HiSilicon HPRE (public-key engine)",
        pci: &[(0x19e5, 0xa258), (0x19e5, 0xa259)],
        ..Family::ROW
    },
    // Kunpeng 920 and later
    Family {
        id: "hisi-zip",
        names: "hisi-*-acomp",
        modules: "hisi_zip",
        bound: "pci/hisi_zip",
        irqs: "hisi_zip*",
        chip: "HiSilicon ZIP (compression)",
        pci: &[(0x19e5, 0xa250), (0x19e5, 0xa251)],
        ..Family::ROW
    },
];
