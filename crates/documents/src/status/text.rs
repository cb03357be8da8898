//! What a pasted text shows.

use serde::{Deserialize, Serialize};

/// What the laboratory prints for `outboard status --from`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Pasted {
    pub text: PastedText,
    /// Files of the kernel, by path without a leading slash.
    pub files: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct PastedText {
    /// What the text consists of, e.g. `/proc/crypto, 6 drivers`.
    pub recognised: Vec<String>,
    pub other_system: Option<String>,
    /// What the text shows in addition to the files.
    pub remarks: Vec<Remark>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Remark {
    pub text: String,
    pub line: String,
    /// Its number, counted from 1.
    pub number: usize,
    pub accelerator: bool,
    /// Whether it shows a random number generator that fails its tests.
    #[serde(default)]
    pub is_failing_rng: bool,
}
