//! The report's document, schema `outboard-report/1`: the documents of the commands combined.
//! Fields are only added. docs/report.md describes it.

use serde::{Deserialize, Serialize};

use outboard_documents::{check::Check, prove::Prove, status::Status, tune::Tune};

use super::bench::Bench;
use super::read::{Part, Unfit};
use super::rng::{RngAssessment, RngTest};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Report {
    /// Time of creation, in UTC.
    pub made: String,
    /// The files or commands of the parts.
    #[serde(default)]
    pub sources: Vec<Source>,
    pub status: Option<Status>,
    #[serde(default)]
    pub checks: Vec<Check>,
    #[serde(default)]
    pub tunes: Vec<Tune>,
    #[serde(default)]
    pub benches: Vec<Bench>,
    #[serde(default)]
    pub proofs: Vec<Prove>,
    #[serde(default)]
    pub rng_tests: Vec<RngTest>,
    #[serde(default)]
    pub rng_assessments: Vec<RngAssessment>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Source {
    pub name: String,
    pub schema: String,
}

impl Report {
    pub fn new(made: String) -> Report {
        Report {
            made,
            sources: Vec::new(),
            status: None,
            checks: Vec::new(),
            tunes: Vec::new(),
            benches: Vec::new(),
            proofs: Vec::new(),
            rng_tests: Vec::new(),
            rng_assessments: Vec::new(),
        }
    }

    /// Adds the document of a command. Fails for a second status, and for a report.
    pub fn add(&mut self, name: &str, part: Part) -> Result<(), Unfit> {
        let schema = part.schema();
        match part {
            Part::Status(_) if self.status.is_some() => {
                return Err(Unfit::Second(self.source_of(schema).to_owned()));
            }
            Part::Status(status) => self.status = Some(*status),
            Part::Check(check) => self.checks.push(check),
            Part::Tune(tune) => self.tunes.push(tune),
            Part::Bench(bench) => self.benches.push(bench),
            Part::Prove(proof) => self.proofs.push(*proof),
            Part::RngTest(test) => self.rng_tests.push(test),
            Part::RngAssess(assessment) => self.rng_assessments.push(assessment),
            Part::Report(_) => return Err(Unfit::Report),
        }
        self.sources.push(Source { name: name.to_owned(), schema: schema.to_owned() });
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        let has_figures = !self.tunes.is_empty() || !self.benches.is_empty();
        let has_random = !self.rng_tests.is_empty() || !self.rng_assessments.is_empty();
        let has_any = has_figures || has_random || !self.proofs.is_empty();
        self.status.is_none() && self.checks.is_empty() && !has_any
    }

    fn source_of(&self, schema: &str) -> &str {
        let source = self.sources.iter().find(|source| source.schema == schema);
        source.map_or("another file", |source| source.name.as_str())
    }

    /// Returns the kernel's release, from the first part that contains it.
    pub fn kernel(&self) -> Option<&str> {
        let status = self.status.as_ref().and_then(|status| status.kernel.release.as_deref());
        let tune = || self.tunes.last().map(|tune| tune.machine.kernel.as_str());
        status.or_else(tune).or_else(|| self.benches.last().map(|bench| bench.machine.kernel.as_str()))
    }
}
