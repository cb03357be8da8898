//! Crypto devices without a driver: the driver is not built, its module is missing or not loaded, or
//! its probe failed or waits.

use outboard_catalog::devices;
use outboard_catalog::families::{self, Family, values};
use outboard_documents::status::{UnboundDevice, UnboundState};
use outboard_drivers::root::Root;

use crate::kernel_build::KernelBuild;
use crate::system::{self, is_release};

/// The virtio device number of a crypto device (linux/virtio_ids.h).
const VIRTIO_ID_CRYPTO: &str = "virtio:d00000014v";

/// The PCI class of encryption controllers, in a modalias.
const PCI_CLASS_CRYPTO: &str = "bc10sc";

const BUSES: [&str; 4] = ["platform", "pci", "virtio", "acpi"];

/// Devices that are described: each is compared with all of modules.alias, and a saved tree may have any
/// number.
const MOST_DEVICES: usize = 128;

pub fn unbound(root: &Root, release: Option<&str>) -> Vec<UnboundDevice> {
    let mut build = None;
    let mut found = Vec::new();
    for bus in BUSES {
        let base = format!("sys/bus/{bus}/devices");
        for entry in root.list(&base) {
            let at = format!("{base}/{}", entry.name);
            let Some(modalias) = root.text(&format!("{at}/modalias")) else { continue };
            let family = family_of(&modalias);
            let is_of_class = bus == "pci" && modalias.contains(PCI_CLASS_CRYPTO);
            let is_bound =
                ["driver", "physical_node/driver"].iter().any(|d| root.exists(&format!("{at}/{d}")));
            if is_bound || (family.is_none() && !is_of_class) {
                continue;
            }
            // Read when the first device needs it: the lists of modules have megabytes.
            let build = build.get_or_insert_with(|| KernelBuild::read(root, release));
            found.push(describe(root, build, bus, entry.name, &modalias, family));
            if found.len() == MOST_DEVICES {
                return found;
            }
        }
    }
    found
}

fn describe(
    root: &Root,
    build: &KernelBuild,
    bus: &'static str,
    device: String,
    modalias: &str,
    family: Option<&'static Family>,
) -> UnboundDevice {
    let by_alias = build.module_for(modalias);
    let listed = family.into_iter().flat_map(|family| values(family.modules)).map(String::from);
    let mut modules: Vec<String> = Vec::new();
    for module in by_alias.clone().into_iter().chain(listed) {
        if !modules.contains(&module) {
            modules.push(module);
        }
    }
    let missing_options = family.map(|family| build.missing_options(family.options)).unwrap_or_default();
    let facts = Facts {
        root,
        build,
        bus,
        device: &device,
        family,
        by_alias,
        modules: &modules,
        missing: &missing_options,
    };
    let (state, evidence) = facts.state();
    let next = facts.next(state);
    let chip = match family {
        Some(family) => family.chip.to_owned(),
        None => format!("an encryption controller that the catalogue does not have, {}", pci_id(modalias)),
    };
    UnboundDevice {
        bus: bus.to_owned(),
        device,
        chip,
        family: family.map(|family| family.id.to_owned()),
        modules,
        state,
        missing_options,
        evidence,
        next,
    }
}

struct Facts<'a> {
    root: &'a Root,
    build: &'a KernelBuild,
    bus: &'static str,
    device: &'a str,
    family: Option<&'static Family>,
    by_alias: Option<String>,
    modules: &'a [String],
    missing: &'a [String],
}

impl Facts<'_> {
    fn state(&self) -> (UnboundState, String) {
        let Self { root, bus, device, .. } = self;
        let deferred = root.text("sys/kernel/debug/devices_deferred").unwrap_or_default();
        if let Some(line) = deferred.lines().find(|line| line.split_whitespace().next() == Some(*device)) {
            return (UnboundState::Deferred, format!("/sys/kernel/debug/devices_deferred: {line}"));
        }
        let bound = self.family.map_or("", |family| family.bound);
        if let Some(driver) = values(bound).find(|one| is_registered(root, one)) {
            return (
                UnboundState::ProbeFailed,
                format!("the driver {driver} is registered, and the device has no driver"),
            );
        }
        if let Some(module) = self.modules.iter().find(|one| root.exists(&format!("sys/module/{one}"))) {
            return (
                UnboundState::ProbeFailed,
                format!("/sys/module/{module} exists, and the device has no driver"),
            );
        }
        let evidence = format!("/sys/bus/{bus}/devices/{device} has no driver");
        if self.modules.is_empty() {
            return (UnboundState::NoDriver, evidence);
        }
        if let Some(module) = &self.by_alias {
            return (
                UnboundState::NotLoaded,
                format!("{evidence}; modules.alias names {module}, which is not loaded"),
            );
        }
        match self.modules.iter().map(|module| self.build.has_module(module)).max().flatten() {
            Some(true) => (UnboundState::NotLoaded, format!("{evidence}; its module is not loaded")),
            Some(false) => (
                UnboundState::NotBuilt,
                format!("{evidence}; modules.dep and modules.builtin have no module for it"),
            ),
            None if !self.missing.is_empty() => {
                (UnboundState::NotBuilt, format!("{evidence}; {} is not set", self.missing.join(", ")))
            }
            None => (UnboundState::Unknown, evidence),
        }
    }

    fn next(&self, state: UnboundState) -> String {
        let module = self.modules.first().map_or("", String::as_str);
        let device = self.device;
        match state {
            UnboundState::NoDriver => {
                let id = self.family.map(|family| format!("; outboard catalogue {}", family.id)).unwrap_or_default();
                format!("Linux has no driver for it{id}")
            }
            UnboundState::NotBuilt => self.packages(),
            UnboundState::NotLoaded => format!("modprobe {module}"),
            UnboundState::ProbeFailed => format!("dmesg | grep {device} shows why the probe failed"),
            UnboundState::Deferred => "the driver waits for another device, such as a clock or a DMA engine: dmesg | grep deferred; \
                the driver of that device is missing".to_owned(),
            UnboundState::Unknown => {
                format!("modprobe {module}; if that is loaded, dmesg shows why its probe failed")
            }
        }
    }

    /// How to get a driver that this kernel does not have.
    fn packages(&self) -> String {
        let Some(family) = self.family else { return "build a kernel with its driver".to_owned() };
        let system = system::read(self.root, None);
        let options: Vec<String> = match self.missing {
            [] => values(family.options).map(|option| format!("CONFIG_{option}")).collect(),
            missing => missing.to_vec(),
        };
        if system.is_openwrt && !family.openwrt.is_empty() {
            return system.openwrt_package(family.openwrt);
        }
        if family.options.is_empty() {
            return format!("its driver is not part of Linux: outboard catalogue {}", family.id);
        }
        let rebuild = format!("a kernel with {}=m", options.join("=m, "));
        // A kernel with a part of the driver is a kernel that was configured without the rest.
        let has_a_part = !self.missing.is_empty() && self.missing.len() < values(family.options).count();
        match family.debian {
            _ if has_a_part || !is_release(self.root, "debian") => format!("this needs {rebuild}"),
            "" => format!("no kernel of Debian has the driver; this needs {rebuild}"),
            on => {
                let on = values(on).collect::<Vec<_>>().join(", ");
                format!(
                    "Debian's own kernel (linux-image) has the driver on {on}; otherwise this needs {rebuild}"
                )
            }
        }
    }
}

fn is_registered(root: &Root, driver: &str) -> bool {
    driver.split_once('/').is_some_and(|(bus, name)| root.exists(&format!("sys/bus/{bus}/drivers/{name}")))
}

/// `13a3:0020` of `pci:v000013A3d00000020sv…`.
fn pci_id(modalias: &str) -> String {
    let number = |at: usize| modalias.get(at..at + 4).unwrap_or("????").to_lowercase();
    format!("{}:{}", number("pci:v0000".len()), number("pci:v000013A3d0000".len()))
}

/// `of:NcryptoT(null)Cmarvell,armada-38x-crypto`, `pci:v00001022d00002082sv…`,
/// `virtio:d00000014v00001AF4`.
fn family_of(modalias: &str) -> Option<&'static Family> {
    if let Some(rest) = modalias.strip_prefix("of:N") {
        // Each compatible string follows a C, and may contain one itself.
        let compatible: Vec<&str> = rest.split('C').skip(1).collect();
        let all = rest.split_once('C').map_or("", |(_, all)| all);
        return devices::by_compatible(|c| compatible.contains(&c) || all == c);
    }
    if let Some(rest) = modalias.strip_prefix("pci:v") {
        let (vendor, rest) = rest.split_at_checked(8)?;
        let device = rest.strip_prefix('d')?.get(..8)?;
        let number = |hex| u32::from_str_radix(hex, 16).ok().and_then(|n| u16::try_from(n).ok());
        let id = (number(vendor)?, number(device)?);
        return devices::by_pci(id);
    }
    if let Some(rest) = modalias.strip_prefix("acpi:") {
        let ids: Vec<&str> = rest.split(':').collect();
        return devices::by_acpi(|id| ids.contains(&id));
    }
    modalias
        .starts_with(VIRTIO_ID_CRYPTO)
        .then(|| families::accelerators().find(|f| f.id == "virtio-crypto"))
        .flatten()
}

#[cfg(test)]
#[path = "devices_tests.rs"]
mod tests;
