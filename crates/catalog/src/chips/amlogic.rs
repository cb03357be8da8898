//! Amlogic.

use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // Amlogic S905X, S805X
    Family {
        id: "amlogic-gxl",
        names: "*-gxl",
        modules: "amlogic_gxl_crypto",
        bound: "platform/gxl-crypto",
        irqs: "gxl-crypto",
        chip: "Amlogic GXL crypto engine",
        compatible: &["amlogic,gxl-crypto"],
        boards: &[Board { words: &["amlogic,meson-gxl"], name: "Amlogic GXL" }],
        ..Family::ROW
    },
];
