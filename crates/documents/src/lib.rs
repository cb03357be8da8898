//! The JSON documents that commands write with `--json` and reports read: one definition for both.
//!
//! Each document has a schema with a version (docs/versioning.md): fields are only added. Fields of
//! later versions are ignored when read, and fields that earlier versions lack have a default.

pub mod check;
pub mod decision;
pub mod live;
mod measured;
pub mod named;
mod progress;
pub mod prove;
pub mod secrets;
pub mod shell;
pub mod software;
pub mod status;
mod time;
pub mod tune;

pub use measured::{Figure, Goal, LONGEST_WALL_TIME, Machine, SpeedVerdict};
pub use progress::{Progress, print_steps};
pub use time::now;

use outboard_console::{is_stream, is_unprintable};
use serde::Serialize;

pub trait Document: Serialize {
    /// The value of the field `schema`, such as `outboard-check/1`.
    const SCHEMA: &'static str;
}

/// Implements [`Document`] for types.
#[macro_export]
macro_rules! schemas {
    ($($document:path: $schema:literal,)*) => {
        $(impl $crate::Document for $document {
            const SCHEMA: &'static str = $schema;
        })*
    };
}

schemas! {
    check::Check: "outboard-check/1",
    live::Live: "outboard-live/1",
    progress::Progress: "outboard-progress/1",
    prove::Prove: "outboard-prove/1",
    status::Status: "outboard-status/1",
    tune::Tune: "outboard-tune/1",
}

/// Formats a document as JSON with its schema first, and a line feed at the end: indented, or one line
/// of a stream.
pub fn json<D: Document>(document: &D) -> serde_json::Result<String> {
    pretty(&WithSchema { schema: D::SCHEMA, document })
}

pub fn json_line<D: Document>(document: &D) -> serde_json::Result<String> {
    line(&WithSchema { schema: D::SCHEMA, document })
}

#[derive(Serialize)]
struct WithSchema<'a, D> {
    schema: &'static str,
    #[serde(flatten)]
    document: &'a D,
}

/// Formats JSON for a file or a terminal: what a terminal would act on is escaped.
pub fn pretty(value: &impl Serialize) -> serde_json::Result<String> {
    if is_stream() { line(value) } else { Ok(escaped(serde_json::to_string_pretty(value)? + "\n")) }
}

pub fn line(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(escaped(serde_json::to_string(value)? + "\n"))
}

fn escaped(text: String) -> String {
    let is_escaped = |c: char| is_unprintable(c) && c != '\n';
    if !text.contains(is_escaped) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        // All of them have one UTF-16 unit.
        let code = u32::from(c);
        if is_escaped(c) { escaped += &format!("\\u{code:04x}") } else { escaped.push(c) }
    }
    escaped
}
