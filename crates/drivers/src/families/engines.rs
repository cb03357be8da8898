//! Engines inside systems on a chip, ARM and RISC-V: Allwinner to NXP.

use super::Completion::{Polled, Through};
use super::Family;

pub(super) const ROWS: &[Family] = &[
    // Allwinner A10, A20, A31, A33
    Family {
        id: "sun4i-ss",
        names: "*-sun4i-ss",
        modules: "sun4i_ss",
        bound: "platform/sun4i-ss",
        completion: Polled,
        chip: "Allwinner Security System",
        ..Family::ROW
    },
    // Allwinner H3, H5, H6, H616, R40, A64, D1
    Family {
        id: "sun8i-ce",
        names: "*-sun8i-ce",
        modules: "sun8i_ce",
        bound: "platform/sun8i-ce",
        irqs: "sun8i-ce-ns",
        chip: "Allwinner Crypto Engine",
        ..Family::ROW
    },
    // Allwinner A80, A83T
    Family {
        id: "sun8i-ss",
        names: "*-sun8i-ss",
        modules: "sun8i_ss",
        bound: "platform/sun8i-ss",
        irqs: "sun8i-ss",
        chip: "Allwinner Security System (second generation)",
        ..Family::ROW
    },
    // Amlogic S905X, S805X
    Family {
        id: "amlogic-gxl",
        names: "*-gxl",
        modules: "amlogic_gxl_crypto",
        bound: "platform/gxl-crypto",
        irqs: "gxl-crypto",
        chip: "Amlogic GXL crypto engine",
        ..Family::ROW
    },
    // Axis ARTPEC-6, ARTPEC-7
    Family {
        id: "artpec6",
        names: "artpec6-*|artpec-*",
        modules: "artpec6_crypto",
        bound: "platform/artpec6-crypto",
        irqs: "artpec6-crypto",
        chip: "Axis ARTPEC crypto engine",
        ..Family::ROW
    },
    // Aspeed AST2500, AST2600 (server management)
    Family {
        id: "aspeed-hace",
        names: "aspeed-*",
        modules: "aspeed_crypto|aspeed_acry",
        bound: "platform/aspeed_crypto|platform/aspeed-hace|platform/aspeed_acry",
        chip: "Aspeed Hash and Crypto Engine",
        ..Family::ROW
    },
    // AT91SAM9G45, SAMA5, SAM9X60
    Family {
        id: "atmel",
        names: "atmel-*",
        modules: "atmel_aes|atmel_sha|atmel_tdes|atmel_ecc",
        bound: "platform/atmel_aes|platform/atmel_sha|platform/atmel_tdes|i2c/atmel-ecc",
        completion: Through("the AT_HDMAC or XDMAC engine; small requests raise a line of their own"),
        irqs: "atmel-aes|atmel-sha|atmel-tdes",
        chip: "Microchip (Atmel) AES, SHA and TDES units",
        ..Family::ROW
    },
    // Broadcom Northstar Plus, Northstar 2, Stingray; BCM63xx gateways
    Family {
        id: "bcm-spu",
        names: "*-iproc|*-bcmspu|*bcmspu*",
        modules: "bcm_crypto_spu|bcmspu",
        bound: "platform/brcm-spu-crypto",
        completion: Through("the Broadcom mailbox (platform driver brcm-flexrm-mbox or brcm-pdc-mbox)"),
        chip: "Broadcom Secure Processing Unit",
        ..Family::ROW
    },
    // i.MX6, i.MX7, i.MX8, QorIQ, Layerscape
    Family {
        id: "caam",
        names: "*-caam|*-caam-qi|*-caam-qi2",
        modules: "caam_jr|caam|caamalg_desc|caamhash_desc|dpaa2_caam",
        bound: "platform/caam_jr|platform/caam|fsl-mc/dpaa2_caam",
        chip: "NXP CAAM (SEC 4 and later)",
        ..Family::ROW
    },
    // Renesas R-Car Gen3 and other Arm chips
    Family {
        id: "ccree",
        names: "*-ccree",
        modules: "ccree",
        bound: "platform/ccree",
        irqs: "ccree",
        chip: "Arm TrustZone CryptoCell",
        ..Family::ROW
    },
    // Cortina Gemini NAS boxes
    Family {
        id: "sl3516",
        names: "*-sl3516",
        modules: "sl3516_ce",
        bound: "platform/sl3516-crypto",
        irqs: "crypto",
        chip: "Cortina SL3516 Crypto Engine",
        ..Family::ROW
    },
    // Exynos 4, Exynos 5
    Family {
        id: "exynos-rng",
        names: "exynos_rng",
        modules: "exynos_rng",
        bound: "platform/exynos-rng",
        completion: Polled,
        chip: "Samsung Exynos pseudo-random generator",
        ..Family::ROW
    },
    // S5PV210, Exynos 4, Exynos 5
    Family {
        id: "s5p-sss",
        names: "*-s5p|exynos-*",
        modules: "s5p_sss",
        bound: "platform/s5p-secss",
        chip: "Samsung Security SubSystem",
        ..Family::ROW
    },
    // Imagination Pistachio (MIPS Creator Ci40)
    Family {
        id: "img-hash",
        names: "img-md5|img-sha*",
        modules: "img_hash",
        bound: "platform/img-hash-accelerator",
        chip: "Imagination hash accelerator",
        ..Family::ROW
    },
    // Armada 37xx, 7K and 8K; MediaTek MT7622, MT7623, MT7981, MT7986, MT7988
    Family {
        id: "safexcel",
        names: "safexcel-*",
        modules: "crypto_safexcel",
        bound: "platform/crypto-safexcel|pci/crypto-safexcel",
        chip: "Inside Secure SafeXcel EIP97 or EIP197",
        ..Family::ROW
    },
    // MediaTek MT7621, Airoha EN7581
    Family {
        id: "eip93",
        names: "*-eip93|*-eip93)|*-eip93))|*-eip93)))",
        modules: "crypto_hw_eip93|mtk_eip93",
        bound: "platform/inside-secure-eip93|platform/mtk-eip93",
        chip: "Inside Secure SafeXcel EIP93",
        ..Family::ROW
    },
    // MediaTek MT7623, MT2701
    Family {
        id: "mtk-crypto",
        names: "*-mtk|mtk-*",
        modules: "mtk_crypto",
        bound: "platform/mtk-crypto",
        chip: "MediaTek crypto engine (EIP97, driver until Linux 5.12)",
        ..Family::ROW
    },
    // Intel IXP425, IXP465
    Family {
        id: "ixp4xx",
        names: "*-ixp4xx",
        modules: "ixp4xx_crypto",
        bound: "platform/ixp4xx_crypto",
        completion: Through("the network processing engine's queue manager"),
        chip: "Intel IXP4xx network processing engine",
        ..Family::ROW
    },
    // Intel Movidius Keem Bay
    Family {
        id: "keembay",
        names: "*-keembay-ocs",
        modules: "keembay_ocs_aes|keembay_ocs_ecc|keembay_ocs_hcu",
        bound: "platform/keembay-ocs-aes|platform/keembay-ocs-ecc|platform/keembay-ocs-hcu",
        irqs: "keembay-ocs-*",
        chip: "Intel Keem Bay Offload Crypto Subsystem",
        ..Family::ROW
    },
    // Orion, Kirkwood, Dove, Armada 370, XP, 375, 38x (Helios4, WRT3200ACM, SheevaPlug)
    Family {
        id: "marvell-cesa",
        names: "mv-*",
        modules: "marvell_cesa|mv_cesa",
        bound: "platform/marvell-cesa|platform/mv_crypto",
        irqs: "mv_crypto",
        chip: "Marvell CESA",
        ..Family::ROW
    },
    // i.MX23, i.MX28, i.MX6SL, i.MX6ULL
    Family {
        id: "mxs-dcp",
        names: "*-dcp",
        modules: "mxs_dcp",
        bound: "platform/mxs-dcp",
        irqs: "dcp-irq|dcp-vmi-irq",
        chip: "NXP Data Co-Processor",
        ..Family::ROW
    },
    // i.MX27, i.MX53
    Family {
        id: "sahara",
        names: "sahara-*",
        modules: "sahara",
        bound: "platform/sahara",
        chip: "NXP SAHARA",
        ..Family::ROW
    },
];
