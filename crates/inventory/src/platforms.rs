//! What is known about a machine from its model alone: which engine the chip has, whether Linux drives it.

use serde::Serialize;

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Platform {
    /// Words to look for in the device tree's root `compatible`, the model, the DMI product or the CPU's name.
    #[serde(skip)]
    words: &'static [&'static str],
    /// The chip or board.
    pub name: &'static str,
    /// The id of the driver family of its engine.
    pub engine: Option<&'static str>,
    /// What a user of it should know.
    pub remark: Option<&'static str>,
}

const fn has(words: &'static [&'static str], name: &'static str, engine: &'static str) -> Platform {
    Platform { words, name, engine: Some(engine), remark: None }
}

const fn lacks(words: &'static [&'static str], name: &'static str, remark: &'static str) -> Platform {
    Platform { words, name, engine: None, remark: Some(remark) }
}

const ROWS: &[Platform] = &[
    has(
        &["marvell,armada3700", "marvell,armada3710", "marvell,armada3720"],
        "Marvell Armada 37xx",
        "safexcel",
    ),
    has(&["marvell,armada38"], "Marvell Armada 38x", "marvell-cesa"),
    has(&["marvell,armada375"], "Marvell Armada 375", "marvell-cesa"),
    has(&["marvell,armada370"], "Marvell Armada 370", "marvell-cesa"),
    has(&["marvell,armadaxp"], "Marvell Armada XP", "marvell-cesa"),
    has(&["marvell,kirkwood"], "Marvell Kirkwood", "marvell-cesa"),
    has(&["marvell,orion"], "Marvell Orion", "marvell-cesa"),
    has(&["marvell,dove"], "Marvell Dove", "marvell-cesa"),
    has(&["marvell,armada7", "marvell,armada8"], "Marvell Armada 7K or 8K", "safexcel"),
    has(&["ti,am62l3", "ti,am62l"], "TI AM62L", "dthev2"),
    has(&["ti,am625", "ti,am62a", "ti,am62p", "ti,am623"], "TI AM62x", "sa2ul"),
    has(&["ti,am642", "ti,am64"], "TI AM64x", "sa2ul"),
    has(&["ti,am654", "ti,am652", "ti,am65"], "TI AM65x", "sa2ul"),
    has(&["ti,j721s2"], "TI J721S2", "sa2ul"),
    has(&["ti,j784s4", "ti,j742s2"], "TI J784S4", "sa2ul"),
    has(&["ti,j721e", "ti,j7200", "ti,j722s"], "TI J721E", "sa2ul"),
    has(&["ti,am33xx", "ti,am335"], "TI AM335x", "omap"),
    has(&["ti,am43", "ti,am437"], "TI AM437x", "omap"),
    has(&["ti,am57", "ti,dra7", "ti,dra72", "ti,dra74"], "TI AM57x or DRA7", "omap"),
    has(&["ti,omap3", "ti,omap4", "ti,omap5"], "TI OMAP", "omap"),
    has(&["mediatek,mt7621", "MediaTek MT7621"], "MediaTek MT7621", "eip93"),
    has(&["airoha,en7581"], "Airoha EN7581", "eip93"),
    has(&["mediatek,mt7622", "mediatek,mt7623", "mediatek,mt798"], "MediaTek MT762x or MT798x", "safexcel"),
    has(&["qcom,ipq"], "Qualcomm IPQ", "qce"),
    has(
        &["rockchip,rk3288", "rockchip,rk3328", "rockchip,rk3399"],
        "Rockchip RK3288, RK3328 or RK3399",
        "rockchip",
    ),
    lacks(
        &["rockchip,rk3568", "rockchip,rk3566", "rockchip,rk3588"],
        "Rockchip RK356x or RK3588",
        "Linux has no driver for this chip's engine; its CPU has AES instructions, which are faster",
    ),
    has(&["allwinner,sun4i", "allwinner,sun5i", "allwinner,sun7i"], "Allwinner A10, A13 or A20", "sun4i-ss"),
    has(
        &["allwinner,sun8i-h3", "allwinner,sun50i", "allwinner,sun20i"],
        "Allwinner H3, H5, H6, A64 or D1",
        "sun8i-ce",
    ),
    has(&["amlogic,meson-gxl"], "Amlogic GXL", "amlogic-gxl"),
    has(&["aspeed,ast2500", "aspeed,ast2600"], "Aspeed AST2500 or AST2600", "aspeed-hace"),
    has(&["fsl,imx6ull", "fsl,imx28", "fsl,imx23"], "NXP i.MX23, i.MX28 or i.MX6ULL", "mxs-dcp"),
    has(
        &["fsl,imx6", "fsl,imx7", "fsl,imx8", "fsl,ls1", "fsl,ls2", "fsl,lx2"],
        "NXP i.MX or Layerscape",
        "caam",
    ),
    has(&["st,stm32mp1"], "ST STM32MP1", "stm32"),
    has(&["starfive,jh7110"], "StarFive JH7110", "jh7110"),
    has(&["nvidia,tegra234"], "NVIDIA Jetson Orin", "tegra-se"),
    has(&["lantiq,vr9", "lantiq,ar9", "lantiq,danube"], "Lantiq VR9, AR9 or Danube", "ltq-deu"),
    has(&["ALIX", "alix", "Geode(TM)"], "AMD Geode LX (PC Engines ALIX, Soekris net5501)", "geode"),
    lacks(
        &["brcm,bcm2712"],
        "Broadcom BCM2712",
        "this chip has no crypto engine; its CPU has AES instructions, which OpenSSL uses by itself",
    ),
    lacks(
        &["brcm,bcm2711", "brcm,bcm2837", "brcm,bcm2836", "brcm,bcm2835"],
        "Broadcom BCM283x or BCM2711",
        "this chip has neither a crypto engine nor AES instructions: prefer ChaCha20-Poly1305, which OpenSSL's NEON \
         code computes faster than AES here",
    ),
    lacks(
        &["BCM5365", "BCM47", "brcm,bcm47"],
        "Broadcom BCM47xx or BCM5365",
        "some of these chips have a crypto core, but Linux has no driver for it",
    ),
];

/// The first row with a word that one of the texts contains.
pub fn recognise<'a>(texts: impl Iterator<Item = &'a str>) -> Option<&'static Platform> {
    let texts: Vec<&str> = texts.collect();
    ROWS.iter().find(|row| row.words.iter().any(|word| texts.iter().any(|text| text.contains(word))))
}

#[cfg(test)]
mod tests {
    use outboard_drivers::families;

    use super::*;

    #[test]
    fn every_engine_is_a_family_of_drivers() {
        for row in ROWS {
            let known = row.engine.is_none_or(|id| families::accelerators().any(|f| f.id == id));
            assert!(known, "{}", row.name);
        }
    }

    #[test]
    fn the_machines_that_guides_speak_of_are_recognised() {
        for (text, engine) in [
            ("marvell,armada388", Some("marvell-cesa")),
            ("marvell,kirkwood-88f6281", Some("marvell-cesa")),
            ("marvell,armada3720", Some("safexcel")),
            ("ti,am335x-bone", Some("omap")),
            ("ti,am437x-gp-evm", Some("omap")),
            ("ti,dra742", Some("omap")),
            ("ti,am625", Some("sa2ul")),
            ("ti,am62l3-evm", Some("dthev2")),
            ("ti,am642-sk", Some("sa2ul")),
            ("ti,j721s2", Some("sa2ul")),
            ("MediaTek MT7621 ver:1 eco:3", Some("eip93")),
            ("Geode(TM) Integrated Processor by AMD PCS", Some("geode")),
            ("brcm,bcm2711", None),
            ("Broadcom BCM5365", None),
        ] {
            let row = recognise([text].into_iter()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(row.engine, engine, "{text}");
        }
        assert!(recognise(["QEMU Standard PC"].into_iter()).is_none());
    }
}
