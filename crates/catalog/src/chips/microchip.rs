//! Microchip, with Atmel.

use crate::family::Completion::Through;
use crate::family::{EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "atmel",
    vendor: "Microchip",
    kind: EngineKind::SocEngine,
    found_in: "AT91SAM9G45, SAMA5, SAM9X60",
    options: "CRYPTO_DEV_ATMEL_AES|CRYPTO_DEV_ATMEL_SHA|CRYPTO_DEV_ATMEL_TDES|\
            CRYPTO_DEV_ATMEL_ECC",
    algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|gcm(aes)|xts(aes)|cbc(des3_ede)|ecb(des3_ede)|\
            sha1|sha224|sha256|sha384|sha512|ecdh-nist-p256",
    needs_fallback: true,
    source: "drivers/crypto/atmel-aes.c",
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
}];
