//! What the other commands write with `--json`, as far as a report says it. Fields that a later version adds are ignored; those
//! that an earlier version of the same schema did not have have a default.

pub mod bench;
pub mod check;
pub mod prove;
pub mod status;
pub mod tune;
