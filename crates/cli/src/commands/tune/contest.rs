//! Hardware against software at one size, in turns.

use std::time::Duration;

use outboard_counters::Counts;
use outboard_measure::evidence::Evidence;
use outboard_measure::evp::Work;
use outboard_measure::figure::Figure;
use outboard_measure::goal::{Goal, Verdict};
use outboard_measure::turns::{Contestant, Error, Plan, Series, Stopwatch};

use super::answer::Point;
use crate::commands::NO_INTERRUPT;

/// Requests before anything is timed: the first 16 of each key are compared with software's.
const WARM_UP: u32 = 20;

/// While nobody wins, so often more is measured.
const AGAIN: usize = 2;

/// CPU time is counted in ticks, so that it takes longer samples.
fn plan(goal: Goal) -> Plan {
    let millis = if goal == Goal::Throughput { 10 } else { 30 };
    Plan { sample: Duration::from_millis(millis), rounds: 5 }
}

/// Both sides, keyed for one direction of a cipher.
pub struct Contest<'a> {
    /// The clock.
    pub watch: &'a Stopwatch,
    /// What winning means.
    pub goal: Goal,
    /// OpenSSL without the provider.
    pub software: Work<'a>,
    /// OpenSSL with it.
    pub hardware: Work<'a>,
    /// What the provider has done so far.
    pub counts: &'a dyn Fn() -> Counts,
}

impl Contest<'_> {
    /// Requests that count for nothing.
    pub fn warm_up(&mut self) -> Result<(), Error<String>> {
        self.hardware.run(WARM_UP).map_err(|error| Error::Failed(error.to_string()))
    }

    /// One size.
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

/// Why this is no figure of the accelerator's, which was asked for so many bytes.
fn refused(watch: &Stopwatch, hardware: &Series, asked: u64, by_hardware: u64) -> Option<String> {
    if by_hardware < asked {
        return Some(
            "the provider did some of it in software: a driver that fails, refuses or is full".into(),
        );
    }
    without_interrupts(watch, hardware)
}

/// Both in turns, and more turns while nobody can tell who wins.
pub fn duel(
    watch: &Stopwatch,
    goal: Goal,
    software: Contestant<'_, String>,
    hardware: Contestant<'_, String>,
) -> Result<(Series, Series, Verdict), Error<String>> {
    let plan = plan(goal);
    let counts = [watch.requests(software, plan)?, watch.requests(hardware, plan)?];
    let mut both = watch.turns(&mut [software, hardware], &counts, plan.rounds)?;
    let judged = |both: &[Series]| goal.judge(&both[0], &both[1]);
    for _ in 0..AGAIN {
        let is_clear = matches!(judged(&both), Verdict::Wins | Verdict::Loses);
        // What will be refused needs no winner.
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

/// What comes of it; hardware that is refused does not win.
pub fn point(bytes: usize, soft: &Series, hard: &Series, verdict: Verdict, refused: Option<String>) -> Point {
    let verdict = if refused.is_some() { Verdict::Loses } else { verdict };
    Point { bytes, software: Figure::of(soft, bytes), hardware: Figure::of(hard, bytes), verdict, refused }
}

/// A hardware figure without interrupts is none.
pub fn without_interrupts(watch: &Stopwatch, hardware: &Series) -> Option<String> {
    let evidence = watch.interrupts().evidence(hardware.interrupts, hardware.lost);
    (evidence == Evidence::Refuted).then(|| NO_INTERRUPT.to_owned())
}
