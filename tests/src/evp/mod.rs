//! The part of OpenSSL's EVP interface that the tests use, from the libcrypto of the machine.
//!
//! libcrypto is opened at run time, so one test executable serves OpenSSL 3.0, 3.5 and 4.0. The
//! structures are declared here a second time, apart from `outboard-abi`, so that a mistake there
//! is not repeated in its test.

mod aead;
mod cipher;
mod context;
mod digest;
mod errors;
mod job;
mod key_object;
mod library;
mod library_context;
mod mac;
mod params;
mod random;

pub use cipher::Cipher;
pub use context::{Context, Direction, Outcome};
pub use digest::{Digest, DigestContext};
pub use errors::{Entry, clear, drain, text};
pub use job::{Job, run_to_their_end, without_pauses};
pub use key_object::{KeyObject, lacks_key_objects};
pub use library::{file, major_version, modules_dir, version};
pub use library_context::{LibraryContext, Provider, cleanup};
pub use mac::{Hmac, HmacContext};
pub use params::TlsRecords;
pub use random::{Random, RandomState, random_bytes, reseed};
