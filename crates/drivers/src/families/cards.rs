//! PCI cards, server chips and virtual devices.

use super::Completion::{Polled, Through};
use super::Family;

pub(super) const ROWS: &[Family] = &[
    // virtual machines (QEMU, cloud-hypervisor)
    Family {
        id: "virtio-crypto",
        names: "virtio_crypto_*|virtio-crypto-*|virtio-pkcs1-rsa",
        modules: "virtio_crypto",
        bound: "virtio/virtio_crypto",
        // The transitional and the modern PCI number of virtio device 20.
        chip: "virtio-crypto",
        ..Family::ROW
    },
    // Atom C3000, C62x chipsets, DH895xCC cards, Xeon Scalable since the fourth generation
    Family {
        id: "qat",
        names: "qat_*|qat-*",
        modules: "intel_qat|qat_dh895xcc|qat_dh895xccvf|qat_c3xxx|qat_c3xxxvf|qat_c62x|qat_c62xvf|qat_4xxx|\
            qat_420xx|qat_6xxx",
        bound: "pci/dh895xcc|pci/dh895xccvf|pci/c3xxx|pci/c3xxxvf|pci/c6xx|pci/c6xxvf|pci/4xxx|pci/420xx|\
            pci/6xxx",
        irqs: "qat*-bundle*|qat_*:*",
        chip: "Intel QuickAssist (QAT)",
        ..Family::ROW
    },
    // Xeon Scalable since the fourth generation
    Family {
        id: "iaa",
        names: "deflate-iaa*",
        modules: "iaa_crypto",
        bound: "dsa/crypto",
        completion: Polled,
        chip: "Intel In-Memory Analytics Accelerator (compression)",
        ..Family::ROW
    },
    // AMD Opteron A1100, Ryzen, EPYC
    Family {
        id: "ccp",
        names: "*-ccp",
        modules: "ccp_crypto|ccp",
        bound: "pci/ccp|platform/ccp",
        irqs: "ccp-*|sp-*",
        chip: "AMD Cryptographic Coprocessor",
        ..Family::ROW
    },
    // PC Engines ALIX, Soekris net5501, OLPC XO-1
    Family {
        id: "geode",
        names: "*-geode|geode-aes",
        modules: "geode_aes",
        bound: "pci/Geode LX AES",
        completion: Polled,
        chip: "AMD Geode LX Security Block (AES-128)",
        ..Family::ROW
    },
    // Soekris vpn1401 and vpn1411 cards
    Family {
        id: "hifn",
        names: "*-hifn*",
        modules: "hifn_795x",
        bound: "pci/hifn795x",
        irqs: "hifn*",
        chip: "Hifn 7955 or 7956",
        ..Family::ROW
    },
    // Chelsio T6 network cards
    Family {
        id: "chelsio",
        names: "*-chcr",
        modules: "chcr",
        bound: "pci/cxgb4",
        completion: Through("the network driver's queues (cxgb4)"),
        chip: "Chelsio T6 crypto",
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
