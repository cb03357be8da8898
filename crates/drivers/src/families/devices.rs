//! Devices by which a family is known before any driver is bound to them.

use super::Family;

/// The devices of one family.
pub(super) struct Row {
    /// The family's.
    pub(super) id: &'static str,
    /// `compatible` strings of device-tree nodes.
    pub(super) compatible: &'static [&'static str],
    /// PCI vendor and device.
    pub(super) pci: &'static [(u16, u16)],
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row { id: "sun4i-ss", compatible: &["allwinner,sun4i-a10-crypto", "allwinner,sun8i-a33-crypto"], pci: &[] },
    Row {
        id: "sun8i-ce",
        compatible: &[
            "allwinner,sun8i-h3-crypto",
            "allwinner,sun8i-r40-crypto",
            "allwinner,sun20i-d1-crypto",
            "allwinner,sun50i-a64-crypto",
            "allwinner,sun50i-h5-crypto",
            "allwinner,sun50i-h6-crypto",
            "allwinner,sun50i-h616-crypto",
        ],
        pci: &[],
    },
    Row { id: "sun8i-ss", compatible: &["allwinner,sun8i-a83t-crypto", "allwinner,sun9i-a80-crypto"], pci: &[] },
    Row { id: "amlogic-gxl", compatible: &["amlogic,gxl-crypto"], pci: &[] },
    Row { id: "artpec6", compatible: &["axis,artpec6-crypto", "axis,artpec7-crypto"], pci: &[] },
    Row { id: "aspeed-hace", compatible: &["aspeed,ast2500-hace", "aspeed,ast2600-hace", "aspeed,ast2600-acry"], pci: &[] },
    Row {
        id: "atmel",
        compatible: &[
            "atmel,at91sam9g46-aes",
            "atmel,at91sam9g46-sha",
            "atmel,at91sam9g46-tdes",
            "atmel,atecc508a",
            "atmel,atecc608b",
        ],
        pci: &[],
    },
    Row {
        id: "bcm-spu",
        compatible: &[
            "brcm,spum-crypto",
            "brcm,spum-nsp-crypto",
            "brcm,spu2-crypto",
            "brcm,spu2-v2-crypto",
        ],
        pci: &[],
    },
    Row { id: "caam", compatible: &["fsl,sec-v4.0", "fsl,sec4.0", "fsl,sec-v4.0-job-ring", "fsl,sec4.0-job-ring"], pci: &[] },
    Row {
        id: "ccree",
        compatible: &[
            "arm,cryptocell-630p-ree",
            "arm,cryptocell-703-ree",
            "arm,cryptocell-710-ree",
            "arm,cryptocell-712-ree",
            "arm,cryptocell-713-ree",
        ],
        pci: &[],
    },
    Row { id: "sl3516", compatible: &["cortina,sl3516-crypto"], pci: &[] },
    Row { id: "exynos-rng", compatible: &["samsung,exynos4-rng", "samsung,exynos5250-prng"], pci: &[] },
    Row {
        id: "s5p-sss",
        compatible: &[
            "samsung,s5pv210-secss",
            "samsung,exynos4210-secss",
            "samsung,exynos5433-slim-sss",
        ],
        pci: &[],
    },
    Row { id: "img-hash", compatible: &["img,hash-accelerator"], pci: &[] },
    Row {
        id: "safexcel",
        compatible: &[
            "inside-secure,safexcel-eip197b",
            "inside-secure,safexcel-eip197c-mxl",
            "inside-secure,safexcel-eip197d",
            "inside-secure,safexcel-eip197",
            "inside-secure,safexcel-eip97ies",
            "inside-secure,safexcel-eip97",
        ],
        pci: &[],
    },
    Row {
        id: "eip93",
        compatible: &[
            "inside-secure,safexcel-eip93i",
            "inside-secure,safexcel-eip93ie",
            "inside-secure,safexcel-eip93is",
            "inside-secure,safexcel-eip93ies",
            "inside-secure,safexcel-eip93iw",
            "mediatek,mtk-eip93",
        ],
        pci: &[],
    },
    Row { id: "mtk-crypto", compatible: &["mediatek,eip97-crypto"], pci: &[] },
    Row { id: "ixp4xx", compatible: &["intel,ixp4xx-crypto"], pci: &[] },
    Row { id: "keembay", compatible: &["intel,keembay-ocs-aes", "intel,keembay-ocs-ecc", "intel,keembay-ocs-hcu"], pci: &[] },
    Row {
        id: "marvell-cesa",
        compatible: &[
            "marvell,armada-370-crypto",
            "marvell,armada-375-crypto",
            "marvell,armada-38x-crypto",
            "marvell,armada-xp-crypto",
            "marvell,dove-crypto",
            "marvell,kirkwood-crypto",
            "marvell,orion-crypto",
        ],
        pci: &[],
    },
    Row { id: "mxs-dcp", compatible: &["fsl,imx23-dcp", "fsl,imx28-dcp"], pci: &[] },
    Row { id: "sahara", compatible: &["fsl,imx27-sahara", "fsl,imx53-sahara"], pci: &[] },
    Row {
        id: "omap",
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
        pci: &[],
    },
    Row { id: "sa2ul", compatible: &["ti,j721e-sa2ul", "ti,am654-sa2ul", "ti,am64-sa2ul", "ti,am62-sa3ul"], pci: &[] },
    Row { id: "dthev2", compatible: &["ti,am62l-dthev2"], pci: &[] },
    Row { id: "qce", compatible: &["qcom,crypto-v5.1", "qcom,crypto-v5.4", "qcom,qce"], pci: &[] },
    Row { id: "qcom-rng", compatible: &["qcom,prng", "qcom,prng-ee", "qcom,trng"], pci: &[] },
    Row {
        id: "rockchip",
        compatible: &[
            "rockchip,rk3288-crypto",
            "rockchip,rk3328-crypto",
            "rockchip,rk3399-crypto",
        ],
        pci: &[],
    },
    Row { id: "rockchip2", compatible: &["rockchip,rk3568-crypto", "rockchip,rk3588-crypto"], pci: &[] },
    Row {
        id: "hisi-sec",
        compatible: &[
            "hisilicon,hip06-sec",
            "hisilicon,hip07-sec",
        ],
        pci: &[(0x19e5, 0xa255), (0x19e5, 0xa256)],
    },
    Row { id: "hisi-hpre", compatible: &[], pci: &[(0x19e5, 0xa258), (0x19e5, 0xa259)] },
    Row { id: "hisi-zip", compatible: &[], pci: &[(0x19e5, 0xa250), (0x19e5, 0xa251)] },
    Row { id: "jh7110", compatible: &["starfive,jh7110-crypto"], pci: &[] },
    Row {
        id: "stm32",
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
        pci: &[],
    },
    Row { id: "tegra-se", compatible: &["nvidia,tegra234-se-aes", "nvidia,tegra234-se-hash"], pci: &[] },
    Row { id: "zynqmp", compatible: &["xlnx,zynqmp-aes"], pci: &[] },
    Row { id: "talitos", compatible: &["fsl,sec1.0", "fsl,sec2.0"], pci: &[] },
    Row { id: "crypto4xx", compatible: &["amcc,ppc4xx-crypto"], pci: &[] },
    Row { id: "virtio-crypto", compatible: &[], pci: &[(0x1af4, 0x1014), (0x1af4, 0x1054)] },
    Row {
        id: "qat",
        compatible: &[
        ],
        pci: &[(0x8086, 0x0435), (0x8086, 0x0443), (0x8086, 0x19e2), (0x8086, 0x19e3), (0x8086, 0x37c8), (0x8086, 0x37c9), (0x8086, 0x4940), (0x8086, 0x4942), (0x8086, 0x4944), (0x8086, 0x4946), (0x8086, 0x4948)],
    },
    Row { id: "ccp", compatible: &["amd,ccp-seattle-v1a"], pci: &[] },
    Row { id: "geode", compatible: &[], pci: &[(0x1022, 0x2082)] },
    Row { id: "hifn", compatible: &[], pci: &[(0x13a3, 0x0020), (0x13a3, 0x001d)] },
    Row { id: "nitrox", compatible: &[], pci: &[(0x177d, 0x0012)] },
    Row { id: "cavium-cpt", compatible: &[], pci: &[(0x177d, 0xa041)] },
    Row { id: "octeontx-cpt", compatible: &[], pci: &[(0x177d, 0xa041), (0x177d, 0xa0fe), (0x177d, 0xa0f3)] },
];

/// The family of a device-tree node by one of its `compatible` strings.
pub fn by_compatible(is_its: impl Fn(&str) -> bool) -> Option<&'static Family> {
    of(|row| row.compatible.iter().any(|compatible| is_its(compatible)))
}

/// The family of a PCI device by vendor and device.
pub fn by_pci(device: (u16, u16)) -> Option<&'static Family> {
    of(|row| row.pci.contains(&device))
}

fn of(is_it: impl Fn(&Row) -> bool) -> Option<&'static Family> {
    let row = ROWS.iter().find(|row| is_it(row))?;
    super::all().find(|family| family.id == row.id)
}
