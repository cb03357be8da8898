//! OpenSSL's ciphers: an algorithm with a key length.

use std::ffi::CStr;

use crate::cipher_rows::{Algorithm, CIPHER_ROWS};
use crate::names::first_name;

#[derive(Clone, Copy, Debug)]
pub struct OpenSslCipher {
    pub name: &'static str,
    /// All of OpenSSL's names for it, as the default provider lists them.
    pub names: &'static CStr,
    /// The algorithm that a driver must implement for it.
    pub algorithm: Algorithm,
    /// Length of the key in bytes.
    pub key_len: usize,
}

const COUNT: usize = {
    let (mut count, mut row) = (0, 0);
    while row < CIPHER_ROWS.len() {
        count += CIPHER_ROWS[row].openssl.len();
        row += 1;
    }
    count
};

/// Every cipher, in the order of the rows.
pub static CIPHERS: [OpenSslCipher; COUNT] = ALL;

pub const CIPHER_NAMES: [&str; COUNT] = {
    let mut names = [""; COUNT];
    let mut place = 0;
    while place < COUNT {
        names[place] = ALL[place].name;
        place += 1;
    }
    names
};

const ALL: [OpenSslCipher; COUNT] = {
    let nothing = OpenSslCipher { name: "", names: c"", algorithm: Algorithm::CbcAes, key_len: 0 };
    let mut all = [nothing; COUNT];
    let (mut place, mut row) = (0, 0);
    while row < CIPHER_ROWS.len() {
        let mut of_row = 0;
        while of_row < CIPHER_ROWS[row].openssl.len() {
            let (names, key_len) = CIPHER_ROWS[row].openssl[of_row];
            let algorithm = CIPHER_ROWS[row].algorithm;
            all[place] = OpenSslCipher { name: first_name(names), names, algorithm, key_len };
            place += 1;
            of_row += 1;
        }
        row += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_of_every_row_is_listed_once() {
        assert_eq!(CIPHER_NAMES.first(), Some(&"AES-128-CBC"));
        assert_eq!(CIPHER_NAMES.last(), Some(&"AES-256-CCM"));
        for (cipher, name) in CIPHERS.iter().zip(CIPHER_NAMES) {
            assert_eq!(cipher.name, name);
            assert_eq!(CIPHER_NAMES.iter().filter(|other| **other == name).count(), 1, "{name}");
            assert!(cipher.names.to_str().is_ok_and(|names| names.split(':').next() == Some(name)));
        }
    }
}
