//! Removes from a bundle what identifies a machine or its users: secrets, serial numbers, MAC and
//! IP addresses, UUIDs, and the person who built the kernel.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::files::{Files, Item};

/// The replacement.
const REMOVED: &str = "REMOVED";

/// Words in a key whose value is a secret or identifies the machine.
const KEYS: [&str; 13] = [
    "serial",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "private",
    "token",
    "psk",
    "pin",
    "uuid",
    "hostname",
    "ssid",
    "credential",
];

/// Beginnings of files whose words look like addresses and are none: versions, device ids.
const WITHOUT_ADDRESSES: [&str; 4] =
    ["proc/crypto", "proc/sys/kernel/osrelease", "lib/modules/", "outboard/crypto-flags"];

/// Scrubs every text file; files that are not UTF-8 are short notes of ELF files in sysfs, or were
/// compressed by the kernel's build, and contain none of it.
pub fn scrub(files: &Files) -> Files {
    let mut scrubbed = Files::default();
    for (path, item) in files.iter() {
        let item = match item {
            Item::File(bytes) => Item::File(scrub_file(path, bytes)),
            other => other.clone(),
        };
        scrubbed.add(path, item);
    }
    scrubbed
}

fn scrub_file(path: &str, bytes: &[u8]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(bytes) else { return bytes.to_vec() };
    if WITHOUT_ADDRESSES.iter().any(|start| path.starts_with(start)) {
        return bytes.to_vec();
    }
    let mut scrubbed = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let line = match path {
            "proc/version" => builder(line),
            _ => value(line).unwrap_or_else(|| addresses(line)),
        };
        scrubbed.push_str(&line);
        scrubbed.push_str(end);
    }
    scrubbed.into_bytes()
}

/// `key = value` or `key : value` without the value, if the key's name says that it is a secret.
fn value(line: &str) -> Option<String> {
    let (key, value) = line.split_once(['=', ':'])?;
    let words = key.to_ascii_lowercase();
    let mut words = words.split(|c: char| !c.is_ascii_alphanumeric());
    let is_secret = words.any(|word| KEYS.contains(&word));
    (is_secret && !value.trim().is_empty()).then(|| {
        let separator = &line[key.len()..=key.len()];
        format!("{key}{separator} {REMOVED}")
    })
}

/// /proc/version names the user and the host of the build: `(user@host)`.
fn builder(line: &str) -> String {
    let Some((before, rest)) = line.split_once('(') else { return line.to_owned() };
    match rest.split_once(')') {
        Some((who, after)) if who.contains('@') => format!("{before}({REMOVED}){after}"),
        _ => line.to_owned(),
    }
}

/// The line with each address and UUID replaced.
fn addresses(line: &str) -> String {
    let is_part = |c: char| c.is_ascii_hexdigit() || matches!(c, '.' | ':' | '-');
    let mut scrubbed = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        let len = rest[start..].find(|c| !is_part(c)).unwrap_or(rest.len() - start);
        // A letter before or after makes it a part of a longer word.
        let is_word = rest[..start].ends_with(|c: char| c.is_ascii_alphanumeric())
            || rest[start + len..].starts_with(|c: char| c.is_ascii_alphanumeric());
        let token = &rest[start..start + len];
        scrubbed.push_str(&rest[..start]);
        match !is_word && identifies(token) {
            true => scrubbed.push_str(REMOVED),
            false => scrubbed.push_str(token),
        }
        rest = &rest[start + len..];
    }
    scrubbed.push_str(rest);
    scrubbed
}

fn identifies(token: &str) -> bool {
    let token = token.trim_end_matches(['.', ':', '-']).trim_start_matches(['.', '-']);
    let is_hex = |part: &str, len: usize| part.len() == len && part.bytes().all(|b| b.is_ascii_hexdigit());
    let is_mac = |separator: char| {
        let parts: Vec<&str> = token.split(separator).collect();
        parts.len() == 6 && parts.iter().all(|part| is_hex(part, 2))
    };
    let is_uuid = || {
        let parts: Vec<&str> = token.split('-').collect();
        parts.len() == 5 && parts.iter().zip([8, 4, 4, 4, 12]).all(|(part, len)| is_hex(part, len))
    };
    let host = token.split_once(':').map_or(token, |(host, _)| host);
    let is_ipv4 = || host.parse::<Ipv4Addr>().is_ok_and(|address| !address.is_unspecified());
    let is_ipv6 = || token.len() > 2 && token.parse::<Ipv6Addr>().is_ok();
    is_mac(':') || is_mac('-') || is_uuid() || is_ipv4() || is_ipv6()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, text: &str) -> String {
        String::from_utf8(scrub_file(path, text.as_bytes())).unwrap()
    }

    #[test]
    fn what_identifies_a_machine_is_removed() {
        for (path, text, scrubbed) in [
            ("proc/cpuinfo", "Serial\t\t: 00000000deadbeef\n", "Serial\t\t: REMOVED\n"),
            ("etc/ssl/openssl.cnf", "PIN = 1234\n", "PIN = REMOVED\n"),
            ("etc/ssl/openssl.cnf", "input_password = secret\n", "input_password = REMOVED\n"),
            ("outboard/dmesg", "eth0: 00:11:22:aa:BB:cc up", "eth0: REMOVED up"),
            ("outboard/dmesg", "peer 192.168.1.7:443, ok", "peer REMOVED, ok"),
            ("outboard/dmesg", "peer fe80::1ff:fe23:4567:890a, ok", "peer REMOVED, ok"),
            ("outboard/dmesg", "UUID 123e4567-e89b-12d3-a456-426614174000", "UUID REMOVED"),
            (
                "proc/version",
                "Linux version 6.1.0 (me@home) (gcc) #1\n",
                "Linux version 6.1.0 (REMOVED) (gcc) #1\n",
            ),
        ] {
            assert_eq!(line(path, text), scrubbed);
        }
    }

    #[test]
    fn what_status_needs_is_kept() {
        for (path, text) in [
            ("proc/crypto", "name         : cbc(aes)\ndriver       : mv-cbc-aes\n"),
            ("proc/interrupts", " 38:  64015  0  MPIC  51 Level  f1090000.crypto\n"),
            (
                "sys/bus/pci/devices/0000:00:01.2/modalias",
                "pci:v00001022d00002082sv00001022sd00002082bc10sc10i00\n",
            ),
            ("proc/sys/kernel/osrelease", "4.4.0.1\n"),
            ("proc/cpuinfo", "model name\t: AMD 0.0.0.0 stepping 12:34:56\n"),
            ("outboard/openssl-version", "OpenSSL 3.5.4 30 Sep 2025\nMODULESDIR: \"/usr/lib/x\"\n"),
        ] {
            assert_eq!(line(path, text), text);
        }
    }
}
