//! The server's side of vfio-user, the protocol by which QEMU uses a PCI device that another process
//! implements. Source: QEMU, docs/interop/vfio-user.rst.

mod config;
mod interrupts;
mod memory;
mod payload;
mod server;
#[cfg(test)]
mod server_tests;
mod socket;

pub use interrupts::Signal;
pub use memory::Memory;
#[cfg(test)]
use server::Server;
pub use server::serve;

use std::time::Instant;

/// How the device reaches the machine's interrupt controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wiring {
    /// INTA, a level.
    Pin,
    /// One message-signalled interrupt.
    Message,
    /// Several lines of a platform device. A PCI device has one pin only, so that these are written
    /// to the doorbell of the machine's GICv2m frame, from this interrupt number on.
    Doorbell(u32),
}

/// What the configuration space and the regions of a device contain.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// Vendor and device number.
    pub id: (u16, u16),
    /// Base class, subclass and programming interface.
    pub class: u32,
    /// The size of each base address register's region, 0 for none.
    pub bars: [u32; 6],
    /// The kind of interrupt.
    pub wiring: Wiring,
}

/// A device on the bus. A register access is complete before the next one begins.
pub trait Device {
    /// Constant for the life of the device.
    fn identity(&self) -> Identity;
    /// Fills `data` from the region of a base address register. The range is within the region.
    fn read(&mut self, bar: usize, at: usize, data: &mut [u8]);
    /// Writes to a region. The range is within the region.
    fn write(&mut self, bar: usize, at: usize, data: &[u8], memory: &Memory);
    /// The level of the pin, and the edges since the last call.
    fn signal(&mut self) -> Signal;
    /// When `tick` is to be called, if at all.
    fn deadline(&self) -> Option<Instant>;
    /// Continues what takes time.
    fn tick(&mut self, memory: &Memory);
    /// The state after power-on.
    fn reset(&mut self);
}
