//! Runs the job of each contestant, interleaved; records the cost and whether hardware did the
//! work.

use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::documents::bench::{Application, Bench, Evidence, Run};
use crate::requests::end_by_limit;
use crate::requests::row::evidence_of;
use anyhow::{Result, anyhow};
use outboard_console::progress;
use outboard_counters::{Counts, Decision, SoftwareReason, Table};
use outboard_documents::software::why_software;
use outboard_measure::cpu::{Cpu, seconds as cpu_seconds};
use outboard_measure::evidence::NO_INTERRUPT;
use outboard_measure::figure::{figure, rounded};
use outboard_measure::noise::{DisturbanceMonitor, SpeedReference};
use outboard_measure::stop;
use outboard_measure::turns::{Error, Series, Stopwatch};

const ROUNDS: (usize, usize) = (5, 25);

pub struct ApplicationJob {
    pub name: String,
    pub cipher: String,
    /// Bytes of all concurrent transfers together.
    pub bytes: u64,
    /// Number of concurrent transfers, tunnels or jobs.
    pub at_once: u64,
    /// Approximate duration of all runs of all contestants together.
    pub time: Duration,
}

/// User and system time in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UserSystemTime {
    pub user: f64,
    pub system: f64,
}

impl UserSystemTime {
    /// Returns what the child processes used that `work` started and waited for; the error of `work`
    /// is returned.
    pub fn during(work: impl FnOnce() -> Result<(), String>) -> Result<UserSystemTime, String> {
        let before = UserSystemTime::by_children();
        work()?;
        Ok(UserSystemTime::by_children().since(before))
    }

    /// Of the child processes that this process has waited for.
    fn by_children() -> UserSystemTime {
        // SAFETY: plain data, written by the call.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
            usage
        };
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        UserSystemTime { user: seconds(usage.ru_utime), system: seconds(usage.ru_stime) }
    }

    /// Of the whole system: the time in interrupts and kernel threads is not accounted to a
    /// process.
    pub fn by_all() -> UserSystemTime {
        Cpu::read().map(UserSystemTime::of).unwrap_or_default()
    }

    fn of(cpu: Cpu) -> UserSystemTime {
        UserSystemTime { user: cpu_seconds(cpu.user), system: cpu_seconds(cpu.busy - cpu.user) }
    }

    pub fn since(self, then: UserSystemTime) -> UserSystemTime {
        UserSystemTime { user: self.user - then.user, system: self.system - then.system }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunCost {
    /// Of the processes that encrypt; if the kernel encrypts, of the whole system.
    pub spent: UserSystemTime,
    /// Seconds of the work itself as the application reports them; otherwise the whole run counts.
    pub wall: Option<f64>,
}

impl From<UserSystemTime> for RunCost {
    fn from(spent: UserSystemTime) -> RunCost {
        RunCost { spent, wall: None }
    }
}

/// Names of the contestants without and with the provider.
pub const AS_IT_IS: &str = "OpenSSL";
pub const WITH: &str = "OpenSSL with outboard";

pub struct MeasuredSide {
    contestant: String,
    driver: Option<String>,
    claim: HardwareClaim,
    cipher: Option<String>,
    watch: Stopwatch,
    series: Option<Series>,
    spent: UserSystemTime,
    /// Wall time in seconds that `spent` refers to.
    meanwhile: f64,
    by_hardware: u64,
}

/// The evidence that a contestant uses hardware.
pub enum HardwareClaim {
    Software,
    Counted(Rc<Table>),
    Driver,
}

impl MeasuredSide {
    /// Creates a contestant. If it claims hardware and the driver is known, the interrupts of the
    /// driver's devices are counted, otherwise those of all accelerators.
    pub fn new(contestant: &str, driver: Option<String>, claim: HardwareClaim) -> Result<MeasuredSide> {
        let watch = match &driver {
            Some(name) if !matches!(claim, HardwareClaim::Software) => {
                Stopwatch::new().and_then(|watch| watch.of(name))
            }
            _ => Stopwatch::new(),
        };
        let watch = watch.map_err(|error| anyhow!("/proc/interrupts: {error}"))?;
        let contestant = contestant.to_owned();
        let (series, spent, meanwhile) = (None, UserSystemTime::default(), 0.0);
        Ok(MeasuredSide {
            contestant,
            driver,
            claim,
            cipher: None,
            watch,
            series,
            spent,
            meanwhile,
            by_hardware: 0,
        })
    }

    /// Counts only the work for this cipher, by the provider's name.
    pub fn by(mut self, cipher: &str) -> MeasuredSide {
        self.cipher = Some(cipher.to_owned());
        self
    }

    fn counts(&self) -> Counts {
        self.counted().into_iter().fold(Counts::default(), |sum, (_, counts)| sum + counts)
    }

    fn counted(&self) -> Vec<(String, Counts)> {
        let HardwareClaim::Counted(table) = &self.claim else { return Vec::new() };
        let is_it = |name: &str| self.cipher.as_ref().is_none_or(|cipher| cipher == name);
        table.snapshot().into_iter().filter(|(name, _)| is_it(name)).collect()
    }

    fn why_nothing(&self) -> Option<String> {
        let (HardwareClaim::Counted(table), Some(_), 0) = (&self.claim, &self.series, self.by_hardware)
        else {
            return None;
        };
        let decisions = table.decisions();
        let left = |is_it: &dyn Fn(&str, SoftwareReason) -> bool| {
            decisions.iter().find_map(|(name, decision)| match decision {
                Decision::Left { reason, why } if is_it(name, *reason) => Some(why.clone()),
                _ => None,
            })
        };
        let counted = self.counted();
        let of_cipher = || left(&|name, _| self.cipher.as_deref() == Some(name));
        let note = || table.notes().into_iter().next();
        let combined = || {
            let cipher = self.cipher.as_deref()?;
            let why =
                left(&|name, reason| reason == SoftwareReason::CombinedCode && name.starts_with(cipher))?;
            Some(format!("it made no request for {cipher}: {why}"))
        };
        let nothing = || {
            let cipher = self.cipher.as_deref().unwrap_or("an algorithm that outboard offers");
            format!("it made no request for {cipher}")
        };
        let why = of_cipher().or_else(|| why_software(&counted, &decisions)).or_else(note);
        Some(why.or_else(combined).unwrap_or_else(nothing))
    }

    fn sample(&mut self, job: &mut dyn FnMut() -> Result<RunCost, String>) -> Result<(), Error<String>> {
        let before = self.counts().hw_bytes;
        let mut took = RunCost::default();
        let mut once = |_| job().map(|took_now| took = took_now);
        let sample = self.watch.turns(&mut [&mut once], &[1], 1);
        // The application received the signal too. A run that completed just after the limit is
        // valid.
        if stop::by_signal() || stop::asked() && sample.is_err() {
            return Err(Error::Stopped);
        }
        for mut later in sample? {
            self.meanwhile += later.wall.iter().sum::<f64>();
            if let Some(seconds) = took.wall {
                later.wall = vec![seconds];
            }
            match &mut self.series {
                Some(series) => series.extend(later),
                none => *none = Some(later),
            }
        }
        self.spent.user += took.spent.user;
        self.spent.system += took.spent.system;
        self.by_hardware += self.counts().hw_bytes.saturating_sub(before);
        Ok(())
    }

    /// Returns the row of the table, if anything was measured.
    fn run(&self, bytes: u64) -> Option<Run> {
        let series = self.series.as_ref()?;
        let percent = |seconds: f64| rounded(seconds / self.meanwhile * 100.0);
        let asked = (series.requests * bytes).max(1);
        let (hardware_percent, claims) = match self.claim {
            HardwareClaim::Software => (None, false),
            HardwareClaim::Driver => (None, true),
            HardwareClaim::Counted(_) => {
                // Headers and the other direction are encrypted too, so the count can exceed the
                // job.
                let done = self.by_hardware.min(asked) as f64;
                (Some(rounded(done / asked as f64 * 100.0)), self.by_hardware > 0)
            }
        };
        let found = || self.watch.interrupts().evidence(series.interrupts, series.lost);
        let evidence = claims.then(|| evidence_of(found()));
        Some(Run {
            contestant: self.contestant.clone(),
            driver: self.driver.clone(),
            figure: figure(series, bytes as usize),
            user_percent: percent(self.spent.user),
            system_percent: percent(self.spent.system),
            hardware_percent,
            evidence,
            fault: (evidence == Some(Evidence::Contradicted)).then(|| NO_INTERRUPT.to_owned()),
        })
    }
}

/// Runs the job of each contestant, interleaved; `once` receives the contestant's index. The
/// results are added to `bench`, also after a signal or at the time limit.
pub fn measure<T: Into<RunCost>>(
    bench: &mut Bench,
    job: ApplicationJob,
    mut sides: Vec<MeasuredSide>,
    once: &mut dyn FnMut(usize) -> Result<T, String>,
) -> Result<()> {
    let (vigil, mut yardstick) = (DisturbanceMonitor::begin(), SpeedReference::default());
    let (start, mut rounds) = (Instant::now(), 0);
    let least = if job.time.is_zero() { ROUNDS.0 } else { 1 };
    while !bench.interrupted && (rounds < least || (rounds < ROUNDS.1 && start.elapsed() < job.time)) {
        yardstick.measure();
        for (index, side) in sides.iter_mut().enumerate() {
            let left = job.time.saturating_sub(start.elapsed()).as_secs();
            let (name, cipher, contestant, run) = (&job.name, &job.cipher, &side.contestant, rounds + 1);
            progress(&format!("{name}, {cipher}: {contestant}, run {run}, about {left} s left"));
            match side.sample(&mut || once(index).map(Into::into)) {
                Ok(()) => {}
                Err(Error::Stopped) => {
                    bench.interrupted = true;
                    break;
                }
                Err(error) => {
                    return Err(anyhow!("{}, {}, {}: {error}", job.name, job.cipher, side.contestant));
                }
            }
        }
        rounds += 1;
    }
    progress("");
    let which = format!("{}, {}, {} at once", job.name, job.cipher, job.at_once);
    bench.warnings.extend(
        yardstick.warning().into_iter().chain(vigil.warnings()).map(|what| format!("{which}: {what}")),
    );
    if rounds < ROUNDS.0 && !stop::by_signal() {
        bench.warnings.push(format!(
            "{which}: {rounds} of {} runs fitted into the time of --for: the spread is not reliable",
            ROUNDS.0
        ));
    }
    for side in &sides {
        if let Some(why) = side.why_nothing() {
            bench
                .notes
                .push(format!("{}, {}: {} used no hardware: {why}", job.name, job.cipher, side.contestant));
        }
    }
    bench.notes.dedup();
    let runs = sides.iter().filter_map(|side| side.run(job.bytes)).collect();
    let ApplicationJob { name, cipher, bytes, at_once, .. } = job;
    bench.applications.push(Application { name, cipher, bytes, at_once, runs });
    Ok(())
}

/// Prints the results, also those of a run that a signal or the limit of --for ended.
pub fn conclude(mut bench: Bench, outcome: Result<()>) -> Result<Bench> {
    match outcome {
        Err(_) if stop::asked() => {
            progress("");
            bench.interrupted = true;
        }
        other => other?,
    }
    end_by_limit(&mut bench)?;
    Ok(bench)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::run::empty_document;

    fn side(contestant: &str, claim: HardwareClaim) -> MeasuredSide {
        MeasuredSide::new(contestant, None, claim).unwrap()
    }

    #[test]
    fn shares_of_time_are_of_wall_time() {
        let mut side = side("x", HardwareClaim::Software);
        assert!(side.run(1).is_none());
        side.series = Some(Series { wall: vec![1.0, 3.0], cpu: Some(2.0), requests: 2, ..Series::default() });
        (side.spent, side.meanwhile) = (UserSystemTime { user: 1.0, system: 0.5 }, 4.0);
        let run = side.run(10_000_000).unwrap();
        assert_eq!((run.user_percent, run.system_percent), (25.0, 12.5));
        assert_eq!((run.figure.megabytes_per_second, run.figure.cpu_ms_per_megabyte), (5.0, Some(100.0)));
        assert_eq!((run.hardware_percent, run.evidence), (None, None));
    }

    #[test]
    fn interrupts_are_the_systems_time() {
        let cpu = Cpu { busy: 663, user: 120, idle: 909, ..Cpu::default() };
        assert_eq!(
            UserSystemTime::of(cpu),
            UserSystemTime { user: cpu_seconds(120), system: cpu_seconds(543) }
        );
        assert!(UserSystemTime::by_all().system > 0.0);
    }

    #[test]
    fn sides_take_turns_and_what_was_counted_meanwhile_is_hardwares() {
        let folder = tempfile::tempdir().unwrap();
        let table = Rc::new(Table::create(&folder.path().join("counters")).unwrap());
        let mut bench = empty_document("OpenSSL".into(), Vec::new());
        let job = ApplicationJob {
            name: "x".into(),
            cipher: "y".into(),
            bytes: 1000,
            at_once: 2,
            time: Duration::ZERO,
        };
        let sides = vec![
            side("plain", HardwareClaim::Software),
            side("with", HardwareClaim::Counted(Rc::clone(&table))),
        ];
        let mut order = String::new();
        measure(&mut bench, job, sides, &mut |index| {
            order += &index.to_string();
            Ok(UserSystemTime { user: 0.0, system: 0.0 })
        })
        .unwrap();
        assert_eq!(order, "0101010101");
        let [one] = &bench.applications[..] else { panic!("{bench:?}") };
        assert_eq!((one.at_once, one.runs.len()), (2, 2));
        assert_eq!((one.runs[0].hardware_percent, one.runs[1].hardware_percent), (None, Some(0.0)));
        assert_eq!(
            bench.notes,
            ["x, y: with used no hardware: it made no request for an algorithm that outboard offers"]
        );
    }

    #[test]
    fn why_hardware_did_nothing_is_said_of_the_cipher_that_was_used() {
        let folder = tempfile::tempdir().unwrap();
        let table = Rc::new(Table::create(&folder.path().join("counters")).unwrap());
        let mut side = side("with", HardwareClaim::Counted(Rc::clone(&table))).by("AES-128-CBC");
        assert_eq!(side.why_nothing(), None, "it did not run");
        side.series = Some(Series { wall: vec![1.0], requests: 1, ..Series::default() });
        assert_eq!(side.why_nothing().unwrap(), "it made no request for AES-128-CBC");
        let left = |reason, why: &str| Decision::Left { reason, why: why.to_owned() };
        table.decide("AES-256-CBC-HMAC-SHA1", &left(SoftwareReason::CombinedCode, "another's reason"));
        assert_eq!(side.why_nothing().unwrap(), "it made no request for AES-128-CBC");
        table.decide("AES-128-CBC-HMAC-SHA1", &left(SoftwareReason::CombinedCode, "combined code"));
        assert_eq!(side.why_nothing().unwrap(), "it made no request for AES-128-CBC: combined code");
        table.row("AES-256-GCM").unwrap().add_hw(1, 16);
        assert!(side.why_nothing().unwrap().ends_with("combined code"));
        assert_eq!(side.counts().hw_bytes, 0);
        let row = table.row("AES-128-CBC").unwrap();
        row.add_sw(1, 16);
        assert!(side.why_nothing().unwrap().contains("below their threshold"));
        row.add_sw(1, 16384);
        table.add_reason(row, SoftwareReason::FewKeyBytes, 16384);
        assert!(side.why_nothing().unwrap().contains("too few bytes for hardware"));
        table.decide("AES-256-CBC", &left(SoftwareReason::NoDriver, "another's reason"));
        table.decide("AES-128-CBC", &left(SoftwareReason::NoDriver, "no driver"));
        assert_eq!(side.why_nothing().unwrap(), "no driver");
        side.by_hardware = 16;
        assert_eq!(side.why_nothing(), None);
    }

    #[test]
    fn the_start_of_an_application_is_no_part_of_its_speed() {
        let mut bench = empty_document("fio".into(), Vec::new());
        let job = ApplicationJob {
            name: "x".into(),
            cipher: "y".into(),
            bytes: 1 << 20,
            at_once: 1,
            time: Duration::ZERO,
        };
        measure(&mut bench, job, vec![side("plain", HardwareClaim::Software)], &mut |_| {
            std::thread::sleep(Duration::from_millis(20));
            Ok(RunCost { spent: UserSystemTime { user: 0.001, system: 0.0 }, wall: Some(1e-3) })
        })
        .unwrap();
        let run = &bench.applications[0].runs[0];
        assert!(run.figure.megabytes_per_second > 1048.0, "{run:?}");
        assert!(run.user_percent <= 5.0, "of all that time: {run:?}");
    }

    #[test]
    fn a_failure_names_whose_it_was() {
        let mut bench = empty_document("OpenSSL".into(), Vec::new());
        let job = ApplicationJob {
            name: "scp".into(),
            cipher: "aes128-ctr".into(),
            bytes: 1,
            at_once: 1,
            time: Duration::ZERO,
        };
        let mut broken = |_| Err::<UserSystemTime, _>("no route".to_owned());
        let error =
            measure(&mut bench, job, vec![side("plain", HardwareClaim::Software)], &mut broken).unwrap_err();
        assert_eq!(error.to_string(), "scp, aes128-ctr, plain: no route");
    }
}
