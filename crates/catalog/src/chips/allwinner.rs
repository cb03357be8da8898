//! Allwinner.

use crate::family::Completion::Polled;
use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // Allwinner A10, A20, A31, A33
    Family {
        id: "sun4i-ss",
        names: "*-sun4i-ss",
        modules: "sun4i_ss",
        bound: "platform/sun4i-ss",
        completion: Polled,
        chip: "Allwinner Security System",
        compatible: &["allwinner,sun4i-a10-crypto", "allwinner,sun8i-a33-crypto"],
        boards: &[Board {
            words: &["allwinner,sun4i", "allwinner,sun5i", "allwinner,sun7i"],
            name: "Allwinner A10, A13 or A20",
        }],
        ..Family::ROW
    },
    // Allwinner H3, H5, H6, H616, R40, A64, D1
    Family {
        id: "sun8i-ce",
        names: "*-sun8i-ce",
        modules: "sun8i_ce",
        bound: "platform/sun8i-ce",
        irqs: "sun8i-ce-ns",
        chip: "Allwinner Crypto Engine",
        compatible: &[
            "allwinner,sun8i-h3-crypto",
            "allwinner,sun8i-r40-crypto",
            "allwinner,sun20i-d1-crypto",
            "allwinner,sun50i-a64-crypto",
            "allwinner,sun50i-h5-crypto",
            "allwinner,sun50i-h6-crypto",
            "allwinner,sun50i-h616-crypto",
        ],
        boards: &[Board {
            words: &["allwinner,sun8i-h3", "allwinner,sun50i", "allwinner,sun20i"],
            name: "Allwinner H3, H5, H6, A64 or D1",
        }],
        ..Family::ROW
    },
    // Allwinner A80, A83T
    Family {
        id: "sun8i-ss",
        names: "*-sun8i-ss",
        modules: "sun8i_ss",
        bound: "platform/sun8i-ss",
        irqs: "sun8i-ss",
        chip: "Allwinner Security System (second generation)",
        compatible: &["allwinner,sun8i-a83t-crypto", "allwinner,sun9i-a80-crypto"],
        ..Family::ROW
    },
];
