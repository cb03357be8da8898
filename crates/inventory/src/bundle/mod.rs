//! Bundles: the files of a machine that `outboard status` reads, in one archive.

mod files;
mod pack;
mod recording;
mod scrub;
mod source;
mod unpack;

pub use files::{Files, Item};
pub use pack::{LARGEST_ARCHIVE, Packed, pack};
pub use recording::Recording;
pub use scrub::scrub;
pub use source::{Source, Unreadable, open, root_of_text};
pub use unpack::{Unfit, unpack};
