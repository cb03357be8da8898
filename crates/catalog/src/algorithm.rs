//! Lookups of ciphers and AEADs, and how requests of them can be split.

use crate::cipher_rows::{Algorithm, CIPHER_ROWS, CipherRow, Split};
use crate::names::first_name;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Encrypt,
    Decrypt,
}

impl Algorithm {
    pub const ALL: [Algorithm; CIPHER_ROWS.len()] = {
        let mut all = [Algorithm::CbcAes; CIPHER_ROWS.len()];
        let mut place = 0;
        while place < all.len() {
            all[place] = CIPHER_ROWS[place].algorithm;
            assert!(all[place] as usize == place, "a row is not at the place of its variant");
            place += 1;
        }
        all
    };

    pub(crate) const fn row(self) -> &'static CipherRow {
        &CIPHER_ROWS[self as usize]
    }

    pub fn by_kernel_name(name: &str) -> Option<Algorithm> {
        Self::ALL.into_iter().find(|algorithm| algorithm.kernel_name() == name)
    }

    pub const fn kernel_name(self) -> &'static str {
        self.row().kernel_name
    }

    pub const fn uapi_number(self) -> u16 {
        self.row().uapi_number
    }

    pub const fn cryptodev_number(self) -> u32 {
        self.row().cryptodev_number
    }

    /// Length of the IV in bytes; the usual one where there are several.
    pub const fn iv_len(self) -> usize {
        self.row().iv_len
    }

    pub const fn takes_iv(self, len: usize) -> bool {
        let (shortest, longest) = self.row().iv_lens;
        shortest <= len && len <= longest
    }

    pub const fn has_tags(self) -> bool {
        self.row().tag_len > 0
    }

    /// Length of a full tag in bytes; 0 if it is not an AEAD.
    pub const fn full_tag(self) -> usize {
        self.row().tag_len
    }

    /// A request's length is a multiple of this number of bytes. (Drivers may accept other lengths
    /// in counter mode and XTS; software processes the rest of such a request, since it supports
    /// partial blocks.)
    pub const fn block_len(self) -> usize {
        self.row().block_len
    }

    /// The key lengths in bytes, ascending.
    pub fn key_lens(self) -> impl Iterator<Item = usize> {
        self.row().openssl.iter().map(|&(_, key_len)| key_len)
    }

    /// OpenSSL's first name for it with the shortest key.
    pub const fn openssl_name(self) -> &'static str {
        first_name(self.row().openssl[0].0)
    }

    pub const fn split(self) -> Split {
        self.row().split
    }

    /// Smallest request in bytes for which look-ahead can win; `None` for modes without a key stream that
    /// does not depend on the text. For shorter messages of GCM the calls of the default provider for the
    /// tag cost more than it needs for the text (measured: 0.83 of software's speed at 256 bytes, 1.41 at
    /// 1400).
    pub const fn shortest_ahead(self) -> Option<usize> {
        match self {
            Self::CtrAes => Some(0),
            Self::GcmAes => Some(512),
            _ => None,
        }
    }

    pub const fn can_be_cut(self, direction: Direction) -> bool {
        match self.split() {
            Split::Never => false,
            Split::Independent | Split::Counter => true,
            Split::PrecedingCiphertext => matches!(direction, Direction::Decrypt),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_names_lead_back_to_their_algorithms() {
        for algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::by_kernel_name(algorithm.kernel_name()), Some(algorithm));
        }
        assert_eq!(Algorithm::by_kernel_name("cbc(des)"), None);
    }

    #[test]
    fn each_algorithm_has_one_place_in_the_order_of_use() {
        for algorithm in Algorithm::ALL {
            let places = Algorithm::MOST_USED_FIRST.iter().filter(|other| **other == algorithm);
            assert_eq!(places.count(), 1, "{algorithm:?}");
        }
    }

    #[test]
    fn the_sizes_of_a_row_fit_each_other() {
        for algorithm in Algorithm::ALL {
            let row = algorithm.row();
            assert!(algorithm.takes_iv(algorithm.iv_len()), "{algorithm:?}");
            assert!(row.iv_lens.1 <= outboard_uapi::IV_SIZE && row.tag_len <= outboard_uapi::MAX_TAG);
            assert!(algorithm.key_lens().is_sorted() && algorithm.key_lens().count() > 0, "{algorithm:?}");
            assert!(!algorithm.has_tags() || row.split == Split::Never, "{algorithm:?}");
        }
    }

    #[test]
    fn no_number_is_used_twice() {
        for one in &CIPHER_ROWS {
            let same = |other: &&CipherRow| {
                other.uapi_number == one.uapi_number || other.cryptodev_number == one.cryptodev_number
            };
            assert_eq!(CIPHER_ROWS.iter().filter(same).count(), 1, "{}", one.kernel_name);
        }
    }
}
