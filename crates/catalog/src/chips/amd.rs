//! AMD, with Xilinx.

use crate::family::Completion::Polled;
use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // AMD Opteron A1100, Ryzen, EPYC
    Family {
        id: "ccp",
        names: "*-ccp",
        modules: "ccp_crypto|ccp",
        bound: "pci/ccp|platform/ccp",
        irqs: "ccp-*|sp-*",
        chip: "AMD Cryptographic Coprocessor",
        compatible: &["amd,ccp-seattle-v1a"],
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
        pci: &[(0x1022, 0x2082)],
        boards: &[Board {
            words: &["ALIX", "alix", "Geode(TM)"],
            name: "AMD Geode LX (PC Engines ALIX, Soekris net5501)",
        }],
        ..Family::ROW
    },
    // Zynq UltraScale+, Versal
    Family {
        id: "zynqmp",
        names: "xilinx-zynqmp-*|zynqmp-*|versal-*",
        modules: "zynqmp_aes_gcm|zynqmp_sha",
        bound: "platform/zynqmp-aes|platform/zynqmp-sha3-384",
        completion: Polled,
        chip: "AMD (Xilinx) AES-GCM and SHA3 units, by calls to the firmware",
        compatible: &["xlnx,zynqmp-aes"],
        ..Family::ROW
    },
];
