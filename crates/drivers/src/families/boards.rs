//! Engines inside systems on a chip, continued: Qualcomm to Xilinx, then MIPS, PowerPC and SPARC.

use super::Completion::{Polled, Through};
use super::Family;

pub(super) const ROWS: &[Family] = &[
    // TI AM335x, AM437x, AM57x, DRA7, OMAP3, OMAP4, OMAP5
    Family {
        id: "omap",
        names: "omap-*|*-omap",
        modules: "omap_aes_driver|omap_des|omap_sham",
        bound: "platform/omap-aes|platform/omap-des|platform/omap-sham",
        completion: Through("the EDMA or SDMA engine, besides a line of its own for hashes"),
        chip: "TI OMAP AES, DES and SHA/MD5 units",
        ..Family::ROW
    },
    // TI AM65x, AM64x, AM62x, J721E, J7200, J721S2, J784S4
    Family {
        id: "sa2ul",
        names: "*-sa2ul",
        modules: "sa2ul",
        bound: "platform/saul-crypto",
        completion: Through("the K3 DMA (UDMA, BCDMA or PKTDMA channels)"),
        chip: "TI Security Accelerator SA2UL or SA3UL",
        ..Family::ROW
    },
    // TI AM62L
    Family {
        id: "dthev2",
        names: "*-dthev2",
        modules: "dthev2",
        bound: "platform/dthev2",
        completion: Through("the K3 DMA"),
        chip: "TI DTHEv2",
        ..Family::ROW
    },
    // IPQ40xx, IPQ806x, IPQ807x, IPQ60xx, MSM8996, SDM845 and later
    Family {
        id: "qce",
        names: "*-qce",
        modules: "qcrypto",
        bound: "platform/qcrypto",
        completion: Through("the BAM DMA engine (bam_dma)"),
        chip: "Qualcomm Crypto Engine",
        ..Family::ROW
    },
    // Qualcomm Snapdragon and IPQ chips
    Family {
        id: "qcom-rng",
        names: "qcom-rng",
        modules: "qcom_rng",
        bound: "platform/qcom_rng",
        completion: Polled,
        chip: "Qualcomm random number generator",
        ..Family::ROW
    },
    // IPQ806x, IPQ807x
    Family {
        id: "nss-crypto",
        names: "nss-*",
        modules: "qca_nss_cfi_cryptoapi|qca_nss_crypto",
        completion: Through("the NSS cores"),
        chip: "Qualcomm Network Subsystem crypto (out of tree)",
        ..Family::ROW
    },
    // RK3288, RK3328, RK3399
    Family {
        id: "rockchip",
        names: "rk-*|*-rk",
        modules: "rk_crypto",
        bound: "platform/rk3288-crypto",
        irqs: "rk-crypto",
        chip: "Rockchip crypto engine (version 1)",
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
        ..Family::ROW
    },
    // Kunpeng 916, 920 and later
    Family {
        id: "hisi-sec",
        names: "hisi_sec_*",
        modules: "hisi_sec|hisi_sec2",
        bound: "platform/hisi_sec_platform_driver|pci/hisi_sec2",
        irqs: "hisi_sec*",
        chip: "HiSilicon SEC",
        ..Family::ROW
    },
    // Kunpeng 920 and later
    Family {
        id: "hisi-hpre",
        names: "hpre-*",
        modules: "hisi_hpre",
        bound: "pci/hisi_hpre",
        irqs: "hisi_hpre*",
        chip: "HiSilicon HPRE (public-key engine)",
        ..Family::ROW
    },
    // Kunpeng 920 and later
    Family {
        id: "hisi-zip",
        names: "hisi-*-acomp",
        modules: "hisi_zip",
        bound: "pci/hisi_zip",
        irqs: "hisi_zip*",
        chip: "HiSilicon ZIP (compression)",
        ..Family::ROW
    },
    // VisionFive 2 and other JH7110 boards
    Family {
        id: "jh7110",
        names: "starfive-*|*-starfive",
        modules: "jh7110_crypto",
        bound: "platform/jh7110-crypto",
        completion: Through("the PL080 DMA engine"),
        chip: "StarFive JH7110 crypto engine",
        ..Family::ROW
    },
    // STM32MP1, STM32MP13, STM32F7; ST-Ericsson Ux500
    Family {
        id: "stm32",
        names: "stm32-*",
        modules: "stm32_cryp|stm32_hash|stm32_crc32",
        bound: "platform/stm32-cryp|platform/stm32-hash|platform/stm32-crc32",
        completion: Through("the DMA engine for larger requests, a line of its own for small ones"),
        chip: "ST CRYP and HASH units",
        ..Family::ROW
    },
    // ST-Ericsson Ux500
    Family {
        id: "ux500",
        names: "*-ux500",
        modules: "ux500_cryp|ux500_hash",
        bound: "platform/cryp1|platform/hash1",
        chip: "ST-Ericsson Ux500 CRYP and HASH (driver until Linux 6.2)",
        ..Family::ROW
    },
    // Jetson Orin (Tegra234); older Tegra chips with NVIDIA's kernel
    Family {
        id: "tegra-se",
        names: "*-tegra|tegra-se-*",
        modules: "tegra_se|tegra_se_elp|tegra_se_nvhost",
        bound: "platform/tegra-se",
        completion: Through("host1x syncpoints"),
        chip: "NVIDIA Tegra Security Engine",
        ..Family::ROW
    },
    // Zynq UltraScale+, Versal
    Family {
        id: "zynqmp",
        names: "xilinx-zynqmp-*|zynqmp-*|versal-*",
        modules: "zynqmp_aes_gcm|zynqmp_sha",
        bound: "platform/zynqmp-aes|platform/zynqmp-sha3-384",
        completion: Polled,
        chip: "AMD (Xilinx) AES-GCM and SHA3 units, by calls to the firmware",
        ..Family::ROW
    },
    // Lantiq Danube, AR9, VR9 gateways
    Family {
        id: "ltq-deu",
        names: "ltq_deu*|ltqdeu*|*-ltq_deu*",
        modules: "ltq_deu_danube|ltq_deu_ar9|ltq_deu_vr9",
        completion: Polled,
        chip: "Lantiq Data Encryption Unit (out of tree)",
        ..Family::ROW
    },
    // Cavium Octeon (MIPS)
    Family {
        id: "octeon-md5",
        names: "octeon-*",
        modules: "octeon_md5|octeon_sha1|octeon_sha256|octeon_sha512",
        nature: super::Nature::Instructions,
        chip: "Cavium Octeon's crypto coprocessor instructions",
        ..Family::ROW
    },
    // MPC82xx, MPC83xx, MPC85xx, P1010, P1020
    Family {
        id: "talitos",
        names: "*-talitos|*-talitos-hsna",
        modules: "talitos",
        bound: "platform/talitos",
        irqs: "talitos",
        chip: "NXP (Freescale) SEC 1 to 3",
        ..Family::ROW
    },
    // AppliedMicro 460EX, 405EX (WD My Book Live, Meraki MX60)
    Family {
        id: "crypto4xx",
        names: "*-ppc4xx",
        modules: "crypto4xx",
        bound: "platform/crypto4xx",
        irqs: "crypto4xx",
        chip: "AMCC security function (crypto4xx)",
        ..Family::ROW
    },
    // IBM POWER7+, POWER8
    Family {
        id: "nx",
        names: "*-nx",
        modules: "nx_crypto|nx_compress|nx_compress_pseries|nx_compress_powernv",
        bound: "vio/nx-crypto|vio/nx_compress_pseries",
        completion: Polled,
        chip: "IBM Power in-core and nest accelerator (NX), by calls to the hypervisor",
        ..Family::ROW
    },
    // UltraSPARC T2, T2+, T3
    Family {
        id: "n2",
        names: "*-n2",
        modules: "n2_crypto",
        bound: "platform/n2cp|platform/ncp",
        irqs: "cwq-*|mau-*",
        chip: "Sun control word queue and modular arithmetic unit",
        ..Family::ROW
    },
];
