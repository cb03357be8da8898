//! AppliedMicro (AMCC).

use crate::family::{EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "crypto4xx",
    vendor: "AppliedMicro",
    kind: EngineKind::SocEngine,
    found_in: "AppliedMicro 460EX, 405EX (WD My Book Live, Meraki MX60)",
    options: "CRYPTO_DEV_PPC4XX",
    openwrt: "kmod-crypto-hw-ppc4xx",
    algorithms: "cbc(aes)|ecb(aes)|ctr(aes)|gcm(aes)|ccm(aes)",
    needs_fallback: true,
    source: "drivers/crypto/amcc",
    names: "*-ppc4xx",
    modules: "crypto4xx",
    bound: "platform/crypto4xx",
    irqs: "crypto4xx",
    chip: "AMCC security function (crypto4xx)",
    compatible: &["amcc,ppc4xx-crypto"],
    ..Family::ROW
}];
