//! Removes secrets, and what identifies a machine, from what is shown to others: command lines,
//! openssl.cnf, and other text. Used for proofs, reports, bundles and lines of logs.
//!
//! Command lines and configurations have allow-lists: a word is shown if its form says what it is,
//! and everything else is replaced by `REMOVED:` and its length class. Other text ([`text`]) comes
//! from known files, of which only what is recognised is replaced. All functions work on bytes, so
//! that no encoding changes what is removed, and change nothing in their own output.

mod command;
mod configuration;
mod script;
mod text;

use outboard_catalog::shown::length_class;

pub use command::command;
pub use configuration::{Configured, configuration, digests, name, path};
pub use text::text;

const REMOVED: &str = "REMOVED";

fn removed(len: usize) -> String {
    format!("{REMOVED}:{}", length_class(len))
}

fn is_removed(word: &str) -> bool {
    word == REMOVED || [1, 8, 16, 32, 64, 128].iter().any(|len| word == removed(*len))
}

#[cfg(test)]
mod tests;
