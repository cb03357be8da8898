//! NVIDIA.

use crate::family::Completion::Through;
use crate::family::{Board, EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "tegra-se",
    vendor: "NVIDIA",
    kind: EngineKind::SocEngine,
    found_in: "Jetson Orin (Tegra234); older Tegra chips with NVIDIA's kernel",
    options: "CRYPTO_DEV_TEGRA",
    algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|gcm(aes)|ccm(aes)|xts(aes)|sha1|sha256|sha512|\
            sha3-256",
    needs_fallback: true,
    source: "drivers/crypto/tegra",
    names: "*-tegra|tegra-se-*",
    modules: "tegra_se|tegra_se_elp|tegra_se_nvhost",
    bound: "platform/tegra-se",
    completion: Through("host1x syncpoints"),
    chip: "NVIDIA Tegra Security Engine",
    compatible: &["nvidia,tegra234-se-aes", "nvidia,tegra234-se-hash"],
    boards: &[Board { words: &["nvidia,tegra234"], name: "NVIDIA Jetson Orin" }],
    ..Family::ROW
}];
