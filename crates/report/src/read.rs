//! Parses a file as a part of a report. The file may contain any bytes.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::document::{self, Report};
use crate::parts::rng::{RngAssessment, RngTest};
use crate::parts::{bench::Bench, check::Check, prove::Prove, status::Status, tune::Tune};

/// Maximum size in bytes. The largest real document, the status of a machine with hundreds of
/// drivers, is smaller than a megabyte.
pub const LARGEST: u64 = 16 * 1024 * 1024;

/// The document of a command.
#[derive(Clone, Debug)]
pub enum Part {
    /// `outboard status`.
    Status(Box<Status>),
    /// `outboard check`.
    Check(Check),
    /// `outboard tune`.
    Tune(Tune),
    /// `outboard bench`.
    Bench(Bench),
    /// `outboard prove`.
    Prove(Prove),
    /// `outboard rng test`.
    RngTest(RngTest),
    /// `outboard rng assess`.
    RngAssess(RngAssessment),
    /// `outboard report`.
    Report(Box<Report>),
}

/// The reason why a file cannot be used, with its cause and the next step.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// The file is empty.
    #[error("it is empty: run the command that should have written it again, and read its messages")]
    Empty,
    /// The file is too large.
    #[error("it is larger than {} MiB, which nothing of outboard's is: give a file that outboard wrote with --json", LARGEST >> 20)]
    Large,
    /// The file is not JSON.
    #[error(
        "it is not JSON ({0}): give a file that outboard status, check, tune, bench, prove or rng wrote with --json"
    )]
    NotJson(String),
    /// The JSON is truncated.
    #[error(
        "it ends in the middle (line {0}): the command that writes it was ended or the disk was full; run it again"
    )]
    CutOff(usize),
    /// JSON of another program.
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
    /// The contents do not match the schema.
    #[error("it says it is {schema}, but {cause}: it was changed or damaged; run `{command}` again")]
    Damaged {
        /// The schema that the file names.
        schema: &'static str,
        /// The error and its position.
        cause: String,
        /// The command that writes such files.
        command: &'static str,
    },
    /// A second status.
    #[error(
        "{0} is a status already, and a report has one: leave one of them out (two times are compared by making two reports \
             and outboard report --compare)"
    )]
    Second(String),
    /// A report where a part of one is expected.
    #[error("it is a report already: give it alone, or two of them after --compare")]
    Report,
    /// A part where a report is expected.
    #[error(
        "it is {0}, and --compare takes two reports: make one of it by `outboard report --format json --output REPORT.json FILE`"
    )]
    NoReport(&'static str),
}

/// Schemas and the commands that write them.
const WRITERS: [(&str, &str); 8] = [
    ("outboard-status/1", "outboard status --json"),
    ("outboard-check/1", "outboard check --json"),
    ("outboard-tune/1", "outboard tune --json"),
    ("outboard-prove/1", "outboard prove --json FILE -- COMMAND"),
    ("outboard-bench/1", "outboard bench --json"),
    (document::SCHEMA, "outboard report --format json"),
    ("outboard-rng-test/1", "outboard rng test --json"),
    ("outboard-rng-assess/1", "outboard rng assess --json"),
];

/// The field that is parsed first.
#[derive(Deserialize)]
struct Head {
    schema: String,
}

/// Parses a file's contents.
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
    let Some((schema, command)) = WRITERS.into_iter().find(|(schema, _)| *schema == head.schema) else {
        return Err(Unfit::OtherSchema(head.schema.chars().take(80).collect()));
    };
    Ok(match schema {
        "outboard-status/1" => Part::Status(Box::new(typed(bytes, schema, command)?)),
        "outboard-check/1" => Part::Check(typed(bytes, schema, command)?),
        "outboard-tune/1" => Part::Tune(typed(bytes, schema, command)?),
        "outboard-bench/1" => Part::Bench(typed(bytes, schema, command)?),
        "outboard-prove/1" => Part::Prove(typed::<Prove>(bytes, schema, command)?.without_secrets()),
        "outboard-rng-test/1" => Part::RngTest(typed(bytes, schema, command)?),
        "outboard-rng-assess/1" => Part::RngAssess(typed(bytes, schema, command)?),
        _ => Part::Report(Box::new(typed(bytes, schema, command)?)),
    })
}

fn typed<T: DeserializeOwned>(bytes: &[u8], schema: &'static str, command: &'static str) -> Result<T, Unfit> {
    serde_json::from_slice(bytes).map_err(|error| {
        // The message can quote the file, which can contain any characters.
        let cause = error.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
        Unfit::Damaged { schema, cause, command }
    })
}

impl Part {
    /// Returns the schema of the part.
    pub fn schema(&self) -> &'static str {
        let number = match self {
            Part::Status(_) => 0,
            Part::Check(_) => 1,
            Part::Tune(_) => 2,
            Part::Prove(_) => 3,
            Part::Bench(_) => 4,
            Part::Report(_) => 5,
            Part::RngTest(_) => 6,
            Part::RngAssess(_) => 7,
        };
        WRITERS[number].0
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
