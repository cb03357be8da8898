//! Formats results for readers.
//!
//! [`status`] and [`verbose`] format `outboard status`. [`Pages`] formats a report, the document that
//! `outboard report` creates from the JSON of all commands: each question has a file in `sections`,
//! which answers it in [`page::Section`]s. [`compare`] creates them from two reports.

mod changes;
mod compare;
mod html;
mod layout;
mod markdown;
mod page;
mod picture;
mod plot;
mod report;
mod sections;
mod status;
mod svg;

pub use compare::{Comparison, compare};
pub use layout::Style;
pub use page::{amount, percent};
pub use report::Pages;
pub use status::{reach, status, verbose};
