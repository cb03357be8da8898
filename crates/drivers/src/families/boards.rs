//! Engines inside systems on a chip, continued: Qualcomm to Xilinx, then MIPS, PowerPC and SPARC.

use super::Completion::{Polled, Through};
use super::Family;

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "omap",
        names: &["omap-*", "*-omap"],
        modules: &["omap_aes_driver", "omap_des", "omap_sham"],
        bound: &["platform/omap-aes", "platform/omap-des", "platform/omap-sham"],
        completion: Through("the EDMA or SDMA engine, besides a line of its own for hashes"),
        compatible: &[
            "ti,omap2-aes",
            "ti,omap3-aes",
            "ti,omap4-aes",
            "ti,omap4-des",
            "ti,omap2-sham",
            "ti,omap3-sham",
            "ti,omap4-sham",
            "ti,omap5-sham",
        ],
        chip: "TI OMAP AES, DES and SHA/MD5 units",
        found_in: "TI AM335x, AM437x, AM57x, DRA7, OMAP3, OMAP4, OMAP5",
        ..Family::ROW
    },
    Family {
        id: "sa2ul",
        names: &["*-sa2ul"],
        modules: &["sa2ul"],
        bound: &["platform/saul-crypto"],
        completion: Through("the K3 DMA (UDMA, BCDMA or PKTDMA channels)"),
        compatible: &["ti,j721e-sa2ul", "ti,am654-sa2ul", "ti,am64-sa2ul", "ti,am62-sa3ul"],
        chip: "TI Security Accelerator SA2UL or SA3UL",
        found_in: "TI AM65x, AM64x, AM62x, J721E, J7200, J721S2, J784S4",
        ..Family::ROW
    },
    Family {
        id: "dthev2",
        names: &["*-dthev2"],
        modules: &["dthev2"],
        bound: &["platform/dthev2"],
        completion: Through("the K3 DMA"),
        compatible: &["ti,am62l-dthev2"],
        chip: "TI DTHEv2",
        found_in: "TI AM62L",
        ..Family::ROW
    },
    Family {
        id: "qce",
        names: &["*-qce"],
        modules: &["qcrypto"],
        bound: &["platform/qcrypto"],
        completion: Through("the BAM DMA engine (bam_dma)"),
        compatible: &["qcom,crypto-v5.1", "qcom,crypto-v5.4", "qcom,qce"],
        chip: "Qualcomm Crypto Engine",
        found_in: "IPQ40xx, IPQ806x, IPQ807x, IPQ60xx, MSM8996, SDM845 and later",
        ..Family::ROW
    },
    Family {
        id: "qcom-rng",
        names: &["qcom-rng"],
        modules: &["qcom_rng"],
        bound: &["platform/qcom_rng"],
        completion: Polled,
        compatible: &["qcom,prng", "qcom,prng-ee", "qcom,trng"],
        chip: "Qualcomm random number generator",
        found_in: "Qualcomm Snapdragon and IPQ chips",
        ..Family::ROW
    },
    Family {
        id: "nss-crypto",
        names: &["nss-*"],
        modules: &["qca_nss_cfi_cryptoapi", "qca_nss_crypto"],
        completion: Through("the NSS cores"),
        chip: "Qualcomm Network Subsystem crypto (out of tree)",
        found_in: "IPQ806x, IPQ807x",
        ..Family::ROW
    },
    Family {
        id: "rockchip",
        names: &["rk-*", "*-rk"],
        modules: &["rk_crypto"],
        bound: &["platform/rk3288-crypto"],
        irqs: &["rk-crypto"],
        compatible: &["rockchip,rk3288-crypto", "rockchip,rk3328-crypto", "rockchip,rk3399-crypto"],
        chip: "Rockchip crypto engine (version 1)",
        found_in: "RK3288, RK3328, RK3399",
        ..Family::ROW
    },
    Family {
        id: "rockchip2",
        names: &["rk2-*", "*-rk2"],
        modules: &["rk_crypto2", "rk2_crypto"],
        bound: &["platform/rk2-crypto"],
        irqs: &["rk-crypto", "rk2-crypto"],
        compatible: &["rockchip,rk3568-crypto", "rockchip,rk3588-crypto"],
        chip: "Rockchip crypto engine (version 2, out of tree)",
        found_in: "RK3568, RK3588",
        ..Family::ROW
    },
    Family {
        id: "hisi-sec",
        names: &["hisi_sec_*"],
        modules: &["hisi_sec", "hisi_sec2"],
        bound: &["platform/hisi_sec_platform_driver", "pci/hisi_sec2"],
        irqs: &["hisi_sec*"],
        compatible: &["hisilicon,hip06-sec", "hisilicon,hip07-sec"],
        pci: &[(0x19e5, 0xa255), (0x19e5, 0xa256)],
        chip: "HiSilicon SEC",
        found_in: "Kunpeng 916, 920 and later",
        ..Family::ROW
    },
    Family {
        id: "hisi-hpre",
        names: &["hpre-*"],
        modules: &["hisi_hpre"],
        bound: &["pci/hisi_hpre"],
        irqs: &["hisi_hpre*"],
        pci: &[(0x19e5, 0xa258), (0x19e5, 0xa259)],
        chip: "HiSilicon HPRE (public-key engine)",
        found_in: "Kunpeng 920 and later",
        ..Family::ROW
    },
    Family {
        id: "hisi-zip",
        names: &["hisi-*-acomp"],
        modules: &["hisi_zip"],
        bound: &["pci/hisi_zip"],
        irqs: &["hisi_zip*"],
        pci: &[(0x19e5, 0xa250), (0x19e5, 0xa251)],
        chip: "HiSilicon ZIP (compression)",
        found_in: "Kunpeng 920 and later",
        ..Family::ROW
    },
    Family {
        id: "jh7110",
        names: &["starfive-*", "*-starfive"],
        modules: &["jh7110_crypto"],
        bound: &["platform/jh7110-crypto"],
        compatible: &["starfive,jh7110-crypto"],
        completion: Through("the PL080 DMA engine"),
        chip: "StarFive JH7110 crypto engine",
        found_in: "VisionFive 2 and other JH7110 boards",
        ..Family::ROW
    },
    Family {
        id: "stm32",
        names: &["stm32-*"],
        modules: &["stm32_cryp", "stm32_hash", "stm32_crc32"],
        bound: &["platform/stm32-cryp", "platform/stm32-hash", "platform/stm32-crc32"],
        completion: Through("the DMA engine for larger requests, a line of its own for small ones"),
        compatible: &[
            "st,stm32f756-cryp",
            "st,stm32mp1-cryp",
            "stericsson,ux500-cryp",
            "st,stm32f456-hash",
            "st,stm32f756-hash",
            "st,stm32mp13-hash",
            "stericsson,ux500-hash",
            "st,stm32f7-crc",
        ],
        chip: "ST CRYP and HASH units",
        found_in: "STM32MP1, STM32MP13, STM32F7; ST-Ericsson Ux500",
        ..Family::ROW
    },
    Family {
        id: "ux500",
        names: &["*-ux500"],
        modules: &["ux500_cryp", "ux500_hash"],
        bound: &["platform/cryp1", "platform/hash1"],
        chip: "ST-Ericsson Ux500 CRYP and HASH (driver until Linux 6.2)",
        found_in: "ST-Ericsson Ux500",
        ..Family::ROW
    },
    Family {
        id: "tegra-se",
        names: &["*-tegra", "tegra-se-*"],
        modules: &["tegra_se", "tegra_se_elp", "tegra_se_nvhost"],
        bound: &["platform/tegra-se"],
        completion: Through("host1x syncpoints"),
        compatible: &["nvidia,tegra234-se-aes", "nvidia,tegra234-se-hash"],
        chip: "NVIDIA Tegra Security Engine",
        found_in: "Jetson Orin (Tegra234); older Tegra chips with NVIDIA's kernel",
        ..Family::ROW
    },
    Family {
        id: "zynqmp",
        names: &["xilinx-zynqmp-*", "zynqmp-*", "versal-*"],
        modules: &["zynqmp_aes_gcm", "zynqmp_sha"],
        bound: &["platform/zynqmp-aes", "platform/zynqmp-sha3-384"],
        completion: Polled,
        compatible: &["xlnx,zynqmp-aes"],
        chip: "AMD (Xilinx) AES-GCM and SHA3 units, by calls to the firmware",
        found_in: "Zynq UltraScale+, Versal",
        ..Family::ROW
    },
    Family {
        id: "ltq-deu",
        names: &["ltq_deu*", "ltqdeu*", "*-ltq_deu*"],
        modules: &["ltq_deu_danube", "ltq_deu_ar9", "ltq_deu_vr9"],
        completion: Polled,
        chip: "Lantiq Data Encryption Unit (out of tree)",
        found_in: "Lantiq Danube, AR9, VR9 gateways",
        ..Family::ROW
    },
    Family {
        id: "octeon-md5",
        names: &["octeon-*"],
        modules: &["octeon_md5", "octeon_sha1", "octeon_sha256", "octeon_sha512"],
        nature: super::Nature::Instructions,
        chip: "Cavium Octeon's crypto coprocessor instructions",
        found_in: "Cavium Octeon (MIPS)",
        ..Family::ROW
    },
    Family {
        id: "talitos",
        names: &["*-talitos", "*-talitos-hsna"],
        modules: &["talitos"],
        bound: &["platform/talitos"],
        irqs: &["talitos"],
        compatible: &["fsl,sec1.0", "fsl,sec2.0"],
        chip: "NXP (Freescale) SEC 1 to 3",
        found_in: "MPC82xx, MPC83xx, MPC85xx, P1010, P1020",
        ..Family::ROW
    },
    Family {
        id: "crypto4xx",
        names: &["*-ppc4xx"],
        modules: &["crypto4xx"],
        bound: &["platform/crypto4xx"],
        irqs: &["crypto4xx"],
        compatible: &["amcc,ppc4xx-crypto"],
        chip: "AMCC security function (crypto4xx)",
        found_in: "AppliedMicro 460EX, 405EX (WD My Book Live, Meraki MX60)",
        ..Family::ROW
    },
    Family {
        id: "nx",
        names: &["*-nx"],
        modules: &["nx_crypto", "nx_compress", "nx_compress_pseries", "nx_compress_powernv"],
        bound: &["vio/nx-crypto", "vio/nx_compress_pseries"],
        completion: Polled,
        chip: "IBM Power in-core and nest accelerator (NX), by calls to the hypervisor",
        found_in: "IBM POWER7+, POWER8",
        ..Family::ROW
    },
    Family {
        id: "n2",
        names: &["*-n2"],
        modules: &["n2_crypto"],
        bound: &["platform/n2cp", "platform/ncp"],
        irqs: &["cwq-*", "mau-*"],
        chip: "Sun control word queue and modular arithmetic unit",
        found_in: "UltraSPARC T2, T2+, T3",
        ..Family::ROW
    },
];
