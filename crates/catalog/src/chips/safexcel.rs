//! SafeXcel EIP97 and EIP197 of Inside Secure (now Rambus): MediaTek MT7622 to MT7988, Marvell Armada 37xx, 7K
//! and 8K.

use crate::family::{Board, EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[Family {
    id: "safexcel",
    vendor: "Inside Secure",
    kind: EngineKind::SocEngine,
    found_in: "Armada 37xx, 7K and 8K; MediaTek MT7622, MT7623, MT7981, MT7986, MT7988",
    options: "CRYPTO_DEV_SAFEXCEL",
    openwrt: "kmod-crypto-hw-safexcel",
    debian: "arm64",
    bsd: "safexcel",
    algorithms: "cbc(aes)|ecb(aes)|gcm(aes)|ccm(aes)|xts(aes)|rfc3686(ctr(aes))|cbc(des3_ede)|\
            ecb(des3_ede)|md5|sha1|sha224|sha256|sha384|sha512|hmac(sha1)|hmac(sha256)|hmac(sha512)|\
            cmac(aes)|authenc(hmac(sha1),cbc(aes))",
    needs_fallback: true,
    limits: &[
        Limit {
            text: "EIP197 needs a firmware file; the free one does only part of the functions",
            source: "https://github.com/openwrt/openwrt/blob/main/package/kernel/linux/\
                    modules/crypto.mk",
        },
        Limit {
            text: "CTR mode for IPsec only (rfc3686)",
            source: "drivers/crypto/inside-secure/safexcel_cipher.c",
        },
    ],
    harm: &[
        Limit {
            text: "stops IPsec and OpenVPN DCO on MT7986 and MT7988, or is slower than the CPU",
            source: "https://github.com/openwrt/openwrt/pull/23234",
        },
        Limit {
            text: "drops IPsec traffic on MT7988 without a message",
            source: "https://github.com/openwrt/openwrt/issues/21310",
        },
        Limit {
            text: "slower than the CPU with AES instructions, and unstable below OpenVPN DCO",
            source: "https://github.com/openwrt/packages/pull/27421",
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
}];
