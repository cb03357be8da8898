//! MediaTek: the driver before Linux 5.13. MT7621 is in `eip93.rs`, MT7622 to MT7988 in `safexcel.rs`.

use crate::family::{EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[Family {
    id: "mtk-crypto",
    vendor: "MediaTek",
    kind: EngineKind::SocEngine,
    found_in: "MediaTek MT7623, MT2701",
    options: "CRYPTO_DEV_MEDIATEK",
    openwrt: "kmod-crypto-hw-mtk",
    algorithms: "cbc(aes)|ecb(aes)|ctr(aes)|gcm(aes)|sha1|sha256|sha512",
    limits: &[Limit {
        text: "removed from mainline; the driver safexcel replaces it",
        source: "https://elixir.bootlin.com/linux/v5.10/source/drivers/crypto/mediatek",
    }],
    source: "https://elixir.bootlin.com/linux/v5.10/source/drivers/crypto/mediatek",
    names: "*-mtk|mtk-*",
    modules: "mtk_crypto",
    bound: "platform/mtk-crypto",
    chip: "MediaTek crypto engine (EIP97, driver until Linux 5.12)",
    compatible: &["mediatek,eip97-crypto"],
    ..Family::ROW
}];
