//! Configuration files that make a service use outboard.
//!
//! [`conf`] reads OpenSSL's own configuration as OpenSSL does, [`openssl`] composes one that keeps
//! the existing settings and adds outboard, and [`enable`] plans, applies and undoes the files that
//! make a service use it. [`suites`] reads which ciphers a service is configured to negotiate.

pub mod conf;
pub mod enable;
pub mod openssl;
pub mod suites;
