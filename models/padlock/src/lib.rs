//! VIA PadLock as a plugin of QEMU: the instructions, and their leaves of CPUID.
//!
//! Source: VIA PadLock Programming Guide (2005). What the units compute comes from RustCrypto. Not
//! modelled: time, errata, PadLock Montgomery multiplier, and the key that a unit keeps between two
//! instructions: here each instruction loads its key, and `stale` counts those for which the unit
//! would have used the key of another one.

pub mod cpuid;
pub mod crypt;
pub mod hash;
pub mod memory;
#[cfg(feature = "plugin")]
mod plugin;
#[cfg(feature = "plugin")]
mod qemu;
#[cfg(test)]
mod tests;
