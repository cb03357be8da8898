//! Inside Secure (now Rambus), whose engines are in chips of Marvell, MediaTek and Airoha.

use crate::family::{Board, Bounds, EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "safexcel",
        vendor: "Inside Secure",
        kind: EngineKind::SocEngine,
        found_in: "Armada 37xx, 7K and 8K; MediaTek MT7622, MT7623, MT7981, MT7986, MT7988",
        options: "CRYPTO_DEV_SAFEXCEL",
        openwrt: "kmod-crypto-hw-safexcel",
        debian: "arm64",
        bsd: "safexcel",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|gcm(aes)|ccm(aes)|xts(aes)|cbc(des3_ede)|sha1|\
            sha256|sha512|authenc(hmac(sha1),cbc(aes))",
        needs_fallback: true,
        limits: &[
            Limit {
                text: "drops IPsec traffic on MT7988 without a message",
                source: "https://github.com/openwrt/openwrt/issues/21310",
            },
            Limit {
                text: "slower than the CPU with AES instructions, and unstable below OpenVPN DCO",
                source: "https://github.com/openwrt/packages/pull/27421",
            },
            Limit {
                text: "EIP197 needs a firmware file; the free one does only part of the functions",
                source: "https://github.com/openwrt/openwrt/blob/main/package/kernel/linux/\
                    modules/crypto.mk",
            },
        ],
        allocates_memory: true,
        source: "drivers/crypto/inside-secure",
        names: "safexcel-*",
        modules: "crypto_safexcel",
        bound: "platform/crypto-safexcel|pci/crypto-safexcel",
        chip: "Inside Secure SafeXcel EIP97 or EIP197",
        compatible: &[
            "inside-secure,safexcel-eip197b",
            "inside-secure,safexcel-eip197c-mxl",
            "inside-secure,safexcel-eip197d",
            "inside-secure,safexcel-eip197",
            "inside-secure,safexcel-eip97ies",
            "inside-secure,safexcel-eip97",
        ],
        boards: &[
            Board {
                words: &["marvell,armada3700", "marvell,armada3710", "marvell,armada3720"],
                name: "Marvell Armada 37xx",
            },
            Board { words: &["marvell,armada7", "marvell,armada8"], name: "Marvell Armada 7K or 8K" },
            Board {
                words: &["mediatek,mt7622", "mediatek,mt7623", "mediatek,mt798"],
                name: "MediaTek MT762x or MT798x",
            },
        ],
        ..Family::ROW
    },
    Family {
        id: "eip93",
        vendor: "Inside Secure",
        kind: EngineKind::SocEngine,
        found_in: "MediaTek MT7621 (EdgeRouter X), Airoha EN7581",
        options: "CRYPTO_DEV_EIP93",
        openwrt: "kmod-crypto-hw-eip93",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|rfc3686(ctr(aes))|cbc(des3_ede)|ecb(des3_ede)|md5|\
            sha1|sha224|sha256|authenc(hmac(sha1),cbc(aes))",
        bounds: Bounds { requests: 128, one_direction: true, ..Bounds::NONE },
        is_module_only: true,
        limits: &[
            Limit {
                text: "in mainline since Linux 6.15; OpenWrt has an out-of-tree driver for \
                    kernels before",
                source: "https://git.kernel.org/torvalds/c/9739f5f93b78",
            },
            Limit {
                text: "16 times slower than software at 16 bytes, 4 times faster at 8 KiB",
                source: "https://github.com/vschagen/mtk-eip93/issues/14",
            },
        ],
        source: "https://git.kernel.org/torvalds/c/9739f5f93b78",
        names: "*-eip93|*-eip93)|*-eip93))|*-eip93)))",
        modules: "crypto_hw_eip93|mtk_eip93",
        bound: "platform/inside-secure-eip93|platform/mtk-eip93",
        chip: "Inside Secure SafeXcel EIP93",
        compatible: &[
            "inside-secure,safexcel-eip93i",
            "inside-secure,safexcel-eip93ie",
            "inside-secure,safexcel-eip93is",
            "inside-secure,safexcel-eip93ies",
            "inside-secure,safexcel-eip93iw",
            "mediatek,mtk-eip93",
        ],
        boards: &[
            Board { words: &["mediatek,mt7621", "MediaTek MT7621"], name: "MediaTek MT7621" },
            Board { words: &["airoha,en7581"], name: "Airoha EN7581" },
        ],
        ..Family::ROW
    },
];
