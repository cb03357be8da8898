//! Measures hardware against software at one size, interleaved.

use std::time::Duration;

use outboard_console::progress;
use outboard_counters::Counts;
use outboard_documents::tune::{DirectionResult, Point};
use outboard_documents::{Goal, LONGEST_WALL_TIME, SpeedVerdict};
use outboard_measure::crossover::{Crossover, Sizes, search};
use outboard_measure::evidence::Evidence;
use outboard_measure::evidence::NO_INTERRUPT;
use outboard_measure::evp::Work;
use outboard_measure::figure::figure;
use outboard_measure::goal::judge;
use outboard_measure::turns::{Contestant, Error, Plan, Series, Stopwatch};

/// Requests before the measurement: the provider compares the first 16 of each key with software.
pub const WARM_UP: u32 = 20;

pub const AGAIN: usize = 2;

/// CPU time is counted in ticks, so it requires longer samples.
pub fn plan(goal: Goal) -> Plan {
    let millis = if goal == Goal::Throughput { 10 } else { 30 };
    Plan { sample: Duration::from_millis(millis), rounds: 5 }
}

pub struct DirectContest<'a> {
    pub watch: &'a Stopwatch,
    pub goal: Goal,
    /// OpenSSL without the provider.
    pub software: Work<'a>,
    pub hardware: Work<'a>,
    pub counts: &'a dyn Fn() -> Counts,
}

impl DirectContest<'_> {
    pub fn warm_up(&mut self) -> Result<(), Error<String>> {
        self.hardware.run(WARM_UP).map_err(|error| Error::Failed(error.to_string()))
    }

    pub fn at(&mut self, bytes: usize) -> Result<Point, Error<String>> {
        for side in [&mut self.software, &mut self.hardware] {
            side.resize(bytes).map_err(|error| Error::Failed(error.to_string()))?;
        }
        let (before, mut asked) = ((self.counts)(), 0);
        let (software, hardware) = (&mut self.software, &mut self.hardware);
        let (soft, hard, verdict) = duel(
            self.watch,
            self.goal,
            &mut |requests| software.run(requests).map_err(|error| error.to_string()),
            &mut |requests| {
                asked += u64::from(requests) * bytes as u64;
                hardware.run(requests).map_err(|error| error.to_string())
            },
        )?;
        let by_hardware = (self.counts)().hw_bytes.saturating_sub(before.hw_bytes);
        let refused = refused(self.watch, &hard, asked, by_hardware);
        Ok(point(bytes, &soft, &hard, verdict, refused))
    }
}

/// Returns the reason why a figure is not that of the accelerator, which received `asked` bytes;
/// `None` if it is.
fn refused(watch: &Stopwatch, hardware: &Series, asked: u64, by_hardware: u64) -> Option<String> {
    by_driver_alone(asked, by_hardware).or_else(|| without_interrupts(watch, hardware))
}

/// Returns a fault if software did some of the work.
pub fn by_driver_alone(asked: u64, by_hardware: u64) -> Option<String> {
    let why = "the provider did some of it in software: a driver that fails, refuses or is full";
    (by_hardware < asked).then(|| why.to_owned())
}

/// Measures both contestants, interleaved, and again while the result is unclear.
pub fn duel(
    watch: &Stopwatch,
    goal: Goal,
    software: Contestant<'_, String>,
    hardware: Contestant<'_, String>,
) -> Result<(Series, Series, SpeedVerdict), Error<String>> {
    let plan = plan(goal);
    let counts = [watch.requests(software, plan)?, watch.requests(hardware, plan)?];
    let mut both = watch.turns(&mut [software, hardware], &counts, plan.rounds)?;
    let judged = |both: &[Series]| judge(goal, &both[0], &both[1]);
    for _ in 0..AGAIN {
        let is_clear = matches!(judged(&both), SpeedVerdict::Wins | SpeedVerdict::Loses);
        // A figure that is refused needs no clear result.
        if is_clear || without_interrupts(watch, &both[1]).is_some() {
            break;
        }
        let more = watch.turns(&mut [software, hardware], &counts, plan.rounds)?;
        both.iter_mut().zip(more).for_each(|(series, more)| series.extend(more));
    }
    let verdict = judged(&both);
    let hard = both.pop().unwrap_or_default();
    Ok((both.pop().unwrap_or_default(), hard, verdict))
}

pub fn point(
    bytes: usize,
    soft: &Series,
    hard: &Series,
    verdict: SpeedVerdict,
    refused: Option<String>,
) -> Point {
    let verdict = if refused.is_some() { SpeedVerdict::Loses } else { verdict };
    Point { bytes, software: figure(soft, bytes), hardware: figure(hard, bytes), verdict, refused }
}

/// Returns a fault if interrupts refute the hardware figure.
pub fn without_interrupts(watch: &Stopwatch, hardware: &Series) -> Option<String> {
    let evidence = watch.interrupts().evidence(hardware.interrupts, hardware.lost);
    (evidence == Evidence::Refuted).then(|| NO_INTERRUPT.to_owned())
}

/// Requests whose time one of hardware may take and still be of use with several in flight.
const IN_FLIGHT: f64 = 16.0;

/// Whether hardware loses with several requests in flight too: at each size, one takes longer than
/// [`IN_FLIGHT`] of software's, by more than the least CPU time outweighs.
pub fn is_too_slow(goal: Goal, points: &[Point]) -> bool {
    let least = IN_FLIGHT * LONGEST_WALL_TIME;
    let loses =
        |point: &Point| point.hardware.megabytes_per_second * least < point.software.megabytes_per_second;
    goal != Goal::Cpu && points.iter().all(loses)
}

/// Finds the sizes at which hardware wins; `measure` measures one size. `what` is shown as progress.
pub fn look(
    cipher: &str,
    sizes: Sizes,
    what: &str,
    measure: &mut dyn FnMut(usize) -> Result<Point, Error<String>>,
) -> Result<DirectionResult, Error<String>> {
    let mut points = Vec::new();
    let found = search(sizes, &mut |bytes| {
        progress(&format!("{cipher}, {what} {bytes} bytes"));
        let point = measure(bytes)?;
        let verdict = point.verdict;
        points.push(point);
        Ok::<_, Error<String>>(verdict)
    });
    let Crossover { from, to, wins_below, always, unclear } = found?;
    Ok(DirectionResult { from, to, undecided: unclear, always, wins_below, points })
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_documents::Figure;

    fn points(hardware: [f64; 2]) -> Vec<Point> {
        let figure = |megabytes_per_second| Figure {
            megabytes_per_second,
            spread: 0.01,
            samples: 5,
            outliers: 0,
            cpu_ms_per_megabyte: None,
            interrupts_per_request: 0.0,
        };
        let point = |hardware| Point {
            bytes: 4096,
            software: figure(60.0),
            hardware: figure(hardware),
            verdict: SpeedVerdict::Loses,
            refused: None,
        };
        hardware.map(point).into()
    }

    #[test]
    fn hardware_that_may_win_with_several_requests_is_not_too_slow() {
        assert!(is_too_slow(Goal::Throughput, &points([2.4, 0.1])));
        assert!(is_too_slow(Goal::Balanced, &points([2.4, 0.1])));
        // Several at once may be faster, or nearly as fast with less CPU time.
        assert!(!is_too_slow(Goal::Balanced, &points([2.6, 0.1])));
        assert!(!is_too_slow(Goal::Balanced, &points([0.1, 30.0])));
        // Less CPU time wins however long it takes.
        assert!(!is_too_slow(Goal::Cpu, &points([2.4, 0.1])));
    }
}
