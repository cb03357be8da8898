//! The udev rule that selects a generator after a boot.
//!
//! A generator has no device of its own in sysfs, and its driver may be loaded at any time of a boot.
//! So the rule is applied with the event of hw_random itself, which udev repeats at boot and which
//! finds built-in drivers, and with each event of a driver that was bound to a device, which comes
//! after the driver's probe function. It changes nothing once a generator was selected
//! (rng_selected), also by another program.

use std::path::Path;

use anyhow::{Result, bail};

use super::select::explained;
use crate::etc::{Replacement, STAGED};

const RULES: &str = "/etc/udev/rules.d";
pub const FILE: &str = "/etc/udev/rules.d/60-outboard-rng.rules";

/// The lock is next to this name.
const LOCKED: &str = "/etc/outboard/rng";

pub struct BootRule {
    file: Replacement,
    text: String,
}

impl BootRule {
    /// Prepares the rule for a generator. Fails before anything is changed if udev is absent or the
    /// name cannot be written into a rule.
    pub fn new(name: &str) -> Result<BootRule> {
        let text = rule(name)?;
        if !Path::new(RULES).is_dir() {
            bail!(
                "{RULES}: there is no udev here that would select {name} after a boot: outboard rng select --now {name} selects it \
                 until then, and belongs into a boot script such as /etc/rc.local"
            );
        }
        let file = Replacement::open_elsewhere(Path::new(FILE), Path::new(LOCKED), explained)?;
        Ok(BootRule { file, text })
    }

    pub fn store(self) -> Result<()> {
        self.file.store(&self.text)
    }
}

pub fn remove() -> Result<()> {
    match is_there() {
        true => Replacement::open_elsewhere(Path::new(FILE), Path::new(LOCKED), explained)?.remove(),
        false => Ok(()),
    }
}

/// Whether there is a rule, or the rest of a change that was interrupted.
pub fn is_there() -> bool {
    let file = Path::new(FILE);
    [file, &file.with_extension(STAGED)].iter().any(|path| path.symlink_metadata().is_ok())
}

/// udev(7). Characters that a rule would interpret are refused: no driver of the kernel has them in
/// a name.
fn rule(name: &str) -> Result<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:@+".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_plain) {
        bail!(
            "{name}: the name cannot be written into a udev rule: outboard rng select --now selects it until the next boot"
        );
    }
    // rng_available lists names, separated by spaces.
    let available = format!("{name}|{name} *|* {name}|* {name} *");
    Ok(format!(
        "# The generator behind /dev/hwrng: written by `outboard rng select`, removed by `outboard rng select auto`.\n\
         ACTION==\"add|bind\", ATTR{{[misc/hw_random]rng_selected}}==\"0\", \
         ATTR{{[misc/hw_random]rng_available}}==\"{available}\", ATTR{{[misc/hw_random]rng_current}}=\"{name}\"\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_rule_would_interpret_are_refused() {
        for name in ["", "a b", "a\"b", "a*", "$attr{x}", "%k", "a|b", "a\nb", "\u{e9}"] {
            assert!(rule(name).is_err(), "{name:?}");
        }
        for name in ["virtio_rng.0", "3f104000.rng", "tpm-rng-0", "rockchip-rng"] {
            let text = rule(name).expect("a name of a driver");
            assert!(text.ends_with(&format!("rng_current}}=\"{name}\"\n")), "{text}");
        }
    }
}
