//! The atomics of protocols without locks: those of std. The unit tests of a build with `--cfg loom`
//! (scripts/verify) have loom's, which explore all interleavings of a test's threads.

#[cfg(not(all(test, loom)))]
pub(crate) use std::{hint::spin_loop, sync::atomic::*};

#[cfg(all(test, loom))]
pub(crate) use explored::*;

#[cfg(all(test, loom))]
pub(crate) mod explored;
