//! Collects the results of a contestant in a cell over all passes, and converts them to a row.

use std::time::Duration;

use crate::documents::bench::{Contestant, ContestantKind, Evidence, Row};
use outboard_measure::evidence::NO_INTERRUPT;
use outboard_measure::figure::{figure, rounded};
use outboard_measure::interrupts::Interrupts;
use outboard_measure::statistics::{percentile, tail};
use outboard_measure::turns::{Plan, Series};

use super::contestants::{DriverBackend, software_contestant};
use super::plan::{Cell, PlannedContestant};
use super::protocol::{CellContestant, Measured};
use super::row::{document_direction, evidence_of};

pub struct Tally {
    entry: PlannedContestant,
    /// Number of batches per sample, and the sample's planned duration.
    sample: Option<(u32, Duration)>,
    series: Option<Series>,
    latencies: Vec<f64>,
    fault: Option<String>,
}

impl Tally {
    pub fn new(entry: PlannedContestant) -> Tally {
        Tally { entry, sample: None, series: None, latencies: Vec::new(), fault: None }
    }

    pub fn is_out(&self) -> bool {
        self.fault.is_some()
    }

    pub fn fail(&mut self, why: &str) {
        self.fault.get_or_insert_with(|| why.to_owned());
    }

    /// Returns the contestant as a pass receives it. `all` are the fallback: all interrupts, for
    /// contestants without lines of their own. A sample has as many batches as in the first pass,
    /// or fewer when time is short.
    pub fn entrant(&self, backends: &[DriverBackend], all: &Interrupts, plan: Plan) -> CellContestant {
        let (contestant, depth, interrupts) = match self.entry {
            PlannedContestant::Software => (software_contestant(ContestantKind::Openssl), 1, all),
            PlannedContestant::Without => (software_contestant(ContestantKind::OpensslWithout), 1, all),
            PlannedContestant::Driver(number, depth) => {
                let backend = &backends[number];
                (backend.contestant.clone(), depth, &backend.interrupts)
            }
        };
        let batches = self.sample.map(|(batches, sample)| {
            let part = plan.sample.div_duration_f64(sample).min(1.0);
            ((f64::from(batches) * part) as u32).max(1)
        });
        CellContestant { contestant, depth, batches, lines: interrupts.lines().to_vec() }
    }

    pub fn add(&mut self, measured: Measured, plan: Plan) {
        let Measured { batches, series, latencies, fault } = measured;
        if batches > 0 {
            self.sample.get_or_insert((batches, plan.sample));
        }
        match (&mut self.series, series) {
            (Some(earlier), Some(later)) => earlier.extend(later),
            (none, later) => *none = none.take().or(later),
        }
        self.latencies.extend(latencies);
        self.fault = self.fault.take().or(fault);
    }

    /// Returns the row; `None` if nothing was measured.
    pub fn row(self, backends: &[DriverBackend], cell: Cell) -> Option<Row> {
        let (Contestant { name, .. }, depth, backend) = match self.entry {
            PlannedContestant::Software => (software_contestant(ContestantKind::Openssl), 1, None),
            PlannedContestant::Without => (software_contestant(ContestantKind::OpensslWithout), 1, None),
            PlannedContestant::Driver(number, depth) => {
                (backends[number].contestant.clone(), depth, Some(&backends[number]))
            }
        };
        let series = self.series.map(|series| series.of_each((cell.threads * depth) as u64));
        if series.is_none() && self.fault.is_none() {
            return None;
        }
        let hardware = backend.filter(|backend| backend.is_hardware()).zip(series.as_ref());
        let evidence = hardware.map(|(backend, series)| {
            evidence_of(backend.interrupts.evidence(series.interrupts, series.lost))
        });
        let refuted = (evidence == Some(Evidence::Contradicted)).then(|| NO_INTERRUPT.to_owned());
        let megabytes = cell.bytes as f64 / 1e6;
        let off = series.as_ref().and_then(|series| series.cpu_per_request());
        Some(Row {
            cipher: cell.cipher.to_owned(),
            direction: cell.direction.map(document_direction),
            bytes: cell.bytes as u64,
            threads: cell.threads as u64,
            depth: depth as u64,
            contestant: name,
            cpu_off_ms_per_megabyte: off.map(|(_, off)| rounded(off * 1e3 / megabytes)),
            latency_p50_us: percentile(&self.latencies, 50.0).map(microseconds),
            latency_p99_us: tail(&self.latencies, 99.0).map(microseconds),
            latency_requests: self.latencies.len() as u64,
            context_switches_per_request: series
                .as_ref()
                .map(|series| rounded(series.switches as f64 / series.requests.max(1) as f64)),
            figure: series.map(|series| figure(&series, cell.bytes)),
            evidence,
            fault: self.fault.or(refuted),
        })
    }
}

fn microseconds(seconds: f64) -> f64 {
    rounded(seconds * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan { sample: Duration::from_millis(20), rounds: 1 };

    fn measured(wall: f64, batches: u32) -> Measured {
        let series = Series { wall: vec![wall], requests: 10, ..Series::default() };
        Measured { batches, series: Some(series), latencies: vec![wall], fault: None }
    }

    #[test]
    fn passes_add_up_to_a_row() {
        let cell = Cell { cipher: "SHA2-256", direction: None, bytes: 1000, threads: 1 };
        let mut tally = Tally::new(PlannedContestant::Software);
        assert!(Tally::new(PlannedContestant::Software).row(&[], cell).is_none());
        for wall in [1e-5, 1.25e-5, 1e-5] {
            tally.add(measured(wall, 40), PLAN);
        }
        tally.add(Measured::default(), PLAN);
        let row = tally.row(&[], cell).unwrap();
        let figure = row.figure.unwrap();
        assert_eq!((figure.megabytes_per_second, figure.spread, figure.samples), (100.0, 0.2, 3));
        assert_eq!((row.contestant.as_str(), row.latency_requests, row.fault), ("OpenSSL", 3, None));
    }

    #[test]
    fn a_sample_is_never_longer_than_the_first_pass_found() {
        let none = Interrupts::told(vec!["9".to_owned()]);
        let mut tally = Tally::new(PlannedContestant::Without);
        let batches = |tally: &Tally, sample| {
            tally.entrant(&[], &none, Plan { sample: Duration::from_millis(sample), rounds: 1 }).batches
        };
        assert_eq!(batches(&tally, 20), None);
        tally.add(measured(1.0, 40), PLAN);
        tally.add(measured(1.0, 20), Plan { sample: Duration::from_millis(10), ..PLAN });
        assert_eq!([20, 100, 10, 0].map(|sample| batches(&tally, sample)), [40, 40, 20, 1].map(Some));
        let entrant = tally.entrant(&[], &none, PLAN);
        assert_eq!(
            (entrant.contestant.kind, entrant.lines),
            (ContestantKind::OpensslWithout, vec!["9".to_owned()])
        );
    }

    #[test]
    fn the_first_fault_stays_and_what_was_measured_with_it() {
        let cell = Cell { cipher: "SHA2-256", direction: None, bytes: 16, threads: 2 };
        let mut tally = Tally::new(PlannedContestant::Software);
        tally.add(measured(1.0, 1), PLAN);
        tally.add(Measured { fault: Some("first".to_owned()), ..Measured::default() }, PLAN);
        tally.fail("second");
        assert!(tally.is_out());
        let row = tally.row(&[], cell).unwrap();
        assert!(row.fault.as_deref() == Some("first") && row.figure.is_some());
    }
}
