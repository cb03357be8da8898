//! Axis.

use crate::family::{EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "artpec6",
    vendor: "Axis",
    kind: EngineKind::SocEngine,
    found_in: "Axis ARTPEC-6, ARTPEC-7",
    options: "CRYPTO_DEV_ARTPEC6",
    algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|gcm(aes)|xts(aes)|sha1|sha256|hmac(sha256)",
    needs_fallback: true,
    source: "drivers/crypto/axis",
    names: "artpec6-*|artpec-*",
    modules: "artpec6_crypto",
    bound: "platform/artpec6-crypto",
    irqs: "artpec6-crypto",
    chip: "Axis ARTPEC crypto engine",
    compatible: &["axis,artpec6-crypto", "axis,artpec7-crypto"],
    ..Family::ROW
}];
