//! Sun (now Oracle).

use crate::family::{EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "n2",
    vendor: "Sun",
    kind: EngineKind::SocEngine,
    found_in: "UltraSPARC T2, T2+, T3",
    options: "CRYPTO_DEV_NIAGARA2",
    algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|cbc(des3_ede)|md5|sha1|sha256",
    needs_fallback: true,
    source: "drivers/crypto/n2_core.c",
    names: "*-n2",
    modules: "n2_crypto",
    bound: "platform/n2cp|platform/ncp",
    irqs: "cwq-*|mau-*",
    chip: "Sun control word queue and modular arithmetic unit",
    ..Family::ROW
}];
