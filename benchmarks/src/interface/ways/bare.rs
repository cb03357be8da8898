//! The bare prototype of /dev/outboard, benchmarks/bare. It has no checks, so it shows the cost of the
//! checks.

use std::fs::{self, File};
use std::io::{Error, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::ptr::{NonNull, null_mut};

use anyhow::{Context, Result, ensure};

use super::Down;
use crate::known_answer::text;
use crate::plan::{DEPTHS, SIZES};

const DEVICE: &str = "/dev/outboard-bare";

/// Module parameter with the driver that the prototype was loaded for.
const DRIVER: &str = "/sys/module/outboard_bare/parameters/driver";

/// Size of a slot, and size of all slots.
const SLOT: usize = SIZES[SIZES.len() - 1];
const ARENA: usize = DEPTHS[DEPTHS.len() - 1] * SLOT;

/// A descriptor and its mapped slots.
pub struct Bare {
    device: File,
    base: NonNull<u8>,
    copied: bool,
    /// The application's data, copied in and out if copying is measured.
    texts: Vec<Vec<u8>>,
    bytes: usize,
}

impl Bare {
    pub fn open(driver: &str, copied: bool) -> Result<Bare> {
        let leads_to = fs::read_to_string(DRIVER).context("benchmarks/bare's module is not loaded")?;
        ensure!(leads_to.trim_end() == driver, "leads to {}, not to {driver}", leads_to.trim_end());
        let device = File::options()
            .read(true)
            .write(true)
            .custom_flags(libc::O_CLOEXEC)
            .open(DEVICE)
            .context(DEVICE)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let at =
            unsafe { libc::mmap(null_mut(), ARENA, protection, libc::MAP_SHARED, device.as_raw_fd(), 0) };
        let Some(base) = NonNull::new(at.cast::<u8>()).filter(|_| at != libc::MAP_FAILED) else {
            return Err(Error::last_os_error()).context("mmap");
        };
        Ok(Bare { device, base, copied, texts: Vec::new(), bytes: 0 })
    }

    fn data(&self, index: usize) -> *mut u8 {
        // SAFETY: inside the mapping: no index of the plan exceeds the greatest depth.
        unsafe { self.base.as_ptr().add(index * SLOT) }
    }
}

impl Down for Bare {
    fn prepare(&mut self, bytes: usize, depth: usize) -> Result<()> {
        // The module does not check this.
        ensure!(bytes <= SLOT && depth * SLOT <= ARENA, "more than there is room for");
        self.bytes = bytes;
        self.texts = vec![text(bytes); depth];
        for (index, text) in self.texts.iter().enumerate() {
            // SAFETY: inside the slot; nothing is in flight.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), self.data(index), bytes) };
        }
        Ok(())
    }

    fn batch(&mut self) -> Result<()> {
        if self.copied {
            for (index, text) in self.texts.iter().enumerate() {
                // SAFETY: inside the slot; nothing is in flight.
                unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), self.data(index), self.bytes) };
            }
        }
        let mut record = [0; 8];
        record[..4].copy_from_slice(&(self.texts.len() as u32).to_ne_bytes());
        record[4..].copy_from_slice(&(self.bytes as u32).to_ne_bytes());
        self.device.write_all(&record).context("a batch")?;
        if self.copied {
            for index in 0..self.texts.len() {
                let at = self.data(index);
                // SAFETY: inside the slot, and the batch is done.
                unsafe { std::ptr::copy_nonoverlapping(at, self.texts[index].as_mut_ptr(), self.bytes) };
            }
        }
        Ok(())
    }

    fn result(&self, index: usize) -> &[u8] {
        if self.copied {
            return &self.texts[index];
        }
        // SAFETY: inside the slot; nothing is in flight.
        unsafe { std::slice::from_raw_parts(self.data(index), self.bytes) }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // SAFETY: mapped by `open`, and no reference into the mapping remains.
        unsafe { libc::munmap(self.base.as_ptr().cast(), ARENA) };
    }
}
