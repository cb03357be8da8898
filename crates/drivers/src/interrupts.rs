//! /proc/interrupts, read tolerantly, and which of its lines belong to an accelerator's devices. The format is that of
//! `show_interrupts` in the kernel's kernel/irq/proc.c; every architecture adds lines of its own at the end.

mod parse;
mod snapshot;

pub use parse::{Line, parse};
pub use snapshot::{DeviceInterrupts, Difference, Snapshot, accelerator_interrupts, lines_of, snapshot_of};
