//! Cortina.

use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // Cortina Gemini NAS boxes
    Family {
        id: "sl3516",
        names: "*-sl3516",
        modules: "sl3516_ce",
        bound: "platform/sl3516-crypto",
        irqs: "crypto",
        chip: "Cortina SL3516 Crypto Engine",
        compatible: &["cortina,sl3516-crypto"],
        ..Family::ROW
    },
];
