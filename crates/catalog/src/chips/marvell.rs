//! Marvell, with Cavium.

use crate::family::Completion::Polled;
use crate::family::{Board, Family, Nature};

pub(super) const ROWS: &[Family] = &[
    // Orion, Kirkwood, Dove, Armada 370, XP, 375, 38x (Helios4, WRT3200ACM, SheevaPlug)
    Family {
        id: "marvell-cesa",
        names: "mv-*",
        modules: "marvell_cesa|mv_cesa",
        bound: "platform/marvell-cesa|platform/mv_crypto",
        irqs: "mv_crypto",
        chip: "Marvell CESA",
        compatible: &[
            "marvell,armada-370-crypto",
            "marvell,armada-375-crypto",
            "marvell,armada-38x-crypto",
            "marvell,armada-xp-crypto",
            "marvell,dove-crypto",
            "marvell,kirkwood-crypto",
            "marvell,orion-crypto",
        ],
        boards: &[
            Board { words: &["marvell,armada38"], name: "Marvell Armada 38x" },
            Board { words: &["marvell,armada375"], name: "Marvell Armada 375" },
            Board { words: &["marvell,armada370"], name: "Marvell Armada 370" },
            Board { words: &["marvell,armadaxp"], name: "Marvell Armada XP" },
            Board { words: &["marvell,kirkwood"], name: "Marvell Kirkwood" },
            Board { words: &["marvell,orion"], name: "Marvell Orion" },
            Board { words: &["marvell,dove"], name: "Marvell Dove" },
        ],
        ..Family::ROW
    },
    // Cavium Octeon (MIPS)
    Family {
        id: "octeon-md5",
        names: "octeon-*",
        modules: "octeon_md5|octeon_sha1|octeon_sha256|octeon_sha512",
        nature: Nature::Instructions,
        chip: "Cavium Octeon's crypto coprocessor instructions",
        ..Family::ROW
    },
    // NITROX V cards
    Family {
        id: "nitrox",
        names: "n5_*",
        modules: "n5pf",
        bound: "pci/CNN55XX",
        irqs: "nitrox-pkt*",
        chip: "Marvell (Cavium) NITROX V CNN55XX",
        pci: &[(0x177d, 0x0012)],
        ..Family::ROW
    },
    // ThunderX CN81xx
    Family {
        id: "cavium-cpt",
        names: "cavium-*",
        modules: "cptvf",
        bound: "pci/thunder-cptvf",
        irqs: "CPT VF done*",
        chip: "Cavium Cryptographic Acceleration Unit (CPT)",
        pci: &[(0x177d, 0xa041)],
        ..Family::ROW
    },
    // OcteonTX CN83xx, OcteonTX2 CN9xxx, CN10K
    Family {
        id: "octeontx-cpt",
        names: "cpt_*",
        modules: "octeontx_cptvf|rvu_cptvf",
        bound: "pci/octeontx-cptvf|pci/rvu_cptvf",
        irqs: "CPT VF done*|CPT*LF Done*",
        chip: "Marvell OcteonTX CPT",
        pci: &[(0x177d, 0xa041), (0x177d, 0xa0fe), (0x177d, 0xa0f3)],
        ..Family::ROW
    },
    // ThunderX CN88xx
    Family {
        id: "cavium-zip",
        names: "deflate-cavium|deflate-scomp-cavium|lzs-cavium|lzs-scomp-cavium",
        modules: "thunderx_zip",
        bound: "pci/ThunderX-ZIP",
        completion: Polled,
        chip: "Cavium ThunderX ZIP (compression)",
        ..Family::ROW
    },
];
