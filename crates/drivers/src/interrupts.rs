//! /proc/interrupts, parsed tolerantly, and the lines that belong to the devices of accelerators.
//! The format is that of `show_interrupts` in the kernel's kernel/irq/proc.c; every architecture
//! appends lines of its own.

mod parse;
mod snapshot;

pub use parse::{Line, parse};
pub use snapshot::{DeviceInterrupts, Difference, Snapshot, accelerator_interrupts, lines_of, snapshot_of};
