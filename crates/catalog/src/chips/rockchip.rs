//! Rockchip.

use crate::family::{Board, BoardWithoutDriver, EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "rockchip",
        vendor: "Rockchip",
        kind: EngineKind::SocEngine,
        found_in: "RK3288, RK3328, RK3399",
        options: "CRYPTO_DEV_ROCKCHIP",
        debian: "arm64|armhf",
        algorithms: "cbc(aes)|ecb(aes)|cbc(des)|ecb(des)|cbc(des3_ede)|ecb(des3_ede)|md5|sha1|\
            sha256",
        needs_fallback: true,
        source: "drivers/crypto/rockchip",
        names: "rk-*|*-rk",
        modules: "rk_crypto",
        bound: "platform/rk3288-crypto",
        irqs: "rk-crypto",
        chip: "Rockchip crypto engine (version 1)",
        compatible: &["rockchip,rk3288-crypto", "rockchip,rk3328-crypto", "rockchip,rk3399-crypto"],
        boards: &[Board {
            words: &["rockchip,rk3288", "rockchip,rk3328", "rockchip,rk3399"],
            name: "Rockchip RK3288, RK3328 or RK3399",
        }],
        ..Family::ROW
    },
    Family {
        id: "rockchip2",
        vendor: "Rockchip",
        kind: EngineKind::SocEngine,
        found_in: "RK3568, RK3588",
        algorithms: "cbc(aes)|ecb(aes)|xts(aes)|sha1|sha256|sha512|sm3",
        limits: &[Limit {
            text: "not in mainline: patches were posted and not merged",
            source: "https://lore.kernel.org/linux-crypto/\
                    20231107155532.3747113-1-clabbe@baylibre.com/",
        }],
        source: "https://lore.kernel.org/linux-crypto/\
            20231107155532.3747113-1-clabbe@baylibre.com/",
        names: "rk2-*|*-rk2",
        modules: "rk_crypto2|rk2_crypto",
        bound: "platform/rk2-crypto",
        irqs: "rk-crypto|rk2-crypto",
        chip: "Rockchip crypto engine (version 2, out of tree)",
        compatible: &["rockchip,rk3568-crypto", "rockchip,rk3588-crypto"],
        ..Family::ROW
    },
];

pub(super) const WITHOUT_DRIVER: &[BoardWithoutDriver] = &[BoardWithoutDriver {
    words: &["rockchip,rk3568", "rockchip,rk3566", "rockchip,rk3588"],
    name: "Rockchip RK356x or RK3588",
    remark: "Linux has no driver for this chip's engine; its CPU has AES instructions, which are faster",
}];
