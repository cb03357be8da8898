//! What a pasted text shows.

use serde::{Deserialize, Serialize};

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
    #[serde(skip)]
    pub is_failing_rng: bool,
}
