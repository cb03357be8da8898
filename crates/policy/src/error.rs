//! Errors in values of the configuration.

/// Describes an invalid value and the valid values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A key that outboard does not have.
    #[error("outboard has no key \"{0}\"")]
    UnknownKey(String),
    /// A list without a single entry.
    #[error("the list is empty: write ALL, NONE or names separated by commas")]
    EmptyList,
    /// ALL or NONE among other names.
    #[error("\"{0}\" stands alone or not at all")]
    NotAlone(String),
    /// A name that outboard does not support.
    #[error("\"{name}\" is none of {known}")]
    UnknownAlgorithm {
        /// The name in the list.
        name: String,
        /// The valid names.
        known: String,
    },
    /// Single DES, which outboard does not offer.
    #[error(
        "\"{0}\" is single DES, whose keys were found by trial within a day in 1999: outboard does not offer it; name \
         DES-EDE3-CBC, or better an AES"
    )]
    SingleDes(String),
    /// MD5, which outboard does not offer.
    #[error(
        "\"{0}\" is not offered: collisions of MD5 are made in seconds, and /dev/outboard has no number for it; OpenSSL's own \
         code goes on doing it; name SHA2-256"
    )]
    Md5(String),
    /// HMAC, which outboard does not offer.
    #[error("\"{0}\" is not offered: HMAC is left to OpenSSL's own code; name a digest, such as SHA2-256")]
    Hmac(String),
    /// USE_SOFTDRIVERS outside the range 0 to 2.
    #[error(
        "\"{0}\" is not 0 (accelerators only), 1 (all drivers) or 2 (all but those known to be software)"
    )]
    SoftDrivers(String),
    /// PADLOCK that is neither ON nor OFF.
    #[error("\"{0}\" is not ON or OFF")]
    Padlock(String),
    /// An entry of THRESHOLDS that is not NAME:BYTES.
    #[error("\"{0}\" is not NAME:BYTES, such as AES-128-CBC:4096")]
    Threshold(String),
    /// A number of bytes that is not a number or is out of range.
    #[error("\"{0}\" is not a number of bytes from 0 to 4294967295")]
    Bytes(String),
    /// POLICY that is not an absolute path.
    #[error("\"{0}\" is neither NONE nor an absolute path")]
    PolicyFile(String),
    /// PROGRAMS that is not an absolute path.
    #[error("\"{0}\" is neither ALL nor the absolute path of a directory")]
    Programs(String),
    /// HWRNG_ENTROPY that is not a number or is out of range.
    #[error("\"{0}\" is not a number of bits of entropy per byte from 0.50 to 8.00")]
    MinEntropy(String),
    /// SHADOW_CHECKS that is not a number.
    #[error("\"{0}\" is not a number: write 64 for one result in 64, 0 for none but the first")]
    ShadowChecks(String),
    /// LOOKAHEAD that is not AUTO, ON or OFF.
    #[error("\"{0}\" is not AUTO, ON or OFF")]
    Lookahead(String),
    /// A name that no kernel driver can have.
    #[error("\"{0}\" cannot be a kernel driver's name: /proc/crypto shows them")]
    DriverName(String),
}
