//! An entry of the catalogue as JSON.

use outboard_catalog::families::{Completion, Family, values};
use outboard_catalog::search::url;
use serde::Serialize;

#[derive(Serialize)]
pub struct Entry {
    id: &'static str,
    vendor: &'static str,
    chip: &'static str,
    kind: &'static str,
    found_in: &'static str,
    boards: Vec<&'static str>,
    algorithms: Vec<&'static str>,
    /// Patterns; `*` matches any text.
    drivers: Vec<&'static str>,
    modules: Vec<&'static str>,
    kernel_options: Vec<String>,
    in_mainline: bool,
    openwrt_package: Option<&'static str>,
    debian_architectures: Vec<&'static str>,
    bsd_driver: Option<&'static str>,
    compatible: &'static [&'static str],
    pci: Vec<String>,
    acpi: &'static [&'static str],
    completion: &'static str,
    needs_fallback: bool,
    /// Whether dm-crypt leaves its drivers out (flag ALLOCATES_MEMORY, since Linux 5.10).
    allocates_memory: bool,
    limits: Vec<Limit>,
    source: String,
}

#[derive(Serialize)]
struct Limit {
    text: &'static str,
    source: String,
}

impl Entry {
    pub fn new(family: &'static Family) -> Self {
        let some = |text: &'static str| Some(text).filter(|text| !text.is_empty());
        Self {
            id: family.id,
            vendor: family.vendor,
            chip: family.chip,
            kind: family.kind.name(),
            found_in: family.found_in,
            boards: family.boards.iter().map(|board| board.name).collect(),
            algorithms: values(family.algorithms).collect(),
            drivers: values(family.names).collect(),
            modules: values(family.modules).collect(),
            kernel_options: values(family.options).map(|option| format!("CONFIG_{option}")).collect(),
            in_mainline: !family.options.is_empty(),
            openwrt_package: some(family.openwrt),
            debian_architectures: values(family.debian).collect(),
            bsd_driver: some(family.bsd),
            compatible: family.compatible,
            pci: family.pci.iter().map(|(vendor, device)| format!("{vendor:04x}:{device:04x}")).collect(),
            acpi: family.acpi,
            completion: match family.completion {
                Completion::OwnInterrupt => "own-interrupt",
                Completion::Polled => "polled",
                Completion::Through(device) => device,
            },
            needs_fallback: family.needs_fallback,
            allocates_memory: family.allocates_memory,
            limits: family
                .all_limits()
                .map(|limit| Limit { text: limit.text, source: url(limit.source) })
                .collect(),
            source: url(family.source),
        }
    }
}
