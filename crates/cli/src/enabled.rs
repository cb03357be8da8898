//! OpenSSL with outboard enabled for one run: its provider, its settings, and a configuration that goes away afterwards.

pub mod module;
mod scratch;
mod settings;
pub mod system;

pub use scratch::Scratch;
pub use settings::Settings;
