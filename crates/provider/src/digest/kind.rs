//! Which digests there are.

use std::ffi::CStr;
use std::mem::transmute;

use outboard_abi as abi;
use outboard_abi::{Dispatch, Function};
use outboard_accel::Hash;

use super::{context, params};
use crate::contexts::free;

/// What is fixed about a digest that we can offer.
pub(crate) struct Kind {
    /// OpenSSL's first name for it.
    pub(crate) name: &'static str,
    /// What its HMAC is called, which has no name of its own in OpenSSL.
    pub(crate) hmac: &'static str,
    /// All of OpenSSL's names for it, as the default provider lists them.
    pub(crate) names: &'static CStr,
    /// What a driver must do for it.
    pub(crate) hash: Hash,
    /// Our functions for it.
    pub(crate) functions: &'static [Dispatch],
}

/// The functions of a kind by its place in [`KINDS`]. Those that the core calls without a context have to know their
/// algorithm from their address alone, hence a constant.
const fn functions<const KIND: usize>() -> [Dispatch; 12] {
    // SAFETY: each function has the type that core_dispatch.h gives to the number beside it; the core casts it back to that
    // type.
    unsafe {
        [
            Dispatch::new(
                abi::DIGEST_NEWCTX,
                transmute::<abi::CipherNewctx, Function>(context::newctx::<KIND>),
            ),
            Dispatch::new(
                abi::DIGEST_FREECTX,
                transmute::<abi::CipherFreectx, Function>(free::<context::Context>),
            ),
            Dispatch::new(abi::DIGEST_DUPCTX, transmute::<abi::CipherDupctx, Function>(context::dupctx)),
            Dispatch::new(abi::DIGEST_INIT, transmute::<abi::DigestInit, Function>(context::init)),
            Dispatch::new(abi::DIGEST_UPDATE, transmute::<abi::DigestUpdate, Function>(context::update)),
            Dispatch::new(abi::DIGEST_FINAL, transmute::<abi::DigestFinal, Function>(context::finish)),
            Dispatch::new(
                abi::DIGEST_GET_PARAMS,
                transmute::<abi::CipherGetParams, Function>(params::get_params::<KIND>),
            ),
            Dispatch::new(
                abi::DIGEST_GETTABLE_PARAMS,
                transmute::<abi::GettableParams, Function>(params::gettable_params),
            ),
            // Of these SHA-1 alone has parameters to set, so for the others the table ends here.
            if KIND == 0 {
                Dispatch::new(
                    abi::DIGEST_SET_CTX_PARAMS,
                    transmute::<abi::CipherSetCtxParams, Function>(params::set_ctx_params),
                )
            } else {
                Dispatch::END
            },
            Dispatch::new(
                abi::DIGEST_SETTABLE_CTX_PARAMS,
                transmute::<abi::CipherCtxParamList, Function>(params::settable_ctx_params),
            ),
            Dispatch::END,
            Dispatch::END,
        ]
    }
}

struct Functions<const KIND: usize>;

impl<const KIND: usize> Functions<KIND> {
    const TABLE: [Dispatch; 12] = functions::<KIND>();
}

const fn kind<const KIND: usize>(
    name: &'static str,
    hmac: &'static str,
    names: &'static CStr,
    hash: Hash,
) -> Kind {
    Kind { name, hmac, names, hash, functions: &Functions::<KIND>::TABLE }
}

/// Every digest.
#[rustfmt::skip]
pub(crate) static KINDS: [Kind; 5] = [
    kind::<0>("SHA1", "HMAC-SHA1", c"SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26", Hash::Sha1),
    kind::<1>("SHA2-224", "HMAC-SHA2-224", c"SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4", Hash::Sha224),
    kind::<2>("SHA2-256", "HMAC-SHA2-256", c"SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1", Hash::Sha256),
    kind::<3>("SHA2-384", "HMAC-SHA2-384", c"SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2", Hash::Sha384),
    kind::<4>("SHA2-512", "HMAC-SHA2-512", c"SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3", Hash::Sha512),
];

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_abi::{Param, name};

    #[test]
    fn each_digest_can_be_named_in_the_configuration_and_each_name_is_a_digest() {
        assert!(KINDS.iter().map(|kind| kind.name).eq(outboard_policy::DIGESTS));
    }

    #[test]
    fn the_tables_are_in_their_places() {
        for kind in &KINDS {
            let mut size = 0;
            let mut params = [Param::give_size(name::DIGEST_SIZE, &mut size), abi::end()];
            // SAFETY: the table's function of that number has this type; the array ends as it must.
            unsafe {
                let found =
                    abi::find(kind.functions.as_ptr(), abi::DIGEST_GET_PARAMS).expect("in every table");
                let get_params = std::mem::transmute::<abi::Function, abi::CipherGetParams>(found);
                assert_eq!(get_params(params.as_mut_ptr()), 1);
                let settable = abi::find(kind.functions.as_ptr(), abi::DIGEST_SET_CTX_PARAMS).is_some();
                assert_eq!(settable, kind.hash == Hash::Sha1);
            }
            assert_eq!(size, kind.hash.digest_len(), "{}", kind.name);
            assert!(kind.names.to_str().is_ok_and(|names| names.split(':').next() == Some(kind.name)));
        }
    }
}
