//! Root's list of drivers, as the module shows it in sysfs.

use std::io;
use std::path::Path;

use outboard_uapi::SYSFS;

/// A line of `/sys/class/misc/outboard/allow`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// The driver's number, for sessions.
    pub number: u16,
    /// The kernel's name of its algorithm; `None` until a driver of this name has been seen.
    pub algorithm: Option<String>,
    /// The driver's exact name.
    pub driver: String,
}

/// The list, in root's order of preference. The error is `NotFound` when the module is not loaded.
pub fn allowed() -> io::Result<Vec<Allowed>> {
    std::fs::read_to_string(Path::new(SYSFS).join("allow")).map(|text| parse(&text))
}

/// Lines that are not understood are passed over: a newer module may have more to say.
fn parse(text: &str) -> Vec<Allowed> {
    let mut list = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if let [number, algorithm, driver, ..] = words[..] {
            let algorithm = (algorithm != "-").then(|| algorithm.to_owned());
            let allowed = |number| Allowed { number, algorithm, driver: driver.to_owned() };
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
}
