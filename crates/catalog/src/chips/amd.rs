//! AMD, with Xilinx.

use crate::family::Completion::Polled;
use crate::family::{Board, EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "ccp",
        vendor: "AMD",
        kind: EngineKind::SocEngine,
        found_in: "AMD Opteron A1100, Ryzen, EPYC",
        options: "CRYPTO_DEV_CCP_DD|CRYPTO_DEV_CCP_CRYPTO",
        openwrt: "kmod-crypto-hw-ccp",
        debian: "amd64|i386",
        bsd: "ccp",
        acpi: &["AMDI0C00"],
        algorithms: "cbc(aes)|ecb(aes)|ctr(aes)|gcm(aes)|xts(aes)|cbc(des3_ede)|sha1|sha256|\
            sha512|rsa",
        needs_fallback: true,
        limits: &[Limit {
            text: "the CPU of the same chip has AES instructions, and OpenSSL uses them",
            source: "drivers/crypto/ccp",
        }],
        source: "drivers/crypto/ccp",
        names: "*-ccp",
        modules: "ccp_crypto|ccp",
        bound: "pci/ccp|platform/ccp",
        irqs: "ccp-*|sp-*",
        chip: "AMD Cryptographic Coprocessor",
        compatible: &["amd,ccp-seattle-v1a"],
        // Those of drivers/crypto/ccp/sp-pci.c with a CCP; the others have only a PSP.
        pci: &[(0x1022, 0x1537), (0x1022, 0x1456), (0x1022, 0x1468)],
        ..Family::ROW
    },
    Family {
        id: "geode",
        vendor: "AMD",
        kind: EngineKind::SocEngine,
        found_in: "PC Engines ALIX, Soekris net5501, OLPC XO-1",
        options: "CRYPTO_DEV_GEODE",
        openwrt: "kmod-crypto-hw-geode",
        debian: "i386",
        bsd: "glxsb",
        algorithms: "cbc(aes)|ecb(aes)",
        needs_fallback: true,
        limits: &[
            Limit {
                text: "only AES-128 is done by the hardware; the driver computes longer keys in \
                    software",
                source: "drivers/crypto/geode-aes.c",
            },
            Limit {
                text: "on FreeBSD the driver is glxsb, and VPN software must use AES-128-CBC",
                source: "https://man.freebsd.org/cgi/man.cgi?query=glxsb&sektion=4",
            },
        ],
        source: "drivers/crypto/geode-aes.c",
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
    Family {
        id: "zynqmp",
        vendor: "AMD",
        kind: EngineKind::Firmware,
        found_in: "Zynq UltraScale+, Versal",
        options: "CRYPTO_DEV_ZYNQMP_AES|CRYPTO_DEV_ZYNQMP_SHA3",
        algorithms: "gcm(aes)|sha3-384",
        needs_fallback: true,
        source: "drivers/crypto/xilinx",
        names: "xilinx-zynqmp-*|zynqmp-*|versal-*",
        modules: "zynqmp_aes_gcm|zynqmp_sha",
        bound: "platform/zynqmp-aes|platform/zynqmp-sha3-384",
        completion: Polled,
        chip: "AMD (Xilinx) AES-GCM and SHA3 units, by calls to the firmware",
        compatible: &["xlnx,zynqmp-aes"],
        ..Family::ROW
    },
];
