//! Allwinner.

use crate::family::Completion::Polled;
use crate::family::{Board, EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "sun4i-ss",
        vendor: "Allwinner",
        kind: EngineKind::SocEngine,
        found_in: "Allwinner A10, A20, A31, A33",
        options: "CRYPTO_DEV_SUN4I_SS",
        debian: "armhf",
        algorithms: "cbc(aes)|ecb(aes)|cbc(des)|ecb(des)|cbc(des3_ede)|ecb(des3_ede)|md5|sha1",
        needs_fallback: true,
        limits: &[Limit {
            text: "the CPU copies every word to the engine and back, so it frees no CPU time",
            source: "drivers/crypto/allwinner/sun4i-ss/sun4i-ss-cipher.c",
        }],
        source: "drivers/crypto/allwinner/sun4i-ss",
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
    Family {
        id: "sun8i-ce",
        vendor: "Allwinner",
        kind: EngineKind::SocEngine,
        found_in: "Allwinner H3, H5, H6, H616, R40, A64, D1",
        options: "CRYPTO_DEV_SUN8I_CE",
        debian: "arm64",
        algorithms: "cbc(aes)|ecb(aes)|cbc(des3_ede)|ecb(des3_ede)|md5|sha1|sha224|sha256|sha384|\
            sha512",
        needs_fallback: true,
        source: "drivers/crypto/allwinner/sun8i-ce",
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
    Family {
        id: "sun8i-ss",
        vendor: "Allwinner",
        kind: EngineKind::SocEngine,
        found_in: "Allwinner A80, A83T",
        options: "CRYPTO_DEV_SUN8I_SS",
        algorithms: "cbc(aes)|ecb(aes)|cbc(des3_ede)|ecb(des3_ede)|md5|sha1|sha224|sha256|\
            hmac(sha1)",
        needs_fallback: true,
        source: "drivers/crypto/allwinner/sun8i-ss",
        names: "*-sun8i-ss",
        modules: "sun8i_ss",
        bound: "platform/sun8i-ss",
        irqs: "sun8i-ss",
        chip: "Allwinner Security System (second generation)",
        compatible: &["allwinner,sun8i-a83t-crypto", "allwinner,sun9i-a80-crypto"],
        ..Family::ROW
    },
];
