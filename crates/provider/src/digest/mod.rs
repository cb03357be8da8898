//! Digest contexts.
//!
//! - `kind`: which digests there are
//! - `offer`: which are offered
//! - `context`: what a context holds, its message from the first byte to the digest
//! - `params`: what can be asked and set
//! - `software`: the default provider's digests
//!
//! How a message gets to the driver, and why as a whole: see `hash`.

mod context;
mod kind;
mod offer;
mod params;
mod software;

pub(crate) use offer::DigestOffer;
