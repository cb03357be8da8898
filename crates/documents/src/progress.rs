//! `outboard-progress/1`: a step of a command, a line of its output with `--progress`.

use outboard_console::{answer_line, print_steps_by};
use serde::{Deserialize, Serialize};

use crate::json_line;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Progress {
    pub text: String,
    /// The time until the expected end of all steps, in seconds; null if it is not known.
    pub seconds_left: Option<u64>,
}

/// From now on each step of this process is printed as a line of JSON, and each document is one line.
pub fn print_steps() {
    print_steps_by(|text, left| {
        let step = Progress { text: text.to_owned(), seconds_left: left.map(|left| left.as_secs()) };
        // The command goes on without a reader.
        let _ = json_line(&step).map(|line| answer_line(&line));
    });
}
