//! NVIDIA.

use crate::family::Completion::Through;
use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // Jetson Orin (Tegra234); older Tegra chips with NVIDIA's kernel
    Family {
        id: "tegra-se",
        names: "*-tegra|tegra-se-*",
        modules: "tegra_se|tegra_se_elp|tegra_se_nvhost",
        bound: "platform/tegra-se",
        completion: Through("host1x syncpoints"),
        chip: "NVIDIA Tegra Security Engine",
        compatible: &["nvidia,tegra234-se-aes", "nvidia,tegra234-se-hash"],
        boards: &[Board { words: &["nvidia,tegra234"], name: "NVIDIA Jetson Orin" }],
        ..Family::ROW
    },
];
