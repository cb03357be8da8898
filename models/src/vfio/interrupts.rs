//! Interrupts by eventfd, and by a write to the machine's interrupt controller.

use std::os::fd::OwnedFd;

use super::Wiring;
use super::payload::{Header, NO_REPLY};

/// The doorbell of the GICv2m frame of QEMU's machine "virt" (hw/arm/virt.c), MSI_SETSPI_NS.
const DOORBELL: u64 = 0x0802_0040;
/// The number of the first shared peripheral interrupt (GIC architecture specification).
const FIRST_SHARED: u32 = 32;
const DMA_WRITE: u16 = 12;

/// What a device does to its interrupt lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Signal {
    /// The level of the pin.
    pub level: bool,
    /// The lines that were raised since the last call: edges.
    pub edges: Vec<u32>,
}

impl Signal {
    /// Of a device whose only line rises, or does not.
    pub fn edge(rises: bool) -> Signal {
        Signal { level: false, edges: Vec::from_iter(rises.then_some(0)) }
    }
}

/// The state of INTx, or of the message.
///
/// VFIO's INTx is an event that masks itself. QEMU raises the pin when it takes the event, lowers it
/// at the next access to a region of the device, and unmasks.
pub struct Interrupts {
    wiring: Wiring,
    event: Option<OwnedFd>,
    masked: bool,
    signalled: bool,
    /// The number of events and messages that were sent.
    pub sent: u64,
}

impl Interrupts {
    pub fn new(wiring: Wiring) -> Interrupts {
        Interrupts { wiring, event: None, masked: false, signalled: false, sent: 0 }
    }

    /// Replaces the event, or removes it.
    pub fn set_event(&mut self, event: Option<OwnedFd>) {
        self.event = event;
        self.masked = false;
        self.signalled = false;
    }

    pub fn set_masked(&mut self, masked: bool) {
        self.masked = masked;
    }

    /// Passes the state of the device's lines on. What is returned must be sent to the client.
    pub fn update(&mut self, signal: &Signal) -> Vec<Vec<u8>> {
        match self.wiring {
            Wiring::Pin => self.set_level(signal.level),
            Wiring::Message => signal.edges.iter().for_each(|_| self.trigger()),
            Wiring::Doorbell(first) => {
                self.sent += signal.edges.len() as u64;
                return signal.edges.iter().map(|line| doorbell(FIRST_SHARED + first + line)).collect();
            }
        }
        Vec::new()
    }

    fn trigger(&mut self) {
        if let Some(event) = &self.event {
            let _ = rustix::io::write(event, &1_u64.to_ne_bytes());
            self.sent += 1;
        }
    }

    fn set_level(&mut self, level: bool) {
        if level && !self.masked && self.event.is_some() {
            self.trigger();
            self.masked = true;
            self.signalled = true;
        } else if !level && self.signalled {
            self.signalled = false;
            // An event that QEMU has not taken when the driver lowers the level is taken back. It
            // would be a spurious interrupt.
            if let Some(event) = &self.event {
                if rustix::io::read(event, &mut [0; 8]) == Ok(8) {
                    self.masked = false;
                    self.sent -= 1;
                }
            }
        }
    }
}

/// The command by which a device writes to the machine's address space.
fn doorbell(interrupt: u32) -> Vec<u8> {
    let mut payload = DOORBELL.to_le_bytes().to_vec();
    payload.extend(4_u64.to_le_bytes());
    payload.extend(interrupt.to_le_bytes());
    Header { id: 0, command: DMA_WRITE, size: 0, flags: NO_REPLY, error: 0 }.message(&payload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{EventfdFlags, eventfd};

    fn level(level: bool) -> Signal {
        Signal { level, ..Signal::default() }
    }

    fn pin() -> (Interrupts, OwnedFd) {
        let event = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC).expect("an eventfd");
        let mut interrupts = Interrupts::new(Wiring::Pin);
        interrupts.set_event(Some(event.try_clone().expect("a descriptor")));
        (interrupts, event)
    }

    fn is_signalled(event: &OwnedFd) -> bool {
        rustix::io::read(event, &mut [0; 8]) == Ok(8)
    }

    #[test]
    fn a_level_is_signalled_once_until_it_is_unmasked() {
        let (mut interrupts, event) = pin();
        interrupts.update(&level(true));
        interrupts.update(&level(true));
        assert!(is_signalled(&event));
        assert_eq!(interrupts.sent, 1);
        interrupts.set_masked(false);
        interrupts.update(&level(true));
        assert!(is_signalled(&event), "the level was up when the client unmasked");
    }

    #[test]
    fn an_event_that_was_not_taken_is_withdrawn_with_the_level() {
        let (mut interrupts, event) = pin();
        interrupts.update(&level(true));
        interrupts.update(&level(false));
        assert!(!is_signalled(&event));
        interrupts.update(&level(true));
        assert!(is_signalled(&event), "the next one is not masked");
    }

    #[test]
    fn further_lines_are_written_to_the_doorbell() {
        let mut interrupts = Interrupts::new(Wiring::Doorbell(110));
        let sent = interrupts.update(&Signal { level: false, edges: vec![1] });
        assert_eq!(sent.len(), 1);
        assert_eq!(sent[0].len(), 36);
        assert_eq!(sent[0][16..24], DOORBELL.to_le_bytes());
        assert_eq!(sent[0][32..], 143_u32.to_le_bytes());
    }
}
