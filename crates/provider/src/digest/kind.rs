use std::ffi::CStr;

use outboard_accel::Hash;

pub(crate) struct Kind {
    /// OpenSSL's primary name.
    pub(crate) name: &'static str,
    /// Name of its HMAC in outboard. OpenSSL has no separate names for HMACs.
    pub(crate) hmac: &'static str,
    /// All names in OpenSSL, as the default provider lists them.
    pub(crate) names: &'static CStr,
    pub(crate) hash: Hash,
}

const fn kind<const KIND: usize>() -> Kind {
    let hash = Hash::ALL[KIND];
    let (name, hmac, names) = (hash.openssl_name(), hash.hmac_name(), hash.openssl_names());
    Kind { name, hmac, names, hash }
}

/// Every digest of the catalog, at the same index.
pub(crate) static KINDS: [Kind; Hash::ALL.len()] =
    [kind::<0>(), kind::<1>(), kind::<2>(), kind::<3>(), kind::<4>()];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_at_its_place_of_the_catalog() {
        assert!(KINDS.iter().map(|kind| kind.name).eq(outboard_catalog::DIGEST_NAMES));
    }
}
