//! PCI cards, server chips and virtual devices.

use super::Completion::{Polled, Through};
use super::Family;

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "virtio-crypto",
        names: &["virtio_crypto_*", "virtio-crypto-*", "virtio-pkcs1-rsa"],
        modules: &["virtio_crypto"],
        bound: &["virtio/virtio_crypto"],
        // The transitional and the modern PCI number of virtio device 20.
        pci: &[(0x1af4, 0x1014), (0x1af4, 0x1054)],
        chip: "virtio-crypto",
        found_in: "virtual machines (QEMU, cloud-hypervisor)",
        ..Family::ROW
    },
    Family {
        id: "qat",
        names: &["qat_*", "qat-*"],
        modules: &[
            "intel_qat",
            "qat_dh895xcc",
            "qat_dh895xccvf",
            "qat_c3xxx",
            "qat_c3xxxvf",
            "qat_c62x",
            "qat_c62xvf",
            "qat_4xxx",
            "qat_420xx",
            "qat_6xxx",
        ],
        bound: &[
            "pci/dh895xcc",
            "pci/dh895xccvf",
            "pci/c3xxx",
            "pci/c3xxxvf",
            "pci/c6xx",
            "pci/c6xxvf",
            "pci/4xxx",
            "pci/420xx",
            "pci/6xxx",
        ],
        irqs: &["qat*-bundle*", "qat_*:*"],
        pci: &[
            (0x8086, 0x0435),
            (0x8086, 0x0443),
            (0x8086, 0x19e2),
            (0x8086, 0x19e3),
            (0x8086, 0x37c8),
            (0x8086, 0x37c9),
            (0x8086, 0x4940),
            (0x8086, 0x4942),
            (0x8086, 0x4944),
            (0x8086, 0x4946),
            (0x8086, 0x4948),
        ],
        chip: "Intel QuickAssist (QAT)",
        found_in: "Atom C3000, C62x chipsets, DH895xCC cards, Xeon Scalable since the fourth generation",
        ..Family::ROW
    },
    Family {
        id: "iaa",
        names: &["deflate-iaa*"],
        modules: &["iaa_crypto"],
        bound: &["dsa/crypto"],
        completion: Polled,
        chip: "Intel In-Memory Analytics Accelerator (compression)",
        found_in: "Xeon Scalable since the fourth generation",
        ..Family::ROW
    },
    Family {
        id: "ccp",
        names: &["*-ccp"],
        modules: &["ccp_crypto", "ccp"],
        bound: &["pci/ccp", "platform/ccp"],
        irqs: &["ccp-*", "sp-*"],
        compatible: &["amd,ccp-seattle-v1a"],
        chip: "AMD Cryptographic Coprocessor",
        found_in: "AMD Opteron A1100, Ryzen, EPYC",
        ..Family::ROW
    },
    Family {
        id: "geode",
        names: &["*-geode", "geode-aes"],
        modules: &["geode_aes"],
        bound: &["pci/Geode LX AES"],
        completion: Polled,
        pci: &[(0x1022, 0x2082)],
        chip: "AMD Geode LX Security Block (AES-128)",
        found_in: "PC Engines ALIX, Soekris net5501, OLPC XO-1",
        ..Family::ROW
    },
    Family {
        id: "hifn",
        names: &["*-hifn*"],
        modules: &["hifn_795x"],
        bound: &["pci/hifn795x"],
        irqs: &["hifn*"],
        pci: &[(0x13a3, 0x0020), (0x13a3, 0x001d)],
        chip: "Hifn 7955 or 7956",
        found_in: "Soekris vpn1401 and vpn1411 cards",
        ..Family::ROW
    },
    Family {
        id: "chelsio",
        names: &["*-chcr"],
        modules: &["chcr"],
        bound: &["pci/cxgb4"],
        completion: Through("the network driver's queues (cxgb4)"),
        chip: "Chelsio T6 crypto",
        found_in: "Chelsio T6 network cards",
        ..Family::ROW
    },
    Family {
        id: "nitrox",
        names: &["n5_*"],
        modules: &["n5pf"],
        bound: &["pci/CNN55XX"],
        irqs: &["nitrox-pkt*"],
        pci: &[(0x177d, 0x0012)],
        chip: "Marvell (Cavium) NITROX V CNN55XX",
        found_in: "NITROX V cards",
        ..Family::ROW
    },
    Family {
        id: "cavium-cpt",
        names: &["cavium-*"],
        modules: &["cptvf"],
        bound: &["pci/thunder-cptvf"],
        irqs: &["CPT VF done*"],
        pci: &[(0x177d, 0xa041)],
        chip: "Cavium Cryptographic Acceleration Unit (CPT)",
        found_in: "ThunderX CN81xx",
        ..Family::ROW
    },
    Family {
        id: "octeontx-cpt",
        names: &["cpt_*"],
        modules: &["octeontx_cptvf", "rvu_cptvf"],
        bound: &["pci/octeontx-cptvf", "pci/rvu_cptvf"],
        irqs: &["CPT VF done*", "CPT*LF Done*"],
        pci: &[(0x177d, 0xa041), (0x177d, 0xa0fe), (0x177d, 0xa0f3)],
        chip: "Marvell OcteonTX CPT",
        found_in: "OcteonTX CN83xx, OcteonTX2 CN9xxx, CN10K",
        ..Family::ROW
    },
    Family {
        id: "cavium-zip",
        names: &["deflate-cavium", "deflate-scomp-cavium", "lzs-cavium", "lzs-scomp-cavium"],
        modules: &["thunderx_zip"],
        bound: &["pci/ThunderX-ZIP"],
        completion: Polled,
        chip: "Cavium ThunderX ZIP (compression)",
        found_in: "ThunderX CN88xx",
        ..Family::ROW
    },
];
