//! Measures requests, with one method for all commands of outboard.
//!
//! - [`statistics`]: medians, the deviation of samples, and outliers
//! - [`turns`]: several contestants interleaved, with interrupts and the CPU time of the whole
//!   system for each
//! - [`crossover`]: the size from which on one of two contestants wins
//! - [`goal`]: the criterion for winning
//! - [`figure`]: the cost of a request, rounded for output
//! - [`meter`], [`cpu`], [`interrupts`], [`behind`]: the cost of a run, and the devices behind a
//!   driver
//! - [`evidence`]: whether hardware did the work
//! - [`clock`], [`machine`], [`noise`], [`stop`]: the clock, the machine, its noise, and
//!   interruption
//! - [`evp`]: requests to OpenSSL through its API, as applications make them
//! - [`openssl_pair`]: OpenSSL with the provider and without it, in one process
//! - [`in_flight`]: requests to a driver, with a number of them in flight
//! - [`kernel_users`]: dm-crypt and IPsec with one driver of the kernel after another
//! - [`Measuring`]: one measurement of a user at a time
//! - [`umac`]: the MAC that OpenSSH prefers and OpenSSL does not have

pub mod clock;
pub mod cpu;
pub mod crossover;
pub mod driver_devices;
pub mod evidence;
pub mod evp;
pub mod figure;
pub mod goal;
pub mod interrupts;
pub mod kernel_users;
pub mod machine;
mod measuring;
pub mod meter;
pub mod noise;
pub mod openssl_pair;
pub mod statistics;
pub mod stop;
pub mod turns;
pub mod umac;

pub use measuring::Measuring;
