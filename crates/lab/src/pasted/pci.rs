//! Lists of PCI devices: lspci, with and without -nn or -n, and FreeBSD's pciconf -lv.

use outboard_catalog::devices;
use outboard_catalog::families::{self, Family, values};

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

/// Words of names in lspci's list, for devices without numbers, and the id of their family.
const NAMES: &[(&str, &str)] = &[
    ("QuickAssist", "qat"),
    ("Geode LX AES", "geode"),
    ("Hifn", "hifn"),
    ("Hi/fn", "hifn"),
    ("Virtio crypto", "virtio-crypto"),
    ("Virtio 1.0 crypto", "virtio-crypto"),
    ("NITROX", "nitrox"),
    ("BCM5820", "ubsec"),
    ("BCM5821", "ubsec"),
    ("BCM5823", "ubsec"),
];

/// Words of the class of a device that may be a crypto accelerator (PCI Code and ID Assignment,
/// classes 0x10, 0x0b40 and 0x12).
const CLASSES: &[&str] = &["ncryption", "Co-processor", "rocessing accelerator"];

struct PciDevice<'a> {
    line: Line<'a>,
    address: &'a str,
    family: Option<&'static Family>,
    is_of_class: bool,
    /// The numbers, where the list has them.
    numbers: Option<(u16, u16)>,
    /// The driver that is bound, where the list names it.
    driver: Option<&'a str>,
}

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    let mut devices: Vec<PciDevice> = Vec::new();
    for &line in lines {
        if let Some(device) = lspci_device(line) {
            devices.push(device);
        } else if let (Some(last), Some(driver)) =
            (devices.last_mut(), line.text.strip_prefix("Kernel driver in use: "))
        {
            last.driver = Some(driver.trim());
        }
    }
    judge(&devices, "lspci", "lspci -nnk", pasted);
    let devices: Vec<PciDevice> = lines.iter().filter_map(|&line| pciconf_device(line)).collect();
    if !devices.is_empty() {
        pasted.text.other_system.get_or_insert("FreeBSD".into());
    }
    judge(&devices, "pciconf -lv", "pciconf -lv", pasted);
}

fn judge(devices: &[PciDevice], command: &str, with_drivers: &str, pasted: &mut Pasted) {
    let Some(first) = devices.first() else { return };
    pasted.recognise(command, devices.len(), "device");
    let mut has_engine = false;
    for device in devices {
        let &PciDevice { line, address, family, is_of_class, numbers, driver } = device;
        match (family, numbers) {
            (Some(family), _) => {
                has_engine = true;
                let state = match driver {
                    Some("none") => ", and has no driver there".to_owned(),
                    Some(driver) => format!(", and has its driver, {driver}"),
                    None => format!("; {with_drivers} shows whether it has its driver"),
                };
                let module =
                    values(family.modules).next().map(|module| format!("; Linux drives it with {module}"));
                let module = module.filter(|_| driver.is_none_or(|driver| driver == "none"));
                pasted.shows(
                    line,
                    format!(
                        "{} is the PCI device {address}{state}{}",
                        family.chip,
                        module.unwrap_or_default()
                    ),
                );
            }
            (None, Some((vendor, number))) if is_of_class => {
                has_engine = true;
                pasted.remark(
                    line,
                    format!(
                        "{address} ({vendor:04x}:{number:04x}) has the class of a crypto accelerator, and the catalogue of \
                         this version does not contain it"
                    ),
                );
            }
            (None, None) if is_of_class => {
                has_engine = true;
                pasted.remark(
                    line,
                    format!("{address} may be a crypto accelerator; lspci -nn shows its numbers, which tell"),
                );
            }
            _ => {}
        }
    }
    if !has_engine {
        pasted.remark(
            first.line,
            "none of these PCI devices is a crypto accelerator; engines inside an SoC are not on PCI: cat /proc/crypto",
        );
    }
}

/// `0000:01:00.0 Co-processor [0b40]: Intel Corporation … [8086:19e2] (rev 11)`, or, with -n,
/// `01:00.0 0b40: 8086:19e2`.
fn lspci_device<'a>(line: Line<'a>) -> Option<PciDevice<'a>> {
    let (address, rest) = line.text.split_once(' ')?;
    let short = address.rsplit_once(':').map(|(bus, slot)| (bus.rsplit(':').next().unwrap_or(bus), slot))?;
    let (slot, function) = short.1.split_once('.')?;
    if ![(short.0, 2), (slot, 2), (function, 1)].into_iter().all(|(hex, length)| is_hex(hex, length)) {
        return None;
    }
    let (class, name) = rest.split_once(": ")?;
    if !is_hex(class, 4) && !class.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let numbers = match is_hex(class, 4) {
        true => numbers_of(name.split(' ').next()?),
        false => name.rsplit('[').filter_map(|part| numbers_of(part.split(']').next()?)).next(),
    };
    let by_name = NAMES.iter().find(|(words, _)| name.contains(words)).map(|(_, id)| *id);
    let by_name = by_name.filter(|_| numbers.is_none());
    let family = numbers
        .and_then(devices::by_pci)
        .or_else(|| families::all().find(|family| Some(family.id) == by_name));
    let numbered_class = class.rsplit('[').next().unwrap_or(class).trim_end_matches(']');
    let is_of_class = CLASSES.iter().any(|words| class.contains(words))
        || ["1000", "1010", "1080", "0b40", "1200"].contains(&numbered_class);
    Some(PciDevice { line, address, family, is_of_class, numbers, driver: None })
}

/// `qat0@pci0:1:0:0:  class=0x0b4000 rev=0x11 hdr=0x00 vendor=0x8086 device=0x19e2 …`, before
/// FreeBSD 13 `hifn0@pci0:0:12:0: class=0x100000 card=0x… chip=0x002013a3 …`.
fn pciconf_device<'a>(line: Line<'a>) -> Option<PciDevice<'a>> {
    let mut words = line.text.split_whitespace();
    let (driver, address) = words.next()?.trim_end_matches(':').split_once('@')?;
    let field = |name: &str| {
        let value = line.text.split_whitespace().find_map(|word| word.strip_prefix(name))?;
        u32::from_str_radix(value.strip_prefix("0x")?, 16).ok()
    };
    let class = field("class=").filter(|_| address.starts_with("pci"))?;
    let halves = |number: u32| (number & 0xffff, number >> 16);
    let (vendor, device) = field("vendor=").zip(field("device=")).or_else(|| field("chip=").map(halves))?;
    let numbers = (u16::try_from(vendor).ok()?, u16::try_from(device).ok()?);
    let is_of_class = class >> 16 == 0x10 || class >> 8 == 0x0b40 || class >> 16 == 0x12;
    let driver = if driver.starts_with("none") { "none" } else { driver };
    let family = devices::by_pci(numbers);
    Some(PciDevice { line, address, family, is_of_class, numbers: Some(numbers), driver: Some(driver) })
}

/// `8086:19e2`.
fn numbers_of(text: &str) -> Option<(u16, u16)> {
    let (vendor, device) = text.split_once(':')?;
    let number = |hex: &str| is_hex(hex, 4).then(|| u16::from_str_radix(hex, 16).ok()).flatten();
    Some((number(vendor)?, number(device)?))
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::super::recognise;
    use super::super::tests::remarks;

    #[test]
    fn a_device_is_found_by_its_numbers_its_name_or_its_class() {
        for (text, words) in [
            (
                "00:01.2 Entertainment encryption device [1010]: Advanced Micro Devices, Inc. [AMD] Geode LX AES Security \
                 Block [1022:2082]",
                "AMD Geode LX Security Block (AES-128) is the PCI device 00:01.2",
            ),
            ("0000:00:01.2 1010: 1022:2082", "Linux drives it with geode_aes"),
            ("00:04.0 Encryption controller: Red Hat, Inc. Virtio 1.0 crypto (rev 01)", "virtio-crypto"),
            ("0b:00.0 Encryption controller [1080]: Some Vendor Engine [abcd:1234]", "does not contain it"),
            ("0b:00.0 Encryption controller: Some Vendor Engine", "lspci -nn shows its numbers"),
            ("00:1f.2 SATA controller [0106]: Intel [8086:1c02]", "none of these PCI devices"),
        ] {
            assert!(remarks(text).contains(words), "{text}: {}", remarks(text));
            assert_eq!(recognise(text).text.recognised, ["lspci, 1 device"]);
        }
    }

    #[test]
    fn a_driver_in_use_is_named() {
        let text =
            "00:04.0 Encryption controller [1080]: Red Hat [1af4:1054]\n\tKernel driver in use: virtio-pci\n";
        assert!(remarks(text).contains("has its driver, virtio-pci"), "{}", remarks(text));
    }

    #[test]
    fn both_formats_of_pciconf_are_read() {
        for (text, words) in [
            (
                "none1@pci0:0:4:0:\tclass=0x108000 rev=0x01 hdr=0x00 vendor=0x1af4 device=0x1054 subvendor=0x1af4",
                "has no driver there",
            ),
            (
                "hifn0@pci0:0:12:0:\tclass=0x100000 card=0x00000000 chip=0x002013a3 rev=0x00 hdr=0x00",
                "has its driver, hifn0",
            ),
        ] {
            let pasted = recognise(text);
            assert_eq!(pasted.text.other_system.as_deref(), Some("FreeBSD"));
            assert!(pasted.text.remarks[0].text.contains(words), "{:?}", pasted.text.remarks);
        }
    }

    #[test]
    fn times_and_addresses_are_not_devices() {
        for text in ["12:30.5 lunch: x", "aa:bb:cc:dd:ee:ff up: x", "a@b class=0x1", "x@pci0 class=zz"] {
            assert!(recognise(text).text.recognised.is_empty(), "{text}");
        }
    }
}
