//! `outboard-lab pasted`, which `outboard status --from` starts: what a text on standard input shows,
//! as JSON.

use std::io::{Read as _, stdin};
use std::process::ExitCode;

use outboard_console::{answer, say};

use crate::pasted::{ACCEPTED, recognise};

/// Maximum number of characters of a text in a message.
const MOST_SHOWN: usize = 60;

pub fn run() -> ExitCode {
    match recognised() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn recognised() -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    stdin().read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let found = recognise(&text);
    anyhow::ensure!(
        !found.text.recognised.is_empty(),
        "nothing in it is recognised{}: give {ACCEPTED}",
        begin_of(&text)
    );
    Ok(answer(&serde_json::to_string(&found)?)?)
}

/// What a text is that is not recognised: the command at a prompt, or its first line.
fn begin_of(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let Some(first) = lines.peek().copied() else { return String::new() };
    let command = lines.find_map(|line| {
        let is_prompt = |at: usize| at == 0 || line[..at].ends_with([' ', '~', '>', ']', ':']);
        ["# ", "$ "].into_iter().find_map(|end| {
            let at = line.find(end).filter(|at| is_prompt(*at))?;
            Some(line[at + end.len()..].trim()).filter(|command| !command.is_empty())
        })
    });
    let shown: String = command.unwrap_or(first).chars().take(MOST_SHOWN).collect();
    match command {
        Some(_) => format!(" (it is the output of \"{shown}\")"),
        None => format!(" (it begins with \"{shown}\")"),
    }
}
