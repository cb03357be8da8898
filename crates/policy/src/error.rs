//! Errors in values of the configuration.

use outboard_catalog::shown::quoted;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("outboard has no key \"{0}\"")]
    UnknownKey(String),
    /// A list without a single entry.
    #[error("the list is empty: write ALL, NONE or names separated by commas")]
    EmptyList,
    #[error("{} stands alone or not at all", quoted(.0))]
    NotAlone(String),
    #[error("{} is none of {known}", quoted(.name))]
    UnknownAlgorithm { name: String, known: String },
    #[error("{} is single DES, whose keys were found by trial within a day in 1999: outboard does not offer it; name \
         DES-EDE3-CBC, or better an AES", quoted(.0))]
    SingleDes(String),
    /// MD5, which outboard does not offer.
    #[error("{} is not offered: collisions of MD5 are made in seconds, and /dev/outboard has no number for it; OpenSSL's own \
         code goes on doing it; name SHA2-256", quoted(.0))]
    Md5(String),
    #[error("{} is not offered: HMAC is left to OpenSSL's own code; name a digest, such as SHA2-256", quoted(.0))]
    Hmac(String),
    /// USE_SOFTDRIVERS outside the range 0 to 2.
    #[error("{} is not 0 (accelerators only), 1 (all drivers) or 2 (all but those known to be software)", quoted(.0))]
    SoftDrivers(String),
    #[error("{} is not ON or OFF", quoted(.0))]
    Padlock(String),
    #[error("{} is not NAME:BYTES, such as AES-128-CBC:4096", quoted(.0))]
    Threshold(String),
    /// A number of bytes that is not a number or is out of range.
    #[error("{} is not a number of bytes from 0 to 4294967295", quoted(.0))]
    Bytes(String),
    #[error("{} is neither NONE nor an absolute path", quoted(.0))]
    PolicyFile(String),
    #[error("{} is neither ALL nor the absolute path of a directory", quoted(.0))]
    Programs(String),
    #[error("{} is not a number of bits of entropy per byte from 0.50 to 8.00", quoted(.0))]
    MinEntropy(String),
    #[error("{} is not a number: write 64 for one result in 64, 0 for none but the first", quoted(.0))]
    ShadowChecks(String),
    #[error("{} is not AUTO, ON or OFF", quoted(.0))]
    Lookahead(String),
    #[error("{} cannot be a kernel driver's name: /proc/crypto shows them", quoted(.0))]
    DriverName(String),
}

impl Error {
    /// The message with the word itself, for the command line, which the caller has typed.
    #[must_use]
    pub fn on_command_line(&self) -> String {
        let word = match self {
            Error::EmptyList => return self.to_string(),
            Error::UnknownAlgorithm { name: word, .. }
            | Error::UnknownKey(word)
            | Error::NotAlone(word)
            | Error::SingleDes(word)
            | Error::Md5(word)
            | Error::Hmac(word)
            | Error::SoftDrivers(word)
            | Error::Padlock(word)
            | Error::Threshold(word)
            | Error::Bytes(word)
            | Error::PolicyFile(word)
            | Error::Programs(word)
            | Error::MinEntropy(word)
            | Error::ShadowChecks(word)
            | Error::Lookahead(word)
            | Error::DriverName(word) => word,
        };
        self.to_string().replacen(&quoted(word), &format!("{word:?}"), 1)
    }
}
