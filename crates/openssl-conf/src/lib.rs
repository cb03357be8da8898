//! OpenSSL's configuration: reads it as OpenSSL does, composes one that keeps the existing settings
//! and adds outboard, and finds the files of the system's OpenSSL and of the provider.

pub mod compose;
pub mod conf;
pub mod installation;
pub mod provider_file;
mod scratch;

pub use scratch::Scratch;
