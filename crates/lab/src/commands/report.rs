//! `outboard report`: creates one page from the documents of the other commands.

mod input;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::documents::Report;
use crate::pages::Pages as _;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use outboard_console::{answer, ended, say};
use outboard_documents::json;

use self::input::Input;
use outboard::output::Output;

/// Make one page of what the other commands found.
///
/// FILE is JSON that one of them wrote with --json, or a directory of such files; without any, the status is taken now. The page
/// is a single HTML file that needs no network and no script. Nothing else is changed.
///
/// Exit code 1 when a file cannot be read or is not such a document, or the report cannot be written; then an older one is left as it
/// was.
#[derive(Args)]
pub struct Options {
    /// Files that status, check, tune, bench, prove and rng wrote with --json, or directories of them
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// html: a page; markdown: for a mail or an issue; json: the document (schema outboard-report/1)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The file to write; - is stdout [default: report.html, report.md or report.json]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Format {
    #[default]
    Html,
    Markdown,
    Json,
}

pub fn run(options: &Options) -> ExitCode {
    ended("report", report(options))
}

fn report(options: &Options) -> Result<()> {
    let output = options.output.clone().unwrap_or_else(|| options.format.file().into());
    let inputs = input::files(&options.files)?;
    let output = Output::new("--output", &output)?.apart_from(inputs.iter().map(|input| &input.path))?;
    let text = options.format.report(&gathered(&inputs)?)?;
    output.write(text.as_bytes())?;
    if let Some(place) = output.file() {
        answer(&format!("{} is written.\n", place.display()))?;
    }
    Ok(())
}

fn gathered(inputs: &[Input]) -> Result<Report> {
    let mut report = Report::new(outboard_documents::now());
    if inputs.is_empty() {
        report.add("outboard status, run now", input::status_now().context("no status could be taken")?)?;
        return Ok(report);
    }
    input::gathered(inputs, report)
}

impl Format {
    fn file(self) -> &'static Path {
        Path::new(match self {
            Format::Html => "report.html",
            Format::Markdown => "report.md",
            Format::Json => "report.json",
        })
    }

    fn report(self, report: &Report) -> Result<String> {
        Ok(match self {
            Format::Html => report.html(),
            Format::Markdown => report.markdown(),
            Format::Json => json(report)?,
        })
    }
}

fn complain(text: &str) {
    say(&format!("outboard report: {text}"));
}
