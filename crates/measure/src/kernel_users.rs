//! dm-crypt and IPsec with one driver of the kernel after another. From Linux 7.2 on only these
//! themselves reach the kernel's software, so they are measured through themselves: an encrypted disk
//! in memory, and ESP between two network namespaces. Needs root.
//!
//! - [`disk`], [`ipsec`]: the figures of contestants, interleaved
//! - [`chosen`]: the drivers that the kernel selects, and the best software
//! - [`cleaner`]: removes what is left in the kernel, even if this process is killed
//! - [`cipher`], [`mapping`], [`loopback`], [`contents`]: dm-crypt
//! - [`esp`], [`network`], [`namespace`]: IPsec; [`packets`] checks a driver with it
//! - [`keys`]: random keys, and their text

pub mod chosen;
pub mod cipher;
pub mod cleaner;
pub mod contents;
pub mod disk;
pub mod esp;
mod figures;
pub mod ipsec;
pub mod keys;
pub mod loopback;
pub mod mapping;
pub mod namespace;
pub mod network;
pub mod packets;

use std::process::{Command, Stdio};

pub use figures::{Contestant, KernelFigure};

pub fn load_module(name: &str) {
    let mut command = Command::new("modprobe");
    command.args(["-q", name]).stdin(Stdio::null()).stderr(Stdio::null());
    let _ = command.status();
}
