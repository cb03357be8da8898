//! Tables of what outboard supports: the algorithms, with their names, numbers and sizes in each
//! interface; the accelerators, with their drivers, modules, devices and boards.
//!
//! A fact is written here once; the other crates derive theirs from it. The crate holds data and
//! lookups only: it reads no file and makes no system call.

mod algorithm;
pub mod boards;
mod chips;
mod cipher_rows;
mod ciphers;
pub mod devices;
pub mod families;
mod family;
mod hash_rows;
mod hashes;
pub mod instructions;
mod names;
mod openssl;
pub mod search;
pub mod shown;
mod texts;

pub use algorithm::Direction;
pub use cipher_rows::{Algorithm, Split};
pub use ciphers::{CIPHER_NAMES, CIPHERS, OpenSslCipher};
pub use hash_rows::Hash;
pub use hashes::{DIGEST_NAMES, HMAC_NAMES, HashAlgorithm};
pub use openssl::kernel_name;
