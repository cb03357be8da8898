//! The machine: its model, and the known properties of its chip.

use outboard_catalog::boards::{KnownBoard, recognise};
use outboard_documents::status::{Cpu, Machine, Platform};
use outboard_drivers::root::Root;

/// Reads /proc/device-tree, or else DMI.
pub fn read(root: &Root, cpu: &Cpu) -> Machine {
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
    let platform = recognise(texts).map(platform);
    Machine { model, compatible, platform }
}

fn platform(board: KnownBoard) -> Platform {
    let KnownBoard { name, engine, remark } = board;
    Platform { name: name.to_owned(), engine: engine.map(str::to_owned), remark: remark.map(str::to_owned) }
}

fn dmi(root: &Root) -> Option<String> {
    let field = |name: &str| root.text(&format!("sys/class/dmi/id/{name}"));
    match (field("sys_vendor"), field("product_name")) {
        (Some(vendor), Some(product)) => Some(format!("{vendor} {product}")),
        (vendor, product) => vendor.or(product),
    }
}
