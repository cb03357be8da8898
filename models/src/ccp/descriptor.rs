//! A command: a descriptor of eight words (struct ccp_desc).

use super::{Ccp, ENTRY};
use crate::faults::{Faults, RequestFaults};
use crate::vfio::Memory;

/// The size of a descriptor.
pub(super) const SIZE: usize = 32;

/// The first word: an interrupt on completion (ioc), the function and the engine.
const INTERRUPT: u32 = 1 << 1;
const FUNCTION_AT: u32 = 5;
const ENGINE_AT: u32 = 20;
/// Engines (enum ccp_engine).
const AES: u32 = 0;
const XTS: u32 = 1;
const PASS_THROUGH: u32 = 5;
/// Pass-through: the bytes of words of 32 bits, and of 256 bits, are reversed (enum
/// ccp_passthru_byteswap).
const SWAP_32: u32 = 1;
const SWAP_256: u32 = 2;

/// Where an operand lies (enum ccp_memtype).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    System(u64),
    Lsb(usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Descriptor {
    word: u32,
    pub(super) len: usize,
    pub(super) source: Place,
    /// The entry of the LSB with the context (lsb_ctx_id).
    pub(super) context: usize,
    pub(super) destination: Place,
    pub(super) key: Place,
}

impl Descriptor {
    /// None for an address without memory, and for memory that is neither the system's nor the LSB.
    pub(super) fn read(address: u64, memory: &Memory) -> Option<Descriptor> {
        let mut bytes = [0; SIZE];
        memory.read(address, &mut bytes).then_some(())?;
        let word = |n: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[4 * n + i]));
        let place = |n: usize| match word(n + 1) >> 16 & 3 {
            0 => Some(Place::System(u64::from(word(n + 1) & 0xffff) << 32 | u64::from(word(n)))),
            1 => Some(Place::Lsb(word(n) as usize)),
            _ => None,
        };
        Some(Descriptor {
            word: word(0),
            len: word(1) as usize,
            source: place(2)?,
            context: (word(3) >> 18 & 0xff) as usize,
            destination: place(4)?,
            key: place(6)?,
        })
    }

    pub(super) fn interrupts(&self) -> bool {
        self.word & INTERRUPT != 0
    }

    pub(super) fn starts_message(&self) -> bool {
        self.word >> 3 & 1 != 0
    }

    pub(super) fn ends_message(&self) -> bool {
        self.word >> 4 & 1 != 0
    }

    /// Bits of the function: size (7), encryption, mode (5), type (2).
    pub(super) fn function(&self) -> u32 {
        self.word >> FUNCTION_AT & 0x7fff
    }
}

impl Ccp {
    /// Returns the number of bytes of a cipher. None for a command that cannot be executed.
    pub(super) fn execute(
        &mut self,
        command: &Descriptor,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> Option<u32> {
        faults.counts.operations += 1;
        faults.trace(|| format!("{command:x?}"));
        let mut data = self.load(command.source, command.len, memory)?;
        let is_result = match command.word >> ENGINE_AT & 15 {
            AES => self.aes(command, &mut data),
            XTS => self.xts(command, &mut data),
            PASS_THROUGH => {
                let word = match command.function() & 3 {
                    SWAP_32 => 4,
                    SWAP_256 => ENTRY,
                    _ => 1,
                };
                data.chunks_mut(word).for_each(<[u8]>::reverse);
                self.store(command.destination, &data, memory)?;
                return Some(0);
            }
            _ => None,
        };
        let Some(is_result) = is_result else {
            faults.counts.unsupported += 1;
            return None;
        };
        if is_result {
            if matches!(command.destination, Place::System(_)) {
                faults.damage(fate, &mut data);
            }
            self.store(command.destination, &data, memory)?;
        }
        Some(command.len as u32)
    }

    fn load(&self, from: Place, len: usize, memory: &Memory) -> Option<Vec<u8>> {
        // No driver has longer segments; a length that cannot be true must not take the memory.
        if len > 1 << 24 {
            return None;
        }
        match from {
            Place::Lsb(at) => self.lsb.get(at..at.checked_add(len)?).map(<[u8]>::to_vec),
            Place::System(address) => {
                let mut data = vec![0; len];
                memory.read(address, &mut data).then_some(data)
            }
        }
    }

    fn store(&mut self, to: Place, data: &[u8], memory: &Memory) -> Option<()> {
        match to {
            Place::Lsb(at) => self.lsb.get_mut(at..at.checked_add(data.len())?)?.copy_from_slice(data),
            Place::System(address) => memory.write(address, data).then_some(())?,
        }
        Some(())
    }

    /// The context of a command: an entry of the LSB, in the order of the standards' bytes.
    pub(super) fn context(&self, command: &Descriptor) -> Option<[u8; ENTRY]> {
        let mut context: [u8; ENTRY] =
            self.lsb.get(ENTRY * command.context..)?.get(..ENTRY)?.try_into().ok()?;
        context.reverse();
        Some(context)
    }

    pub(super) fn set_context(&mut self, command: &Descriptor, mut context: [u8; ENTRY]) -> Option<()> {
        context.reverse();
        self.lsb.get_mut(ENTRY * command.context..)?.get_mut(..ENTRY)?.copy_from_slice(&context);
        Some(())
    }

    /// A key of the LSB, `entry` entries after the address: its bytes are in reverse order.
    pub(super) fn key(&self, command: &Descriptor, entry: usize, len: usize) -> Option<Vec<u8>> {
        let Place::Lsb(at) = command.key else { return None };
        let at = at.checked_add(ENTRY * entry)?;
        Some(self.lsb.get(at..at.checked_add(len)?)?.iter().rev().copied().collect())
    }
}
