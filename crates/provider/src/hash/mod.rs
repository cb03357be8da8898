//! What digests and HMACs have in common.
//!
//! An accelerator's state of a message lies in the kernel, and is lost with the driver: when a device is unplugged, or does not
//! answer, in the middle of a message, only somebody who still has the message can give its digest. So a message is
//! gathered in memory and handed to the driver as a whole, when its end is known; until then it is nowhere else. What fails is
//! hashed by software from the same memory. Copies of a context and children of a fork have copies of that memory, so
//! their states are independent whatever the accelerator does.
//!
//! What is longer than [`gathered::MOST`] is for software.
//!
//! - `gathered`: the memory
//! - `driven`: the driver, its sessions, one message through it
//! - `find`: the drivers for some algorithms

pub(crate) mod driven;
pub(crate) mod find;
pub(crate) mod gathered;
