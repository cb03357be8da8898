//! The pages of `outboard report`, from the JSON of all commands: each question has a file in
//! `sections`, which answers it in [`page::Section`]s.

mod html;
mod markdown;
mod page;
mod picture;
mod plot;
mod report;
mod sections;
mod svg;

pub use report::Pages;
