//! Formats results for readers.
//!
//! [`status`] and [`verbose`] format `outboard status`. [`Report`] is the document that `outboard
//! report` creates from the JSON of all commands: each question has a file in `sections`, which
//! answers it in [`page::Section`]s; `html` and `markdown` format these sections. [`compare`]
//! creates them from two reports.

mod changes;
mod compare;
mod document;
mod html;
mod layout;
mod markdown;
mod offload_table;
mod page;
mod parts;
mod picture;
mod plot;
mod read;
mod secrets;
mod sections;
mod shell;
mod status;
mod svg;

pub use compare::{Comparison, compare};
pub use document::{Report, SCHEMA, Source};
pub use layout::Style;
pub use page::{amount, percent};
pub use parts::{bench, check};

/// What `outboard prove` writes and reports read.
pub mod prove {
    pub use crate::parts::prove::{Ahead, Algorithm, SeedWork, Work};
}

pub use read::{LARGEST, Part, Unfit, read};
pub use secrets::without_secrets;
pub use status::{reach, status, verbose};
