//! `outboard bench disk`: measures dm-crypt with each driver that it accepts; fio reads and writes.

mod fio;

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::documents::bench::Bench;
use crate::requests::contestants::note;
use crate::requests::lists::{self, Numbers};
use crate::requests::run::empty_document;
use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use outboard_console::{duration, progress, size};
use outboard_drivers::find::Judged;
use outboard_drivers::flags::Flags;
use outboard_drivers::netlink::change;
use outboard_measure::kernel_users::chosen::Drivers;
use outboard_measure::kernel_users::cipher::{ADIANTUM, Cipher, key_bits};
use outboard_measure::kernel_users::cleaner::Cleaner;
use outboard_measure::kernel_users::contents;
use outboard_measure::kernel_users::keys::random;
use outboard_measure::kernel_users::loopback::LoopDevice;
use outboard_measure::kernel_users::mapping::{CryptMapping, Table};
use outboard_measure::{noise, stop};
use zeroize::Zeroizing;

use self::fio::{FIO, Pattern};
use super::by_driver::{DriverBackend, measure_each};
use super::measure::{ApplicationJob, conclude};
use super::start_cleaner;
use super::tool::modprobe;

/// Approximate minimum duration of a run, in seconds.
const RUN: f64 = 0.5;

/// Measure an encrypted disk: dm-crypt with each kernel driver that it supports, by fio.
///
/// The disk is memory, or an unnamed file in a directory. The contestants are the driver that dm-crypt selects, the kernel's best
/// software, and each accelerator, by its exact name; a driver that dm-crypt rejects is listed with the reason. Before anything is
/// timed, each contestant reads what the others wrote. User, system and CPU time are those of the whole system.
///
/// Needs root and fio. All devices and files are removed at the end, also after a failure.
#[derive(Args)]
pub struct Options {
    /// As dm-crypt and cryptsetup call it: aes-xts-plain64, aes-cbc-essiv:sha256, xchacha12,aes-adiantum-plain64; may be repeated
    /// [default: those of the first two that an accelerator has, else the first, and the third if the kernel has it]
    #[arg(long = "cipher", value_name = "NAME", value_parser = Cipher::parse)]
    ciphers: Vec<Cipher>,
    /// Bits of the key; XTS has two in it [default: 512 for XTS, else 256, as LUKS2 has]
    #[arg(long, value_name = "BITS", value_parser = key_bits)]
    bits: Option<usize>,
    /// Bytes that are encrypted with one IV, which is the size of one request: LUKS2 uses 4096 on current disks
    #[arg(long, value_name = "BYTES", default_value = "4096", value_parser = sector)]
    sector: u32,
    /// Bytes of fio's requests, separated by commas: 4K to 1M
    #[arg(long = "size", value_name = "LIST", default_value = "4K,64K", value_parser = requests)]
    sizes: Numbers,
    /// fio's requests in flight
    #[arg(long, value_name = "NUMBER", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=256))]
    depth: u32,
    /// Reading, writing or both
    #[arg(long, value_enum, default_value = "both")]
    direction: Direction,
    /// Size of the disk in MiB
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u64).range(4..=65536))]
    megabytes: u64,
    /// A directory on the disk to measure, instead of memory
    #[arg(long, value_name = "DIRECTORY")]
    on: Option<PathBuf>,
    /// Limit of the time for all together: 60s, 5m; what does not fit is left out. 0: no limit, and five runs of each
    #[arg(long = "for", value_name = "TIME", default_value = "60s", value_parser = duration)]
    time: Duration,
    /// Print JSON (schema outboard-bench/1)
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Direction {
    Read,
    Write,
    Both,
}

fn sector(text: &str) -> Result<u32> {
    match text.parse() {
        Ok(bytes @ (512 | 1024 | 2048 | 4096)) => Ok(bytes),
        _ => bail!("dm-crypt does 512, 1024, 2048 and 4096"),
    }
}

fn requests(list: &str) -> Result<Numbers> {
    let sizes = lists::sizes(list)?;
    match sizes.0.iter().find(|&&size| size % 4096 != 0) {
        Some(size) => bail!("{size}: fio's direct requests are multiples of 4K here"),
        None => Ok(sizes),
    }
}

pub fn run(options: &Options) -> Result<Bench> {
    stop::limit(options.time);
    let mut cleaner = start_cleaner("disk")?;
    let mut bench = empty_document(FIO.version("--version")?, noise::warnings());
    let outcome = all(options, &mut cleaner, &mut bench);
    drop(cleaner);
    conclude(bench, outcome)
}

fn all(options: &Options, cleaner: &mut Cleaner, bench: &mut Bench) -> Result<()> {
    for module in ["loop", "dm-crypt"] {
        // Modules are built in where modprobe is missing; a missing module is reported by the
        // operation that needs it.
        if let Err(error) = modprobe(module) {
            note(&mut bench.notes, format!("{error:#}"));
        }
    }
    let ciphers = if options.ciphers.is_empty() { defaults()? } else { options.ciphers.clone() };
    let below = LoopDevice::new(options.on.as_deref(), options.megabytes << 20)
        .context("a disk of the size of --megabytes cannot be made")?;
    note(
        &mut bench.notes,
        format!(
            "dm-crypt gives its driver {} bytes at a time (--sector), through its work queues, as cryptsetup sets it up",
            options.sector
        ),
    );
    let directions = if options.direction == Direction::Both { 2 } else { 1 };
    let tables = (ciphers.len() * options.sizes.0.len() * directions).max(1) as u32;
    for cipher in &ciphers {
        one(options, cipher, &below, options.time / tables, cleaner, bench)?;
        if bench.interrupted {
            break;
        }
    }
    Ok(())
}

fn defaults() -> Result<Vec<Cipher>> {
    let drivers = Drivers::now()?;
    let both = ["aes-xts-plain64", "aes-cbc-essiv:sha256"].map(Cipher::parse);
    let both = both.into_iter().collect::<Result<Vec<Cipher>>>()?;
    let has = |cipher: &&Cipher| !drivers.accelerators(&cipher.algorithm).is_empty();
    let own: Vec<Cipher> = both.iter().filter(has).cloned().collect();
    let rival = Cipher::parse(ADIANTUM)?;
    let rival = (change::make_any(&rival.asked, 0).is_ok()).then_some(rival);
    Ok(if own.is_empty() { both[..1].to_vec() } else { own }.into_iter().chain(rival).collect())
}

/// What one mapping writes is read by all.
fn compare(backends: &[DriverBackend<CryptMapping>], cipher: &str) -> Result<()> {
    let devices: Vec<(&str, File)> = backends
        .iter()
        .map(|backend| Ok((backend.driver.as_str(), backend.place.direct()?)))
        .collect::<io::Result<_>>()?;
    contents::compare(&devices, &random).with_context(|| cipher.to_owned())
}

fn one(
    options: &Options,
    cipher: &Cipher,
    below: &LoopDevice,
    time: Duration,
    cleaner: &mut Cleaner,
    bench: &mut Bench,
) -> Result<()> {
    let bits = cipher.bits(options.bits);
    let mut key = Zeroizing::new(vec![0; bits / 8]);
    random(&mut key)?;
    let mut backends: Vec<DriverBackend<CryptMapping>> = Vec::new();
    let map = |spec: &str, cleaner: &mut Cleaner| {
        let name = format!("outboard-bench-{}-{}", std::process::id(), unique());
        cleaner.device(&name)?;
        let below = below.number()?;
        let table = Table {
            cipher: spec,
            key: &key,
            sector: options.sector,
            below: &below,
            bytes: options.megabytes << 20,
        };
        CryptMapping::new(&name, &table)
    };
    // Create this mapping first, so that the kernel selects the driver without any change by this
    // program.
    let own = map(&cipher.name, cleaner)
        .with_context(|| format!("dm-crypt does not take {} with a key of {bits} bits", cipher.name))?;
    let chosen =
        Drivers::now()?.preferred(&cipher.asked, Flags::ALLOCATES_MEMORY).map(|one| one.driver.name.clone());
    let chosen = chosen
        .ok_or_else(|| anyhow!("/proc/crypto has no driver of {} that dm-crypt may take", cipher.asked))?;
    backends.push(DriverBackend { contestant: "dm-crypt's choice", driver: chosen, place: own });
    let mut wanted = vec![cipher.algorithm.as_str()];
    wanted.extend(cipher.hash.as_deref());
    let drivers = Drivers::with_software(&wanted)?;
    let best = |algorithm: &str| drivers.software(algorithm).map(|one| one.driver.name.clone());
    let hash = cipher.hash.as_deref().and_then(best).unwrap_or_default();
    let accelerators = drivers.accelerators(&cipher.algorithm);
    let software = best(&cipher.algorithm).map(|driver| ("software", driver));
    let (unfit, fit): (Vec<_>, Vec<_>) = accelerators
        .iter()
        .partition(|one| one.flags.is_some_and(|flags| flags.any(Flags::ALLOCATES_MEMORY)));
    unfit.into_iter().for_each(|accelerator| note(&mut bench.notes, excluded(accelerator)));
    let fit = fit.into_iter().map(|one| ("accelerator", one.driver.name.clone()));
    for (contestant, driver) in software.into_iter().chain(fit) {
        let driver = cipher.of(&driver, &hash);
        if driver == backends[0].driver {
            continue;
        }
        match map(&cipher.by(&driver), cleaner) {
            Ok(place) => backends.push(DriverBackend { contestant, driver, place }),
            Err(error) => note(&mut bench.notes, refused(&driver, &error)),
        }
    }
    if accelerators.is_empty() && cipher.name != ADIANTUM {
        note(
            &mut bench.notes,
            format!("no accelerator of this machine does {}: outboard status", cipher.algorithm),
        );
    }
    progress(&format!("{}: what each writes is read by all", cipher.name));
    compare(&backends, &cipher.name)?;
    for &size in &options.sizes.0 {
        for writes in [false, true] {
            let is_asked =
                options.direction == Direction::Both || writes == (options.direction == Direction::Write);
            if is_asked && !bench.interrupted {
                let pattern = Pattern { writes, size: size as u64, depth: options.depth };
                table(options, cipher, pattern, &backends, &drivers, time, bench)?;
            }
        }
    }
    Ok(())
}

/// Measures one table of results: all contestants do the same work.
fn table(
    options: &Options,
    cipher: &Cipher,
    pattern: Pattern,
    backends: &[DriverBackend<CryptMapping>],
    drivers: &Drivers,
    time: Duration,
    bench: &mut Bench,
) -> Result<()> {
    let disk = options.megabytes << 20;
    let verb = if pattern.writes { "writes" } else { "reads" };
    let name = format!("dm-crypt, fio {verb} {}", size(pattern.size));
    // Round down to whole requests.
    let whole = disk / pattern.size * pattern.size;
    let at_once = u64::from(pattern.depth);
    let job = ApplicationJob { name, cipher: cipher.name.clone(), bytes: whole, at_once, time };
    measure_each(bench, job, RUN, backends, drivers, |backend, bytes| {
        pattern.run(backend.place.node(), whole, bytes)
    })
}

fn unique() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn refused(driver: &str, error: &anyhow::Error) -> String {
    format!("{driver} was not measured: dm-crypt cannot use it ({error:#}); dmesg shows the reason")
}

fn excluded(one: &Judged) -> String {
    format!(
        "{}, an accelerator of {}, was not measured: dm-crypt refuses it since Linux 5.10 for its flag ALLOCATES_MEMORY (a driver \
         that needs memory to write memory to a disk may wait for itself); it is the driver's to change",
        one.driver.name, one.driver.algorithm
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_dm_crypt() {
        assert_eq!((sector("512").unwrap(), key_bits("384").unwrap()), (512, 384));
        assert!(sector("8192").is_err() && key_bits("100").is_err());
    }
}
