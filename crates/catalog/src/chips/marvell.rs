//! Marvell, with Cavium.

use crate::family::Completion::Polled;
use crate::family::{Board, EngineKind, Family, Limit, Nature, Speed};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "marvell-cesa",
        vendor: "Marvell",
        kind: EngineKind::SocEngine,
        found_in: "Orion, Kirkwood, Dove, Armada 370, XP, 375, 38x (Helios4, Turris Omnia, WRT3200ACM, \
            SheevaPlug)",
        options: "CRYPTO_DEV_MARVELL_CESA",
        debian: "armhf|arm64",
        algorithms: "cbc(aes)|ecb(aes)|cbc(des)|ecb(des)|cbc(des3_ede)|ecb(des3_ede)|md5|sha1|\
            sha256|hmac(md5)|hmac(sha1)|hmac(sha256)",
        // In mainline at priority 0, as broken when used in parallel.
        refused: "mv-md5|mv-sha1|mv-sha256|mv-hmac-md5|mv-hmac-sha1|mv-hmac-sha256",
        limits: &[
            Limit {
                text: "digests and HMACs are refused: known to be wrong",
                source: "drivers/crypto/marvell/cesa/hash.c",
            },
            Limit {
                text: "no CTR and no GCM: TLS 1.3 uses it only by look-ahead",
                source: "drivers/crypto/marvell/cesa/cipher.c",
            },
            Limit {
                text: "offloaded digests make HTTPS slower than software",
                source: "https://wiki.kobol.io/helios4/cesa/",
            },
            Limit {
                text: "before Linux 4.2 the driver was mv_cesa, without DMA",
                source: "drivers/crypto/marvell/cesa",
            },
        ],
        speed: Some(Speed { request_us: 7.5, mb_per_s: 105.4 }),
        allocates_memory: true,
        source: "drivers/crypto/marvell/cesa",
        names: "mv-*",
        modules: "marvell_cesa|mv_cesa",
        bound: "platform/marvell-cesa|platform/mv_crypto",
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
    Family {
        id: "octeon-md5",
        vendor: "Marvell",
        kind: EngineKind::CpuInstructions,
        found_in: "Cavium Octeon (MIPS)",
        options: "CRYPTO_MD5_OCTEON|CRYPTO_SHA1_OCTEON|CRYPTO_SHA256_OCTEON|CRYPTO_SHA512_OCTEON",
        openwrt: "kmod-crypto-md5",
        algorithms: "md5|sha1|sha256|sha512",
        source: "arch/mips/cavium-octeon/crypto",
        names: "octeon-*",
        modules: "octeon_md5|octeon_sha1|octeon_sha256|octeon_sha512",
        nature: Nature::Instructions,
        chip: "Cavium Octeon's crypto coprocessor instructions",
        ..Family::ROW
    },
    Family {
        id: "nitrox",
        vendor: "Marvell",
        kind: EngineKind::Card,
        found_in: "NITROX V cards",
        options: "CRYPTO_DEV_NITROX_CNN55XX",
        debian: "arm64",
        algorithms: "cbc(aes)|ecb(aes)|xts(aes)|gcm(aes)|rfc3686(ctr(aes))|cbc(des3_ede)",
        source: "drivers/crypto/cavium/nitrox",
        names: "n5_*",
        modules: "n5pf",
        bound: "pci/CNN55XX",
        irqs: "nitrox-pkt*",
        chip: "Marvell (Cavium) NITROX V CNN55XX",
        pci: &[(0x177d, 0x0012)],
        ..Family::ROW
    },
    Family {
        id: "cavium-cpt",
        vendor: "Marvell",
        kind: EngineKind::SocEngine,
        found_in: "ThunderX CN81xx",
        options: "CAVIUM_CPT",
        debian: "arm64",
        algorithms: "cbc(aes)|ecb(aes)|xts(aes)|cbc(des3_ede)|ecb(des3_ede)",
        source: "drivers/crypto/cavium/cpt",
        names: "cavium-*",
        modules: "cptvf",
        bound: "pci/thunder-cptvf",
        irqs: "CPT VF done*",
        chip: "Cavium Cryptographic Acceleration Unit (CPT)",
        pci: &[(0x177d, 0xa041)],
        ..Family::ROW
    },
    Family {
        id: "octeontx-cpt",
        vendor: "Marvell",
        kind: EngineKind::SocEngine,
        found_in: "OcteonTX CN83xx, OcteonTX2 CN9xxx, CN10K",
        options: "CRYPTO_DEV_OCTEONTX_CPT|CRYPTO_DEV_OCTEONTX2_CPT",
        algorithms: "cbc(aes)|ecb(aes)|xts(aes)|rfc4106(gcm(aes))|cbc(des3_ede)|\
            authenc(hmac(sha1),cbc(aes))",
        needs_fallback: true,
        source: "drivers/crypto/marvell/octeontx2",
        names: "cpt_*",
        modules: "octeontx_cptvf|rvu_cptvf",
        bound: "pci/octeontx-cptvf|pci/rvu_cptvf",
        irqs: "CPT VF done*|CPT*LF Done*",
        chip: "Marvell OcteonTX CPT",
        // CN83xx has the number of CN81xx (cavium-cpt).
        pci: &[(0x177d, 0xa0fe), (0x177d, 0xa0f3)],
        ..Family::ROW
    },
    Family {
        id: "cavium-zip",
        vendor: "Marvell",
        kind: EngineKind::SocEngine,
        found_in: "ThunderX CN88xx",
        options: "CRYPTO_DEV_CAVIUM_ZIP",
        algorithms: "deflate|lzs",
        source: "drivers/crypto/cavium/zip",
        names: "deflate-cavium|deflate-scomp-cavium|lzs-cavium|lzs-scomp-cavium",
        modules: "thunderx_zip",
        bound: "pci/ThunderX-ZIP",
        completion: Polled,
        chip: "Cavium ThunderX ZIP (compression)",
        ..Family::ROW
    },
];
