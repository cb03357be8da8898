//! Samsung.

use crate::family::Completion::Polled;
use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // Exynos 4, Exynos 5
    Family {
        id: "exynos-rng",
        names: "exynos_rng",
        modules: "exynos_rng",
        bound: "platform/exynos-rng",
        completion: Polled,
        chip: "Samsung Exynos pseudo-random generator",
        compatible: &["samsung,exynos4-rng", "samsung,exynos5250-prng"],
        ..Family::ROW
    },
    // S5PV210, Exynos 4, Exynos 5
    Family {
        id: "s5p-sss",
        names: "*-s5p|exynos-*",
        modules: "s5p_sss",
        bound: "platform/s5p-secss",
        chip: "Samsung Security SubSystem",
        compatible: &["samsung,s5pv210-secss", "samsung,exynos4210-secss", "samsung,exynos5433-slim-sss"],
        ..Family::ROW
    },
];
