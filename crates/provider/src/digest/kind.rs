//! The supported digests.

use std::ffi::CStr;

use outboard_abi::Dispatch;
use outboard_accel::Hash;

use super::{context, params};
use crate::contexts::{duplicate, free};

/// Constant properties of a digest that can be offered.
pub(crate) struct Kind {
    /// OpenSSL's primary name.
    pub(crate) name: &'static str,
    /// Name of its HMAC in outboard. OpenSSL has no separate names for HMACs.
    pub(crate) hmac: &'static str,
    /// All names in OpenSSL, as the default provider lists them.
    pub(crate) names: &'static CStr,
    /// The hash that a driver must implement.
    pub(crate) hash: Hash,
    /// This provider's functions for it.
    pub(crate) functions: &'static [Dispatch],
}

/// The functions of the digest with index `KIND` in [`KINDS`]. The core calls some functions
/// without a context, so each algorithm needs its own instance of them: hence a const parameter.
const fn functions<const KIND: usize>() -> [Dispatch; 12] {
    [
        Dispatch::digest_newctx(context::newctx::<KIND>),
        Dispatch::digest_freectx(free::<context::Context>),
        Dispatch::digest_dupctx(duplicate::<context::Context>),
        Dispatch::digest_init(context::init),
        Dispatch::digest_update(context::update),
        Dispatch::digest_final(context::finish),
        Dispatch::digest_get_params(params::get_params::<KIND>),
        Dispatch::digest_gettable_params(params::gettable_params),
        // Only SHA-1 has settable parameters, so the table of the others ends here.
        if KIND == 0 { Dispatch::digest_set_ctx_params(params::set_ctx_params) } else { Dispatch::END },
        Dispatch::digest_settable_ctx_params(params::settable_ctx_params),
        Dispatch::END,
        Dispatch::END,
    ]
}

struct Functions<const KIND: usize>;

impl<const KIND: usize> Functions<KIND> {
    const TABLE: [Dispatch; 12] = functions::<KIND>();
}

/// The digest with this index in the catalog, with its functions.
const fn kind<const KIND: usize>() -> Kind {
    let hash = Hash::ALL[KIND];
    let (name, hmac, names) = (hash.openssl_name(), hash.hmac_name(), hash.openssl_names());
    Kind { name, hmac, names, hash, functions: &Functions::<KIND>::TABLE }
}

/// Every digest of the catalog, at the same index.
pub(crate) static KINDS: [Kind; Hash::ALL.len()] =
    [kind::<0>(), kind::<1>(), kind::<2>(), kind::<3>(), kind::<4>()];

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_abi as abi;
    use outboard_abi::{Param, name};

    #[test]
    fn each_kind_is_at_its_place_of_the_catalog() {
        assert!(KINDS.iter().map(|kind| kind.name).eq(outboard_catalog::DIGEST_NAMES));
    }

    #[test]
    fn the_tables_are_in_their_places() {
        for kind in &KINDS {
            let mut size = 0;
            let mut params = [Param::construct_size_t(name::DIGEST_SIZE, &mut size), abi::end()];
            // SAFETY: the table's function with that number has this type; the array ends with the
            // end row.
            unsafe {
                let found =
                    abi::find(kind.functions.as_ptr(), abi::DIGEST_GET_PARAMS).expect("in every table");
                let get_params = std::mem::transmute::<abi::Function, abi::CipherGetParams>(found);
                assert_eq!(get_params(params.as_mut_ptr()), 1);
                let settable = abi::find(kind.functions.as_ptr(), abi::DIGEST_SET_CTX_PARAMS).is_some();
                assert_eq!(settable, kind.hash == Hash::Sha1);
            }
            assert_eq!(size, kind.hash.digest_len(), "{}", kind.name);
        }
    }
}
