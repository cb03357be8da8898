//! Digest contexts, each with its own message (`message`).
//!
//! - `kind`: the supported digests
//! - `offer`: which digests and HMACs are offered
//! - `context`: state of a context
//! - `params`: gettable and settable parameters
//! - `software`: the default provider's digests

mod context;
mod kind;
mod offer;
mod params;
mod software;

pub(crate) use offer::{DigestOffer, may_be_ours};
