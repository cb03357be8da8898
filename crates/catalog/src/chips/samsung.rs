//! Samsung.

use crate::family::Completion::Polled;
use crate::family::{EngineKind, Family};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "exynos-rng",
        vendor: "Samsung",
        kind: EngineKind::SocEngine,
        found_in: "Exynos 4, Exynos 5",
        options: "CRYPTO_DEV_EXYNOS_RNG",
        algorithms: "stdrng",
        source: "drivers/crypto/exynos-rng.c",
        names: "exynos_rng",
        modules: "exynos_rng",
        bound: "platform/exynos-rng",
        completion: Polled,
        chip: "Samsung Exynos pseudo-random generator",
        compatible: &["samsung,exynos4-rng", "samsung,exynos5250-prng"],
        ..Family::ROW
    },
    Family {
        id: "s5p-sss",
        vendor: "Samsung",
        kind: EngineKind::SocEngine,
        found_in: "S5PV210, Exynos 4, Exynos 5",
        options: "CRYPTO_DEV_S5P",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|md5|sha1|sha256",
        needs_fallback: true,
        is_module_only: true,
        source: "drivers/crypto/s5p-sss.c",
        names: "*-s5p|exynos-*",
        modules: "s5p_sss",
        bound: "platform/s5p-secss",
        chip: "Samsung Security SubSystem",
        compatible: &["samsung,s5pv210-secss", "samsung,exynos4210-secss", "samsung,exynos5433-slim-sss"],
        ..Family::ROW
    },
];
