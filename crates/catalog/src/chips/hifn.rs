//! Hifn.

use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // Soekris vpn1401 and vpn1411 cards
    Family {
        id: "hifn",
        names: "*-hifn*",
        modules: "hifn_795x",
        bound: "pci/hifn795x",
        irqs: "hifn*",
        chip: "Hifn 7955 or 7956",
        pci: &[(0x13a3, 0x0020), (0x13a3, 0x001d)],
        ..Family::ROW
    },
];
