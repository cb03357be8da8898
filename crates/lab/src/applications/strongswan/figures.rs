//! The figures for a connection, of all runs of a contestant.

use crate::documents::bench::{Connections, Run};
use outboard_counters::Counts;
use outboard_measure::figure::rounded;
use outboard_measure::statistics::{percentile, tail};

use crate::applications::measure::UserSystemTime;

#[derive(Default)]
pub struct Tally {
    latencies: Vec<f64>,
    spent: UserSystemTime,
    /// The provider's counts; `None` if the provider does not count the cipher.
    counts: Option<Counts>,
}

impl Tally {
    /// Adds a run: the server's CPU time, the seconds of each connection, and the provider's counts
    /// before and after it.
    pub fn add(&mut self, spent: UserSystemTime, latencies: &[f64], counts: Option<(Counts, Counts)>) {
        self.latencies.extend(latencies);
        self.spent.user += spent.user;
        self.spent.system += spent.system;
        if let Some((before, after)) = counts {
            self.counts = Some(self.counts.unwrap_or_default() + (after - before));
        }
    }

    /// Adds the figures to the run, each of whose jobs is `in_run` connections and `bytes` bytes.
    pub fn complete(&self, run: &mut Run, bytes: u64, in_run: u64) {
        let Some(median) = percentile(&self.latencies, 50.0) else { return };
        let measured = self.latencies.len() as f64;
        let each = |count: u64| rounded(count as f64 / measured);
        let job_megabytes = bytes as f64 / 1e6;
        let of_job = |value: f64| rounded(value / in_run as f64);
        run.hardware_percent = self.counts.map(|counts| rounded(counts.percent_hw().unwrap_or(0.0)));
        let counted = self.counts.filter(|counts| counts.requests() > 0);
        run.connections = Some(Connections {
            in_run,
            per_second: rounded(run.figure.megabytes_per_second / job_megabytes * in_run as f64),
            server_cpu_ms: rounded((self.spent.user + self.spent.system) * 1e3 / measured),
            system_cpu_ms: run.figure.cpu_ms_per_megabyte.map(|cpu| of_job(cpu * job_megabytes)),
            latency_p50_ms: rounded(median * 1e3),
            latency_p99_ms: tail(&self.latencies, 99.0).map(|seconds| rounded(seconds * 1e3)),
            latency_connections: self.latencies.len() as u64,
            requests: self.counts.map(|counts| each(counts.requests())),
            hardware_requests: self.counts.map(|counts| each(counts.hw_requests)),
            bytes_per_request: counted
                .map(|counts| rounded(counts.bytes() as f64 / counts.requests() as f64)),
            interrupts: of_job(run.figure.interrupts_per_request),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_documents::Figure;

    #[test]
    fn the_figures_are_those_of_one_connection() {
        let mut run = Run {
            contestant: "x".into(),
            driver: None,
            figure: Figure {
                megabytes_per_second: 0.01,
                spread: 0.1,
                samples: 2,
                outliers: 0,
                cpu_ms_per_megabyte: Some(10_000.0),
                interrupts_per_request: 80.0,
            },
            user_percent: 0.0,
            system_percent: 0.0,
            hardware_percent: None,
            evidence: None,
            fault: None,
            connections: None,
        };
        let mut tally = Tally::default();
        tally.complete(&mut run, 20_000, 10);
        assert_eq!(run.connections, None, "nothing was measured");
        let counts = |hw_requests, sw_requests| Counts {
            hw_requests,
            hw_bytes: hw_requests * 300,
            sw_requests,
            sw_bytes: sw_requests * 100,
            ..Counts::default()
        };
        let spent = UserSystemTime { user: 0.3, system: 0.1 };
        for before in [0, 30] {
            let both = (counts(before, before), counts(before + 30, before + 10));
            tally.add(spent, &[0.1; 10], Some(both));
        }
        tally.complete(&mut run, 20_000, 10);
        let found = run.connections.unwrap();
        let expected = Connections {
            in_run: 10,
            per_second: 5.0,
            server_cpu_ms: 40.0,
            system_cpu_ms: Some(20.0),
            latency_p50_ms: 100.0,
            latency_p99_ms: None,
            latency_connections: 20,
            requests: Some(4.0),
            hardware_requests: Some(3.0),
            bytes_per_request: Some(250.0),
            interrupts: 8.0,
        };
        assert_eq!((found, run.hardware_percent), (expected, Some(90.0)));
    }
}
