//! A machine with a model of a vendor's engine (`vm/run --model`, models/): its counters and faults,
//! its interrupts, and the table of what ran.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::ptr::{NonNull, null_mut};

use outboard_uapi::SYSFS;

use crate::skip::skip;

/// Counters and faults of a model, as offsets in its page (models/src/faults.rs).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// Counter: what the driver has started.
    Requests = 0x0,
    /// Counter: requests with a fault.
    Faults = 0xc,
    /// Counter: uses of what the model does not implement, as a MAC.
    Unsupported = 0x10,
    /// Counter: wrong addresses and descriptors.
    DmaErrors = 0x14,
    /// Fault: a request ends without an interrupt.
    Lose = 0x80,
    /// Fault: one bit of a result is wrong.
    Damage = 0x84,
    /// Fault: a request is begun later.
    Late = 0x88,
    /// Fault: a request ends with the engine's error bit.
    Error = 0x8c,
    /// Fault: this request and all later ones never end.
    Stop = 0x90,
}

/// For a fault: one request in N, at random.
pub const AT_RANDOM: u32 = 1 << 31;

const PAGE: usize = 4096;
const NAME_OF_COUNTS: &str = "resource5";

/// The engines of this machine.
pub struct Engines(Vec<NonNull<u32>>);

impl Engines {
    /// Those with this PCI vendor and device; `None`, and a reported skip, without one.
    pub fn find(test: &str, id: (&str, &str)) -> Option<Engines> {
        let mut devices: Vec<PathBuf> = fs::read_dir("/sys/bus/pci/devices")
            .ok()
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| is(path, "vendor", id.0) && is(path, "device", id.1))
            .collect();
        devices.sort();
        if devices.is_empty() {
            skip(test, "a model of the engine (vm/run --model)");
            return None;
        }
        Some(Engines(devices.iter().map(|device| map(&device.join(NAME_OF_COUNTS))).collect()))
    }

    /// The number of engines.
    pub fn number(&self) -> usize {
        self.0.len()
    }

    /// A word of one engine.
    pub fn of(&self, engine: usize, word: Word) -> u32 {
        // SAFETY: within the mapped page, and aligned. The device changes it.
        unsafe { self.0[engine].byte_add(word as usize).read_volatile() }
    }

    /// The sum over all engines.
    pub fn sum(&self, word: Word) -> u64 {
        (0..self.number()).map(|engine| u64::from(self.of(engine, word))).sum()
    }

    /// Sets a fault of every engine: N for its N-th request from now on, 0 for none.
    pub fn set(&self, fault: Word, when: u32) {
        for engine in &self.0 {
            // SAFETY: as in `of`.
            unsafe { engine.byte_add(fault as usize).write_volatile(when) };
        }
    }
}

fn is(device: &Path, file: &str, value: &str) -> bool {
    fs::read_to_string(device.join(file)).is_ok_and(|text| text.trim() == value)
}

/// Maps a region of a device; it stays mapped until the process ends.
#[track_caller]
fn map(path: &Path) -> NonNull<u32> {
    let file = File::options().read(true).write(true).open(path);
    let file = file.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address that the kernel chooses.
    let page = unsafe { libc::mmap(null_mut(), PAGE, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    assert_ne!(page, libc::MAP_FAILED, "{}: {}", path.display(), std::io::Error::last_os_error());
    NonNull::new(page.cast()).expect("a mapping")
}

/// The sum of a device's lines in /proc/interrupts.
#[track_caller]
pub fn interrupts_of(device: &str) -> u64 {
    let text = fs::read_to_string("/proc/interrupts").expect("proc is mounted");
    let lines = text.lines().filter(|line| line.split_whitespace().last() == Some(device));
    lines.flat_map(|line| line.split_whitespace().skip(1).map_while(|word| word.parse::<u64>().ok())).sum()
}

/// A counter of the module for one driver.
#[track_caller]
pub fn count_of(driver: &str, counter: &str) -> u64 {
    let path = format!("{SYSFS}/drivers/{driver}/{counter}");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.trim().parse().unwrap_or_else(|_| panic!("{path}: {text}"))
}

/// Reports a cell of the table of drivers and items (scripts/model-table): a count, or one sentence.
/// libtest does not capture it.
pub fn report(driver: &str, item: &str, result: impl std::fmt::Display) {
    let _ = std::io::stderr().write_all(format!("\nMODEL: {driver}: {item}: {result}\n").as_bytes());
}
