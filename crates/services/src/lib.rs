//! What to write so that a service uses outboard.
//!
//! So far that is OpenSSL's own configuration: [`conf`] reads it as OpenSSL does, [`openssl`] composes one that
//! keeps all that is there and adds outboard.

pub mod conf;
pub mod openssl;
