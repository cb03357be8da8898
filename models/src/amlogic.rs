//! The crypto engine of Amlogic's GXL (S905X): AES in ECB and CBC mode by two flows, each with an
//! interrupt of its own.
//!
//! There is no public document. Registers and descriptors are those of Linux's driver
//! (drivers/crypto/amlogic/amlogic-gxl.h, amlogic-gxl-cipher.c, amlogic-gxl-core.c), so this model
//! repeats its opinion of the chip: it can show how the driver is connected to the kernel, not that
//! the driver is right about the engine.

use crate::block::{Cipher, Direction, crypt};
use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::vfio::{Identity, Memory, Signal, Wiring};

const FLOWS: usize = 2;
/// For each flow: the address of its list of descriptors; a write starts it. The lowest bits are
/// flags.
const START: usize = 0x0;
/// For each flow: what it has done, until 0xf is written.
const STATUS: usize = 0x10;
const DONE: u32 = 1;
const FAILED: u32 = 2;
/// The number of descriptors in a list (MAXDESC).
const MOST_DESCRIPTORS: u64 = 64;
/// A descriptor's status word: last one, encryption, owned by the engine.
const LAST: u32 = 1 << 18;
const ENCRYPTION: u32 = 1 << 28;
const OWNED: u32 = 1 << 31;
/// Its type: a part of the key, or the IV (MODE_KEY); AES with 128, 192 or 256 bits.
const KEY: u32 = 1;
const AES: std::ops::RangeInclusive<u32> = 8..=10;
/// Where the IV lies behind the key.
const IV_AT: usize = 32;

/// The engine.
#[derive(Default)]
pub struct Amlogic {
    list: [u32; FLOWS],
    running: [bool; FLOWS],
    status: [u32; FLOWS],
    edges: Vec<u32>,
}

impl Engine for Amlogic {
    fn identity(&self) -> Identity {
        // Amlogic's number; the engine is no PCI device. The interrupts are those of the device tree.
        Identity {
            id: (0x17ef, 0x6c58),
            class: 0xff_0000,
            bars: [4096, 0, 0, 0, 0, 0],
            wiring: Wiring::Doorbell(110),
        }
    }

    fn read(&mut self, _: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        let word = self.status.get(at.wrapping_sub(STATUS) / 4).copied().unwrap_or(0).to_le_bytes();
        data.iter_mut().enumerate().for_each(|(i, to)| *to = word.get(at % 4 + i).copied().unwrap_or(0));
    }

    fn write(&mut self, _: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let word = faults.word(data)?;
        if let Some(status) = self.status.get_mut(at.wrapping_sub(STATUS) / 4) {
            *status &= !word;
        }
        let flow = at.wrapping_sub(START) / 4;
        *self.list.get_mut(flow)? = word & !3;
        Some(flow).filter(|flow| !std::mem::replace(&mut self.running[*flow], true))
    }

    fn compute(
        &mut self,
        flow: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> u32 {
        let mut bytes = 0;
        let list = u64::from(self.list[flow]);
        if self.follow(list, &mut bytes, fate, faults, memory).is_none() {
            faults.counts.dma_errors += 1;
            self.status[flow] |= FAILED;
        }
        bytes
    }

    fn complete(&mut self, flow: usize, error: bool, interrupt: bool) {
        self.running[flow] = false;
        if interrupt {
            self.status[flow] |= if error { FAILED } else { DONE };
            self.edges.push(flow as u32);
        }
    }

    fn is_running(&self, flow: usize) -> bool {
        self.running[flow]
    }

    fn signal(&mut self) -> Signal {
        Signal { level: false, edges: std::mem::take(&mut self.edges) }
    }

    fn reset(&mut self) {
        *self = Amlogic::default();
    }
}

impl Amlogic {
    fn follow(
        &self,
        list: u64,
        bytes: &mut u32,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> Option<()> {
        let (mut key, mut iv) = ([0; 32], [0; 16]);
        for n in 0..MOST_DESCRIPTORS {
            let mut descriptor = [0; 12];
            memory.read(list + 12 * n, &mut descriptor).then_some(())?;
            let field = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| descriptor[at + i]));
            let (status, from, to) = (field(0), field(4), field(8));
            let mut data = vec![0; (status & 0x1_ffff) as usize];
            (status & OWNED != 0 && memory.read(from.into(), &mut data)).then_some(())?;
            match status >> 20 & 15 {
                KEY if to as usize == IV_AT => iv = data.try_into().ok()?,
                KEY => key.get_mut(to as usize..to as usize + data.len())?.copy_from_slice(&data),
                mode if AES.contains(&mode) => {
                    faults.counts.operations += 1;
                    let key = &key[..16 + 8 * (mode - AES.start()) as usize];
                    let direction =
                        if status & ENCRYPTION != 0 { Direction::Encrypt } else { Direction::Decrypt };
                    let chain = (status >> 26 & 3 == 1).then_some(&mut iv[..]);
                    crypt(Cipher::Aes, key, direction, chain, &mut data).then_some(())?;
                    faults.damage(fate, &mut data);
                    memory.write(to.into(), &data).then_some(())?;
                    *bytes += data.len() as u32;
                }
                _ => {
                    faults.counts.unsupported += 1;
                    return None;
                }
            }
            if status & LAST != 0 {
                return Some(());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Model;
    use crate::options::Options;
    use crate::vfio::Device;

    const RAM: u32 = 0x4000_0000;
    const DATA: u32 = RAM + 0x1000;
    const SECRET: [u8; 16] = *b"a key of a block";
    const IV: [u8; 16] = *b"an IV of a block";

    fn model(options: &[&str]) -> Model {
        let words: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
        let faults = Faults::new(&mut Options::parse(&words).expect("pairs")).expect("options");
        Model::new(Box::new(Amlogic::default()), faults)
    }

    /// A list with key, IV and two parts of the data.
    fn machine(status: u32, plain: &[u8]) -> Memory {
        let memory = Memory::of(RAM.into(), &vec![0; 0x2000]);
        let half = plain.len() as u32 / 2;
        let key = OWNED | KEY << 20 | 16;
        let list = [
            [key, RAM + 0x800, 0],
            [key, RAM + 0x810, 16],
            [key, RAM + 0x820, IV_AT as u32],
            [OWNED | status | half, DATA, DATA],
            [OWNED | status | LAST | half, DATA + half, DATA + half],
        ];
        let bytes: Vec<u8> = list.iter().flatten().flat_map(|word: &u32| word.to_le_bytes()).collect();
        assert!(memory.write(RAM.into(), &bytes));
        assert!(memory.write(u64::from(RAM) + 0x800, &SECRET));
        assert!(memory.write(u64::from(RAM) + 0x820, &IV));
        assert!(memory.write(DATA.into(), plain));
        memory
    }

    fn data(memory: &Memory) -> [u8; 64] {
        let mut data = [0; 64];
        assert!(memory.read(DATA.into(), &mut data));
        data
    }

    #[test]
    fn a_list_encrypts_across_its_parts_and_raises_the_line_of_its_flow() {
        let mut expected = [9; 64];
        assert!(crypt(Cipher::Aes, &SECRET, Direction::Encrypt, Some(&mut IV.clone()), &mut expected));
        let memory = machine(8 << 20 | ENCRYPTION | 1 << 26, &[9; 64]);
        let mut model = model(&[]);
        model.write(0, 4, &(RAM | 2).to_le_bytes(), &memory);
        assert_eq!(data(&memory), expected);
        assert_eq!(model.signal().edges, [1]);
        let mut status = [0; 4];
        model.read(0, STATUS + 4, &mut status);
        assert_eq!(status, [1, 0, 0, 0]);
        model.write(0, STATUS + 4, &0xf_u32.to_le_bytes(), &memory);
        model.read(0, STATUS + 4, &mut status);
        assert_eq!(status, [0; 4]);

        let back = machine(8 << 20 | 1 << 26, &expected);
        model.write(0, 0, &RAM.to_le_bytes(), &back);
        assert_eq!(data(&back), [9; 64]);
        assert_eq!(model.signal().edges, [0]);
    }

    #[test]
    fn a_damaged_or_lost_request_is_seen() {
        let memory = machine(8 << 20, &[9; 64]);
        let right = machine(8 << 20, &[9; 64]);
        let mut damaged = model(&["damage=1", "lose=2"]);
        damaged.write(0, 0, &RAM.to_le_bytes(), &memory);
        model(&[]).write(0, 0, &RAM.to_le_bytes(), &right);
        assert_eq!(data(&memory).iter().zip(data(&right)).filter(|(a, b)| *a != b).count(), 1);
        assert_eq!(damaged.signal().edges, [0]);
        damaged.write(0, 0, &RAM.to_le_bytes(), &memory);
        assert_eq!(damaged.signal().edges, [0; 0]);
    }

    #[test]
    fn a_list_that_cannot_be_true_is_counted() {
        for status in [7 << 20, 8 << 20 | LAST, 3 << 20] {
            let memory = machine(status, &[9; 64]);
            // Without owner, key beyond its place, no memory.
            assert!(memory.write(u64::from(RAM) + 36, &(status & !OWNED).to_le_bytes()));
            let mut model = model(&[]);
            model.write(0, 0, &RAM.to_le_bytes(), &memory);
            assert_eq!(model.faults.counts.dma_errors, 1);
        }
        let mut model = model(&[]);
        model.write(0, 0, &0x1000_u32.to_le_bytes(), &Memory::default());
        assert_eq!(model.faults.counts.dma_errors, 1);
    }
}
