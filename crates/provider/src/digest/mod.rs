//! Digest contexts, each with a message of its own (`message`).
//!
//! - `kind`: which digests there are
//! - `offer`: which are offered, and which of their HMACs
//! - `context`: what a context holds
//! - `params`: what can be asked and set
//! - `software`: the default provider's digests

mod context;
mod kind;
mod offer;
mod params;
mod software;

pub(crate) use offer::{DigestOffer, may_be_ours};
