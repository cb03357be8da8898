//! Measures all cells several times, each time in a new process.

use std::time::{Duration, Instant};

use crate::documents::bench::Bench;
use anyhow::{Result, bail};
use outboard_console::{progress, say, time as minutes};
use outboard_measure::noise::{DisturbanceMonitor, SpeedReference};
use outboard_measure::stop;
use outboard_measure::turns::Stopwatch;

use super::contestants::DriverBackend;
use super::pass::PassProcess;
use super::plan::{Budget, Cell};
use super::protocol::{CellRequest, CellResults};
use super::row::document_direction;
use super::tally::Tally;

pub struct MeasuredCell<'a> {
    pub cell: Cell,
    pub backends: &'a [DriverBackend],
    pub tallies: Vec<Tally>,
}

/// Measures cell by cell until all passes are done, the time is over or a signal arrives. Each pass
/// runs in a new process, because the speed of a machine drifts and differs between processes.
pub fn cover(
    mut contests: Vec<MeasuredCell<'_>>,
    watch: &Stopwatch,
    time: Duration,
    bench: &mut Bench,
) -> Result<()> {
    let begin = Instant::now();
    let mut pass = match PassProcess::start(watch.clock()) {
        Ok(first) => Some(first),
        Err(_) if stop::asked() => {
            bench.interrupted = true;
            return Ok(());
        }
        Err(why) => bail!(why),
    };
    let all: usize = contests.iter().map(|contest| contest.tallies.len()).sum();
    let mut budget = Budget::new(time, all, begin.elapsed());
    if budget.remaining().as_secs() >= 2 {
        say(&format!(
            "outboard bench: {all} figures, about {}; ^C shows what was measured until then",
            minutes(budget.remaining())
        ));
    }
    let (vigil, mut yardstick) = (DisturbanceMonitor::begin(), SpeedReference::default());
    'all: for number in 1..=budget.passes {
        for contest in &mut contests {
            // A contestant that failed in an earlier pass is excluded.
            if contest.tallies.iter().all(Tally::is_out) {
                continue;
            }
            if stop::asked() {
                bench.interrupted = true;
                break 'all;
            }
            let mut process = match pass.take().map_or_else(|| PassProcess::start(watch.clock()), Ok) {
                Ok(process) => process,
                Err(_) if stop::asked() => {
                    bench.interrupted = true;
                    break 'all;
                }
                Err(why) => {
                    bench.warnings.push(format!("{why}: nothing more was measured"));
                    break 'all;
                }
            };
            match contest.measure(&mut process, watch, &budget, number, &mut yardstick) {
                Ok(true) => {
                    bench.interrupted = true;
                    break 'all;
                }
                Ok(false) => pass = Some(process),
                Err(_) if stop::asked() => {
                    bench.interrupted = true;
                    break 'all;
                }
                Err(why) => contest.tallies.iter_mut().for_each(|tally| tally.fail(&why)),
            }
            budget.spend(contest.tallies.len());
        }
        if let Some(process) = pass.take() {
            process.end();
        }
        budget.started();
    }
    progress("");
    for MeasuredCell { cell, backends, tallies } in contests {
        bench.rows.extend(tallies.into_iter().filter_map(|tally| tally.row(backends, cell)));
    }
    bench.warnings.extend(yardstick.warning());
    bench.warnings.extend(vigil.warnings());
    Ok(())
}

impl MeasuredCell<'_> {
    fn measure(
        &mut self,
        process: &mut PassProcess,
        watch: &Stopwatch,
        budget: &Budget,
        number: usize,
        yardstick: &mut SpeedReference,
    ) -> Result<bool, String> {
        let MeasuredCell { cell, backends, tallies } = self;
        let plan = budget.plan();
        let mut there: Vec<&mut Tally> = tallies.iter_mut().filter(|tally| !tally.is_out()).collect();
        let asked = CellRequest {
            cipher: cell.cipher.to_owned(),
            direction: cell.direction.map(document_direction),
            bytes: cell.bytes,
            threads: cell.threads,
            plan,
            entries: there.iter().map(|tally| tally.entrant(backends, watch.interrupts(), plan)).collect(),
        };
        let (CellResults { arithmetic, measured }, is_stopped) = process.measure(&asked, &mut || {
            progress(&format!(
                "{}, {} bytes, {number} of {} times, about {} left",
                cell.cipher,
                cell.bytes,
                budget.passes,
                minutes(budget.remaining())
            ));
        })?;
        yardstick.add(arithmetic);
        for (tally, measured) in there.iter_mut().zip(measured) {
            tally.add(measured, plan);
        }
        Ok(is_stopped)
    }
}
