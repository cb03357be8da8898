//! The problems that `outboard status` names.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Problem {
    /// The kind: a rule of the crate `advice`.
    pub id: String,
    /// Whether it is only worth knowing: the text output shows it with `--verbose`.
    pub is_note: bool,
    pub text: String,
    pub evidence: String,
    pub next: String,
}
