//! Cortina.

use crate::family::{EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "sl3516",
    vendor: "Cortina",
    kind: EngineKind::SocEngine,
    found_in: "Cortina Gemini NAS boxes",
    options: "CRYPTO_DEV_SL3516",
    algorithms: "ecb(aes)",
    needs_fallback: true,
    source: "drivers/crypto/gemini",
    names: "*-sl3516",
    modules: "sl3516_ce",
    bound: "platform/sl3516-crypto",
    irqs: "crypto",
    chip: "Cortina SL3516 Crypto Engine",
    compatible: &["cortina,sl3516-crypto"],
    ..Family::ROW
}];
