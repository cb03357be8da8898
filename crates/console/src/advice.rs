//! The next step after an error with a file.

use std::io;

/// The next step after a file could not be read or changed. `otherwise` is what the user may do
/// instead, such as `measure with --dry-run`.
#[must_use]
pub fn advice(error: &io::Error, otherwise: Option<&str>) -> String {
    // SAFETY: the call has no arguments and cannot fail.
    let is_root = unsafe { libc::geteuid() } == 0;
    let step = step(error, is_root);
    match otherwise {
        Some(otherwise) => format!("{step}, or {otherwise}"),
        None => step.to_owned(),
    }
}

fn step(error: &io::Error, is_root: bool) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EROFS) => "make it writable (mount -o remount,rw)",
        Some(libc::ENOSPC | libc::EDQUOT) => "free some space",
        Some(libc::EACCES | libc::EPERM) if !is_root => "only root may do that: try again with sudo",
        Some(libc::EACCES | libc::EPERM) => {
            "root may not do that either: see lsattr, and dmesg for a security module"
        }
        Some(libc::ENOENT) => "it does not exist",
        Some(libc::EIO) => "the disk or the driver reports an error: see dmesg",
        _ => "the file was not changed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_step_follows_from_the_error_and_not_from_a_guess() {
        let of = |number: i32, is_root: bool| step(&io::Error::from_raw_os_error(number), is_root);
        for number in [libc::EROFS, libc::ENOSPC, libc::EDQUOT, libc::EIO] {
            assert_eq!(of(number, true), of(number, false));
            assert!(!of(number, true).contains("sudo"), "{}", of(number, true));
        }
        assert!(of(libc::EROFS, true).contains("remount,rw"));
        assert!(of(libc::ENOSPC, true).contains("space"));
        for number in [libc::EACCES, libc::EPERM] {
            assert!(of(number, false).contains("sudo"));
            assert!(!of(number, true).contains("sudo") && of(number, true).contains("lsattr"));
        }
    }

    #[test]
    fn the_alternative_follows_the_step() {
        let text = advice(&io::Error::from_raw_os_error(libc::EROFS), Some("measure with --dry-run"));
        assert_eq!(text, "make it writable (mount -o remount,rw), or measure with --dry-run");
    }
}
