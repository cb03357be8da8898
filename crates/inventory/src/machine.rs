//! The machine: its model, and the known properties of its chip.

use outboard_catalog::boards::{KnownBoard, recognise};
use outboard_drivers::root::Root;
use serde::Serialize;

use crate::cpu::Cpu;

/// The machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// From the device tree or DMI.
    pub model: Option<String>,
    /// The device tree's root `compatible` strings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compatible: Vec<String>,
    /// The known properties of its chip.
    pub platform: Option<Platform>,
}

/// A board or chip in the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Platform {
    /// The chip or board.
    pub name: &'static str,
    /// The id of its engine's driver family.
    pub engine: Option<&'static str>,
    /// A remark for the user.
    pub remark: Option<&'static str>,
}

impl From<KnownBoard> for Platform {
    fn from(board: KnownBoard) -> Platform {
        let KnownBoard { name, engine, remark } = board;
        Platform { name, engine, remark }
    }
}

impl Machine {
    /// Reads /proc/device-tree, or else DMI.
    pub fn read(root: &Root, cpu: &Cpu) -> Self {
        let tree = |file: &str| {
            ["sys/firmware/devicetree/base", "proc/device-tree"]
                .iter()
                .find_map(|d| root.read(&format!("{d}/{file}")).ok())
        };
        let strings = |bytes: Vec<u8>| -> Vec<String> {
            let text = String::from_utf8_lossy(&bytes);
            text.split(['\0', '\n']).map(str::trim).filter(|s| !s.is_empty()).map(String::from).collect()
        };
        let compatible = tree("compatible").map(strings).unwrap_or_default();
        let model = tree("model")
            .map(strings)
            .and_then(|s| s.into_iter().next())
            .or_else(|| dmi(root))
            .or_else(|| (!cpu.systems.is_empty()).then(|| cpu.systems.join(", ")));
        let texts = compatible.iter().chain(&model).chain(&cpu.systems).chain(&cpu.model).map(String::as_str);
        let platform = recognise(texts).map(Platform::from);
        Self { model, compatible, platform }
    }
}

fn dmi(root: &Root) -> Option<String> {
    let field = |name: &str| root.text(&format!("sys/class/dmi/id/{name}"));
    match (field("sys_vendor"), field("product_name")) {
        (Some(vendor), Some(product)) => Some(format!("{vendor} {product}")),
        (vendor, product) => vendor.or(product),
    }
}
