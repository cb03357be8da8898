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
/// The directory of a bundle with the files of a trial (packaging/kit/try).
pub const TRIAL: &str = "trial";

pub use unpack::{Unfit, unpack};
