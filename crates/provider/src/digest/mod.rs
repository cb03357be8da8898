//! Digest contexts.
//!
//! An accelerator's state of a message lies in the kernel, and is lost with the driver: when a device is unplugged, or does not
//! answer, in the middle of a message, only somebody who still has the message can give its digest. So a message is
//! gathered in memory and handed to the driver as a whole, when its end is known; until then it is nowhere else. What fails is
//! hashed by software from the same memory. Copies of a context and children of a fork have copies of that memory, so
//! their states are independent whatever the accelerator does.
//!
//! What is longer than [`gathered::MOST`] is for software.
//!
//! - `kind`: which digests there are
//! - `offer`: which are offered
//! - `context`: what a context holds, its message from the first byte to the digest
//! - `gathered`: the message in memory
//! - `driven`: the driver, its sessions, one message through it
//! - `params`: what can be asked and set
//! - `software`: the default provider's digests

mod context;
mod driven;
mod gathered;
mod kind;
mod offer;
mod params;
mod software;

pub(crate) use offer::DigestOffer;
