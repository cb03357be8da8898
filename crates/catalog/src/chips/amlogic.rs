//! Amlogic.

use crate::family::{Board, EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "amlogic-gxl",
    vendor: "Amlogic",
    kind: EngineKind::SocEngine,
    found_in: "Amlogic S905X, S805X",
    options: "CRYPTO_DEV_AMLOGIC_GXL",
    debian: "arm64|armhf",
    algorithms: "cbc(aes)|ecb(aes)",
    needs_fallback: true,
    source: "drivers/crypto/amlogic",
    names: "*-gxl",
    modules: "amlogic_gxl_crypto",
    bound: "platform/gxl-crypto",
    irqs: "gxl-crypto",
    chip: "Amlogic GXL crypto engine",
    compatible: &["amlogic,gxl-crypto"],
    boards: &[Board { words: &["amlogic,meson-gxl"], name: "Amlogic GXL" }],
    ..Family::ROW
}];
