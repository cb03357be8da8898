//! The kernel's crypto drivers: what /proc/crypto and NETLINK_CRYPTO list, which of them are
//! accelerators and why, and which routes lead to them.

pub mod allow_list;
pub mod evidence;
pub mod find;
pub mod flags;
pub mod interrupts;
pub mod judge;
pub mod kernel;
pub mod module;
pub mod netlink;
pub mod padlock;
pub mod permission;
pub mod preference;
pub mod proc_crypto;
pub mod reach;
pub mod root;
pub mod template;

pub use find::{Judged, find_drivers, survey};
