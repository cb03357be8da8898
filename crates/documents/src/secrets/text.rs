//! Text of known files and logs: secrets after keys that name them, addresses, UUIDs, and the
//! passwords of URLs.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::REMOVED;

/// Parts of keys whose value is a secret or identifies the machine.
const IN_KEYS: [&str; 13] = [
    "serial",
    "passw",
    "passphrase",
    "secret",
    "private",
    "token",
    "credential",
    "uuid",
    "hostname",
    "ssid",
    "pin-value",
    "pin_value",
    "authorization",
];
/// Words of keys of which the same is true.
const KEYS: [&str; 5] = ["pin", "pass", "psk", "key", "community"];

pub fn text(bytes: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(bytes.len());
    // NULs separate the texts of a device tree.
    for line in bytes.split_inclusive(|byte| matches!(byte, b'\n' | 0)) {
        let ends = line.last().is_some_and(|byte| matches!(byte, b'\n' | 0));
        let (line, end) = line.split_at(line.len() - usize::from(ends));
        let line = credentials(values(line));
        shown.extend(addresses(&line));
        shown.extend(end);
    }
    shown
}

/// The line up to the first key that names a secret, and its `=` or `:`.
fn values(line: &[u8]) -> Vec<u8> {
    for (at, _) in line.iter().enumerate().filter(|(_, byte)| matches!(byte, b'=' | b':')) {
        let is_key =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' ' | b'\t');
        let start = line[..at].iter().rposition(|byte| !is_key(byte)).map_or(0, |before| before + 1);
        let key = line[start..at].to_ascii_lowercase();
        // Of `pin = 12 pass = 34` the last word, of `Serial Number` both.
        let is_empty = line[at + 1..].iter().all(u8::is_ascii_whitespace);
        if !is_empty && names_a_secret(&key) {
            let mut shown = line[..=at].to_vec();
            shown.extend(format!(" {REMOVED}").bytes());
            return shown;
        }
    }
    line.to_vec()
}

fn names_a_secret(key: &[u8]) -> bool {
    let contains = |part: &&str| key.windows(part.len()).any(|window| window == part.as_bytes());
    let mut words = key.split(|byte| !byte.is_ascii_alphanumeric());
    IN_KEYS.iter().any(contains) || words.any(|word| KEYS.iter().any(|key| key.as_bytes() == word))
}

/// `scheme://user:password@host` without user and password.
fn credentials(line: Vec<u8>) -> Vec<u8> {
    let mut shown = Vec::with_capacity(line.len());
    let mut rest = &line[..];
    while let Some(at) = rest.windows(3).position(|window| window == b"://") {
        let (scheme, after) = rest.split_at(at + 3);
        shown.extend(scheme);
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"/\"'<>".contains(byte);
        let authority = &after[..after.iter().position(is_end).unwrap_or(after.len())];
        rest = match authority.iter().rposition(|byte| *byte == b'@') {
            Some(sign) => {
                shown.extend(REMOVED.bytes());
                &after[sign..]
            }
            None => after,
        };
    }
    shown.extend(rest);
    shown
}

/// The line with each address and UUID replaced, also behind letters and colons.
fn addresses(line: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(line.len());
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        let before = at.checked_sub(1).map(|before| line[before]);
        let length = match byte.is_ascii_hexdigit() || *byte == b':' {
            true => address(before, &line[at..]),
            false => None,
        };
        match length {
            Some(length) => {
                shown.extend(REMOVED.bytes());
                at += length;
            }
            None => {
                shown.push(*byte);
                at += 1;
            }
        }
    }
    shown
}

/// The length of the address at the start.
fn address(before: Option<u8>, text: &[u8]) -> Option<usize> {
    let is_hex = |byte: u8| byte.is_ascii_hexdigit();
    let run = |is_part: fn(u8) -> bool| {
        let end = text.iter().position(|byte| !is_part(*byte)).unwrap_or(text.len());
        let part = std::str::from_utf8(&text[..end]).unwrap_or_default();
        part.trim_end_matches(['.', ':', '-'])
    };
    let ends = |length: usize| !text.get(length).is_some_and(|byte| byte.is_ascii_alphanumeric());
    if !before.is_some_and(is_hex) {
        let grouped = |separators: &str, lengths: &[usize]| {
            let mut length = 0;
            for (number, digits) in lengths.iter().enumerate() {
                if number > 0 {
                    let separator = *text.get(length)?;
                    separators.as_bytes().contains(&separator).then_some(())?;
                    length += 1;
                }
                let group = text.get(length..length + digits)?;
                group.iter().all(|byte| is_hex(*byte)).then_some(())?;
                length += digits;
            }
            ends(length).then_some(length)
        };
        let mac =
            grouped(":-", &[2; 6]).filter(|length| text.get(*length) != Some(&b':') || ends(length + 1));
        if let Some(length) = mac.or_else(|| grouped("-", &[8, 4, 4, 4, 12])) {
            return Some(length);
        }
    }
    if !before.is_some_and(|byte| byte.is_ascii_digit() || byte == b'.') {
        let numbers = run(|byte| byte.is_ascii_digit() || byte == b'.');
        if numbers.parse::<Ipv4Addr>().is_ok_and(|address| !address.is_unspecified()) {
            return Some(numbers.len());
        }
    }
    // Not in the middle of a group, but behind the colon of `IP:`.
    if before.is_some_and(is_hex) {
        return None;
    }
    let groups = run(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'));
    let is_address = groups.len() > 2 && groups.parse::<Ipv6Addr>().is_ok() && ends(groups.len());
    is_address.then_some(groups.len())
}
