//! Arm.

use crate::family::{EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "ccree",
    vendor: "Arm",
    kind: EngineKind::SocEngine,
    found_in: "Renesas R-Car Gen3 and other Arm chips",
    options: "CRYPTO_DEV_CCREE",
    algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|gcm(aes)|ccm(aes)|xts(aes)|cbc(des3_ede)|sha1|\
            sha256",
    needs_fallback: true,
    source: "drivers/crypto/ccree",
    names: "*-ccree",
    modules: "ccree",
    bound: "platform/ccree",
    irqs: "ccree",
    chip: "Arm TrustZone CryptoCell",
    compatible: &[
        "arm,cryptocell-630p-ree",
        "arm,cryptocell-703-ree",
        "arm,cryptocell-710-ree",
        "arm,cryptocell-712-ree",
        "arm,cryptocell-713-ree",
    ],
    ..Family::ROW
}];
