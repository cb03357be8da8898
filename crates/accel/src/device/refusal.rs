//! Why /dev/outboard does not lead to a driver, and what to do about it.

use std::borrow::Cow;
use std::io;

use outboard_drivers::permission::CLOSED_DEVICE;

use super::INTERFACE;
use crate::{DriverName, Error};

pub(super) fn no_interface(source: io::Error) -> Error {
    let advice = match source.raw_os_error() {
        Some(libc::ENOENT | libc::ENXIO | libc::ENODEV) => {
            "the outboard module is not loaded: outboard status names the command that loads it here"
        }
        Some(libc::EACCES | libc::EPERM) => CLOSED_DEVICE,
        Some(libc::EMFILE | libc::ENFILE) => "no file descriptor is left: raise the limit (ulimit -n)",
        Some(libc::EPROTO) => {
            "the module speaks another version of the interface: install both from one release"
        }
        _ => "dmesg may have the reason",
    };
    Error::NoInterface { interface: INTERFACE, advice, source }
}

pub(super) fn no_list(driver: &str, source: io::Error) -> Error {
    let reason = "/sys/class/misc/outboard/allow cannot be read, so it is not known whether root allowed it: is /sys mounted?";
    unreachable(driver, reason.into(), source)
}

pub(super) fn not_allowed(driver: &str) -> Error {
    let reason =
        format!("root has not allowed it: outboard allow {driver} (an accelerator; software needs --force)");
    unreachable(driver, reason.into(), io::Error::from_raw_os_error(libc::ENOENT))
}

pub(super) fn no_trial(driver: &str, source: io::Error) -> Error {
    let reason = match source.raw_os_error() {
        Some(libc::EPERM) => "only root may try a driver that is not allowed: try again with sudo",
        Some(libc::EEXIST) => "another process has just allowed it, or checks it now",
        Some(libc::EINVAL) => {
            "the module takes no templates, no internal drivers, and none whose self-test has not passed"
        }
        Some(libc::ENOSPC) => "the list is full: disallow another one",
        _ => "the module refused it (see dmesg)",
    };
    unreachable(driver, reason.into(), source)
}

pub(super) fn other_algorithm(driver: &str, algorithm: &str) -> Error {
    unreachable(driver, format!("it does {algorithm}").into(), io::Error::from_raw_os_error(libc::ENOENT))
}

/// An absent driver may appear later and is no failure: otherwise it would be disabled for good
/// after its device was unplugged.
pub(super) fn no_session(driver: &DriverName, source: io::Error) -> Error {
    let driver = DriverName::clone(driver);
    match source.raw_os_error() {
        Some(libc::ENOENT | libc::ENODEV) => Error::Away { driver, source },
        _ => Error::KeyRefused { driver, source },
    }
}

pub(super) fn of_request(driver: &DriverName, call: &'static str, source: io::Error) -> Error {
    let driver = DriverName::clone(driver);
    match source.raw_os_error() {
        Some(libc::ENODEV) => Error::Away { driver, source },
        Some(libc::EHOSTDOWN) => Error::Stopped { driver },
        _ if is_late(&source) => Error::Unanswered { driver },
        _ => Error::Request { call, driver, source },
    }
}

/// A request exceeds the module's time limit: without an error number, since drivers have limits of
/// their own and return ETIMEDOUT.
pub(super) fn late() -> io::Error {
    io::ErrorKind::TimedOut.into()
}

pub(super) fn is_late(error: &io::Error) -> bool {
    error.raw_os_error().is_none() && error.kind() == io::ErrorKind::TimedOut
}

/// The driver is allowed and was never present.
pub(super) fn never_seen(driver: &str, source: io::Error) -> Error {
    match no_session(&driver.into(), source) {
        Error::Away { driver, source } => {
            let reason = "root has allowed it, but it is not there: is its module loaded, and does /proc/crypto list \
                          it with selftest passed?";
            unreachable(&driver, reason.into(), source)
        }
        other => other,
    }
}

fn unreachable(driver: &str, reason: Cow<'static, str>, source: io::Error) -> Error {
    Error::Unreachable { interface: INTERFACE, driver: driver.into(), reason, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn os(number: i32) -> io::Error {
        io::Error::from_raw_os_error(number)
    }

    #[test]
    fn each_refusal_says_what_to_do() {
        for (error, advice) in [
            (no_interface(os(libc::ENOENT)), "outboard status names the command"),
            (no_interface(os(libc::EACCES)), "this user may not open it: the members of its group may"),
            (not_allowed("mv-cbc-aes"), "outboard allow mv-cbc-aes"),
            (no_trial("mv-cbc-aes", os(libc::EPERM)), "sudo"),
            (no_trial("mv-cbc-aes", os(libc::EEXIST)), "another process"),
            (no_trial("mv-cbc-aes", os(libc::EINVAL)), "self-test"),
            (no_session(&"mv-cbc-aes".into(), os(libc::ENOENT)), "is its device bound"),
            (never_seen("mv-cbc-aes", os(libc::ENOENT)), "is its module loaded"),
            (no_session(&"mv-cbc-aes".into(), os(libc::EINVAL)), "key memory"),
        ] {
            let text = error.to_string();
            assert!(text.contains(advice), "{text}");
        }
    }

    #[test]
    fn the_time_limit_of_a_driver_is_not_that_of_the_module() {
        let of = |source| of_request(&"x".into(), "a request", source);
        assert!(matches!(of(late()), Error::Unanswered { .. }));
        let own = of(os(libc::ETIMEDOUT));
        assert!(matches!(own, Error::Request { .. }) && own.is_timeout_of_driver());
        let stopped = of(os(libc::EHOSTDOWN));
        assert!(matches!(stopped, Error::Stopped { .. }) && stopped.is_scarcity());
        for error in [of(late()), own, stopped] {
            assert!(error.is_without_answer(), "{error}");
        }
        assert!(!of(os(libc::EIO)).is_without_answer());
    }

    #[test]
    fn a_full_key_memory_and_a_driver_that_went_away_are_no_failures() {
        assert!(no_session(&"x".into(), os(libc::EMFILE)).is_scarcity());
        assert!(no_session(&"x".into(), os(libc::ENOENT)).is_scarcity());
        assert!(no_session(&"x".into(), os(libc::ENODEV)).is_scarcity());
        assert!(!never_seen("x", os(libc::ENOENT)).is_scarcity());
    }
}
