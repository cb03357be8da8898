//! Measures all cells interleaved.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use outboard_measure::clock::Clock;
use outboard_measure::interrupts::Interrupts;
use outboard_measure::noise::{self, SpeedReference};
use outboard_measure::stop;

use crate::known_answer;
use crate::options::Options;
use crate::plan::{self, Cell, DEPTHS, MeasuredPath, SIZES};
use crate::results::Results;
use crate::tcrypt::Tcrypt;
use crate::ways::{self, Down};

/// Batches before a sample and in a sample: the same as in tcrypt, so that samples are equally
/// short and a disturbance of the machine affects both equally.
const WARM_UP: u32 = 4;
const BATCHES: u32 = 8;

/// Interval between progress messages.
const NEWS: Duration = Duration::from_secs(10);

/// Measures until the time is over or a signal arrives, but completes the first turn.
pub fn measure(options: &Options) -> Result<Results> {
    stop::listen();
    let interrupts = Interrupts::find().context("/proc/interrupts")?;
    ensure!(
        !interrupts.is_empty(),
        "no accelerator on this machine has interrupts of its own: see outboard status"
    );
    let clock = Clock::calibrate();
    let mut opened = ways::open(&options.driver)?;
    let mut closed = std::mem::take(&mut opened.closed);
    let mut tcrypt = match Tcrypt::find(&options.driver, &clock) {
        Ok(tcrypt) => Some(tcrypt),
        Err(error) => {
            closed.insert(0, format!("{}: {error:#}", MeasuredPath::Tcrypt.title()));
            None
        }
    };
    let mut results = Results::new(&options.driver, closed);
    results.warnings.extend_from_slice(&options.warning);
    results.warnings.extend(noise::load());

    eprintln!("outboard-benchmark-interface: a first look at everything");
    let ways: Vec<MeasuredPath> = opened.open.iter().map(|(path, _)| *path).collect();
    let turn = plan::turn(&ways);
    for &cell in &turn {
        right(down_of(&mut opened, cell.path), cell).with_context(|| name(cell))?;
    }

    let (start, limit) = (Instant::now(), Duration::from_secs(options.seconds));
    let (mut reported_at, mut yardstick) = (start, SpeedReference::default());
    while !stop::asked() && (results.turns == 0 || start.elapsed() < limit) {
        yardstick.measure();
        for depth in DEPTHS {
            if let Some(tcrypt) = tcrypt.as_mut().filter(|_| depth <= 16) {
                in_the_kernel(tcrypt, depth, &interrupts, &mut results)?;
            }
            for &cell in turn.iter().filter(|cell| cell.depth == depth) {
                if stop::asked() && results.turns > 0 {
                    break;
                }
                one(down_of(&mut opened, cell.path), cell, &clock, &interrupts, &mut results)
                    .with_context(|| name(cell))?;
            }
        }
        results.turns += usize::from(!stop::asked() || results.turns == 0);
        results.seconds = start.elapsed().as_secs_f64();
        if let Some(file) = &options.json {
            results.write(file)?;
        }
        if reported_at.elapsed() >= NEWS {
            reported_at = Instant::now();
            eprintln!(
                "outboard-benchmark-interface: {} turns, {:.0} of {} s",
                results.turns, results.seconds, options.seconds
            );
        }
    }
    results.warnings.extend(yardstick.warning());
    if let Some(file) = &options.json {
        results.write(file)?;
    }
    Ok(results)
}

fn name(Cell { path, bytes, depth }: Cell) -> String {
    format!("{}, {bytes} bytes, depth {depth}", path.title())
}

fn down_of(opened: &mut ways::Opened, path: MeasuredPath) -> &mut dyn Down {
    let place = opened.open.iter_mut().find(|(open, _)| *open == path);
    place.expect("the plan has open ways only").1.as_mut()
}

/// Verifies the results of a batch.
fn right(down: &mut dyn Down, cell: Cell) -> Result<()> {
    down.prepare(cell.bytes, cell.depth)?;
    down.batch()?;
    (0..cell.depth).try_for_each(|index| known_answer::check(down.result(index)))
}

/// Takes one sample of a cell.
fn one(
    down: &mut dyn Down,
    cell: Cell,
    clock: &Clock,
    interrupts: &Interrupts,
    results: &mut Results,
) -> Result<()> {
    down.prepare(cell.bytes, cell.depth)?;
    let before = interrupts.count().context("/proc/interrupts")?;
    (0..WARM_UP).try_for_each(|_| down.batch())?;
    let start = clock.now();
    (0..BATCHES).try_for_each(|_| down.batch())?;
    let took = clock.since(start);
    let interrupts = interrupts.count().context("/proc/interrupts")? - before;
    ensure!(interrupts > 0, "no interrupt of the accelerator came: something else did the work");
    let of = |batches: u32| u64::from(batches) * cell.depth as u64;
    let bytes = of(BATCHES) * cell.bytes as u64;
    results.figure(cell).add(bytes as f64 / took / 1e6, of(WARM_UP + BATCHES), interrupts);
    Ok(())
}

fn in_the_kernel(
    tcrypt: &mut Tcrypt,
    depth: usize,
    interrupts: &Interrupts,
    results: &mut Results,
) -> Result<()> {
    let before = interrupts.count().context("/proc/interrupts")?;
    let (speeds, requests) = tcrypt.run(depth)?;
    let interrupts = interrupts.count().context("/proc/interrupts")? - before;
    ensure!(interrupts > 0, "tcrypt: no interrupt of the accelerator came: something else did the work");
    for (bytes, speed) in speeds.into_iter().filter(|(bytes, _)| SIZES.contains(bytes)) {
        results.figure(Cell { path: MeasuredPath::Tcrypt, bytes, depth }).add(speed, requests, interrupts);
    }
    Ok(())
}
