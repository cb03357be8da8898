//! AppliedMicro (AMCC).

use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // AppliedMicro 460EX, 405EX (WD My Book Live, Meraki MX60)
    Family {
        id: "crypto4xx",
        names: "*-ppc4xx",
        modules: "crypto4xx",
        bound: "platform/crypto4xx",
        irqs: "crypto4xx",
        chip: "AMCC security function (crypto4xx)",
        compatible: &["amcc,ppc4xx-crypto"],
        ..Family::ROW
    },
];
