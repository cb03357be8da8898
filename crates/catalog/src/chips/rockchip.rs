//! Rockchip.

use crate::family::{Board, BoardWithoutDriver, Family};

pub(super) const ROWS: &[Family] = &[
    // RK3288, RK3328, RK3399
    Family {
        id: "rockchip",
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
    // RK3568, RK3588
    Family {
        id: "rockchip2",
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
