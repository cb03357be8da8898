//! Arm.

use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // Renesas R-Car Gen3 and other Arm chips
    Family {
        id: "ccree",
        names: "*-ccree",
        modules: "ccree",
        bound: "platform/ccree",
        irqs: "ccree",
        chip: "Arm TrustZone CryptoCell",
        compatible: &[
            "arm,cryptocell-630p-ree",
            "arm,cryptocell-703-ree",
            "arm,cryptocell-710-ree",
            "arm,cryptocell-712-ree",
            "arm,cryptocell-713-ree",
        ],
        ..Family::ROW
    },
];
