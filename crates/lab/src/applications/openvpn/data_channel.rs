//! Data-channel offload: packets stay in the kernel, which encrypts them with its own driver.

use std::path::Path;

use anyhow::Result;
use outboard_drivers::find_drivers;
use outboard_drivers::judge::Verdict;
use outboard_drivers::root::Root;

use super::super::measure::{HardwareClaim, MeasuredSide};
use super::super::tool::modprobe;

const NAME: &str = "data-channel offload, in the kernel";

pub const LOG_MESSAGE: &str = "DCO device";

/// Checks whether data-channel offload can be used: each version of OpenVPN supports one kernel
/// module. The error states the reason.
pub fn is_there(version: &str, is_built_in: bool, cipher: &str) -> Result<(), String> {
    if !cipher.ends_with("-GCM") {
        return Err(format!("it is measured with AES in GCM mode only, not with {cipher}"));
    }
    if !is_built_in {
        return Err(format!("OpenVPN {version} is built without it"));
    }
    let (module, advice) = match version.starts_with("2.6") {
        true => (
            "ovpn-dco-v2",
            "install the package openvpn-dco-dkms, or OpenVPN 2.7, which uses Linux's own module ovpn (6.16)",
        ),
        false => ("ovpn", "Linux has it since 6.16 (CONFIG_OVPN)"),
    };
    let name = module.replace('-', "_");
    if Path::new("/sys/module").join(name).exists() || modprobe(module).is_ok() {
        return Ok(());
    }
    Err(format!("OpenVPN {version} needs the kernel module {module}, which cannot be loaded: {advice}"))
}

pub fn side() -> Result<MeasuredSide> {
    let drivers = find_drivers(&Root::live(), &["gcm(aes)"])?;
    let first = drivers.first();
    let is_hardware = first.is_some_and(|one| one.judgement.verdict == Verdict::Accelerator);
    let claim = if is_hardware { HardwareClaim::Driver } else { HardwareClaim::Software };
    MeasuredSide::new(NAME, first.map(|one| one.driver.name.clone()), claim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_what_is_unsupported() {
        let why = |version, built, cipher| is_there(version, built, cipher).unwrap_err();
        assert!(why("2.7.1", true, "AES-128-CBC").contains("GCM mode only"));
        assert!(why("2.7.1", false, "AES-128-GCM").contains("built without it"));
    }
}
