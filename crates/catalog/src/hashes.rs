//! Lookups of digests and HMAC.

use std::ffi::CStr;

use crate::hash_rows::{HASH_ROWS, Hash, HashRow};
use crate::names::first_name;

const COUNT: usize = HASH_ROWS.len();

/// OpenSSL's names of the digests, in the order of [`Hash::ALL`].
pub const DIGEST_NAMES: [&str; COUNT] = {
    let mut names = [""; COUNT];
    let mut place = 0;
    while place < COUNT {
        names[place] = Hash::ALL[place].openssl_name();
        place += 1;
    }
    names
};

/// outboard's names for the HMACs, in the order of [`Hash::ALL`]. OpenSSL has one name for all.
pub const HMAC_NAMES: [&str; COUNT] = {
    let mut names = [""; COUNT];
    let mut place = 0;
    while place < COUNT {
        names[place] = Hash::ALL[place].hmac_name();
        place += 1;
    }
    names
};

impl Hash {
    pub const ALL: [Hash; COUNT] = {
        let mut all = [Hash::Sha1; COUNT];
        let mut place = 0;
        while place < COUNT {
            all[place] = HASH_ROWS[place].hash;
            assert!(all[place] as usize == place, "a row is not at the place of its variant");
            place += 1;
        }
        all
    };

    const fn row(self) -> &'static HashRow {
        &HASH_ROWS[self as usize]
    }

    /// Length of the digest in bytes.
    pub const fn digest_len(self) -> usize {
        self.row().digest_len
    }

    /// Block length of the hash function in bytes.
    pub const fn block_len(self) -> usize {
        self.row().block_len
    }

    /// OpenSSL's first name for the digest.
    pub const fn openssl_name(self) -> &'static str {
        first_name(self.row().openssl_names)
    }

    /// All of OpenSSL's names for the digest, as the default provider lists them.
    pub const fn openssl_names(self) -> &'static CStr {
        self.row().openssl_names
    }

    pub const fn hmac_name(self) -> &'static str {
        self.row().hmac_name
    }
}

/// A hash algorithm of the kernel's crypto API: a digest, or its HMAC (FIPS 198-1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HashAlgorithm {
    pub hash: Hash,
    pub hmac: bool,
}

impl HashAlgorithm {
    /// Every algorithm: the digests, then their HMACs.
    pub fn all() -> impl Iterator<Item = HashAlgorithm> {
        [false, true]
            .into_iter()
            .flat_map(|hmac| Hash::ALL.into_iter().map(move |hash| HashAlgorithm { hash, hmac }))
    }

    pub fn by_kernel_name(name: &str) -> Option<HashAlgorithm> {
        Self::all().find(|algorithm| algorithm.kernel_name() == name)
    }

    /// Its name in the kernel (`/proc/crypto`, field `name`).
    pub const fn kernel_name(self) -> &'static str {
        self.hash.row().kernel_names[self.hmac as usize]
    }

    pub const fn uapi_number(self) -> u16 {
        self.hash.row().uapi_numbers[self.hmac as usize]
    }

    pub const fn cryptodev_number(self) -> u32 {
        self.hash.row().cryptodev_numbers[self.hmac as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_names_lead_back_to_their_algorithms() {
        assert_eq!(HashAlgorithm::all().count(), 10);
        for algorithm in HashAlgorithm::all() {
            assert_eq!(HashAlgorithm::by_kernel_name(algorithm.kernel_name()), Some(algorithm));
        }
        assert_eq!(HashAlgorithm::by_kernel_name("md5"), None);
    }

    #[test]
    fn an_hmac_is_named_for_its_digest() {
        for (hash, name) in Hash::ALL.into_iter().zip(DIGEST_NAMES) {
            assert_eq!(hash.hmac_name(), format!("HMAC-{name}"));
            let [digest, hmac] = hash.row().kernel_names;
            assert_eq!(hmac, format!("hmac({digest})"));
        }
    }

    #[test]
    fn no_number_is_used_twice() {
        for one in HashAlgorithm::all() {
            let same = |other: &HashAlgorithm| {
                other.uapi_number() == one.uapi_number() || other.cryptodev_number() == one.cryptodev_number()
            };
            assert_eq!(HashAlgorithm::all().filter(same).count(), 1, "{}", one.kernel_name());
        }
    }

    #[test]
    fn each_hash_has_one_place_in_the_order_of_use() {
        for hash in Hash::ALL {
            assert_eq!(Hash::MOST_USED_FIRST.iter().filter(|other| **other == hash).count(), 1, "{hash:?}");
        }
    }
}
