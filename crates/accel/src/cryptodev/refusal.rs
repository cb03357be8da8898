//! Why /dev/crypto does not lead to a driver, and what to do about it.

use std::borrow::Cow;
use std::fmt;
use std::io;

use outboard_drivers::permission::CLOSED_DEVICE;

use super::INTERFACE;
use super::node::Info;
use crate::memory::text;
use crate::{DriverName, Error};

#[cold]
pub(super) fn no_interface(source: io::Error) -> Error {
    let advice = match source.raw_os_error() {
        Some(libc::ENOENT | libc::ENXIO | libc::ENODEV) => {
            "cryptodev-linux is not loaded: modprobe cryptodev (it is not part of the kernel)"
        }
        Some(libc::EACCES | libc::EPERM) => CLOSED_DEVICE,
        Some(libc::EMFILE | libc::ENFILE) => "no file descriptor is left: raise the limit (ulimit -n)",
        _ => "see dmesg",
    };
    Error::NoInterface { interface: INTERFACE, advice, source }
}

/// The session has another driver, or does not report its algorithm.
#[cold]
pub(super) fn other_driver(driver: &DriverName, requested: &str, got: &Info) -> Error {
    let (got_driver, got_algorithm) = (&got.driver, &got.algorithm);
    if !got_algorithm.is(requested) {
        let reason = text(format_args!(
            "it answers a request for {requested} with {got_algorithm}: it is not cryptodev-linux"
        ));
        return unreachable(driver, reason, io::Error::from_raw_os_error(libc::EPROTO));
    }
    let advice = |it_too: fmt::Arguments<'_>| {
        text(format_args!(
            "for {requested} the kernel picks {got_driver}, and programs cannot choose a driver there: use \
             /dev/outboard, where they can (outboard allow {driver}), or unload the module of {got_driver}{it_too}"
        ))
    };
    let reason = if got.kernel_only {
        let it_too = ", or use that one, which the kernel marks as hardware too (DRIVERS";
        advice(format_args!("{it_too} = {got_driver})"))
    } else {
        advice(format_args!(""))
    };
    unreachable(driver, reason, io::Error::from_raw_os_error(libc::ENODEV))
}

/// No session could be created. The device returns one errno for all causes.
#[cold]
pub(super) fn no_probe(error: Error, requested: &str) -> Error {
    let (driver, source) = match error {
        Error::KeyRefused { driver, source } => (driver, source),
        other => return other,
    };
    let reason = match source.raw_os_error() {
        Some(libc::EINVAL) => text(format_args!(
            "either the kernel has no driver for {requested} (/proc/crypto), or this cryptodev-linux is too old for it \
             (modinfo cryptodev), or the driver that the kernel picks accepted no key: its key memory may be full"
        )),
        Some(libc::ENOTTY) => "it does not answer as cryptodev-linux does".into(),
        _ => "see dmesg".into(),
    };
    unreachable(&driver, reason, source)
}

fn unreachable(driver: &DriverName, reason: Cow<'static, str>, source: io::Error) -> Error {
    let driver = DriverName::clone(driver);
    Error::Unreachable { interface: INTERFACE, driver, reason, source }
}

#[cfg(test)]
mod tests {
    use super::super::node::Name;
    use super::*;

    const CBC: &str = "cbc(aes)";

    fn os(number: i32) -> io::Error {
        io::Error::from_raw_os_error(number)
    }

    fn info(algorithm: &str, driver: &str, kernel_only: bool) -> Info {
        Info { algorithm: Name::of(algorithm), driver: Name::of(driver), kernel_only }
    }

    #[test]
    fn each_refusal_says_what_to_do() {
        let refused = |number| Error::KeyRefused { driver: "mv-cbc-aes".into(), source: os(number) };
        for (error, advice) in [
            (no_interface(os(libc::ENOENT)), "modprobe cryptodev"),
            (no_interface(os(libc::EACCES)), "this user may not open it"),
            (no_probe(refused(libc::EINVAL), CBC), "key memory"),
            (no_probe(refused(libc::ENOTTY), CBC), "cryptodev-linux"),
        ] {
            let text = error.to_string();
            assert!(text.contains("/dev/crypto") && text.contains(advice), "{text}");
        }
    }

    #[test]
    fn another_driver_is_named_with_what_to_do() {
        let software = other_driver(&"mv-cbc-aes".into(), CBC, &info("cbc(aes)", "cbc-aes-ce", false));
        assert_eq!(
            software.to_string(),
            "/dev/crypto does not reach driver mv-cbc-aes (No such device (os error 19)): for cbc(aes) the kernel \
             picks cbc-aes-ce, and programs cannot choose a driver there: use /dev/outboard, where they can (outboard \
             allow mv-cbc-aes), or unload the module of cbc-aes-ce"
        );
        let hardware = other_driver(&"mv-cbc-aes".into(), CBC, &info("cbc(aes)", "cbc-aes-caam", true));
        assert!(hardware.to_string().ends_with("hardware too (DRIVERS = cbc-aes-caam)"), "{hardware}");
        let stranger = other_driver(&"mv-cbc-aes".into(), CBC, &info("", "", false));
        assert!(stranger.to_string().contains("not cryptodev-linux"), "{stranger}");
    }

    #[test]
    fn an_error_other_than_a_refused_key_is_unchanged() {
        let lost = Error::DescriptorLost { driver: "mv-cbc-aes".into() };
        assert!(matches!(no_probe(lost, CBC), Error::DescriptorLost { .. }));
    }
}
