//! The TDMA: a chain of descriptors in memory, each a copy or the command to start the SA.

use super::{CURRENT, Cesa, ERROR_CAUSE, MISS, NEXT, SRAM};
use crate::faults::{Faults, RequestFaults};
use crate::registers::{set_word, word};
use crate::vfio::Memory;

/// The descriptor belongs to the TDMA (CESA_CTHD_OWNED, in the upper half of the first word).
const OWNED: u32 = 1 << 31;
const COUNT: u32 = 0xffff;
/// A chain that is longer than any driver's is a loop.
const MOST_DESCRIPTORS: usize = 1 << 16;

impl Cesa {
    /// Follows the chain from NEXT on: byte count and flags, source, destination, next
    /// (struct cesa_tdma_hdesc). A descriptor without bytes and owner starts the SA. Returns the
    /// number of bytes that the SA has processed.
    pub(super) fn follow_chain(
        &mut self,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> u32 {
        let mut bytes: u32 = 0;
        for _ in 0..MOST_DESCRIPTORS {
            let at = word(&self.tdma, NEXT);
            if at == 0 {
                return bytes;
            }
            let mut descriptor = [0; 16];
            let found = memory.read(at.into(), &mut descriptor);
            let [count, from, to, next] = [0, 4, 8, 12].map(|field| word(&descriptor, field));
            set_word(&mut self.tdma, CURRENT, at);
            set_word(&mut self.tdma, NEXT, next);
            let done = match (count & OWNED != 0, count & COUNT) {
                _ if !found => false,
                (false, 0) => {
                    bytes = bytes.wrapping_add(self.operate(faults));
                    true
                }
                (true, len) => self.copy(from, to, len as usize, fate, faults, memory),
                (false, _) => false,
            };
            if !done {
                return self.fail(bytes, faults);
            }
        }
        self.fail(bytes, faults)
    }

    fn fail(&mut self, bytes: u32, faults: &mut Faults) -> u32 {
        faults.counts.dma_errors += 1;
        let at = word(&self.tdma, CURRENT);
        faults.trace(|| format!("TDMA: descriptor {at:#x} cannot be followed"));
        let cause = word(&self.tdma, ERROR_CAUSE) | MISS;
        set_word(&mut self.tdma, ERROR_CAUSE, cause);
        bytes
    }

    /// Copies between memory and SRAM.
    fn copy(
        &mut self,
        from: u32,
        to: u32,
        len: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> bool {
        let mut data = vec![0; len];
        let read = match self.in_sram(from, len) {
            Some(at) => {
                data.copy_from_slice(&self.sram[at..at + len]);
                true
            }
            None => memory.read(from.into(), &mut data),
        };
        read && match self.in_sram(to, len) {
            Some(at) => {
                self.sram[at..at + len].copy_from_slice(&data);
                true
            }
            None => {
                faults.damage(fate, &mut data);
                memory.write(to.into(), &data)
            }
        }
    }

    fn in_sram(&self, address: u32, len: usize) -> Option<usize> {
        let at = u64::from(address).checked_sub(self.sram_address)? as usize;
        (at <= SRAM && len <= SRAM - at).then_some(at)
    }
}
