//! Inside Secure (now Rambus), whose engines are in chips of Marvell, MediaTek and Airoha.

use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // Armada 37xx, 7K and 8K; MediaTek MT7622, MT7623, MT7981, MT7986, MT7988
    Family {
        id: "safexcel",
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
    // MediaTek MT7621, Airoha EN7581
    Family {
        id: "eip93",
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
