//! The dispatch tables. The core calls some functions without a context: hence const parameters.

use outboard_abi::Dispatch;

use crate::kinds::{KINDS, Mode};
use crate::{aead, cipher, digest};

struct Functions<const KIND: usize>;

impl<const KIND: usize> Functions<KIND> {
    const CIPHER: [Dispatch; 15] = cipher::functions::<KIND>();
    const AEAD: [Dispatch; 15] = aead::functions::<KIND>();
    const DIGEST: [Dispatch; 12] = digest::functions::<KIND>();
}

const fn cipher<const KIND: usize>() -> &'static [Dispatch] {
    let mode = Mode::of(outboard_catalog::CIPHERS[KIND].algorithm);
    if mode.is_aead() { &Functions::<KIND>::AEAD } else { &Functions::<KIND>::CIPHER }
}

const fn digest<const KIND: usize>() -> &'static [Dispatch] {
    &Functions::<KIND>::DIGEST
}

#[rustfmt::skip]
pub(crate) static CIPHERS: [&[Dispatch]; KINDS.len()] = [
    cipher::<0>(), cipher::<1>(), cipher::<2>(), cipher::<3>(), cipher::<4>(), cipher::<5>(), cipher::<6>(),
    cipher::<7>(), cipher::<8>(), cipher::<9>(), cipher::<10>(), cipher::<11>(), cipher::<12>(), cipher::<13>(),
    cipher::<14>(), cipher::<15>(), cipher::<16>(), cipher::<17>(),
];

pub(crate) static DIGESTS: [&[Dispatch]; digest::kind::KINDS.len()] =
    [digest::<0>(), digest::<1>(), digest::<2>(), digest::<3>(), digest::<4>()];

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_abi as abi;
    use outboard_abi::{Param, name};
    use outboard_accel::Hash;

    #[test]
    fn the_tables_of_ciphers_are_in_their_places() {
        for (place, (kind, functions)) in KINDS.iter().zip(CIPHERS).enumerate() {
            let mut key_len = 0;
            let mut params = [Param::construct_size_t(name::KEYLEN, &mut key_len), abi::end()];
            // SAFETY: the table's function with that number has this type; the array ends with the
            // end row.
            unsafe {
                let found = abi::find(functions.as_ptr(), abi::CIPHER_GET_PARAMS);
                let get_params: abi::CipherGetParams = found.expect("in every table");
                assert_eq!(get_params(params.as_mut_ptr()), 1);
            }
            assert_eq!(key_len, kind.key_len, "{place}: {}", kind.name);
        }
    }

    #[test]
    fn the_tables_of_digests_are_in_their_places() {
        for (kind, functions) in digest::kind::KINDS.iter().zip(DIGESTS) {
            let mut size = 0;
            let mut params = [Param::construct_size_t(name::DIGEST_SIZE, &mut size), abi::end()];
            // SAFETY: the table's function with that number has this type; the array ends with the
            // end row.
            unsafe {
                let found = abi::find(functions.as_ptr(), abi::DIGEST_GET_PARAMS);
                let get_params: abi::CipherGetParams = found.expect("in every table");
                assert_eq!(get_params(params.as_mut_ptr()), 1);
                let settable =
                    abi::find::<abi::Function>(functions.as_ptr(), abi::DIGEST_SET_CTX_PARAMS).is_some();
                assert_eq!(settable, kind.hash == Hash::Sha1);
            }
            assert_eq!(size, kind.hash.digest_len(), "{}", kind.name);
        }
    }
}
