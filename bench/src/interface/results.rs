//! What was measured: the schema `outboard-bench-interface/1`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use outboard_measure::machine::Machine;
use outboard_measure::statistics::Summary;
use serde::{Deserialize, Serialize};

use outboard_bench::bar::Bar;

use crate::bars;
use crate::plan::{Cell, Way};

const SCHEMA: &str = "outboard-bench-interface/1";

/// All of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Results {
    schema: String,
    /// uname -r
    pub kernel: String,
    /// The model name of /proc/cpuinfo.
    pub cpu: String,
    /// CPUs online.
    pub cpus: usize,
    /// The driver that was measured.
    pub driver: String,
    /// Whole turns.
    pub turns: usize,
    /// Wall time of them.
    pub seconds: f64,
    /// Ways that are not there, with the reason.
    pub closed: Vec<String>,
    /// Why the figures may be worth less.
    pub warnings: Vec<String>,
    /// One for each cell that was measured.
    pub figures: Vec<Figure>,
    /// Filled when this is written, for readers without this program.
    bars: Vec<Bar>,
}

/// What one way does with so many requests of one size.
#[derive(Debug, Serialize, Deserialize)]
pub struct Figure {
    /// Which way.
    pub way: Way,
    /// Of a request.
    pub bytes: usize,
    /// Requests in flight.
    pub depth: usize,
    /// Megabytes (10^6) in a second of wall time: the middle of the samples.
    pub megabytes_per_second: f64,
    /// Their median absolute deviation.
    pub mad: f64,
    /// One for each turn.
    pub samples: Vec<f64>,
    /// Given to the driver while this was measured. For tcrypt: in the whole of its run, which measures more.
    pub requests: u64,
    /// Of the accelerator meanwhile.
    pub interrupts: u64,
}

impl Figure {
    /// Adds a turn's sample.
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
    /// Of this machine, nothing measured yet.
    pub fn new(driver: &str, closed: Vec<String>) -> Results {
        let Machine { kernel, cpu, cpus } = Machine::here();
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

    /// The figure of a cell, made if it is not there.
    pub fn figure(&mut self, Cell { way, bytes, depth }: Cell) -> &mut Figure {
        let place = self.figures.iter().position(|f| (f.way, f.bytes, f.depth) == (way, bytes, depth));
        let place = place.unwrap_or_else(|| {
            self.figures.push(Figure {
                way,
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

    /// The figure of a cell that was measured.
    pub fn get(&self, way: Way, bytes: usize, depth: usize) -> Option<&Figure> {
        self.figures.iter().find(|f| (f.way, f.bytes, f.depth) == (way, bytes, depth))
    }

    /// From a file that [`write`](Self::write) made.
    pub fn read(file: &Path) -> Result<Results> {
        let name = || file.display().to_string();
        let text = fs::read_to_string(file).with_context(name)?;
        let results: Results = serde_json::from_str(&text).with_context(name)?;
        ensure!(results.schema == SCHEMA, "{}: the schema is {}, not {SCHEMA}", name(), results.schema);
        Ok(results)
    }

    /// To a file, whole or not at all.
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
    fn what_was_written_is_read_and_other_schemas_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("r.json");
        let mut results = Results::new("d", vec!["why".to_owned()]);
        results.figure(Cell { way: Way::AfAlg, bytes: 16, depth: 1 }).add(2.5, 10, 9);
        results.write(&file).unwrap();
        let back = Results::read(&file).unwrap();
        let figure = back.get(Way::AfAlg, 16, 1).unwrap();
        assert_eq!((figure.megabytes_per_second, figure.requests, figure.interrupts), (2.5, 10, 9));
        let other = fs::read_to_string(&file).unwrap().replace("interface/1", "interface/2");
        fs::write(&file, other).unwrap();
        assert!(Results::read(&file).unwrap_err().to_string().contains("interface/2"));
    }
}
