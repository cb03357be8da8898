//! EIP93 of Inside Secure (now Rambus): MediaTek MT7621, Airoha EN7581.

use crate::family::{Board, Bounds, EngineKind, Family, Limit, Speed};

pub(super) const ROWS: &[Family] = &[Family {
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
    speed: Some(Speed { request_us: 25.0, mb_per_s: 45.7 }),
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
    harm: &[Limit {
        text: "IPsec with 50 Mbit/s, and 130 without encryption",
        source: "https://github.com/vschagen/mtk-eip93/issues/19",
    }],
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
}];
