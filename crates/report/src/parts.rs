//! The documents that other commands write with `--json`, as far as a report uses them. Fields of
//! later versions are ignored; fields that earlier versions of the same schema lack have a default.

pub mod bench;
pub mod check;
pub mod prove;
pub mod rng;
pub mod status;
pub mod tune;
