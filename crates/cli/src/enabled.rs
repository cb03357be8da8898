//! OpenSSL with outboard enabled for one run: the provider, its settings, and a temporary
//! configuration.

pub mod module;
mod scratch;
mod settings;
pub mod system;

pub use scratch::Scratch;
pub use settings::Settings;
