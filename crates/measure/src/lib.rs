//! How figures are made, so that all that outboard measures is measured the same way.
//!
//! - [`statistics`]: medians, how far samples lie from them, and which lie too far
//! - [`turns`]: several contestants in turns, with interrupts and the CPU time of the whole system beside each
//! - [`crossover`]: from which size on one of two wins
//! - [`goal`]: what winning means
//! - [`figure`]: what a request costs
//! - [`meter`], [`cpu`], [`interrupts`], [`behind`]: what a run cost, and whose devices are at work
//! - [`evidence`]: whether hardware did the work
//! - [`clock`], [`machine`], [`noise`], [`stop`]: the clock, the machine, how quiet it is, and ^C
//! - [`tcrypt`]: the kernel's own benchmark
//! - [`evp`]: requests to OpenSSL, as applications make them

pub mod behind;
pub mod clock;
pub mod cpu;
pub mod crossover;
pub mod evidence;
pub mod evp;
pub mod figure;
pub mod goal;
pub mod interrupts;
pub mod machine;
pub mod meter;
pub mod noise;
pub mod statistics;
pub mod stop;
pub mod tcrypt;
pub mod turns;
