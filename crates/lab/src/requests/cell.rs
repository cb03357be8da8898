//! Measures one cell in the process of a pass: all contestants make the same requests, interleaved.

use crate::documents::bench::{Contestant, ContestantKind};
use outboard_accel::Direction;
use outboard_accel::primitive::Primitive;
use outboard_measure::clock::Clock;
use outboard_measure::evp::Example;
use outboard_measure::noise::arithmetic;
use outboard_measure::stop;
use outboard_measure::turns::{Error, Plan, Stopwatch};

use super::contestants::Interface;
use super::driver_interface::{DriverInterface, Requests};
use super::lookahead::LookaheadCipher;
use super::protocol::{CellContestant, CellRequest, CellResults, Measured, PassMessage};
use super::row::accel_direction;
use super::software::Software;
use super::without_instructions::WithoutInstructions;
use super::worker::{Worker, WorkerThreads};

/// Maximum number of batches per round whose requests are timed individually.
const TIMED: u32 = 64;

pub struct Subject<'a> {
    primitive: Primitive,
    software: Software<'a>,
    backends: Vec<(String, Result<DriverInterface, String>)>,
    /// The cipher of the provider with look-ahead, or the error; `None`: not needed so far.
    ahead: Option<Result<LookaheadCipher<'a>, String>>,
}

impl<'a> Subject<'a> {
    pub fn new(primitive: Primitive, software: Software<'a>) -> Subject<'a> {
        Subject { primitive, software, backends: Vec::new(), ahead: None }
    }

    pub fn look_ahead(&mut self, find: impl FnOnce() -> Result<LookaheadCipher<'a>, String>) {
        self.ahead.get_or_insert_with(find);
    }

    /// Measures until a signal arrives. A contestant that fails is excluded; the others continue.
    pub fn measure(&mut self, asked: &CellRequest, clock: Clock) -> Result<PassMessage, String> {
        let arithmetic = arithmetic();
        for entrant in &asked.entries {
            self.open(&entrant.contestant);
        }
        let direction = asked.direction.map(accel_direction);
        let example = self.software.example(direction, asked.bytes).map_err(|error| error.to_string())?;
        let run = |entrant| Runner::new(self, asked, entrant, &example, clock);
        let mut runners: Vec<Runner<'_>> = asked.entries.iter().map(run).collect();
        let done = turns(&mut runners, asked.plan);
        let measured = runners.into_iter().map(|runner| runner.measured).collect();
        let brought = CellResults { arithmetic, measured };
        match done {
            Ok(()) => Ok(PassMessage::Measured(brought)),
            Err(Error::Stopped) => Ok(PassMessage::Stopped(brought)),
            Err(error) => Err(error.to_string()),
        }
    }

    fn open(&mut self, contestant: &Contestant) {
        let Contestant { name, kind, driver: Some(driver), interface: Some(interface) } = contestant else {
            return;
        };
        if *kind == ContestantKind::Lookahead {
            return;
        }
        if self.backends.iter().all(|(known, _)| known != name) {
            let down = Interface::named(interface)
                .ok_or_else(|| format!("{interface} is not an interface to drivers"))
                .and_then(|interface| {
                    DriverInterface::reach(interface, driver, self.primitive)
                        .map_err(|error| error.to_string())
                });
            self.backends.push((name.clone(), down));
        }
    }

    /// Creates a worker for each thread, and compares the first result with OpenSSL's.
    fn team(
        &self,
        asked: &CellRequest,
        entrant: &CellContestant,
        example: &Example,
        clock: Clock,
    ) -> Result<Vec<Box<dyn Worker + '_>>, String> {
        let CellRequest { cipher, bytes, threads, .. } = asked;
        let direction: Option<Direction> = asked.direction.map(accel_direction);
        let mut team: Vec<Box<dyn Worker + '_>> = Vec::new();
        let Contestant { name, kind, .. } = &entrant.contestant;
        match kind {
            ContestantKind::Openssl => {
                for _ in 0..*threads {
                    let worker = self.software.worker(direction, *bytes);
                    team.push(worker.map_err(|error| error.to_string())?);
                }
            }
            ContestantKind::OpensslWithout => {
                for _ in 0..*threads {
                    team.push(Box::new(WithoutInstructions::start(cipher, direction, *bytes, clock)?));
                }
            }
            ContestantKind::Lookahead => {
                let ahead = self.ahead.as_ref().ok_or_else(|| format!("no interface reaches {name}"))?;
                let ahead = ahead.as_ref().map_err(String::clone)?;
                for _ in 0..*threads {
                    team.push(ahead.worker(&self.software, direction, *bytes)?);
                }
            }
            ContestantKind::Accelerator | ContestantKind::KernelSoftware | ContestantKind::Tcrypt => {
                let backend = self.backends.iter().find(|(known, _)| known == name);
                let (_, down) = backend.ok_or_else(|| format!("no interface reaches {name}"))?;
                let Example { input, tag, output } = example;
                let requests = Requests { input, tag, output, direction, key: &self.software.key() };
                for worker in down.as_ref()?.team(&requests, entrant.depth, *threads)? {
                    team.push(worker);
                }
            }
        }
        Ok(team)
    }
}

struct Runner<'a> {
    team: WorkerThreads<'a>,
    watch: Stopwatch,
    /// Whether the number of batches per sample is known.
    is_known: bool,
    measured: Measured,
}

fn turns(runners: &mut [Runner<'_>], plan: Plan) -> Result<(), Error<String>> {
    for runner in &mut *runners {
        runner.fit(plan)?;
    }
    for _ in 0..plan.rounds {
        for runner in &mut *runners {
            runner.sample()?;
        }
    }
    Ok(())
}

impl<'a> Runner<'a> {
    fn new(
        subject: &'a Subject<'_>,
        asked: &CellRequest,
        entrant: &CellContestant,
        example: &Example,
        clock: Clock,
    ) -> Runner<'a> {
        let (team, fault) = match subject.team(asked, entrant, example, clock) {
            Ok(team) => (team, None),
            // The child process that fails here received the same signal.
            Err(_) if stop::asked() => (Vec::new(), None),
            Err(why) => (Vec::new(), Some(why)),
        };
        Runner {
            team: WorkerThreads(team),
            watch: Stopwatch::told(clock, entrant.lines.clone()),
            is_known: entrant.batches.is_some(),
            measured: Measured { batches: entrant.batches.unwrap_or(0), fault, ..Measured::default() },
        }
    }

    /// Determines the number of batches per sample, or warms up: a contestant that was idle is slow
    /// at first.
    fn fit(&mut self, plan: Plan) -> Result<(), Error<String>> {
        if self.measured.fault.is_some() {
            return Ok(());
        }
        let Runner { team, watch, is_known, measured } = self;
        let clock = watch.clock();
        if *is_known {
            let warmed = team.run(measured.batches.div_ceil(4), clock).map_err(Error::Failed);
            return self.unless_failed(warmed).map(|_| ());
        }
        let mut time = |batches| {
            let start = clock.now();
            let own = team.run(batches, clock).map_err(Error::Failed)?;
            Ok(own.unwrap_or_else(|| clock.since(start)))
        };
        let found = watch.fit(&mut time, plan);
        self.measured.batches = self.unless_failed(found)?.unwrap_or(0);
        Ok(())
    }

    fn sample(&mut self) -> Result<(), Error<String>> {
        let Runner { team, watch, measured, .. } = self;
        if measured.fault.is_some() {
            return Ok(());
        }
        let batches = measured.batches.max(team.fewest_batches());
        let (clock, mut own) = (watch.clock(), None);
        let settled = team.settle().map_err(Error::Failed);
        let mut run = |batches| team.run(batches, clock).map(|seconds| own = seconds);
        let mut sample = settled.and_then(|()| watch.turns(&mut [&mut run], &[batches], 1));
        if let (Ok(series), Some(seconds)) = (&mut sample, own) {
            series.iter_mut().for_each(|one| one.wall = vec![seconds / f64::from(batches)]);
        }
        let timed = (batches / 2).clamp(1, TIMED);
        let latencies = sample.is_ok().then(|| team.timed(timed, clock).map_err(Error::Failed));
        for later in self.unless_failed(sample)?.unwrap_or_default() {
            match &mut self.measured.series {
                Some(series) => series.extend(later),
                none => *none = Some(later),
            }
        }
        if let Some(latencies) = latencies {
            let latencies = self.unless_failed(latencies)?;
            self.measured.latencies.extend(latencies.unwrap_or_default());
        }
        Ok(())
    }

    /// Excludes a contestant that failed; the others continue. The failure of a process that
    /// received the same signal as this one is not counted.
    fn unless_failed<T>(&mut self, result: Result<T, Error<String>>) -> Result<Option<T>, Error<String>> {
        match result {
            Err(Error::Failed(_)) if stop::asked() => Err(Error::Stopped),
            Err(Error::Failed(why)) => {
                self.measured.fault = Some(why);
                Ok(None)
            }
            other => other.map(Some),
        }
    }
}
