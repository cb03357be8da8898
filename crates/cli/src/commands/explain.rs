//! `outboard explain`: what a problem of `outboard status` means.

use std::process::ExitCode;

use clap::Args;
use outboard_console::{answer, say};
use outboard_inventory::ProblemId;

/// Width of the output in columns.
const WIDTH: usize = 80;

/// Explain a problem that outboard status names, or list all problems that it knows.
#[derive(Args)]
pub struct Options {
    /// The problem, such as slow-aes
    #[arg(value_name = "PROBLEM", value_parser = known)]
    problem: Option<ProblemId>,
}

fn known(name: &str) -> Result<ProblemId, String> {
    ProblemId::by_name(name).ok_or_else(|| "there is no such problem; outboard explain lists them".into())
}

/// Runs `outboard explain`.
pub fn run(options: &Options) -> ExitCode {
    let text = match options.problem {
        Some(id) => explained(id),
        None => {
            let line = |id: ProblemId| format!("{:<31} {}\n", id.name(), id.title());
            ProblemId::ALL.into_iter().map(line).collect()
        }
    };
    match answer(&text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("outboard explain: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn explained(id: ProblemId) -> String {
    let mut text = format!("{}: {}\n", id.name(), id.title());
    for paragraph in id.explanation().split("\n\n") {
        text.push('\n');
        let mut column = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if column > 0 && column + 1 + length > WIDTH {
                text.push('\n');
                column = 0;
            }
            if column > 0 {
                text.push(' ');
                column += 1;
            }
            text.push_str(word);
            column += length;
        }
        text.push('\n');
    }
    text
}
