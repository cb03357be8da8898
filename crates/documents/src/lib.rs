//! The JSON documents that commands write with `--json` and reports read: one definition for both.
//!
//! Each document has a schema with a version (docs/versioning.md): fields are only added. Fields of
//! later versions are ignored when read, and fields that earlier versions lack have a default.

pub mod bench;
pub mod check;
pub mod config;
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

pub use measured::{Figure, Goal, Machine, SpeedVerdict};
pub use read::{LARGEST, Part, Unfit, read};
pub use report::{Report, Source};
pub use time::now;

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
    Ok(serde_json::to_string_pretty(&WithSchema { schema: D::SCHEMA, document })? + "\n")
}
