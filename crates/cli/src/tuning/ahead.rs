//! Measures look-ahead: the provider with it and without it, with the same thresholds.
//!
//! Only encryption is measured: decryption uses the same key stream.

use std::cell::{Cell, RefCell};
use std::path::Path;

use anyhow::anyhow;
use outboard_documents::tune::{DirectionResult, Lookahead, Point};
use outboard_documents::{Goal, SpeedVerdict};
use outboard_measure::crossover::Sizes;
use outboard_measure::evp::{Cipher, Work};
use outboard_measure::goal::judge;
use outboard_measure::openssl_pair::{
    OpensslPair, ahead_percent, sample_requests, shortest_ahead, too_little_ahead, window_requests,
};
use outboard_measure::turns::{Error, Series, Stopwatch};

use super::contest::{AGAIN, WARM_UP, look, plan, point, without_interrupts};
use super::sentence;

/// The largest request in bytes.
const LARGEST: usize = 64 << 10;

/// The numbers of bytes with one key that are measured, in requests of [`REQUEST`] bytes.
const CONNECTIONS: Sizes = Sizes { least: 2 * REQUEST, most: 1 << 20, largest_decide: true };

/// Request size within connections, in bytes.
const REQUEST: usize = 4096;

/// How many times as long as others a sample of look-ahead may take if it needs more requests: half a
/// second, which has four windows of requests of 16 bytes that take 3.6 us. An emulated processor would
/// take seconds, five to fifteen times for each size.
const LONGEST_SAMPLE: u32 = 16;

/// The number of requests in a sample of look-ahead, where `fitting` requests take as long as other
/// samples: `fewest`, or what [`LONGEST_SAMPLE`] allows, and at least `window`, the number of those that
/// were used untimed before.
fn requests_in_sample(fitting: u32, fewest: u32, window: u32) -> u32 {
    let longest = fitting.saturating_mul(LONGEST_SAMPLE).max(window);
    fitting.max(fewest.min(longest))
}

fn sizes(cipher: &str) -> Sizes {
    let least = shortest_ahead(cipher).unwrap_or_default().max(16);
    Sizes { least, most: LARGEST, largest_decide: false }
}

fn failed(error: &dyn std::fmt::Display) -> Error<String> {
    Error::Failed(error.to_string())
}

/// Measures the look-ahead of a cipher. `direct_from` is the threshold for direct requests. `None`:
/// no driver can compute its key stream.
pub fn measure(
    module: &Path,
    watch: &Stopwatch,
    goal: Goal,
    name: &str,
    direct_from: Option<usize>,
) -> Result<Option<Lookahead>, Error<String>> {
    let threshold = direct_from.map_or_else(|| u32::MAX.to_string(), |bytes| bytes.to_string());
    let threshold = format!("ALL:{threshold}");
    let lab = |lookahead: &str| {
        let keys = [("THRESHOLDS", threshold.as_str()), ("LOOKAHEAD", lookahead), ("LOOKAHEAD_START", "0")];
        OpensslPair::with_keys(module, &[name], &keys).map_err(|error| failed(&format!("{error:#}")))
    };
    let (with, without) = (lab("ON")?, lab("OFF")?);
    let explained = |error: anyhow::Error| failed(&format!("{error:#}"));
    let (ahead, software) = (with.hardware().map_err(explained)?, without.software().map_err(explained)?);
    let direct = without.hardware().map_err(explained)?;
    let ahead = ahead.cipher(name, "provider=outboard");
    let Some((ahead, driver)) = ahead.zip(with.key_stream()) else { return Ok(None) };
    let other = match direct_from {
        Some(_) => direct.cipher(name, "provider=outboard"),
        None => software.cipher(name, ""),
    };
    let other = other.ok_or_else(|| failed(&anyhow!("{name} is not offered")))?;
    let watch = watch.of(&driver).map_err(Error::Interrupts)?;
    let (watch, with, ahead, other) = (&watch, &with, &ahead, &other);
    let contest = LookaheadContest { watch, goal, name, direct_from, with, ahead, other };
    let (requests, percent) = contest.requests()?;
    let connections = if requests.from.is_some() { Some(contest.connections()?) } else { None };
    let mut lookahead = Lookahead {
        name: name.to_owned(),
        driver,
        direct_from,
        requests,
        ahead_percent: percent,
        connections,
        sentence: String::new(),
    };
    lookahead.sentence = sentence::lookahead(&lookahead);
    Ok(Some(lookahead))
}

/// Number of bytes with a key after which look-ahead starts: as many as it needs to win.
pub fn start(lookahead: &Lookahead) -> Option<usize> {
    let connections = lookahead.connections.as_ref().filter(|all| !all.undecided)?;
    Some(connections.from.unwrap_or(CONNECTIONS.most))
}

struct LookaheadContest<'a> {
    watch: &'a Stopwatch,
    goal: Goal,
    name: &'a str,
    direct_from: Option<usize>,
    with: &'a OpensslPair,
    ahead: &'a Cipher<'a>,
    other: &'a Cipher<'a>,
}

type Run<'a> = &'a mut dyn FnMut(u32) -> Result<(), String>;

impl LookaheadContest<'_> {
    /// Measures requests of one long stream. Returns the share of the bytes that found key stream at
    /// the largest size, in percent, too.
    fn requests(&self) -> Result<(DirectionResult, f64), Error<String>> {
        let mut percent = None;
        let mut measure = |bytes: usize| {
            let (point, found) = self.at(bytes)?;
            percent.get_or_insert(found);
            Ok(point)
        };
        let found = look(self.name, sizes(self.name), "look-ahead", &mut measure)?;
        Ok((found, percent.unwrap_or(0.0)))
    }

    /// Measures one size, and the share of the bytes that found key stream, in percent.
    fn at(&self, bytes: usize) -> Result<(Point, f64), Error<String>> {
        let [ahead, other] = [self.work(self.ahead)?, self.work(self.other)?];
        for side in [&ahead, &other] {
            side.borrow_mut().resize(bytes).map_err(|error| failed(&error))?;
        }
        let before = self.with.counts(self.name);
        let (window, fewest) = (window_requests(bytes), sample_requests(bytes));
        let mut settle = |count| self.resume(&other, bytes).and_then(|()| run(&other)(count));
        let mut drain = |_| run(&ahead)(window);
        let (soft, hard, verdict) =
            self.duel(&mut settle, &mut run(&other), &mut run(&ahead), &mut drain, [fewest, window])?;
        // A context adds its counts to the table from time to time, and when it is freed.
        drop(ahead);
        let done = self.with.counts(self.name) - before;
        let found = ahead_percent(done.ahead_bytes, done.bytes());
        let refused = too_little_ahead(found).or_else(|| without_interrupts(self.watch, &hard));
        Ok((point(bytes, &soft, &hard, verdict, refused), found))
    }

    /// Measures connections: a new key, and this number of bytes.
    fn connections(&self) -> Result<DirectionResult, Error<String>> {
        let [ahead, other] = [self.work(self.ahead)?, self.work(self.other)?];
        for side in [&ahead, &other] {
            side.borrow_mut().resize(REQUEST).map_err(|error| failed(&error))?;
        }
        let key = Cell::new(0);
        let mut measure = |bytes: usize| {
            let run = |side: &RefCell<Work<'_>>, connections: u32| {
                (0..connections).try_for_each(|_| {
                    key.set(key.get() + 1);
                    let mut side = side.borrow_mut();
                    let done = side.begin(key.get()).and_then(|()| side.run((bytes / REQUEST) as u32));
                    done.map_err(|error| error.to_string())
                })
            };
            let (soft, hard, verdict) = self.duel(
                &mut |count| self.resume(&other, REQUEST).and_then(|()| run(&other, count)),
                &mut |count| run(&other, count),
                &mut |count| run(&ahead, count),
                &mut |count| run(&ahead, count),
                [1, 1],
            )?;
            // Interrupts are no condition: a short connection need not use any key stream.
            Ok(point(bytes, &soft, &hard, verdict, None))
        };
        look(self.name, CONNECTIONS, "look-ahead, connections of", &mut measure)
    }

    /// Makes the direct requests that the provider compares with software at the start and after a
    /// pause, which the turn of look-ahead may be. They are as short as it permits; then a request has
    /// `bytes` bytes.
    fn resume(&self, other: &RefCell<Work<'_>>, bytes: usize) -> Result<(), String> {
        let Some(from) = self.direct_from.filter(|from| *from <= bytes) else { return Ok(()) };
        let mut work = other.borrow_mut();
        let done = work.resize(from).and_then(|()| work.run(WARM_UP)).and_then(|()| work.resize(bytes));
        done.map_err(|error| error.to_string())
    }

    fn work<'c>(&self, cipher: &'c Cipher<'c>) -> Result<RefCell<Work<'c>>, Error<String>> {
        let mut work = cipher.work(true, REQUEST).map_err(|error| failed(&error))?;
        work.count_nonces();
        Ok(RefCell::new(work))
    }

    /// Measures both sides, interleaved, and again while the result is unclear. Untimed requests of the
    /// same side precede each sample, and the search for its number of requests: `settle` until the
    /// engine has completed the other side's requests, `drain` until the key stream that was computed
    /// meanwhile is used. A sample of look-ahead has [`requests_in_sample`]: with an engine that is
    /// slower than software, what `drain` left may serve fewer.
    fn duel(
        &self,
        settle: Run<'_>,
        other: Run<'_>,
        ahead: Run<'_>,
        drain: Run<'_>,
        [fewest, window]: [u32; 2],
    ) -> Result<(Series, Series, SpeedVerdict), Error<String>> {
        let plan = plan(self.goal);
        settle(1).map_err(Error::Failed)?;
        let software = self.watch.requests(&mut *other, plan)?;
        drain(1).map_err(Error::Failed)?;
        let requests = requests_in_sample(self.watch.requests(&mut *ahead, plan)?, fewest, window);
        let counts = [software.div_ceil(2), software, 1, requests];
        let (mut soft, mut hard) = (None::<Series>, None::<Series>);
        let mut verdict = SpeedVerdict::Unclear;
        for _ in 0..=AGAIN {
            let sides: &mut [Run<'_>] = &mut [&mut *settle, &mut *other, &mut *drain, &mut *ahead];
            let mut all = self.watch.turns(sides, &counts, plan.rounds)?.into_iter();
            for (series, skipped) in [(&mut soft, 1), (&mut hard, 1)] {
                let Some(more) = all.nth(skipped) else { continue };
                match series {
                    Some(series) => series.extend(more),
                    none => *none = Some(more),
                }
            }
            if let (Some(soft), Some(hard)) = (&soft, &hard) {
                verdict = judge(self.goal, soft, hard);
            }
            if matches!(verdict, SpeedVerdict::Wins | SpeedVerdict::Loses) {
                break;
            }
        }
        Ok((soft.unwrap_or_default(), hard.unwrap_or_default(), verdict))
    }
}

fn run<'w>(work: &'w RefCell<Work<'_>>) -> impl Fn(u32) -> Result<(), String> + 'w {
    |requests| work.borrow_mut().run(requests).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of requests in a sample of 30 ms, of this size and duration.
    fn requests(bytes: usize, nanoseconds: u32) -> u32 {
        requests_in_sample(30_000_000 / nanoseconds, sample_requests(bytes), window_requests(bytes))
    }

    #[test]
    fn a_slow_processor_gets_a_bounded_sample() {
        // Four windows, on processors of 1.6 GHz and of 600 MHz.
        assert_eq!([requests(16, 1_000), requests(16, 3_000)], [131_072; 2]);
        assert_eq!(requests(65_536, 1_500_000), 32);
        // As many as half a second has, and at least those of a window.
        assert_eq!(requests(16, 10_000), 48_000);
        assert_eq!([requests(16, 20_000), requests(16, 200_000)], [32_768; 2]);
        assert_eq!(requests(65_536, 100_000_000), 8);
        // Where a sample has more than four windows, it stays as it is.
        assert_eq!(requests(65_536, 10_000), 3_000);
    }
}
