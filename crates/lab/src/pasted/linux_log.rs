//! Messages of the Linux kernel (dmesg).

use outboard_catalog::families::{self, Family, Nature, values};

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

const MESSAGES: &[(&str, &str, &str)] = &[
    ("Using VIA PadLock ACE", "padlock", "the CPU's PadLock unit does AES for the kernel"),
    ("GEODE AES engine enabled", "geode", "the engine has its driver"),
    ("HIFN 795x", "hifn", "the card's driver is loaded"),
    ("algorithms registered in /proc/crypto", "caam", "the engine's drivers are registered"),
    ("Accelerator device is ready", "virtio-crypto", "the host offers the device"),
    ("Starting acceleration device", "qat", "the device starts"),
];

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    let mut found = 0;
    for &line in lines {
        let (message, is_stamped) = message_of(line.text);
        let here = Line { number: line.number, text: line.text };
        if let Some(release) = message.strip_prefix("Linux version ") {
            pasted.file("proc/version", format!("Linux version {release}\n"));
            found += 1;
            continue;
        }
        found += usize::from(one(here, message, is_stamped, pasted));
    }
    if found > 0 {
        pasted.recognise("messages of the Linux kernel", found, "relevant line");
    }
}

fn one(line: Line, message: &str, is_stamped: bool, pasted: &mut Pasted) -> bool {
    if let Some(driver) = failed_selftest(message) {
        pasted.remark(
            line,
            format!("the self-test of {driver} failed: the kernel does not use it, and computes in software instead"),
        );
        return true;
    }
    if let Some(driver) = tested(message) {
        measured(line, driver, pasted);
        return true;
    }
    if message.starts_with("cryptodev: driver") {
        pasted.file("dev/crypto", String::new());
        pasted.remark(line, "cryptodev-linux is loaded: programs can open /dev/crypto");
        return true;
    }
    if is_stamped && message.starts_with("cryptodev: ") && message.contains("crypto_create_session") {
        pasted.remark(line, "a program opens sessions of /dev/crypto: it uses the kernel's drivers");
        return true;
    }
    if message.contains("rng") && message.contains("Random Number Generator") {
        pasted.remark(
            line,
            "a hardware random number generator is registered: /dev/hwrng reads it when it is selected",
        );
        return true;
    }
    if let Some(&(_, id, meaning)) = MESSAGES.iter().find(|(words, ..)| message.contains(words)) {
        if let Some(family) = families::all().find(|family| family.id == id) {
            let text = format!("{}: {meaning}", family.chip);
            if family.nature == Nature::Accelerator {
                pasted.shows(line, text)
            } else {
                pasted.remark(line, text)
            }
            return true;
        }
    }
    let Some((family, device)) = device_of(message) else { return false };
    let lower = message.to_ascii_lowercase();
    if ["fail", "error", "timed out", "timeout", "deferred"].iter().any(|word| lower.contains(word)) {
        pasted.shows(line, format!("{} ({device}) reports a fault, so it may be unused", family.chip));
    } else {
        pasted.shows(line, format!("{} ({device}) has its driver", family.chip));
    }
    true
}

/// The message without `[    2.120565] ` or `Dec  4 14:45:05 host kernel: `, and whether it had
/// either.
fn message_of(text: &str) -> (&str, bool) {
    if let Some((stamp, message)) = text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        // Seconds since boot, or with dmesg -T the date.
        let is_stamp = stamp.len() <= 30 && stamp.bytes().any(|b| b.is_ascii_digit());
        if is_stamp {
            return (message.trim_start(), true);
        }
    }
    match text.split_once(" kernel: ") {
        Some((_, message)) => (message, true),
        None => (text, false),
    }
}

/// `alg: skcipher: NAME encryption test failed …` and `alg: self-tests for ALGORITHM (NAME) failed`.
fn failed_selftest(message: &str) -> Option<&str> {
    let rest = message.strip_prefix("alg: ")?;
    if !rest.contains("fail") {
        return None;
    }
    match rest.strip_prefix("self-tests for ") {
        Some(rest) => rest.split([' ', ',']).next().map(|name| name.trim_end_matches([':', ')'])),
        None => rest.split_once(": ")?.1.split_whitespace().next(),
    }
}

/// The driver in `testing speed of async ecb(aes) (ecb-aes-sa2ul) encryption`, a line of tcrypt.
fn tested(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("testing speed of ")?;
    let (_, rest) = rest.split_once(" (")?;
    let (driver, _) = rest.rsplit_once(')')?;
    (!driver.contains(' ')).then_some(driver)
}

fn measured(line: Line, driver: &str, pasted: &mut Pasted) {
    match families::by_name(driver).map(families::Signature::family) {
        Some(family) if family.nature == Nature::Accelerator => pasted.shows(
            line,
            format!("the kernel measures {driver}, a driver of {}: it is registered and works", family.chip),
        ),
        Some(family) => {
            pasted.remark(line, format!("the kernel measures {driver}, {}, not an accelerator", family.chip))
        }
        None => pasted.remark(
            line,
            format!("the kernel measures {driver}, which the catalogue of this version does not contain"),
        ),
    }
}

/// The family and device of a message of a device driver: `DRIVER DEVICE: …` (dev_info in the
/// kernel).
fn device_of(message: &str) -> Option<(&'static Family, &str)> {
    let (driver, rest) = message.split_once(' ')?;
    let (device, _) = rest.split_once(": ").filter(|(device, _)| !device.contains(' '))?;
    let is_bound = |bound: &str| bound.split_once('/').is_some_and(|(_, name)| name == driver);
    let family = families::accelerators().find(|family| values(family.bound).any(is_bound))?;
    Some((family, device))
}
