//! Imagination.

use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // Imagination Pistachio (MIPS Creator Ci40)
    Family {
        id: "img-hash",
        names: "img-md5|img-sha*",
        modules: "img_hash",
        bound: "platform/img-hash-accelerator",
        chip: "Imagination hash accelerator",
        compatible: &["img,hash-accelerator"],
        ..Family::ROW
    },
];
