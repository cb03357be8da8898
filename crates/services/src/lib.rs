//! Configuration files that make a service use outboard.
//!
//! Currently this is OpenSSL's own configuration: [`conf`] reads it as OpenSSL does, and
//! [`openssl`] composes one that keeps the existing settings and adds outboard.

pub mod conf;
pub mod openssl;
