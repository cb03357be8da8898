//! /dev/outboard through its own structures: fill the slots, submit once, wait, fetch the results.

use std::fs::File;
use std::io::{Error, Write};
use std::mem::size_of;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicI32, Ordering};

use anyhow::{Context, Result, bail, ensure};
use outboard_drivers::allow_list;
use outboard_drivers::root::Root;
use outboard_uapi as uapi;

use super::Down;
use crate::known_answer::{IV, KEY, text};
use crate::plan::{DEPTHS, SIZES};

const SESSION: u32 = 1;

/// Maximum number of requests in flight.
const SLOTS: usize = DEPTHS[DEPTHS.len() - 1];

/// Size of the arena in bytes: its table, and the data of the maximum number of requests.
const ARENA: usize = (64 << 10) + SLOTS * SIZES[SIZES.len() - 1];

/// Returns the number of an allowed driver.
pub fn number_of(driver: &str) -> Result<u16> {
    let list = allow_list::read(&Root::live())
        .with_context(|| format!("{}: is outboard.ko loaded?", uapi::SYSFS))?;
    let entry = list.into_iter().find(|entry| entry.driver == driver);
    Ok(entry.with_context(|| format!("{driver} is not allowed: outboard allow {driver}"))?.number)
}

/// A descriptor, an arena, a session.
pub struct Outboard {
    device: File,
    base: NonNull<u8>,
    arena: uapi::Arena,
    /// Whether data are copied; without copying, `texts` is empty.
    copied: bool,
    texts: Vec<Vec<u8>>,
    bytes: usize,
}

impl Outboard {
    pub fn open(driver: u16, copied: bool) -> Result<Outboard> {
        let mut device =
            File::options().read(true).write(true).custom_flags(libc::O_CLOEXEC).open(uapi::DEVICE)?;
        let record = uapi::SessionRecord {
            op: uapi::SESSION_NEW,
            session: SESSION,
            algorithm: uapi::CBC_AES,
            driver,
            key_size: KEY.len() as u16,
            ..Default::default()
        };
        device.write_all(&[bytes_of(&record), &KEY].concat()).context("making a session")?;
        let (protection, slots) = (libc::PROT_READ | libc::PROT_WRITE, SLOTS as libc::off_t * page());
        // SAFETY: a new mapping at an address that the kernel chooses.
        let at =
            unsafe { libc::mmap(null_mut(), ARENA, protection, libc::MAP_SHARED, device.as_raw_fd(), slots) };
        let Some(base) = NonNull::new(at.cast::<u8>()).filter(|_| at != libc::MAP_FAILED) else {
            return Err(Error::last_os_error()).context("mmap");
        };
        // SAFETY: the module wrote it before mmap returned, and the mapping is page-aligned.
        let arena = unsafe { base.cast::<uapi::Arena>().read() };
        ensure!(arena.magic == uapi::MAGIC && arena.version == uapi::VERSION, "another version: {arena:?}");
        ensure!(
            arena.slots as usize >= SLOTS && arena.data_size as usize >= SLOTS * SIZES[SIZES.len() - 1],
            "less than was asked for: {arena:?}"
        );
        Ok(Outboard { device, base, arena, copied, texts: Vec::new(), bytes: 0 })
    }

    /// Returns the offset of a request's data within the mapping.
    fn offset(&self, index: usize) -> usize {
        self.arena.data_offset as usize + index * self.bytes.next_multiple_of(self.arena.align as usize)
    }

    fn data(&self, index: usize) -> *mut u8 {
        // SAFETY: inside the mapping; `open` has checked this for the largest requests.
        unsafe { self.base.as_ptr().add(self.offset(index)) }
    }

    fn slot(&self, index: usize) -> *mut uapi::Slot {
        // SAFETY: inside the mapping; `open` has checked this.
        unsafe { self.base.as_ptr().add(self.arena.slots_offset as usize).cast::<uapi::Slot>().add(index) }
    }
}

impl Down for Outboard {
    fn prepare(&mut self, bytes: usize, depth: usize) -> Result<()> {
        self.bytes = bytes;
        self.texts = vec![text(bytes); depth];
        for (index, text) in self.texts.iter().enumerate() {
            // SAFETY: inside the mapping; nothing is in flight.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), self.data(index), bytes) };
        }
        Ok(())
    }

    fn batch(&mut self) -> Result<()> {
        let depth = self.texts.len();
        for index in 0..depth {
            let at = self.offset(index) as u32;
            let asked = uapi::Slot {
                session: SESSION,
                op: uapi::ENCRYPT,
                input: at,
                output: at,
                length: self.bytes as u32,
                iv: IV,
                status: -libc::ENODATA,
                ..uapi::Slot::EMPTY
            };
            // SAFETY: the slot and its data are inside the mapping, and nothing is in flight.
            unsafe {
                if self.copied {
                    std::ptr::copy_nonoverlapping(self.texts[index].as_ptr(), self.data(index), self.bytes);
                }
                self.slot(index).write(asked);
            }
        }
        let doorbell = uapi::Submit {
            op: uapi::SUBMIT,
            flags: uapi::WAIT,
            arena: self.arena.arena,
            first: 0,
            count: depth as u32,
        };
        self.device.write_all(bytes_of(&doorbell)).context("the doorbell")?;
        for index in 0..depth {
            // SAFETY: a field of a slot, aligned, which the module writes with release semantics.
            let status =
                unsafe { AtomicI32::from_ptr(&raw mut (*self.slot(index)).status) }.load(Ordering::Acquire);
            if status != 0 {
                bail!("a request: {}", Error::from_raw_os_error(-status));
            }
            if self.copied {
                // SAFETY: inside the mapping, and the request is done.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        self.data(index),
                        self.texts[index].as_mut_ptr(),
                        self.bytes,
                    );
                }
            }
        }
        Ok(())
    }

    fn result(&self, index: usize) -> &[u8] {
        if self.copied {
            return &self.texts[index];
        }
        // SAFETY: inside the mapping; nothing is in flight.
        unsafe { std::slice::from_raw_parts(self.data(index), self.bytes) }
    }
}

impl Drop for Outboard {
    fn drop(&mut self) {
        // SAFETY: mapped by `open`, and no reference into the mapping remains.
        unsafe { libc::munmap(self.base.as_ptr().cast(), ARENA) };
    }
}

/// Structures of outboard_uapi, which have no padding.
trait Record {}
impl Record for uapi::SessionRecord {}
impl Record for uapi::Submit {}

fn bytes_of<R: Record>(record: &R) -> &[u8] {
    // SAFETY: without padding every byte is initialised.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(record).cast(), size_of::<R>()) }
}

fn page() -> libc::off_t {
    // SAFETY: no pointer is passed.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as libc::off_t }
}
