//! Configuration files that make a service use outboard.
//!
//! [`conf`] reads OpenSSL's own configuration as OpenSSL does, [`openssl`] composes one that keeps
//! the existing settings and adds outboard, and [`enable`] plans, applies and undoes the files that
//! make a service use it.

pub mod conf;
pub mod enable;
pub mod openssl;
