//! From a file's bytes to a part of a report. The bytes may be anything.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::document::{self, Report};
use crate::parts::{bench::Bench, check::Check, prove::Prove, status::Status, tune::Tune};

/// No command writes more: the longest is the status of a machine with hundreds of drivers, a part of a megabyte.
pub const LARGEST: u64 = 16 * 1024 * 1024;

/// What a command said.
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
    /// `outboard report`.
    Report(Box<Report>),
}

/// Why a file is none: the cause, and the next step.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// Nothing was written.
    #[error("it is empty: run the command that should have written it again, and see what it says")]
    Empty,
    /// Far too long.
    #[error("it is larger than {} MiB, which nothing of outboard's is: give a file that outboard wrote with --json", LARGEST >> 20)]
    Large,
    /// Not JSON at all.
    #[error(
        "it is not JSON ({0}): give a file that outboard status, check, tune, bench or prove wrote with --json"
    )]
    NotJson(String),
    /// The end is missing.
    #[error(
        "it ends in the middle (line {0}): the command that writes it was ended or the disk was full; run it again"
    )]
    CutOff(usize),
    /// Other people's JSON.
    #[error(
        "it has no \"schema\" of outboard's: give a file that outboard status, check, tune, bench or prove wrote with --json"
    )]
    NoSchema,
    /// JSON of another command, or of a later version.
    #[error(
        "its schema is {0:?}, and a report is made of outboard-status/1, -check/1, -tune/1, -bench/1 and -prove/1: give one of those, \
             or use the outboard that wrote it"
    )]
    OtherSchema(String),
    /// It does not hold what its schema promises.
    #[error("it says it is {schema}, but {cause}: it was changed or damaged; run `{command}` again")]
    Damaged {
        /// What it claims to be.
        schema: &'static str,
        /// What is wrong, and where.
        cause: String,
        /// What writes such files.
        command: &'static str,
    },
    /// Two of what there is one of.
    #[error(
        "{0} is a status already, and a report has one: leave one of them out (two times are compared by making two reports \
             and outboard report --compare)"
    )]
    Second(String),
    /// A report where a part of one belongs.
    #[error("it is a report already: give it alone, or two of them after --compare")]
    Report,
    /// A part where a report belongs.
    #[error(
        "it is {0}, and --compare takes two reports: make one of it by `outboard report --format json --output REPORT.json FILE`"
    )]
    NoReport(&'static str),
}

/// Commands, and what they write.
const WRITERS: [(&str, &str); 6] = [
    ("outboard-status/1", "outboard status --json"),
    ("outboard-check/1", "outboard check --json"),
    ("outboard-tune/1", "outboard tune --json"),
    ("outboard-prove/1", "outboard prove --json FILE -- COMMAND"),
    ("outboard-bench/1", "outboard bench --json"),
    (document::SCHEMA, "outboard report --format json"),
];

/// The first thing to look at.
#[derive(Deserialize)]
struct Head {
    schema: String,
}

/// Reads a file's bytes.
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
        _ => Part::Report(Box::new(typed(bytes, schema, command)?)),
    })
}

fn typed<T: DeserializeOwned>(bytes: &[u8], schema: &'static str, command: &'static str) -> Result<T, Unfit> {
    serde_json::from_slice(bytes).map_err(|error| {
        // It may quote the file, which may hold anything.
        let cause = error.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
        Unfit::Damaged { schema, cause, command }
    })
}

impl Part {
    /// The schema that it was written in.
    pub fn schema(&self) -> &'static str {
        let number = match self {
            Part::Status(_) => 0,
            Part::Check(_) => 1,
            Part::Tune(_) => 2,
            Part::Prove(_) => 3,
            Part::Bench(_) => 4,
            Part::Report(_) => 5,
        };
        WRITERS[number].0
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
