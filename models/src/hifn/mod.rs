//! Hifn's 7955 (Soekris vpn1401 and vpn1411): AES, DES and triple DES in ECB and CBC mode by four
//! rings of descriptors, which the engine polls, and random numbers. A PCI device with one
//! interrupt. MACs, compression, RC4, CFB and OFB mode, keys in the context memory and public keys
//! are counted as unsupported. The handshake that unlocks the ciphers is not checked: drivers
//! differ in its length.
//!
//! Registers, bits, descriptors and commands are those of FreeBSD's driver
//! (sys/dev/hifn/hifn7751reg.h and hifn7751.c; Hifn has written a part of it, and its comments cite
//! Hifn's manual); names in parentheses are from there. What only Linux's driver shows
//! (drivers/crypto/hifn_795x.c) says so.

mod command;
mod ring;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::engine::Engine;
use crate::faults::{Failure, Faults, RequestFaults};
use crate::registers::{self, random, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

use command::Command;
use ring::{Chain, Descriptor, RINGS, Ring, chain};

/// The sizes of the regions. The third is the context memory, which no driver reads (HIFN_BAR2_SIZE
/// of Linux).
const UNIT_BYTES: usize = 0x1000;
const DMA_BYTES: usize = 0x2000;
const CONTEXT_BYTES: usize = 0x8000;

/// Region 0, the processing unit. Control (HIFN_0_PUCTRL, and HIFN_0_PUCTRL2 of the 795x): reset,
/// which ends at once, and DMA.
const UNIT: usize = 0;
const PUCTRL: usize = 0x4;
const PUCTRL2: usize = 0x28;
const PUCTRL_RESET: u32 = 1 << 0;
const PUCTRL_DMAENA: u32 = 1 << 1;
/// Interrupts (HIFN_0_PUISR), cleared by writing 1, and the enabled ones (HIFN_0_PUIER).
const PUISR: usize = 0x8;
const PUIER: usize = 0x10;
const CMDINVAL: u32 = 1 << 15;
const DATAERR: u32 = 1 << 14;
const DSTOVER: u32 = 1 << 9;
/// Configuration (HIFN_0_PUCNFG), and the status (HIFN_0_PUSTAT): all ciphers are enabled
/// (HIFN_PUSTAT_ENA_2).
const PUCNFG: usize = 0xc;
const PUCNFG_BIGENDIAN: u32 = 1 << 7;
const PUSTAT: usize = 0x14;
const ENABLED_CIPHERS: u32 = 0x1100;

/// Region 1, DMA. The first ring's address (HIFN_1_DMA_CRAR), the step to the next one's.
const ADDRESSES: usize = 0xc;
const ADDRESS_STEP: usize = 0x10;
/// Status and control (HIFN_1_DMA_CSR), and the enabled interrupts (HIFN_1_DMA_IER).
const CSR: usize = 0x40;
const IER: usize = 0x44;
/// An interrupt of the processing unit (HIFN_DMACSR_ENGINE).
const ENGINE: u32 = 1 << 0;
/// Configuration (HIFN_1_DMA_CNFG): both resets are active while their bit is 0; how often the
/// rings are polled.
const CNFG: usize = 0x48;
const NO_RESET: u32 = 3;
const POLLFREQ: u32 = 0xff << 16;
const CNFG_BIGENDIAN: u32 = 1 << 28;
/// The revision (HIFN_1_REVID).
const REVID: usize = 0x98;
/// The reset of public keys and random numbers (HIFN_1_PUB_RESET), which ends at once, and random
/// numbers (HIFN_1_RNG_DATA).
const PUB_RESET: usize = 0x204;
const RNG_DATA: usize = 0x318;

/// The time between two polls. That of the chip is some cycles of PCI.
const POLL: Duration = Duration::from_micros(250);

/// What the next command has in each ring, or the ring in which it has an address without memory.
type Job = Result<[Vec<Descriptor>; RINGS.len()], Ring>;

/// Why the rings are halted.
#[derive(Clone, Copy, Debug)]
enum Halt {
    Abort(Ring),
    Invalid(Failure),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Halt {
        Halt::Invalid(failure)
    }
}

/// The position of a ring, and whether its control bits have enabled it.
#[derive(Clone, Copy, Default)]
struct State {
    is_enabled: bool,
    next: u32,
}

/// The engine. A request is a command.
pub struct Hifn {
    unit: Vec<u8>,
    dma: Vec<u8>,
    /// The status bits of CSR.
    status: u32,
    rings: [State; RINGS.len()],
    job: Option<Job>,
    is_running: bool,
    /// The bits of CSR and PUISR that the end of the request sets.
    ends: (u32, u32),
}

impl Hifn {
    pub fn new() -> Hifn {
        let (mut unit, mut dma) = (vec![0; UNIT_BYTES], vec![0; DMA_BYTES]);
        set_word(&mut unit, PUSTAT, ENABLED_CIPHERS);
        set_word(&mut dma, REVID, 1);
        Hifn {
            unit,
            dma,
            status: 0,
            rings: [State::default(); RINGS.len()],
            job: None,
            is_running: false,
            ends: (0, 0),
        }
    }

    fn is_enabled(&self) -> bool {
        word(&self.dma, CNFG) & NO_RESET == NO_RESET
            && word(&self.unit, PUCTRL) & PUCTRL_DMAENA != 0
            && self.rings.iter().all(|ring| ring.is_enabled)
    }

    /// CSR. The processing unit's bit is the level of its interrupts.
    fn status(&self) -> u32 {
        let of_unit = word(&self.unit, PUISR) & word(&self.unit, PUIER) != 0;
        self.status | if of_unit { ENGINE } else { 0 }
    }

    fn write_unit(&mut self, at: usize, value: u32) {
        match at {
            PUCTRL | PUCTRL2 => set_word(&mut self.unit, PUCTRL, value & !PUCTRL_RESET),
            PUISR => {
                let left = word(&self.unit, PUISR) & !value;
                set_word(&mut self.unit, PUISR, left);
            }
            PUSTAT => {}
            _ => set_word(&mut self.unit, at, value),
        }
    }

    fn write_dma(&mut self, at: usize, value: u32) {
        match at {
            CSR => {
                for ring in RINGS {
                    let state = &mut self.rings[ring as usize];
                    state.is_enabled = ring.enabled_by(value).unwrap_or(state.is_enabled);
                }
                self.status &= !value;
            }
            REVID | PUB_RESET => {}
            _ => {
                if at == CNFG && value & NO_RESET != NO_RESET {
                    *self = Hifn::new();
                }
                let address_of = |ring: &Ring| at == ADDRESSES + ADDRESS_STEP * *ring as usize;
                if let Some(ring) = RINGS.into_iter().find(address_of) {
                    self.rings[ring as usize].next = value;
                }
                set_word(&mut self.dma, at, value);
            }
        }
    }

    /// Executes the command of a job, and returns its number of bytes.
    fn execute(
        &mut self,
        job: &Job,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> Result<u32, Halt> {
        let chains = job.as_ref().map_err(|ring| Halt::Abort(*ring))?;
        let of = |ring: Ring| &chains[ring as usize];
        let read = |ring| ring::read(of(ring), memory).ok_or(Halt::Abort(ring));
        let command = Command::parse(&read(Ring::Command)?)?;
        let len: usize = of(Ring::Source).iter().map(Descriptor::len).sum();
        if len != command.source || command.destination != command.source {
            return Err(Failure::Wrong.into());
        }
        let mut data = read(Ring::Source)?;
        command.crypt(&mut data)?;
        faults.counts.operations += 1;
        faults.damage(fate, &mut data);
        let write = |ring, data: &[u8]| ring::write(of(ring), data, memory).ok_or(Halt::Abort(ring));
        let is_overrun = !write(Ring::Destination, &data)?;
        if is_overrun {
            self.ends = (Ring::Destination.bit(ring::OVER), DSTOVER);
        }
        if !write(Ring::Result, &command.result(is_overrun))? {
            self.ends.0 |= Ring::Result.bit(ring::OVER);
        }
        for (ring, chain) in RINGS.into_iter().zip(chains) {
            self.ends.0 |= ring::release(ring, chain, memory).ok_or(Halt::Abort(ring))?;
            if let Some(last) = chain.last() {
                self.rings[ring as usize].next = last.next();
            }
        }
        Ok(len as u32)
    }
}

impl Engine for Hifn {
    fn identity(&self) -> Identity {
        // The class is that which pciconf(8) of FreeBSD shows: network encryption.
        Identity {
            id: (0x13a3, 0x0020),
            class: 0x10_0000,
            bars: [UNIT_BYTES as u32, DMA_BYTES as u32, CONTEXT_BYTES as u32, 0, 0, 0],
            wiring: Wiring::Pin,
        }
    }

    fn read(&mut self, bar: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        match (bar, at) {
            (UNIT, _) => registers::read(&self.unit, at, data),
            (1, CSR) => registers::read(&self.status().to_le_bytes(), 0, data),
            (1, RNG_DATA) => registers::read(&random().to_le_bytes(), 0, data),
            (1, _) => registers::read(&self.dma, at, data),
            _ => data.fill(0),
        }
    }

    fn write(&mut self, bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        let is_big_endian = match (bar, at) {
            (UNIT, PUCNFG) => value & PUCNFG_BIGENDIAN != 0,
            (1, CNFG) => value & CNFG_BIGENDIAN != 0,
            _ => false,
        };
        faults.counts.unsupported += u32::from(is_big_endian);
        match bar {
            UNIT => self.write_unit(at, value),
            1 => self.write_dma(at, value),
            _ => faults.counts.unsupported += 1,
        }
        None
    }

    /// The next command begins when all four rings have descriptors up to one with the bit for the
    /// last.
    fn poll(&mut self, memory: &Memory) -> Option<usize> {
        if self.is_running || !self.is_enabled() {
            return None;
        }
        let mut found: [Vec<Descriptor>; RINGS.len()] = Default::default();
        let mut broken = None;
        for ring in RINGS {
            match chain(self.rings[ring as usize].next, memory) {
                Chain::Ready(descriptors) => found[ring as usize] = descriptors,
                Chain::Waits => {
                    self.status |= ring.bit(ring::WAIT);
                    return None;
                }
                Chain::Broken => {
                    broken = Some(ring);
                    break;
                }
            }
        }
        self.job = Some(broken.map_or(Ok(found), Err));
        self.is_running = true;
        Some(0)
    }

    fn poll_interval(&self) -> Option<Duration> {
        let polls = word(&self.dma, CNFG) & POLLFREQ != 0 && self.is_enabled();
        (polls && !self.is_running).then_some(POLL)
    }

    fn compute(&mut self, _: usize, fate: &mut RequestFaults, faults: &mut Faults, memory: &Memory) -> u32 {
        let Some(job) = self.job.take() else { return 0 };
        self.ends = (0, 0);
        faults.trace(|| format!("{job:x?}"));
        let halt = match self.execute(&job, fate, faults, memory) {
            Ok(bytes) => return bytes,
            Err(halt) => halt,
        };
        faults.trace(|| format!("{halt:?}"));
        // Drivers reset the engine after an abort. That an invalid command halts it too is an
        // assumption: it must not look like one that has a result.
        self.rings.iter_mut().for_each(|ring| ring.is_enabled = false);
        let failure = match halt {
            Halt::Abort(ring) => {
                self.ends = (ring.bit(ring::ABORT), 0);
                Failure::Wrong
            }
            Halt::Invalid(failure) => {
                self.ends = (0, CMDINVAL);
                failure
            }
        };
        faults.counts.failed(failure);
        0
    }

    fn complete(&mut self, _: usize, error: bool, interrupt: bool) {
        self.is_running = false;
        let (status, of_unit) = self.ends;
        if interrupt {
            self.status |= status;
            let causes = word(&self.unit, PUISR) | of_unit | if error { DATAERR } else { 0 };
            set_word(&mut self.unit, PUISR, causes);
        }
    }

    fn is_running(&self, _: usize) -> bool {
        self.is_running
    }

    fn signal(&mut self) -> Signal {
        Signal { level: self.status() & word(&self.dma, IER) != 0, edges: Vec::new() }
    }

    fn reset(&mut self) {
        *self = Hifn::new();
    }
}
