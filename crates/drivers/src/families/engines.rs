//! Engines inside systems on a chip, ARM and RISC-V: Allwinner to NXP.

use super::Completion::{Polled, Through};
use super::Family;

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "sun4i-ss",
        names: &["*-sun4i-ss"],
        modules: &["sun4i_ss"],
        bound: &["platform/sun4i-ss"],
        completion: Polled,
        compatible: &["allwinner,sun4i-a10-crypto", "allwinner,sun8i-a33-crypto"],
        chip: "Allwinner Security System",
        found_in: "Allwinner A10, A20, A31, A33",
        ..Family::ROW
    },
    Family {
        id: "sun8i-ce",
        names: &["*-sun8i-ce"],
        modules: &["sun8i_ce"],
        bound: &["platform/sun8i-ce"],
        irqs: &["sun8i-ce-ns"],
        compatible: &[
            "allwinner,sun8i-h3-crypto",
            "allwinner,sun8i-r40-crypto",
            "allwinner,sun20i-d1-crypto",
            "allwinner,sun50i-a64-crypto",
            "allwinner,sun50i-h5-crypto",
            "allwinner,sun50i-h6-crypto",
            "allwinner,sun50i-h616-crypto",
        ],
        chip: "Allwinner Crypto Engine",
        found_in: "Allwinner H3, H5, H6, H616, R40, A64, D1",
        ..Family::ROW
    },
    Family {
        id: "sun8i-ss",
        names: &["*-sun8i-ss"],
        modules: &["sun8i_ss"],
        bound: &["platform/sun8i-ss"],
        irqs: &["sun8i-ss"],
        compatible: &["allwinner,sun8i-a83t-crypto", "allwinner,sun9i-a80-crypto"],
        chip: "Allwinner Security System (second generation)",
        found_in: "Allwinner A80, A83T",
        ..Family::ROW
    },
    Family {
        id: "amlogic-gxl",
        names: &["*-gxl"],
        modules: &["amlogic_gxl_crypto"],
        bound: &["platform/gxl-crypto"],
        irqs: &["gxl-crypto"],
        compatible: &["amlogic,gxl-crypto"],
        chip: "Amlogic GXL crypto engine",
        found_in: "Amlogic S905X, S805X",
        ..Family::ROW
    },
    Family {
        id: "artpec6",
        names: &["artpec6-*", "artpec-*"],
        modules: &["artpec6_crypto"],
        bound: &["platform/artpec6-crypto"],
        irqs: &["artpec6-crypto"],
        compatible: &["axis,artpec6-crypto", "axis,artpec7-crypto"],
        chip: "Axis ARTPEC crypto engine",
        found_in: "Axis ARTPEC-6, ARTPEC-7",
        ..Family::ROW
    },
    Family {
        id: "aspeed-hace",
        names: &["aspeed-*"],
        modules: &["aspeed_crypto", "aspeed_acry"],
        bound: &["platform/aspeed_crypto", "platform/aspeed-hace", "platform/aspeed_acry"],
        compatible: &["aspeed,ast2500-hace", "aspeed,ast2600-hace", "aspeed,ast2600-acry"],
        chip: "Aspeed Hash and Crypto Engine",
        found_in: "Aspeed AST2500, AST2600 (server management)",
        ..Family::ROW
    },
    Family {
        id: "atmel",
        names: &["atmel-*"],
        modules: &["atmel_aes", "atmel_sha", "atmel_tdes", "atmel_ecc"],
        bound: &["platform/atmel_aes", "platform/atmel_sha", "platform/atmel_tdes", "i2c/atmel-ecc"],
        completion: Through("the AT_HDMAC or XDMAC engine; small requests raise a line of their own"),
        irqs: &["atmel-aes", "atmel-sha", "atmel-tdes"],
        compatible: &[
            "atmel,at91sam9g46-aes",
            "atmel,at91sam9g46-sha",
            "atmel,at91sam9g46-tdes",
            "atmel,atecc508a",
            "atmel,atecc608b",
        ],
        chip: "Microchip (Atmel) AES, SHA and TDES units",
        found_in: "AT91SAM9G45, SAMA5, SAM9X60",
        ..Family::ROW
    },
    Family {
        id: "bcm-spu",
        names: &["*-iproc", "*-bcmspu", "*bcmspu*"],
        modules: &["bcm_crypto_spu", "bcmspu"],
        bound: &["platform/brcm-spu-crypto"],
        completion: Through("the Broadcom mailbox (platform driver brcm-flexrm-mbox or brcm-pdc-mbox)"),
        compatible: &["brcm,spum-crypto", "brcm,spum-nsp-crypto", "brcm,spu2-crypto", "brcm,spu2-v2-crypto"],
        chip: "Broadcom Secure Processing Unit",
        found_in: "Broadcom Northstar Plus, Northstar 2, Stingray; BCM63xx gateways",
        ..Family::ROW
    },
    Family {
        id: "caam",
        names: &["*-caam", "*-caam-qi", "*-caam-qi2"],
        modules: &["caam_jr", "caam", "caamalg_desc", "caamhash_desc", "dpaa2_caam"],
        bound: &["platform/caam_jr", "platform/caam", "fsl-mc/dpaa2_caam"],
        compatible: &["fsl,sec-v4.0", "fsl,sec4.0", "fsl,sec-v4.0-job-ring", "fsl,sec4.0-job-ring"],
        chip: "NXP CAAM (SEC 4 and later)",
        found_in: "i.MX6, i.MX7, i.MX8, QorIQ, Layerscape",
        ..Family::ROW
    },
    Family {
        id: "ccree",
        names: &["*-ccree"],
        modules: &["ccree"],
        bound: &["platform/ccree"],
        irqs: &["ccree"],
        compatible: &[
            "arm,cryptocell-630p-ree",
            "arm,cryptocell-703-ree",
            "arm,cryptocell-710-ree",
            "arm,cryptocell-712-ree",
            "arm,cryptocell-713-ree",
        ],
        chip: "Arm TrustZone CryptoCell",
        found_in: "Renesas R-Car Gen3 and other Arm chips",
        ..Family::ROW
    },
    Family {
        id: "sl3516",
        names: &["*-sl3516"],
        modules: &["sl3516_ce"],
        bound: &["platform/sl3516-crypto"],
        irqs: &["crypto"],
        compatible: &["cortina,sl3516-crypto"],
        chip: "Cortina SL3516 Crypto Engine",
        found_in: "Cortina Gemini NAS boxes",
        ..Family::ROW
    },
    Family {
        id: "exynos-rng",
        names: &["exynos_rng"],
        modules: &["exynos_rng"],
        bound: &["platform/exynos-rng"],
        completion: Polled,
        compatible: &["samsung,exynos4-rng", "samsung,exynos5250-prng"],
        chip: "Samsung Exynos pseudo-random generator",
        found_in: "Exynos 4, Exynos 5",
        ..Family::ROW
    },
    Family {
        id: "s5p-sss",
        names: &["*-s5p", "exynos-*"],
        modules: &["s5p_sss"],
        bound: &["platform/s5p-secss"],
        compatible: &["samsung,s5pv210-secss", "samsung,exynos4210-secss", "samsung,exynos5433-slim-sss"],
        chip: "Samsung Security SubSystem",
        found_in: "S5PV210, Exynos 4, Exynos 5",
        ..Family::ROW
    },
    Family {
        id: "img-hash",
        names: &["img-md5", "img-sha*"],
        modules: &["img_hash"],
        bound: &["platform/img-hash-accelerator"],
        compatible: &["img,hash-accelerator"],
        chip: "Imagination hash accelerator",
        found_in: "Imagination Pistachio (MIPS Creator Ci40)",
        ..Family::ROW
    },
    Family {
        id: "safexcel",
        names: &["safexcel-*"],
        modules: &["crypto_safexcel"],
        bound: &["platform/crypto-safexcel", "pci/crypto-safexcel"],
        compatible: &[
            "inside-secure,safexcel-eip197b",
            "inside-secure,safexcel-eip197c-mxl",
            "inside-secure,safexcel-eip197d",
            "inside-secure,safexcel-eip197",
            "inside-secure,safexcel-eip97ies",
            "inside-secure,safexcel-eip97",
        ],
        chip: "Inside Secure SafeXcel EIP97 or EIP197",
        found_in: "Armada 37xx, 7K and 8K; MediaTek MT7622, MT7623, MT7981, MT7986, MT7988",
        ..Family::ROW
    },
    Family {
        id: "eip93",
        names: &["*-eip93", "*-eip93)", "*-eip93))", "*-eip93)))"],
        modules: &["crypto_hw_eip93", "mtk_eip93"],
        bound: &["platform/inside-secure-eip93", "platform/mtk-eip93"],
        compatible: &[
            "inside-secure,safexcel-eip93i",
            "inside-secure,safexcel-eip93ie",
            "inside-secure,safexcel-eip93is",
            "inside-secure,safexcel-eip93ies",
            "inside-secure,safexcel-eip93iw",
            "mediatek,mtk-eip93",
        ],
        chip: "Inside Secure SafeXcel EIP93",
        found_in: "MediaTek MT7621, Airoha EN7581",
        ..Family::ROW
    },
    Family {
        id: "mtk-crypto",
        names: &["*-mtk", "mtk-*"],
        modules: &["mtk_crypto"],
        bound: &["platform/mtk-crypto"],
        compatible: &["mediatek,eip97-crypto"],
        chip: "MediaTek crypto engine (EIP97, driver until Linux 5.12)",
        found_in: "MediaTek MT7623, MT2701",
        ..Family::ROW
    },
    Family {
        id: "ixp4xx",
        names: &["*-ixp4xx"],
        modules: &["ixp4xx_crypto"],
        bound: &["platform/ixp4xx_crypto"],
        completion: Through("the network processing engine's queue manager"),
        compatible: &["intel,ixp4xx-crypto"],
        chip: "Intel IXP4xx network processing engine",
        found_in: "Intel IXP425, IXP465",
        ..Family::ROW
    },
    Family {
        id: "keembay",
        names: &["*-keembay-ocs"],
        modules: &["keembay_ocs_aes", "keembay_ocs_ecc", "keembay_ocs_hcu"],
        bound: &["platform/keembay-ocs-aes", "platform/keembay-ocs-ecc", "platform/keembay-ocs-hcu"],
        irqs: &["keembay-ocs-*"],
        compatible: &["intel,keembay-ocs-aes", "intel,keembay-ocs-ecc", "intel,keembay-ocs-hcu"],
        chip: "Intel Keem Bay Offload Crypto Subsystem",
        found_in: "Intel Movidius Keem Bay",
        ..Family::ROW
    },
    Family {
        id: "marvell-cesa",
        names: &["mv-*"],
        modules: &["marvell_cesa", "mv_cesa"],
        bound: &["platform/marvell-cesa", "platform/mv_crypto"],
        irqs: &["mv_crypto"],
        compatible: &[
            "marvell,armada-370-crypto",
            "marvell,armada-375-crypto",
            "marvell,armada-38x-crypto",
            "marvell,armada-xp-crypto",
            "marvell,dove-crypto",
            "marvell,kirkwood-crypto",
            "marvell,orion-crypto",
        ],
        chip: "Marvell CESA",
        found_in: "Orion, Kirkwood, Dove, Armada 370, XP, 375, 38x (Helios4, WRT3200ACM, SheevaPlug)",
        ..Family::ROW
    },
    Family {
        id: "mxs-dcp",
        names: &["*-dcp"],
        modules: &["mxs_dcp"],
        bound: &["platform/mxs-dcp"],
        irqs: &["dcp-irq", "dcp-vmi-irq"],
        compatible: &["fsl,imx23-dcp", "fsl,imx28-dcp"],
        chip: "NXP Data Co-Processor",
        found_in: "i.MX23, i.MX28, i.MX6SL, i.MX6ULL",
        ..Family::ROW
    },
    Family {
        id: "sahara",
        names: &["sahara-*"],
        modules: &["sahara"],
        bound: &["platform/sahara"],
        compatible: &["fsl,imx27-sahara", "fsl,imx53-sahara"],
        chip: "NXP SAHARA",
        found_in: "i.MX27, i.MX53",
        ..Family::ROW
    },
];
