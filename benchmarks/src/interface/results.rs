//! The results: the schema `outboard-benchmark-interface/1`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use outboard_benchmarks::bar::Bar;
use outboard_documents::Machine;
use outboard_measure::statistics::Summary;
use serde::{Deserialize, Serialize};

use crate::bars;
use crate::plan::{Cell, MeasuredPath};

const SCHEMA: &str = "outboard-benchmark-interface/1";

/// The results of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Results {
    schema: String,
    /// The kernel's release (uname -r).
    pub kernel: String,
    /// The model name in /proc/cpuinfo.
    pub cpu: String,
    /// Number of CPUs online.
    pub cpus: u64,
    /// The driver that was measured.
    pub driver: String,
    /// Number of complete turns.
    pub turns: usize,
    /// Wall time of the turns in seconds.
    pub seconds: f64,
    /// Interfaces that are not available, with the reasons.
    pub closed: Vec<String>,
    /// Reasons why the figures may be less accurate.
    pub warnings: Vec<String>,
    /// One figure for each measured cell.
    pub figures: Vec<Figure>,
    /// Filled when the results are written, for readers that do not use this program.
    bars: Vec<Bar>,
}

/// The throughput of one interface for one size and depth.
#[derive(Debug, Serialize, Deserialize)]
pub struct Figure {
    /// The interface.
    pub path: MeasuredPath,
    /// Size of a request in bytes.
    pub bytes: usize,
    /// Requests in flight.
    pub depth: usize,
    /// Megabytes (10^6 bytes) per second of wall time, the median of the samples.
    pub megabytes_per_second: f64,
    /// Median absolute deviation of the samples.
    pub mad: f64,
    /// One sample for each turn.
    pub samples: Vec<f64>,
    /// Requests to the driver during the measurement; for tcrypt, during its whole run, which
    /// includes other tests.
    pub requests: u64,
    /// Interrupts of the accelerator during the measurement.
    pub interrupts: u64,
}

impl Figure {
    /// Adds the sample of a turn.
    pub fn add(&mut self, sample: f64, requests: u64, interrupts: u64) {
        self.samples.push(sample);
        self.requests += requests;
        self.interrupts += interrupts;
        if let Some(Summary { median, mad }) = Summary::of(&self.samples) {
            (self.megabytes_per_second, self.mad) = (median, mad);
        }
    }
}

impl Results {
    /// Creates results for this machine, without figures.
    pub fn new(driver: &str, closed: Vec<String>) -> Results {
        let Machine { kernel, cpu, cpus } = outboard_measure::machine::here();
        Results {
            schema: SCHEMA.to_owned(),
            kernel,
            cpu,
            cpus,
            driver: driver.to_owned(),
            turns: 0,
            seconds: 0.0,
            closed,
            warnings: Vec::new(),
            figures: Vec::new(),
            bars: Vec::new(),
        }
    }

    /// Returns the figure of a cell; creates it if it is missing.
    pub fn figure(&mut self, Cell { path, bytes, depth }: Cell) -> &mut Figure {
        let place = self.figures.iter().position(|f| (f.path, f.bytes, f.depth) == (path, bytes, depth));
        let place = place.unwrap_or_else(|| {
            self.figures.push(Figure {
                path,
                bytes,
                depth,
                megabytes_per_second: 0.0,
                mad: 0.0,
                samples: Vec::new(),
                requests: 0,
                interrupts: 0,
            });
            self.figures.len() - 1
        });
        &mut self.figures[place]
    }

    /// Returns the figure of a cell, if it was measured.
    pub fn get(&self, path: MeasuredPath, bytes: usize, depth: usize) -> Option<&Figure> {
        self.figures.iter().find(|f| (f.path, f.bytes, f.depth) == (path, bytes, depth))
    }

    /// Reads a file that [`write`](Self::write) created.
    pub fn read(file: &Path) -> Result<Results> {
        let name = || file.display().to_string();
        let text = fs::read_to_string(file).with_context(name)?;
        let results: Results = serde_json::from_str(&text).with_context(name)?;
        ensure!(results.schema == SCHEMA, "{}: the schema is {}, not {SCHEMA}", name(), results.schema);
        Ok(results)
    }

    /// Writes the results to a file atomically.
    pub fn write(&mut self, file: &Path) -> Result<()> {
        self.bars = bars::judge(self);
        let new = file.with_extension("new");
        fs::write(&new, serde_json::to_string_pretty(self)? + "\n")
            .with_context(|| new.display().to_string())?;
        fs::rename(&new, file).with_context(|| file.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_document_is_read_and_other_schemas_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("r.json");
        let mut results = Results::new("d", vec!["why".to_owned()]);
        results.figure(Cell { path: MeasuredPath::AfAlg, bytes: 16, depth: 1 }).add(2.5, 10, 9);
        results.write(&file).unwrap();
        let back = Results::read(&file).unwrap();
        let figure = back.get(MeasuredPath::AfAlg, 16, 1).unwrap();
        assert_eq!((figure.megabytes_per_second, figure.requests, figure.interrupts), (2.5, 10, 9));
        let other = fs::read_to_string(&file).unwrap().replace("interface/1", "interface/2");
        fs::write(&file, other).unwrap();
        assert!(Results::read(&file).unwrap_err().to_string().contains("interface/2"));
    }
}
