//! One result format rendered for people.

mod layout;
mod status;

pub use layout::Style;
pub use status::{status, verbose};
