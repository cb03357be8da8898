//! Measures several contestants interleaved (A B A B), so that a disturbance of the machine affects
//! all of them.

use std::io;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::cpu::Cpu;
use crate::interrupts::Interrupts;
use crate::statistics::Summary;
use crate::stop;

/// A contestant: makes this number of requests, one after another.
pub type Contestant<'a, E> = &'a mut dyn FnMut(u32) -> Result<(), E>;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub sample: Duration,
    /// Samples per contestant.
    pub rounds: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum Error<E> {
    #[error(transparent)]
    Failed(E),
    #[error("interrupted")]
    Stopped,
    #[error("/proc/interrupts: {0}")]
    Interrupts(io::Error),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Wall time per request in seconds, one value per sample.
    pub wall: Vec<f64>,
    /// CPU time of the whole system during all samples, in seconds. The resolution is a tick, so
    /// it may be negative. `None` without /proc/stat.
    pub cpu: Option<f64>,
    pub requests: u64,
    pub interrupts: u64,
    /// Whether a count of interrupts decreased, because a device was unbound.
    pub lost: bool,
    pub switches: u64,
}

/// The standard deviation, in ticks, of the error of a sample's CPU time: the two ends of a sample
/// fall anywhere within a tick, each with equal probability.
const OF_TICK: f64 = 0.408;

/// The largest difference in length between samples of a contestant, relative to the shortest. Samples
/// of equal length can all begin at the same point of a tick.
const LONGEST: f64 = 0.25;

/// The number of requests in a round's sample. The golden ratio spreads few rounds evenly.
fn of_round(count: u32, round: usize) -> u32 {
    const GOLDEN: f64 = 0.618_034;
    count + (f64::from(count) * LONGEST * (round as f64 * GOLDEN).fract()) as u32
}

impl Series {
    /// Wall time per request in seconds.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.wall).unwrap_or(Summary { median: f64::NAN, mad: 0.0 })
    }

    /// CPU time per request in seconds, and its standard error.
    pub fn cpu_per_request(&self) -> Option<(f64, f64)> {
        let requests = self.requests.max(1) as f64;
        let tick = crate::cpu::seconds(1) * OF_TICK * (self.wall.len() as f64).sqrt();
        self.cpu.map(|cpu| (cpu.max(0.0) / requests, tick / requests))
    }

    /// Divides by `requests`, where that many requests were timed as one: those of a batch, or of
    /// several threads.
    pub fn of_each(mut self, requests: u64) -> Series {
        self.wall.iter_mut().for_each(|wall| *wall /= requests as f64);
        self.requests *= requests;
        self
    }

    pub fn extend(&mut self, later: Series) {
        self.wall.extend(later.wall);
        self.cpu = self.cpu.zip(later.cpu).map(|(mine, more)| mine + more);
        self.requests += later.requests;
        self.interrupts += later.interrupts;
        self.lost |= later.lost;
        self.switches += later.switches;
    }
}

pub struct Stopwatch {
    clock: Clock,
    interrupts: Interrupts,
}

impl Stopwatch {
    /// Calibrates the clock and finds the accelerators' interrupts. There may be none, which the
    /// caller must judge.
    pub fn new() -> io::Result<Stopwatch> {
        Ok(Stopwatch { clock: Clock::calibrate(), interrupts: Interrupts::find()? })
    }

    /// The same clock, with the interrupts of the devices that a driver of /proc/crypto uses.
    pub fn of(&self, driver: &str) -> io::Result<Stopwatch> {
        Ok(Stopwatch { clock: self.clock, interrupts: Interrupts::of(driver)? })
    }

    /// A clock and lines of /proc/interrupts that another process has found.
    pub fn told(clock: Clock, lines: Vec<String>) -> Stopwatch {
        Stopwatch { clock, interrupts: Interrupts::told(lines) }
    }

    pub fn clock(&self) -> Clock {
        self.clock
    }

    pub fn interrupts(&self) -> &Interrupts {
        &self.interrupts
    }

    /// The number of requests that take about as long as a sample. Also warms up the contestant.
    pub fn requests<E>(&self, contestant: Contestant<'_, E>, plan: Plan) -> Result<u32, Error<E>> {
        self.fit(&mut |requests| self.time(contestant, requests), plan)
    }

    /// The same for a contestant that measures its time itself, in seconds.
    pub fn fit<E>(
        &self,
        time: &mut dyn FnMut(u32) -> Result<f64, Error<E>>,
        plan: Plan,
    ) -> Result<u32, Error<E>> {
        fitting(plan.sample.as_secs_f64(), &mut |requests| {
            if stop::asked() { Err(Error::Stopped) } else { time(requests) }
        })
    }

    /// Wall time of `requests` requests, in seconds.
    pub fn time<E>(&self, contestant: Contestant<'_, E>, requests: u32) -> Result<f64, Error<E>> {
        let start = self.clock.now();
        contestant(requests).map_err(Error::Failed)?;
        Ok(self.clock.since(start))
    }

    /// Measures all contestants interleaved. `counts` are the fewest requests per sample of each.
    pub fn turns<E>(
        &self,
        contestants: &mut [Contestant<'_, E>],
        counts: &[u32],
        rounds: usize,
    ) -> Result<Vec<Series>, Error<E>> {
        let mut series = vec![Series { cpu: Some(0.0), ..Series::default() }; contestants.len()];
        for round in 0..rounds {
            for ((contestant, &count), series) in contestants.iter_mut().zip(counts).zip(&mut series) {
                if stop::asked() {
                    return Err(Error::Stopped);
                }
                let count = of_round(count, round);
                let before = self.interrupts.count().map_err(Error::Interrupts)?;
                let (start, cpu) = (Instant::now(), Cpu::read());
                let took = self.time(*contestant, count)?;
                let wall = start.elapsed();
                let spent = Cpu::read().zip(cpu).map(|(now, then)| now.since(then));
                // The first reading of /proc/stat is part of `wall`, and not of the contestant: it takes
                // a slow CPU as long as several requests.
                let own = wall.as_secs_f64() - took;
                let awake = spent.map(|spent| spent.awake(wall) - own);
                let after = self.interrupts.count().map_err(Error::Interrupts)?;
                series.wall.push(took / f64::from(count));
                series.cpu = series.cpu.zip(awake).map(|(sum, awake)| sum + awake);
                series.requests += u64::from(count);
                series.interrupts += after.saturating_sub(before);
                series.lost |= after < before;
                series.switches += spent.map_or(0, |spent| spent.switches);
            }
        }
        Ok(series)
    }
}

/// The number of requests that take `seconds` seconds, extrapolated from a measurement.
fn fitting<E>(seconds: f64, time: &mut dyn FnMut(u32) -> Result<f64, E>) -> Result<u32, E> {
    const MOST: u32 = 1 << 24;
    let mut requests = 1_u32;
    loop {
        let mut took = time(requests)?;
        if took >= seconds / 4.0 {
            // The machine may have been stopped during that measurement: then a second one is
            // faster.
            took = took.min(time(requests)?);
        }
        if took >= seconds / 4.0 || requests >= MOST {
            return Ok(((f64::from(requests) * seconds / took.max(1e-9)).ceil() as u32).clamp(1, MOST));
        }
        requests *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::convert::Infallible;

    #[test]
    fn contestants_come_in_turns_and_each_gets_its_own_figures() {
        let watch = Stopwatch::new().unwrap();
        let order = RefCell::new(String::new());
        let tell = |name: char, time: Duration| {
            let order = &order;
            move |requests: u32| -> Result<(), Infallible> {
                order.borrow_mut().push(name);
                std::thread::sleep(time * requests);
                Ok(())
            }
        };
        let mut a = tell('a', Duration::from_millis(1));
        let mut b = tell('b', Duration::from_millis(4));
        let series = watch.turns(&mut [&mut a, &mut b], &[2, 1], 3).unwrap();
        assert_eq!(*order.borrow(), "ababab");
        assert_eq!([series[0].requests, series[1].requests], [6, 3]);
        let [a, b] = [&series[0], &series[1]].map(|series| series.summary().median);
        // On a busy machine a sleep takes longer than requested, and never less.
        assert!(a >= 0.0009 && b >= 0.0036, "{a} {b}");
    }

    #[test]
    fn a_sample_has_as_many_requests_as_fit() {
        for (each, expected) in [(200e-6, 200), (60e-3, 1), (1.0, 1), (0.0, 1 << 24)] {
            let fit = fitting::<()>(40e-3, &mut |requests| Ok(f64::from(requests) * each));
            assert_eq!(fit, Ok(expected), "{each}");
        }
    }

    #[test]
    fn a_machine_that_stood_still_once_gets_samples_as_long_as_before() {
        for still_at in 1..8 {
            let mut call = 0;
            let fit = fitting::<()>(40e-3, &mut |requests| {
                call += 1;
                Ok(f64::from(requests) * 200e-6 + if call == still_at { 2.5 } else { 0.0 })
            });
            assert_eq!(fit, Ok(200), "{still_at}");
        }
    }

    #[test]
    fn samples_differ_in_length_and_none_is_shorter() {
        let five: Vec<u32> = (0..5).map(|round| of_round(100, round)).collect();
        assert_eq!(five, [100, 115, 105, 121, 111]);
        assert_eq!([of_round(1, 3), of_round(3, 3), of_round(u32::MAX >> 8, 3) >> 20], [1, 3, 19]);
    }

    #[test]
    fn a_failure_ends_the_turns() {
        let watch = Stopwatch::new().unwrap();
        let mut broken = |_| Err("broken");
        let error = watch.turns(&mut [&mut broken], &[1], 1).unwrap_err();
        assert_eq!(error.to_string(), "broken");
    }

    #[test]
    fn later_turns_add_to_earlier_ones() {
        let one = Series { requests: 3, interrupts: 2, switches: 7, ..Series::default() };
        let mut first = Series { wall: vec![1.0], cpu: Some(2.0), ..one.clone() };
        first.extend(Series { wall: vec![5.0, 6.0], cpu: Some(1.0), lost: true, ..one });
        assert_eq!((first.wall.len(), first.cpu, first.lost), (3, Some(3.0), true));
        assert_eq!((first.requests, first.interrupts, first.switches), (6, 4, 14));
        assert_eq!(first.summary().median, 5.0);
        let always_idle = Series { cpu: Some(-0.5), ..first.clone() };
        assert_eq!(always_idle.cpu_per_request().map(|(cpu, _)| cpu), Some(0.0));
        // Three samples, nine requests: 0.408 ticks, times the root of three.
        let exact = Series { wall: vec![1.0; 3], cpu: Some(1.8), requests: 9, ..Series::default() };
        let (cpu, error) = exact.cpu_per_request().unwrap();
        let tick = 0.7067 * crate::cpu::seconds(1) / 9.0;
        assert!((cpu - 0.2).abs() < 1e-9 && (error / tick - 1.0).abs() < 0.001, "{cpu} {error}");
        let each = first.clone().of_each(10);
        assert_eq!((each.requests, each.interrupts, each.summary().median), (60, 4, 0.5));
        first.extend(Series { cpu: None, ..Series::default() });
        assert_eq!(first.cpu, None);
    }
}
