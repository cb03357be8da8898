//! Figures of dm-crypt: a disk in memory, written and read without the page cache.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use anyhow::{Context as _, Result, anyhow};
use outboard_drivers::Judged;
use zeroize::Zeroizing;

use super::chosen::Drivers;
use super::cipher::Cipher;
use super::cleaner::Cleaner;
use super::contents::{self, AlignedBuffer};
use super::figures::{Contestant, KernelFigure, Side, measure as interleaved};
use super::keys::random;
use super::load_module;
use super::loopback::LoopDevice;
use super::mapping::{CryptMapping, Table};

/// The size of a sector of LUKS2 on current disks: of a request to the driver.
pub const SECTOR: u32 = 4096;

const DISK: u64 = 8 << 20;

/// The block layer divides it, so that several of its parts are in flight.
const REQUEST: usize = 1 << 20;

/// Measures each cipher in software, and by its accelerator if there is one. Before that, each driver
/// of a cipher reads what the others wrote.
/// Errors: if a disk cannot be made or used, or a driver is wrong. A cipher that the kernel does
/// not have is left out.
pub fn measure(ciphers: &[(&str, Option<&Judged>)], cleaner: &mut Cleaner) -> Result<Vec<KernelFigure>> {
    ["loop", "dm-crypt"].into_iter().for_each(load_module);
    let below = LoopDevice::new(None, DISK)?;
    let below = below.number().map(|number| (below, number))?;
    let mut disks: Vec<(Contestant, CryptMapping)> = Vec::new();
    for (setting, accelerator) in ciphers {
        let cipher = Cipher::parse(setting)?;
        let made = disks_of(&cipher, *accelerator, &below.1, disks.len(), cleaner)?;
        let devices: Vec<(&str, File)> = made
            .iter()
            .map(|(contestant, disk)| Ok((contestant.driver.as_str(), disk.direct()?)))
            .collect::<io::Result<_>>()?;
        contents::compare(&devices, &random).with_context(|| cipher.name.clone())?;
        drop(devices);
        disks.extend(made);
    }
    let buffer = RefCell::new(AlignedBuffer::new(REQUEST));
    random(buffer.borrow_mut().bytes())?;
    let side = |(contestant, disk): &(Contestant, CryptMapping)| {
        let (device, buffer) = (disk.direct()?, &buffer);
        let mut at = 0;
        let mut once = move || {
            at = (at + REQUEST as u64) % DISK;
            let mut buffer = buffer.borrow_mut();
            device.write_all_at(buffer.bytes(), at)?;
            device.read_exact_at(buffer.bytes(), at)
        };
        let run = move |requests| {
            (0..requests).try_for_each(|_| once()).map_err(|error: io::Error| error.to_string())
        };
        Ok(Side { contestant: contestant.clone(), run: Box::new(run) })
    };
    let mut sides = disks.iter().map(side).collect::<Result<Vec<Side<'_>>>>()?;
    interleaved(&mut sides, 2 * REQUEST)
}

fn disks_of(
    cipher: &Cipher,
    accelerator: Option<&Judged>,
    below: &str,
    made: usize,
    cleaner: &mut Cleaner,
) -> Result<Vec<(Contestant, CryptMapping)>> {
    let mut wanted = vec![cipher.algorithm.as_str()];
    wanted.extend(cipher.hash.as_deref());
    let drivers = Drivers::with_software(&wanted)?;
    let best = |algorithm: &str| drivers.software(algorithm).map(|one| one.driver.name.clone());
    let hash = cipher.hash.as_deref().and_then(best).unwrap_or_default();
    let own = accelerator.map(|one| (Some(one.driver.name.clone()), cipher.within(one)));
    let software = best(&cipher.algorithm).map(|driver| (None, driver));
    if software.is_none() && accelerator.is_some() {
        return Err(anyhow!("the kernel has no software for {}", cipher.algorithm));
    }
    let mut key = Zeroizing::new(vec![0; cipher.bits(None) / 8]);
    random(&mut key)?;
    let disk = |(at, (accelerator, driver)): (usize, (Option<String>, String))| {
        let driver = cipher.of(&driver, &hash);
        let name = format!("outboard-measure-{}-{}", std::process::id(), made + at);
        let spec = cipher.by(&driver);
        cleaner.device(&name)?;
        let table = Table { cipher: &spec, key: &key, sector: SECTOR, below, bytes: DISK };
        let disk = CryptMapping::new(&name, &table).with_context(|| {
            format!("dm-crypt does not take {driver} for {}: dmesg shows the reason", cipher.name)
        })?;
        Ok((Contestant { setting: cipher.name.clone(), driver, accelerator }, disk))
    };
    software.into_iter().chain(own).enumerate().map(disk).collect()
}
