//! Parses a file as a part of a report. The file may contain any bytes.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use outboard_documents::{Document, check::Check, prove::Prove, status::Status, tune::Tune};

use super::bench::Bench;
use super::figures::Figures;
use super::report::Report;
use super::rng::{RngAssessment, RngTest};

/// Maximum size in bytes. The largest real document, the status of a machine with hundreds of
/// drivers, is smaller than a megabyte.
pub const LARGEST: u64 = 16 * 1024 * 1024;

#[derive(Clone, Debug)]
pub enum Part {
    Status(Box<Status>),
    Check(Check),
    Tune(Tune),
    Bench(Bench),
    Prove(Box<Prove>),
    RngTest(RngTest),
    RngAssess(RngAssessment),
    Report(Box<Report>),
}

#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    #[error("it is empty: run the command that should have written it again, and read its messages")]
    Empty,
    #[error("it is larger than {} MiB, which nothing of outboard's is: give a file that outboard wrote with --json", LARGEST >> 20)]
    Large,
    #[error(
        "it is not JSON ({0}): give a file that outboard status, check, tune, bench, prove or rng wrote with --json"
    )]
    NotJson(String),
    #[error(
        "it ends in the middle (line {0}): the command that writes it was ended or the disk was full; run it again"
    )]
    CutOff(usize),
    #[error(
        "it has no \"schema\" of outboard's: give a file that outboard status, check, tune, bench, prove or rng wrote with --json"
    )]
    NoSchema,
    /// JSON of another command, or of a later version.
    #[error(
        "its schema is {0:?}, and a report is made of outboard-status/1, -check/1, -tune/1, -bench/1, -prove/1, -rng-test/1 and -rng-assess/1: give one of those, \
             or use the outboard that wrote it"
    )]
    OtherSchema(String),
    #[error("it says it is {schema}, but {cause}: it was changed or damaged; run `{command}` again")]
    Damaged { schema: &'static str, cause: String, command: &'static str },
    #[error("{0} is a status already, and a report has one: leave one of them out")]
    Second(String),
    #[error("it has a number that no measurement gives ({0}): write the file again with outboard and --json")]
    Figure(String),
    /// A report where a part of one is expected.
    #[error("it is a report already: give it alone")]
    Report,
}

/// The field that is parsed first.
#[derive(Deserialize)]
struct Head {
    schema: String,
}

/// Returns the contents of a file for [`read`]: at most one byte more than the limit, regardless of
/// its size.
/// Errors: as open(2) and read(2).
pub fn contents(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub fn read(bytes: &[u8]) -> Result<Part, Unfit> {
    if bytes.len() as u64 > LARGEST {
        return Err(Unfit::Large);
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Unfit::Empty);
    }
    let head = serde_json::from_slice::<Head>(bytes).map_err(|error| match error.classify() {
        Category::Eof => Unfit::CutOff(error.line()),
        Category::Data => Unfit::NoSchema,
        Category::Syntax | Category::Io => Unfit::NotJson(error.to_string()),
    })?;
    serde_json::from_slice::<Figures>(bytes).map_err(|error| match error.classify() {
        Category::Data => Unfit::Figure(error.to_string()),
        Category::Eof => Unfit::CutOff(error.line()),
        Category::Syntax | Category::Io => Unfit::NotJson(error.to_string()),
    })?;
    Ok(match head.schema.as_str() {
        Status::SCHEMA => Part::Status(Box::new(typed(bytes, "outboard status --json")?)),
        Check::SCHEMA => Part::Check(typed(bytes, "outboard check --json")?),
        Tune::SCHEMA => Part::Tune(typed(bytes, "outboard tune --json")?),
        Bench::SCHEMA => Part::Bench(typed(bytes, "outboard bench --json")?),
        Prove::SCHEMA => {
            let proof: Prove = typed(bytes, "outboard prove --json FILE -- COMMAND")?;
            Part::Prove(Box::new(proof.without_secrets()))
        }
        RngTest::SCHEMA => Part::RngTest(typed(bytes, "outboard rng test --json")?),
        RngAssessment::SCHEMA => Part::RngAssess(typed(bytes, "outboard rng assess --json")?),
        Report::SCHEMA => Part::Report(Box::new(typed(bytes, "outboard report --format json")?)),
        other => return Err(Unfit::OtherSchema(other.chars().take(80).collect())),
    })
}

fn typed<D: Document + DeserializeOwned>(bytes: &[u8], command: &'static str) -> Result<D, Unfit> {
    serde_json::from_slice(bytes).map_err(|error| {
        // The message can quote the file, which can contain any characters.
        let cause = error.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
        Unfit::Damaged { schema: D::SCHEMA, cause, command }
    })
}

impl Part {
    pub fn schema(&self) -> &'static str {
        match self {
            Part::Status(_) => Status::SCHEMA,
            Part::Check(_) => Check::SCHEMA,
            Part::Tune(_) => Tune::SCHEMA,
            Part::Prove(_) => Prove::SCHEMA,
            Part::Bench(_) => Bench::SCHEMA,
            Part::Report(_) => Report::SCHEMA,
            Part::RngTest(_) => RngTest::SCHEMA,
            Part::RngAssess(_) => RngAssessment::SCHEMA,
        }
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
