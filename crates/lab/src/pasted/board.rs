//! The output of `ubus call system board`, OpenWrt's description of a router.

use outboard_catalog::boards;
use outboard_catalog::families;

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

/// Targets of OpenWrt, and a word by which the catalogue finds the engine of their chips.
const TARGETS: &[(&str, &str)] = &[
    ("kirkwood/", "marvell,kirkwood"),
    ("mvebu/cortexa9", "marvell,armada38"),
    ("mvebu/cortexa53", "marvell,armada3700"),
    ("mvebu/cortexa72", "marvell,armada8"),
    ("ramips/mt7621", "mediatek,mt7621"),
    ("airoha/en7581", "airoha,en7581"),
    ("mediatek/mt7622", "mediatek,mt7622"),
    ("mediatek/mt7623", "mediatek,mt7623"),
    ("mediatek/filogic", "mediatek,mt798"),
    ("ipq40xx/", "qcom,ipq"),
    ("ipq806x/", "qcom,ipq"),
    ("qualcommax/", "qcom,ipq"),
    ("layerscape/", "fsl,ls1"),
    ("imx/cortexa", "fsl,imx6"),
    ("lantiq/xrx200", "lantiq,vr9"),
    ("rockchip/armv8", "rockchip,rk3328"),
    ("omap/", "ti,omap4"),
    ("bcm27xx/", "brcm,bcm2711"),
    ("sunxi/", "allwinner,sun8i-h3"),
    ("x86/geode", "Geode(TM)"),
];

const MOST_LINES: usize = 24;

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    let Some(start) = lines.iter().position(|line| pair(line.text).is_some_and(|(key, _)| key == "kernel"))
    else {
        return;
    };
    let part = &lines[start..lines.len().min(start + MOST_LINES)];
    let value = |wanted: &str| {
        part.iter().find_map(|line| pair(line.text).filter(|(key, _)| *key == wanted).map(|(_, value)| value))
    };
    let Some(board) = value("board_name") else { return };
    pasted.text.recognised.push("ubus call system board".into());
    if let Some(kernel) = value("kernel") {
        pasted.file("proc/sys/kernel/osrelease", format!("{kernel}\n"));
    }
    if let Some(model) = value("model") {
        pasted.file("proc/device-tree/model", format!("{model}\n"));
    }
    pasted.file("proc/device-tree/compatible", format!("{board}\n"));
    let texts = ["system", "model", "target"].into_iter().filter_map(value).chain([board]);
    let target = value("target").unwrap_or_default();
    let word = TARGETS.iter().find(|(begins, _)| target.starts_with(begins)).map(|(_, word)| *word);
    let line = lines[start];
    let version = value("version").map(|version| format!("OpenWrt {version}")).unwrap_or("OpenWrt".into());
    let Some(known) = boards::recognise(texts.chain(word)) else {
        return pasted.remark(
            line,
            format!("{version} on {board}: the catalogue of this version does not say whether its chip has an engine"),
        );
    };
    let family = known.engine.and_then(|id| families::all().find(|family| family.id == id));
    match family {
        Some(family) => {
            let package = match family.openwrt {
                "" => "; OpenWrt has its driver built in, or none".to_owned(),
                package => format!("; its driver is the package {package}"),
            };
            pasted.shows(
                line,
                format!("{} is the engine of this router's chip ({version}, {target}){package}", family.chip),
            );
        }
        None => {
            let remark = known.remark.map(|remark| format!(": {remark}")).unwrap_or_default();
            pasted.remark(line, format!("{} has no engine that Linux drives{remark}", known.name));
        }
    }
}

fn pair(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.trim().strip_prefix('"')?.split_once("\":")?;
    let value = value.trim().trim_end_matches(',').strip_prefix('"')?.strip_suffix('"')?;
    (!value.contains('"')).then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::super::recognise;

    #[test]
    fn the_chip_of_a_router_is_found_by_its_target() {
        let text = |target: &str| {
            format!(
                "{{\n\t\"kernel\": \"6.6.73\",\n\t\"hostname\": \"OpenWrt\",\n\t\"model\": \"A Router\",\n\t\
                 \"board_name\": \"maker,router\",\n\t\"release\": {{\n\t\t\"version\": \"24.10.0\",\n\t\t\
                 \"target\": \"{target}\"\n\t}}\n}}\n"
            )
        };
        for (target, words) in [
            ("ramips/mt7621", "kmod-crypto-hw-eip93"),
            (
                "mvebu/cortexa9",
                "Marvell CESA is the engine of this router's chip (OpenWrt 24.10.0, mvebu/cortexa9)",
            ),
            ("ath79/generic", "does not say whether its chip has an engine"),
            ("bcm27xx/bcm2711", "has no engine that Linux drives"),
        ] {
            let pasted = recognise(&text(target));
            assert_eq!(pasted.text.recognised, ["ubus call system board"]);
            assert!(pasted.text.remarks[0].text.contains(words), "{target}: {:?}", pasted.text.remarks);
            assert!(pasted.files.contains(&("proc/sys/kernel/osrelease".into(), "6.6.73\n".into())));
        }
    }

    #[test]
    fn every_target_leads_to_an_entry_of_the_catalogue() {
        for (target, word) in super::TARGETS {
            assert!(super::boards::recognise([*word].into_iter()).is_some(), "{target}");
        }
    }
}
