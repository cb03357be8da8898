//! Sun (now Oracle).

use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // UltraSPARC T2, T2+, T3
    Family {
        id: "n2",
        names: "*-n2",
        modules: "n2_crypto",
        bound: "platform/n2cp|platform/ncp",
        irqs: "cwq-*|mau-*",
        chip: "Sun control word queue and modular arithmetic unit",
        ..Family::ROW
    },
];
