//! One cell: all contestants make the same requests, in turns.

use std::time::Duration;

use outboard_accel::Direction;
use outboard_measure::evidence;
use outboard_measure::evp::Example;
use outboard_measure::figure::{self, rounded};
use outboard_measure::statistics::{percentile, tail};
use outboard_measure::turns::{Error, Plan, Stopwatch};
use outboard_report::bench::{self, Evidence, Row};

use super::contestants::{OPENSSL, WITHOUT, Way};
use super::down::Asked;
use super::plain::Plain;
use super::plan::{Cell, Entry};
use super::software::Software;
use super::worker::{Measured, Team, Worker};
use crate::commands::NO_INTERRUPT;

/// Batches of a round that are timed one by one, at most.
const TIMED: u32 = 64;

/// What it takes.
pub struct Place<'a> {
    /// OpenSSL's own code.
    pub software: &'a Software<'a>,
    /// The ways to drivers.
    pub ways: &'a [Way],
    /// For who has no interrupts of his own.
    pub watch: &'a Stopwatch,
}

/// What is known of a contestant in a cell so far.
pub struct Tally {
    entry: Entry,
    /// How many batches make a sample of this length.
    sample: Option<(u32, Duration)>,
    measured: Measured,
    fault: Option<String>,
}

impl Tally {
    /// Nothing yet.
    pub fn new(entry: Entry) -> Tally {
        Tally { entry, sample: None, measured: Measured::default(), fault: None }
    }
}

/// Someone who is being measured.
struct Runner<'a> {
    tally: &'a mut Tally,
    team: Team<'a>,
    watch: &'a Stopwatch,
    batches: u32,
}

/// Measures on; ^C ends it. `each` is told before each round.
pub fn measure(
    place: &Place<'_>,
    cell: Cell,
    tallies: &mut [Tally],
    plan: Plan,
    each: &mut dyn FnMut(),
) -> Result<(), Error<String>> {
    let example = place.software.example(cell.direction, cell.bytes);
    let example = example.map_err(|error| Error::Failed(error.to_string()))?;
    let mut runners: Vec<Runner<'_>> =
        tallies.iter_mut().map(|tally| Runner::new(place, cell, tally, &example)).collect();
    match turns(&mut runners, plan, each) {
        Ok(()) | Err(Error::Stopped) => Ok(()),
        Err(error) => Err(error),
    }
}

fn turns(runners: &mut [Runner<'_>], plan: Plan, each: &mut dyn FnMut()) -> Result<(), Error<String>> {
    each();
    for runner in &mut *runners {
        runner.fit(plan)?;
    }
    for _ in 0..plan.rounds {
        each();
        for runner in &mut *runners {
            runner.sample()?;
        }
    }
    Ok(())
}

impl<'a> Runner<'a> {
    fn new(place: &Place<'a>, cell: Cell, tally: &'a mut Tally, example: &Example) -> Runner<'a> {
        let made =
            if tally.fault.is_none() { team(place, cell, tally.entry, example) } else { Ok(Vec::new()) };
        let team = made.unwrap_or_else(|why| {
            tally.fault = Some(why);
            Vec::new()
        });
        let watch = match tally.entry {
            Entry::Driver(number, _) => &place.ways[number].watch,
            Entry::Software | Entry::Without => place.watch,
        };
        Runner { tally, team: Team(team), watch, batches: 1 }
    }

    /// Finds out how many batches make a sample, or fewer than before where time is short.
    fn fit(&mut self, plan: Plan) -> Result<(), Error<String>> {
        let Runner { team, watch, tally, .. } = self;
        if let Some((batches, sample)) = tally.sample {
            let part = plan.sample.div_duration_f64(sample).min(1.0);
            self.batches = ((f64::from(batches) * part) as u32).max(1);
            // Who was not at work for a while is slow at first.
            if tally.fault.is_none() {
                let warmed = team.run(self.batches.div_ceil(4), watch.clock()).map_err(Error::Failed);
                self.unless_failed(warmed)?;
            }
        } else if tally.fault.is_none() {
            let clock = watch.clock();
            let mut time = |batches| {
                let start = clock.now();
                let own = team.run(batches, clock).map_err(Error::Failed)?;
                Ok(own.unwrap_or_else(|| clock.since(start)))
            };
            let found = watch.fit(&mut time, plan);
            self.batches = self.unless_failed(found)?.unwrap_or(1);
            self.tally.sample = Some((self.batches, plan.sample));
        }
        Ok(())
    }

    /// One sample, and the latencies of some requests more.
    fn sample(&mut self) -> Result<(), Error<String>> {
        let Runner { team, watch, batches, tally } = self;
        if tally.fault.is_some() {
            return Ok(());
        }
        let (clock, mut own) = (watch.clock(), None);
        let mut run = |batches| team.run(batches, clock).map(|seconds| own = seconds);
        let mut sample = watch.turns(&mut [&mut run], &[*batches], 1);
        if let (Ok(series), Some(seconds)) = (&mut sample, own) {
            series.iter_mut().for_each(|one| one.wall = vec![seconds / f64::from(*batches)]);
        }
        let timed = (*batches / 2).clamp(1, TIMED);
        let latencies = sample.is_ok().then(|| team.timed(timed, clock).map_err(Error::Failed));
        for later in self.unless_failed(sample)?.unwrap_or_default() {
            match &mut self.tally.measured.series {
                Some(series) => series.extend(later),
                none => *none = Some(later),
            }
        }
        if let Some(latencies) = latencies {
            let latencies = self.unless_failed(latencies)?;
            self.tally.measured.latencies.extend(latencies.unwrap_or_default());
        }
        Ok(())
    }

    /// Who fails is out; the others go on.
    fn unless_failed<T>(&mut self, result: Result<T, Error<String>>) -> Result<Option<T>, Error<String>> {
        match result {
            Err(Error::Failed(why)) => {
                self.tally.fault = Some(why);
                Ok(None)
            }
            other => other.map(Some),
        }
    }
}

impl Tally {
    /// What comes of it; nothing where nothing was begun.
    pub fn row(self, place: &Place<'_>, cell: Cell) -> Option<Row> {
        let (contestant, depth, way) = match self.entry {
            Entry::Software => (OPENSSL, 1, None),
            Entry::Without => (WITHOUT, 1, None),
            Entry::Driver(number, depth) => {
                let way = &place.ways[number];
                (way.contestant.name.as_str(), depth, Some(way))
            }
        };
        let Measured { series, latencies } = self.measured;
        let series = series.map(|series| series.of_each((cell.threads * depth) as u64));
        if series.is_none() && self.fault.is_none() {
            return None;
        }
        let hardware = way.filter(|way| way.is_hardware()).zip(series.as_ref());
        let evidence = hardware.map(|(way, series)| {
            evidence_of(way.watch.interrupts().evidence(series.interrupts, series.lost))
        });
        let refuted = (evidence == Some(Evidence::Contradicted)).then(|| NO_INTERRUPT.to_owned());
        let megabytes = cell.bytes as f64 / 1e6;
        let off = series.as_ref().and_then(|series| series.cpu_per_request());
        Some(Row {
            cipher: cell.cipher.to_owned(),
            direction: cell.direction.map(|direction| match direction {
                Direction::Encrypt => bench::Way::Encrypt,
                Direction::Decrypt => bench::Way::Decrypt,
            }),
            bytes: cell.bytes as u64,
            threads: cell.threads as u64,
            depth: depth as u64,
            contestant: contestant.to_owned(),
            cpu_off_ms_per_megabyte: off.map(|(_, off)| rounded(off * 1e3 / megabytes)),
            latency_p50_us: percentile(&latencies, 50.0).map(microseconds),
            latency_p99_us: tail(&latencies, 99.0).map(microseconds),
            latency_requests: latencies.len() as u64,
            context_switches_per_request: series
                .as_ref()
                .map(|series| rounded(series.switches as f64 / series.requests.max(1) as f64)),
            figure: series.map(|series| figure_of(&figure::Figure::of(&series, cell.bytes))),
            evidence,
            fault: self.fault.or(refuted),
        })
    }
}

fn microseconds(seconds: f64) -> f64 {
    rounded(seconds * 1e6)
}

/// For the document.
pub fn evidence_of(found: evidence::Evidence) -> Evidence {
    match found {
        evidence::Evidence::Shown => Evidence::Interrupts,
        evidence::Evidence::Lost | evidence::Evidence::Silent => Evidence::Unverified,
        evidence::Evidence::Refuted => Evidence::Contradicted,
    }
}

/// For the document.
pub fn figure_of(figure: &figure::Figure) -> bench::Figure {
    bench::Figure {
        megabytes_per_second: figure.megabytes_per_second,
        spread: figure.spread,
        samples: figure.samples as u64,
        outliers: figure.outliers as u64,
        cpu_ms_per_megabyte: figure.cpu_ms_per_megabyte,
        interrupts_per_request: figure.interrupts_per_request,
    }
}

/// A worker for each thread, and the first result compared with OpenSSL's.
fn team<'a>(
    place: &Place<'a>,
    cell: Cell,
    entry: Entry,
    example: &Example,
) -> Result<Vec<Box<dyn Worker + 'a>>, String> {
    let mut team: Vec<Box<dyn Worker + 'a>> = Vec::new();
    let Cell { cipher, direction, bytes, threads } = cell;
    match entry {
        Entry::Software => {
            for _ in 0..threads {
                let worker = place.software.worker(direction, bytes);
                team.push(worker.map_err(|error| error.to_string())?);
            }
        }
        Entry::Without => {
            for _ in 0..threads {
                team.push(Box::new(Plain::start(cipher, direction, bytes, place.watch.clock())?));
            }
        }
        Entry::Driver(number, depth) => {
            let Example { input, tag, output } = example;
            let asked = Asked { input, tag, output, direction, key: &place.software.key() };
            for worker in place.ways[number].down.team(&asked, depth, threads)? {
                team.push(worker);
            }
        }
    }
    Ok(team)
}
