//! Measures all sizes interleaved.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use outboard_benchmarks::configuration::configure;
use outboard_counters::Table;
use outboard_measure::evidence::Evidence;
use outboard_measure::evp::{Cipher, Context, Library, Work};
use outboard_measure::noise::{self, SpeedReference};
use outboard_measure::stop;
use outboard_measure::turns::{Error, Plan as Samples, Series, Stopwatch};

use crate::plan::{CIPHER, Plan};
use crate::rows::Row;

/// Duration of a sample.
const SAMPLE: Duration = Duration::from_millis(10);

/// Minimum number of turns.
const LEAST: usize = 5;

/// Interval between progress messages.
const NEWS: Duration = Duration::from_secs(10);

/// Requests before the measurement: the provider compares the first requests of each key with
/// software.
const WARM_UP: u32 = 20;

/// One size, its contestants and their samples.
struct Size<'a> {
    bytes: usize,
    /// Whether the third contestant's requests are sent to hardware.
    is_hardware: bool,
    work: [Work<'a>; 3],
    requests: [u32; 3],
    series: [Series; 3],
}

/// Measures until the time is over or a signal arrives.
pub fn measure(plan: &Plan, module: &Path, seconds: u64) -> Result<Vec<Row>> {
    stop::listen();
    let folder = tempfile::tempdir().context("a directory for a few small files")?;
    let library = Library::open()?;
    // The policy of tune, and a configuration that sends every request to hardware.
    let forced = [("THRESHOLDS", "ALL:1"), ("POLICY", "NONE"), ("SHADOW_CHECKS", "0")];
    let (offered, counters) = (folder.path().join("offered.cnf"), folder.path().join("counters"));
    configure(&offered, module, &[])?;
    let hardware = folder.path().join("hardware.cnf");
    let table = Table::create(&counters)?;
    let counted = counters.to_str().context("TMPDIR is not UTF-8")?;
    configure(&hardware, module, &[&forced[..], &[("COUNTERS", counted)]].concat())?;
    let contexts = [
        Context::software(&library)?,
        Context::configured(&library, &offered)?,
        Context::configured(&library, &hardware)?,
    ];
    let cipher = |context: usize, query: &str| contexts[context].cipher(CIPHER, query);
    let lost = || anyhow!("no driver does {CIPHER} for the provider: {}", table.notes().join("; "));
    let ciphers = [
        cipher(0, "").context("OpenSSL has no AES-128-CBC")?,
        // Where software was measured to win everywhere, the provider does not offer the cipher,
        // and OpenSSL's own code is used.
        cipher(1, "?provider=outboard").context("OpenSSL has no AES-128-CBC")?,
        cipher(2, "provider=outboard").ok_or_else(lost)?,
    ];
    let watch = Stopwatch::new().context("/proc/interrupts")?;
    let done = || table.snapshot().iter().map(|(_, counts)| counts.hw_bytes).sum::<u64>();
    let mut sizes = Vec::new();
    for &bytes in &plan.sizes {
        sizes.push(size(&ciphers, bytes, &watch, &done)?);
    }
    let before = done();
    turns(&watch, &mut sizes, Duration::from_secs(seconds))?;
    let by_hardware = sizes.iter().filter(|size| size.is_hardware);
    let asked: u64 = by_hardware.map(|size| size.series[2].requests * size.bytes as u64).sum();
    let done = done() - before;
    ensure!(
        done >= asked,
        "the provider gave {done} of {asked} bytes to hardware: outboard check shows whether it fails"
    );
    sizes.iter().map(|size| row(size, &watch)).collect()
}

/// Returns the row of a size. Fails for a hardware figure without interrupts.
fn row(size: &Size<'_>, watch: &Stopwatch) -> Result<Row> {
    let hardware = &size.series[2];
    if size.is_hardware
        && watch.interrupts().evidence(hardware.interrupts, hardware.lost) == Evidence::Refuted
    {
        bail!("{} bytes: no interrupt came, so the driver computed on the CPU", size.bytes);
    }
    Ok(Row::of(size.bytes, &size.series, size.is_hardware))
}

fn size<'a>(
    ciphers: &'a [Cipher<'a>; 3],
    bytes: usize,
    watch: &Stopwatch,
    done: &dyn Fn() -> u64,
) -> Result<Size<'a>> {
    let before = done();
    let mut work = Vec::new();
    let mut requests = Vec::new();
    for cipher in ciphers {
        let mut one = cipher.work(true, bytes)?;
        one.run(WARM_UP)?;
        let samples = Samples { sample: SAMPLE, rounds: 1 };
        requests.push(watch.requests(&mut |requests| one.run(requests), samples).map_err(to_anyhow)?);
        work.push(one);
    }
    let work = <[Work<'a>; 3]>::try_from(work).map_err(|_| anyhow!("three contestants"))?;
    let requests = <[u32; 3]>::try_from(requests).map_err(|_| anyhow!("three contestants"))?;
    let none = || Series { cpu: Some(0.0), ..Series::default() };
    Ok(Size { bytes, is_hardware: done() > before, work, requests, series: [none(), none(), none()] })
}

fn turns(watch: &Stopwatch, sizes: &mut [Size<'_>], limit: Duration) -> Result<()> {
    let (start, mut reported_at, mut yardstick) = (Instant::now(), Instant::now(), SpeedReference::default());
    let load = noise::load();
    let mut turn = 0;
    while turn < LEAST || start.elapsed() < limit {
        yardstick.measure();
        for size in sizes.iter_mut() {
            let [a, b, c] = &mut size.work;
            let mut runs = [a, b, c].map(|work| move |requests: u32| work.run(requests));
            let mut requests = size.requests;
            // Alternate the order: the contestant after software finds the accelerator, and the
            // kernel code that it needs, idle.
            let is_reversed = turn % 2 == 1;
            if is_reversed {
                runs.reverse();
                requests.reverse();
            }
            let [a, b, c] = &mut runs;
            let mut new = match watch.turns(&mut [a, b, c], &requests, 1) {
                // The turns so far are sufficient.
                Err(Error::Stopped) if turn >= LEAST => return Ok(()),
                other => other.map_err(to_anyhow)?,
            };
            if is_reversed {
                new.reverse();
            }
            size.series.iter_mut().zip(new).for_each(|(series, new)| series.extend(new));
        }
        turn += 1;
        if reported_at.elapsed() >= NEWS {
            reported_at = Instant::now();
            eprintln!(
                "outboard-benchmark-provider: {turn} turns, {} of {} s",
                start.elapsed().as_secs(),
                limit.as_secs()
            );
        }
    }
    for warning in load.into_iter().chain(yardstick.warning()) {
        println!("WARNING: {warning}");
    }
    Ok(())
}

fn to_anyhow<E: std::fmt::Display>(error: Error<E>) -> anyhow::Error {
    anyhow!("{error}")
}
