//! What a pasted text shows.

use serde::{Deserialize, Serialize};

/// What was recognised in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct PastedText {
    /// What the text consists of, e.g. `/proc/crypto, 6 drivers`.
    pub recognised: Vec<String>,
    /// The other operating system, if the text is from one.
    pub other_system: Option<String>,
    /// What the text shows in addition to the files.
    pub remarks: Vec<Remark>,
}

/// What a line of the text means.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Remark {
    /// The meaning, in one sentence.
    pub text: String,
    /// The line.
    pub line: String,
    /// Its number, counted from 1.
    pub number: usize,
    /// Whether it shows an accelerator.
    pub accelerator: bool,
    /// Whether it shows a random number generator that fails its tests.
    #[serde(skip)]
    pub is_failing_rng: bool,
}
