//! Microchip, with Atmel.

use crate::family::Completion::Through;
use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // AT91SAM9G45, SAMA5, SAM9X60
    Family {
        id: "atmel",
        names: "atmel-*",
        modules: "atmel_aes|atmel_sha|atmel_tdes|atmel_ecc",
        bound: "platform/atmel_aes|platform/atmel_sha|platform/atmel_tdes|i2c/atmel-ecc",
        completion: Through("the AT_HDMAC or XDMAC engine; small requests raise a line of their own"),
        irqs: "atmel-aes|atmel-sha|atmel-tdes",
        chip: "Microchip (Atmel) AES, SHA and TDES units",
        compatible: &[
            "atmel,at91sam9g46-aes",
            "atmel,at91sam9g46-sha",
            "atmel,at91sam9g46-tdes",
            "atmel,atecc508a",
            "atmel,atecc608b",
        ],
        ..Family::ROW
    },
];
