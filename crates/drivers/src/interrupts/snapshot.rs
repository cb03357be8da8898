//! Interrupts of the accelerators of this machine, since boot and since an earlier snapshot.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::io;

use outboard_catalog::families::{self, Completion, Family, fits};

use super::parse::{Line, parse};
use crate::module::{DeviceDriver, hardware};
use crate::proc_crypto::Warning;
use crate::root::Root;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInterrupts {
    /// The bus: `platform`, `pci`, `virtio` …
    pub bus: String,
    pub driver: String,
    /// The device, e.g. `f1090000.crypto`.
    pub device: String,
    pub lines: Vec<String>,
    /// Interrupts of these lines since boot, all CPUs together.
    pub total: u64,
    /// The engine's name, if its family is known.
    pub chip: Option<&'static str>,
    /// How its requests complete: if they are polled, or complete through something else,
    /// interrupts prove nothing.
    pub completion: Completion,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// One entry for each device, sorted by bus, driver and device.
    pub devices: Vec<DeviceInterrupts>,
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The device as in the later snapshot, or as in the earlier one if it is gone.
    pub device: DeviceInterrupts,
    /// Interrupts in between; 0 if the device is gone or its counter restarted.
    pub interrupts: u64,
    /// Whether the device was present before and is no longer.
    pub gone: bool,
    /// Whether its counter restarted, because the device was unbound and bound again.
    pub restarted: bool,
}

impl Snapshot {
    pub fn since(&self, earlier: &Self) -> Vec<Difference> {
        let same = |a: &DeviceInterrupts, b: &DeviceInterrupts| {
            (&a.bus, &a.driver, &a.device) == (&b.bus, &b.driver, &b.device)
        };
        let now = self.devices.iter().map(|device| {
            let before = earlier.devices.iter().find(|d| same(d, device)).map_or(0, |d| d.total);
            let interrupts = device.total.saturating_sub(before);
            let restarted = device.total < before;
            Difference { device: device.clone(), interrupts, gone: false, restarted }
        });
        let gone =
            earlier.devices.iter().filter(|device| !self.devices.iter().any(|d| same(d, device))).map(
                |device| Difference { device: device.clone(), interrupts: 0, gone: true, restarted: false },
            );
        now.chain(gone).collect()
    }

    pub fn total(&self) -> u64 {
        self.devices.iter().fold(0, |sum, d| sum.saturating_add(d.total))
    }
}

/// The interrupts of every device that an accelerator driver of a known family is bound to. Fails
/// if /proc/interrupts cannot be read.
pub fn accelerator_interrupts(root: &Root) -> io::Result<Snapshot> {
    let known = families::accelerators().flat_map(|family| {
        hardware(root, "kernel", family.bound).drivers.into_iter().map(move |d| (Some(family), d))
    });
    snapshot_of(root, known)
}

pub fn snapshot_of(
    root: &Root,
    drivers: impl Iterator<Item = (Option<&'static Family>, impl Borrow<DeviceDriver>)>,
) -> io::Result<Snapshot> {
    let text = root.read("proc/interrupts")?;
    let text = String::from_utf8_lossy(&text);
    let (all, warnings) = parse(&text);
    let mut snapshot = Snapshot { devices: Vec::new(), warnings };
    let mut seen = BTreeSet::new();
    let mut left = all.clone();
    for (family, driver) in drivers {
        let driver = driver.borrow();
        for device in &driver.devices {
            if !seen.insert((driver.bus.clone(), driver.name.clone(), device.clone())) {
                continue;
            }
            let words = family.map_or("", |f| f.irqs);
            // Lines that match only the words of a driver cannot be assigned to a device: the first
            // device gets them.
            let lines: Vec<_> =
                lines_of(root, &driver.bus, device, words, &left).into_iter().cloned().collect();
            left.retain(|line| !lines.contains(line));
            let completion = completion(family, driver, &lines, &all);
            snapshot.devices.push(DeviceInterrupts {
                bus: driver.bus.clone(),
                driver: driver.name.clone(),
                device: device.clone(),
                total: lines.iter().fold(0, |sum: u64, l| sum.saturating_add(l.total)),
                lines: lines.into_iter().map(|l| l.label.to_owned()).collect(),
                chip: family.map(|f| f.chip),
                completion,
            });
        }
    }
    snapshot
        .devices
        .sort_unstable_by(|a, b| (&a.bus, &a.driver, &a.device).cmp(&(&b.bus, &b.driver, &b.device)));
    Ok(snapshot)
}

/// How a device with these lines completes requests. On IBM Z the virtio devices on channel I/O have
/// no lines: all of them are counted in one (`VAI`, arch/s390/kernel/irq.c).
fn completion(
    family: Option<&'static Family>,
    driver: &DeviceDriver,
    lines: &[Line],
    all: &[Line],
) -> Completion {
    let usual = family.map_or(Completion::OwnInterrupt, |f| f.completion);
    let on_channels = driver.bus == "virtio" && all.iter().any(|line| line.label == "VAI");
    if usual == Completion::OwnInterrupt && lines.is_empty() && on_channels {
        return Completion::Through("the interrupts of all virtio devices (VAI)");
    }
    usual
}

/// The lines that belong to a device: those with the device's name, or with the `words` that its
/// driver is known to use (as in [`Family::irqs`]), or those of the MSI vectors that sysfs lists
/// for it. Lines for configuration and errors are excluded where the words identify them.
pub fn lines_of<'a, 'b>(
    root: &Root,
    bus: &str,
    device: &str,
    words: &str,
    all: &'a [Line<'b>],
) -> Vec<&'a Line<'b>> {
    let vectors = match bus {
        "pci" => root.list(&format!("sys/bus/pci/devices/{device}/msi_irqs")),
        _ => Vec::new(),
    };
    let is_vector = |line: &Line| vectors.iter().any(|vector| vector.name == line.label);
    let has_word = |line: &Line| line.actions.iter().any(|action| fits(words, action));
    let by_words: Vec<_> =
        all.iter().filter(|l| has_word(l) && (vectors.is_empty() || is_vector(l))).collect();
    if !by_words.is_empty() {
        return by_words;
    }
    let is_its = |line: &Line| is_vector(line) || line.actions.iter().any(|a| is_named(a, device));
    let is_configuration =
        |line: &Line| !line.actions.is_empty() && line.actions.iter().all(|a| a.ends_with("-config"));
    all.iter().filter(|l| is_its(l) && !is_configuration(l)).collect()
}

/// `virtio1`, `virtio1-dataq.0`, `ahci[0000:00:1f.2]`, `mlx5_async0@pci:0000:03:00.0`.
fn is_named(action: &str, device: &str) -> bool {
    let (action, device) = (action.as_bytes(), device.as_bytes());
    let Some(at) = action.windows(device.len()).position(|part| part == device) else { return false };
    let after = action.get(at + device.len());
    match at.checked_sub(1).map(|before| action[before]) {
        None => matches!(after, None | Some(b'-' | b':' | b' ')),
        Some(before) => matches!(before, b'[' | b':' | b'@') && matches!(after, None | Some(b']')),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    const BEFORE: &str = "           CPU0       CPU1\n\
         38:      64015          0     GIC-0  51 Level     f1090000.crypto\n\
         39:          0          0     GIC-0  52 Level     f1090000.crypto\n\
         40:          7          0     GIC-0  53 Level     f10a3800.rtc\n";

    fn tree(interrupts: &str) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        let driver = dir.path().join("sys/bus/platform/drivers/marvell-cesa");
        fs::create_dir_all(&driver).unwrap();
        symlink("x", driver.join("f1090000.crypto")).unwrap();
        fs::create_dir(dir.path().join("proc")).unwrap();
        fs::write(dir.path().join("proc/interrupts"), interrupts).unwrap();
        let root = Root::saved(dir.path()).unwrap();
        (dir, root)
    }

    #[test]
    fn the_lines_of_a_device_are_summed_and_compared() {
        let (_keep, root) = tree(BEFORE);
        let before = accelerator_interrupts(&root).unwrap();
        assert_eq!(before.devices.len(), 1);
        assert_eq!(
            (before.devices[0].total, &before.devices[0].lines[..]),
            (64015, &["38".into(), "39".into()][..])
        );
        let (_keep, root) = tree(&BEFORE.replace("64015          0", "64015         85"));
        let after = accelerator_interrupts(&root).unwrap();
        assert_eq!(after.since(&before)[0].interrupts, 85);
        assert!(!after.since(&before)[0].restarted);
        let anew = &before.since(&after)[0];
        assert!(anew.restarted && anew.interrupts == 0);
        let gone = Snapshot::default().since(&after);
        assert!(gone[0].gone && gone[0].interrupts == 0);
    }

    #[test]
    fn virtio_devices_on_channels_have_no_interrupts_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let driver = dir.path().join("sys/bus/virtio/drivers/virtio_crypto");
        fs::create_dir_all(&driver).unwrap();
        symlink("x", driver.join("virtio1")).unwrap();
        fs::create_dir(dir.path().join("proc")).unwrap();
        let interrupts = dir.path().join("proc/interrupts");
        for (lines, completion) in [
            ("VAI: 785 [AIO] Virtual I/O Devices AI\n", "through"),
            ("VAI: 785 [AIO] Virtual I/O Devices AI\n 3: 9 zPCI virtio1-dataq.0\n", "own"),
            ("LOC: 9 Local timer interrupts\n", "own"),
        ] {
            fs::write(&interrupts, format!("   CPU0\n{lines}")).unwrap();
            let now = accelerator_interrupts(&Root::saved(dir.path()).unwrap()).unwrap();
            assert_eq!(now.devices.len(), 1);
            let is_own = now.devices[0].completion == Completion::OwnInterrupt;
            assert_eq!(is_own, completion == "own", "{lines}");
        }
    }

    #[test]
    fn a_device_is_not_mistaken_for_one_whose_name_begins_alike() {
        for (action, device, named) in [
            ("virtio1-dataq.0", "virtio1", true),
            ("virtio10-dataq.0", "virtio1", false),
            ("virtio1", "virtio1", true),
            ("ahci[0000:00:1f.2]", "0000:00:1f.2", true),
            ("xf1090000.crypto", "f1090000.crypto", false),
        ] {
            assert_eq!(is_named(action, device), named, "{action} {device}");
        }
    }

    #[test]
    fn configuration_lines_do_not_count_as_work() {
        let text = "  CPU0\n 24: 5 PCI-MSIX-0000:00:03.0 0-edge virtio1-config\n 25: 9 PCI-MSIX-0000:00:03.0 1-edge virtio1-dataq.0\n";
        let (all, _) = parse(text);
        let (_keep, root) = tree("");
        let labels: Vec<&str> =
            lines_of(&root, "virtio", "virtio1", "", &all).iter().map(|l| l.label).collect();
        assert_eq!(labels, ["25"]);
    }
}
