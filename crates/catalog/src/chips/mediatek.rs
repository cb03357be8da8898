//! MediaTek.

use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // MediaTek MT7623, MT2701
    Family {
        id: "mtk-crypto",
        names: "*-mtk|mtk-*",
        modules: "mtk_crypto",
        bound: "platform/mtk-crypto",
        chip: "MediaTek crypto engine (EIP97, driver until Linux 5.12)",
        compatible: &["mediatek,eip97-crypto"],
        ..Family::ROW
    },
];
