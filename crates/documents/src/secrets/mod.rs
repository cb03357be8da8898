//! Removes secrets, and what identifies a machine, from what is shown to others: command lines,
//! openssl.cnf, and other text. Used for proofs, reports, bundles and lines of logs.
//!
//! Command lines and configurations have allow-lists: a word is shown if its form says what it is,
//! and everything else is replaced by `REMOVED:` and its length class. Other text ([`text`]) comes
//! from known files, of which only what is recognised is replaced. All functions work on bytes, so
//! that no encoding changes what is removed, and change nothing in their own output.

mod command;
mod configuration;
mod names;
#[cfg(any(test, feature = "testing"))]
pub mod planted;
mod script;
mod text;

pub use command::command;
pub use configuration::{Configured, configuration, digests, name, path};
pub use text::text;

/// The beginning of each replacement.
const REMOVED: &str = "REMOVED";

/// What replaces a text: the class of its length may tell a PIN from a key.
fn removed(len: usize) -> String {
    let class = match len {
        0..8 => "1-7",
        8..16 => "8-15",
        16..32 => "16-31",
        32..64 => "32-63",
        64..128 => "64-127",
        _ => "128+",
    };
    format!("{REMOVED}:{class}")
}

/// Whether a word is a replacement.
fn is_removed(word: &str) -> bool {
    word == REMOVED || [1, 8, 16, 32, 64, 128].iter().any(|len| word == removed(*len))
}

#[cfg(test)]
mod tests;
