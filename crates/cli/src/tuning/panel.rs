//! Compares the ciphers and MACs that services may choose between, at one size of requests: in
//! software and with the accelerator, all interleaved.

use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Result, anyhow};
use outboard_advice::DriverTask;
use outboard_counters::Counts;
use outboard_documents::Goal;
use outboard_measure::evp::{Cipher, Context, Hmac, Library, Work, sample_key};
use outboard_measure::figure::{figure, rounded};
use outboard_measure::openssl_pair::{
    OpensslPair, ahead_percent, sample_requests, too_little_ahead, window_requests,
};
use outboard_measure::turns::{Error, Series, Stopwatch};
use outboard_measure::umac::Umac;
use outboard_policy::CipherFigure;

use super::contest::{WARM_UP, by_driver_alone, plan, without_interrupts};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accelerated<'a> {
    /// OpenSSL's name.
    pub cipher: &'a str,
    pub driver: &'a str,
    pub task: DriverTask,
}

#[derive(Debug, Default)]
pub struct Panel {
    pub figures: Vec<CipherFigure>,
    /// Why figures are missing.
    pub faults: Vec<String>,
}

type Run<'a> = Box<dyn FnMut(u32) -> Result<(), String> + 'a>;

struct Side<'a> {
    run: Run<'a>,
    /// The number of requests of a sample; `None`: as many as take the time of one.
    requests: Option<u32>,
    /// The fewest requests of a sample.
    fewest: u32,
    /// Whose figure it is; `None` for requests between the samples.
    of: Option<Of<'a>>,
}

/// A cipher or MAC, in software or with the accelerator.
struct Of<'a> {
    name: &'a str,
    with: Option<With<'a>>,
}

/// What shows that an accelerator did the work.
struct With<'a> {
    accelerated: Accelerated<'a>,
    pair: &'a OpensslPair,
    before: Counts,
    asked: &'a Cell<u64>,
}

impl<'a> Side<'a> {
    fn new(name: &'a str, run: Run<'a>) -> Self {
        Self { run, requests: None, fewest: 1, of: Some(Of { name, with: None }) }
    }

    fn between(run: Run<'a>, requests: Option<u32>) -> Self {
        Self { run, requests, fewest: 1, of: None }
    }
}

/// Measures ciphers and MACs by `names` in software, as far as there are such, and those of `served`
/// with the accelerator. `None`: the measurement was interrupted.
/// Errors: if OpenSSL or the interrupts cannot be used, or a request fails.
pub fn measure(
    module: &Path,
    goal: Goal,
    bytes: usize,
    names: &[&str],
    served: &[Accelerated<'_>],
) -> Result<Option<Panel>> {
    let watch = stopwatch(served)?;
    let library = Library::open()?;
    let plain = Context::software(&library)?;
    let pairs = served.iter().map(|one| pair(module, one)).collect::<Result<Vec<_>>>()?;
    let contexts = pairs.iter().map(OpensslPair::hardware).collect::<Result<Vec<_>>>()?;
    let ciphers: Vec<(&str, Cipher<'_>)> =
        names.iter().filter_map(|name| Some((*name, plain.cipher(name, "")?))).collect();
    let hmac = |name: &str| plain.hmac(name.strip_prefix("HMAC-")?, "");
    let hmacs: Vec<(&str, Hmac<'_>)> = names.iter().filter_map(|name| Some((*name, hmac(name)?))).collect();
    let hard =
        contexts.iter().zip(served).map(|(context, one)| context.cipher(one.cipher, "provider=outboard"));
    let hard: Vec<Option<Cipher<'_>>> = hard.collect();
    let asked: Vec<Cell<u64>> = served.iter().map(|_| Cell::new(0)).collect();

    let mut panel = Panel::default();
    let mut sides: Vec<Side<'_>> = Vec::new();
    for (name, cipher) in &ciphers {
        let mut work = work(cipher, bytes)?;
        sides.push(Side::new(name, Box::new(move |requests| failed(work.run(requests)))));
    }
    for name in names.iter().filter(|name| name.starts_with("UMAC-")) {
        sides.push(Side::new(name, umac(&plain, name, bytes)?));
    }
    for (name, hmac) in &hmacs {
        let mut hashing = hmac.hashing(&sample_key(hmac.size()), bytes)?;
        sides.push(Side::new(name, Box::new(move |requests| failed(hashing.run(requests)))));
    }
    for (((one, pair), hard), asked) in served.iter().zip(&pairs).zip(&hard).zip(&asked) {
        let Some(hard) = hard else {
            panel.faults.push(format!("{} is not offered by the provider", one.cipher));
            continue;
        };
        let work = Rc::new(RefCell::new(work(hard, bytes)?));
        let before = pair.counts(one.cipher);
        // The engine fills the window of key stream while others are measured: that is used first. The
        // provider compares the first direct requests with software, and those after a pause, which
        // the turns of others may be.
        let (between, fewest) = match one.task {
            DriverTask::Ahead { .. } => (window_requests(bytes), sample_requests(bytes)),
            DriverTask::Direct => (WARM_UP, 1),
        };
        sides.push(Side::between(counted(&work, asked, bytes), Some(between)));
        let with = With { accelerated: *one, pair, before, asked };
        let of = Some(Of { name: one.cipher, with: Some(with) });
        sides.push(Side { run: counted(&work, asked, bytes), requests: None, fewest, of });
        let soft =
            ciphers.iter().find(|(name, _)| *name == one.cipher).filter(|_| one.task != DriverTask::Direct);
        if let Some((_, soft)) = soft {
            // The engine ends what it has begun while nothing is timed.
            let mut work = self::work(soft, bytes)?;
            sides.push(Side::between(Box::new(move |requests| failed(work.run(requests))), None));
        }
    }
    match turns(&watch, goal, &mut sides) {
        Err(Error::Stopped) => return Ok(None),
        Err(error) => return Err(anyhow!("{error}")),
        Ok(series) => {
            let of: Vec<Option<Of<'_>>> = sides.into_iter().map(|side| side.of).collect();
            for (of, series) in of.into_iter().zip(&series) {
                let Some(of) = of else { continue };
                match of.with.as_ref().and_then(|with| with.fault(&watch, series)) {
                    Some(why) => panel.faults.push(format!("{} could not be compared: {why}", of.name)),
                    None => panel.figures.push(of.figure(series, bytes)),
                }
            }
        }
    }
    Ok(Some(panel))
}

impl With<'_> {
    /// Why a figure is not that of the accelerator.
    fn fault(&self, watch: &Stopwatch, series: &Series) -> Option<String> {
        let done = self.pair.counts(self.accelerated.cipher) - self.before;
        let other = match self.accelerated.task {
            DriverTask::Ahead { .. } => too_little_ahead(ahead_percent(done.ahead_bytes, done.bytes())),
            DriverTask::Direct => by_driver_alone(self.asked.get(), done.hw_bytes),
        };
        other.or_else(|| without_interrupts(watch, series))
    }
}

impl Of<'_> {
    fn figure(&self, series: &Series, bytes: usize) -> CipherFigure {
        let figure = figure(series, bytes);
        // No CPU time counts as less than its error: ticks are coarse.
        let cpu = series.cpu_per_request().map(|(cpu, off)| rounded(cpu.max(off) * 1e9 / bytes as f64));
        CipherFigure {
            bytes,
            name: self.name.to_owned(),
            driver: self.with.as_ref().map(|with| with.accelerated.driver.to_owned()),
            megabytes_per_second: figure.megabytes_per_second,
            spread: figure.spread,
            cpu_ms_per_megabyte: cpu,
        }
    }
}

fn turns(watch: &Stopwatch, goal: Goal, sides: &mut [Side<'_>]) -> Result<Vec<Series>, Error<String>> {
    let plan = plan(goal);
    let mut counts = Vec::new();
    for side in &mut *sides {
        counts.push(match side.requests {
            // As before each sample: the next side's number of requests is determined afterwards.
            Some(requests) => (side.run)(requests).map(|()| requests).map_err(Error::Failed)?,
            None => watch.requests(&mut side.run, plan)?.max(side.fewest),
        });
    }
    let mut runs: Vec<&mut dyn FnMut(u32) -> Result<(), String>> =
        sides.iter_mut().map(|side| &mut *side.run as _).collect();
    watch.turns(&mut runs, &counts, plan.rounds)
}

/// With the interrupts of the driver, or of all accelerators if there are several drivers.
fn stopwatch(served: &[Accelerated<'_>]) -> Result<Stopwatch> {
    let unreadable = |error| anyhow!("/proc/interrupts: {error}");
    let watch = Stopwatch::new().map_err(unreadable)?;
    match served {
        [first, others @ ..] if others.iter().all(|one| one.driver == first.driver) => {
            watch.of(first.driver).map_err(unreadable)
        }
        _ => Ok(watch),
    }
}

/// A configuration that has the accelerator do all requests of a cipher, or those of look-ahead as the
/// policy will.
fn pair(module: &Path, one: &Accelerated<'_>) -> Result<OpensslPair> {
    let DriverTask::Ahead { direct_from } = one.task else { return OpensslPair::new(module, &[one.cipher]) };
    let threshold = format!("ALL:{}", direct_from.unwrap_or(u32::MAX));
    let keys = [("THRESHOLDS", threshold.as_str()), ("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0")];
    OpensslPair::with_keys(module, &[one.cipher], &keys)
}

fn work<'c>(cipher: &'c Cipher<'c>, bytes: usize) -> Result<Work<'c>> {
    let mut work = cipher.work(true, bytes)?;
    work.count_nonces();
    Ok(work)
}

/// Makes requests of a context that several sides share, and counts their bytes.
fn counted<'a>(work: &Rc<RefCell<Work<'a>>>, asked: &'a Cell<u64>, bytes: usize) -> Run<'a> {
    let work = Rc::clone(work);
    Box::new(move |requests| {
        asked.set(asked.get() + u64::from(requests) * bytes as u64);
        failed(work.borrow_mut().run(requests))
    })
}

/// Computes `UMAC-64` or `UMAC-128`.
fn umac(plain: &Context<'_>, name: &str, bytes: usize) -> Result<Run<'static>> {
    let bits: usize = name.trim_start_matches("UMAC-").parse()?;
    let ecb = plain.cipher("AES-128-ECB", "").ok_or_else(|| anyhow!("OpenSSL has no AES-128-ECB"))?;
    let (key, mut refused) = (sample_key(ecb.key_length()), None);
    let umac = Umac::new(bits / 8, &mut |block| match ecb.block(&key, &block) {
        Ok(blocks) => blocks.try_into().unwrap_or(block),
        Err(error) => {
            refused = Some(error);
            block
        }
    });
    if let Some(error) = refused {
        return Err(error.into());
    }
    let message: Vec<u8> = (0..bytes).map(|at| at as u8).collect();
    Ok(Box::new(move |requests| {
        (0..requests).for_each(|_| _ = black_box(umac.hash(black_box(&message))));
        Ok(())
    }))
}

fn failed(done: Result<(), outboard_measure::evp::Error>) -> Result<(), String> {
    done.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ciphers_and_macs_in_software_have_figures() {
        let names = ["ChaCha20-Poly1305", "AES-128-CTR", "UMAC-64", "HMAC-SHA2-256", "no such cipher"];
        let none = Path::new("/nowhere/outboard.so");
        let panel = measure(none, Goal::Throughput, 1472, &names, &[]).expect("OpenSSL");
        let panel = panel.expect("it was not interrupted");
        let found: Vec<&str> = panel.figures.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(found, ["ChaCha20-Poly1305", "AES-128-CTR", "UMAC-64", "HMAC-SHA2-256"]);
        for one in &panel.figures {
            assert!(one.megabytes_per_second > 0.0 && one.driver.is_none() && one.bytes == 1472, "{one:?}");
        }
        assert!(panel.faults.is_empty(), "{panel:?}");
    }
}
