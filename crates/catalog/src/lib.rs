//! Tables of what outboard supports: the algorithms, with their names, numbers and sizes in each interface.
//!
//! A fact about an algorithm is written here once; the other crates derive theirs from it. The crate holds data and lookups
//! only: it reads no file and makes no system call.

mod algorithm;
mod cipher_rows;
mod ciphers;
mod hash_rows;
mod hashes;
mod openssl;

pub use algorithm::{Algorithm, Direction, Split};
pub use ciphers::{CIPHER_NAMES, CIPHERS, OpenSslCipher};
pub use hashes::{DIGEST_NAMES, HMAC_NAMES, Hash, HashAlgorithm};
pub use openssl::{default_threshold, kernel_name};
