//! The drivers that root has allowed for /dev/outboard, as the module lists them in sysfs.

use std::io;

use outboard_catalog::families::{self, Bounds};
use outboard_uapi::SYSFS;

use crate::root::Root;

/// A line of `/sys/class/misc/outboard/allow`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedDriver {
    pub number: u16,
    /// The kernel's name of its algorithm; `None` until a driver of this name has been seen.
    pub algorithm: Option<String>,
    pub driver: String,
    pub bounds: Bounds,
}

impl AllowedDriver {
    /// Whether this line allows `driver` for `algorithm`; any algorithm, if the module has not seen
    /// the driver yet.
    pub fn allows(&self, driver: &str, algorithm: &str) -> bool {
        self.driver == driver && self.algorithm.as_deref().is_none_or(|seen| seen == algorithm)
    }
}

/// The list, in root's order of preference. Fails with `NotFound` if the module is not loaded.
pub fn read(root: &Root) -> io::Result<Vec<AllowedDriver>> {
    let bytes = root.read(&format!("{}/allow", SYSFS.trim_start_matches('/')))?;
    Ok(parse(&String::from_utf8_lossy(&bytes)))
}

/// A driver that is allowed or on trial (TRY in docs/uapi.md), with the limits of a trial.
pub fn read_one(root: &Root, driver: &str) -> io::Result<AllowedDriver> {
    let file = |name: &str| {
        let bytes = root.read(&format!("{}/drivers/{driver}/{name}", SYSFS.trim_start_matches('/')))?;
        Ok::<_, io::Error>(String::from_utf8_lossy(&bytes).trim().to_owned())
    };
    let number = file("number")?.parse().map_err(|_| io::ErrorKind::InvalidData)?;
    let algorithm = Some(file("algorithm")?).filter(|name| name != "-");
    Ok(AllowedDriver { number, algorithm, driver: driver.to_owned(), bounds: families::bounds(driver) })
}

/// Skips lines that it does not understand: a newer module may write more.
fn parse(text: &str) -> Vec<AllowedDriver> {
    let mut list = Vec::new();
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        if let [Some(number), Some(algorithm), Some(driver)] = [(); 3].map(|()| words.next()) {
            let algorithm = (algorithm != "-").then(|| algorithm.to_owned());
            let bounds = Bounds::parse(words);
            let allowed = |number| AllowedDriver { number, algorithm, driver: driver.to_owned(), bounds };
            list.extend(number.parse().ok().map(allowed));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_in_its_order() {
        let list = parse("2 cbc(aes) virtio_crypto_aes_cbc\n1 - mv-cbc-aes\n\nodd\n70000 x y\n3 sha1\n");
        let seen: Vec<_> =
            list.iter().map(|a| (a.number, a.algorithm.as_deref(), a.driver.as_str())).collect();
        assert_eq!(seen, [(2, Some("cbc(aes)"), "virtio_crypto_aes_cbc"), (1, None, "mv-cbc-aes")]);
        assert_eq!(parse(""), []);
    }

    #[test]
    fn a_column_that_a_newer_module_adds_is_not_taken_for_a_driver() {
        let list = parse("2 cbc(aes) virtio_crypto_aes_cbc 17\n");
        assert_eq!((list[0].driver.as_str(), list[0].bounds), ("virtio_crypto_aes_cbc", Bounds::NONE));
    }

    #[test]
    fn the_limits_of_a_driver_are_read() {
        let bounds = Bounds { length: 32768, requests: 128, one_direction: true };
        let list = parse(&format!("2 cbc(aes) a{}\n3 sha1 b length=64\n", bounds.words()));
        assert_eq!(list[0].bounds, bounds);
        assert_eq!(list[1].bounds, Bounds { length: 64, ..Bounds::NONE });
    }

    #[test]
    fn a_driver_that_was_not_seen_yet_may_do_any_algorithm() {
        let list = parse("2 cbc(aes) virtio_crypto_aes_cbc\n1 - mv-cbc-aes\n");
        assert!(
            list[0].allows("virtio_crypto_aes_cbc", "cbc(aes)") && list[1].allows("mv-cbc-aes", "cbc(aes)")
        );
        assert!(
            !list[0].allows("virtio_crypto_aes_cbc", "ctr(aes)") && !list[1].allows("mv-ecb-aes", "ecb(aes)")
        );
    }

    #[test]
    fn a_driver_on_trial_is_read_from_its_own_directory() {
        let tree = tempfile::tempdir().unwrap();
        let directory = tree.path().join("sys/class/misc/outboard/drivers/mv-cbc-aes");
        std::fs::create_dir_all(&directory).unwrap();
        for (name, text) in [("number", "7\n"), ("algorithm", "cbc(aes)\n")] {
            std::fs::write(directory.join(name), text).unwrap();
        }
        let root = Root::saved(tree.path()).unwrap();
        let found = read_one(&root, "mv-cbc-aes").unwrap();
        assert_eq!((found.number, found.algorithm.as_deref()), (7, Some("cbc(aes)")));
        assert!(read_one(&root, "other").is_err());
    }

    #[test]
    fn without_the_module_there_is_no_list() {
        let tree = tempfile::tempdir().unwrap();
        let error = read(&Root::saved(tree.path()).unwrap()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
