//! Axis.

use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // Axis ARTPEC-6, ARTPEC-7
    Family {
        id: "artpec6",
        names: "artpec6-*|artpec-*",
        modules: "artpec6_crypto",
        bound: "platform/artpec6-crypto",
        irqs: "artpec6-crypto",
        chip: "Axis ARTPEC crypto engine",
        compatible: &["axis,artpec6-crypto", "axis,artpec7-crypto"],
        ..Family::ROW
    },
];
