//! The JSON documents that commands write with `--json` and reports read: one definition for both.
//!
//! Each document has a schema with a version (docs/versioning.md): fields are only added. Fields of
//! later versions are ignored when read, and fields that earlier versions lack have a default.

pub mod bench;
pub mod check;
pub mod choice;
pub mod config;
mod figures;
mod measured;
pub mod prove;
mod read;
mod report;
pub mod rng;
pub mod secrets;
pub mod shell;
pub mod status;
mod time;
pub mod tune;
pub mod watch;

pub use measured::{Figure, Goal, LONGEST_WALL_TIME, Machine, SpeedVerdict};
pub use read::{LARGEST, Part, Unfit, contents, read};
pub use report::{Report, Source};
pub use time::now;

use outboard_console::is_unprintable;
use serde::Serialize;

/// A document with the name of its schema.
pub trait Document: Serialize {
    /// The value of the field `schema`, such as `outboard-check/1`.
    const SCHEMA: &'static str;
}

/// Formats a document as indented JSON with its schema first, and a line feed at the end.
pub fn json<D: Document>(document: &D) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct WithSchema<'a, D> {
        schema: &'static str,
        #[serde(flatten)]
        document: &'a D,
    }
    pretty(&WithSchema { schema: D::SCHEMA, document })
}

/// Formats JSON for a file or a terminal: what a terminal would act on is escaped.
pub fn pretty(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(value)? + "\n";
    let is_escaped = |c: char| is_unprintable(c) && c != '\n';
    if !text.contains(is_escaped) {
        return Ok(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        // All of them have one UTF-16 unit.
        let code = u32::from(c);
        if is_escaped(c) { escaped += &format!("\\u{code:04x}") } else { escaped.push(c) }
    }
    Ok(escaped)
}
