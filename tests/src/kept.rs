//! A document that is read again, as by a report.

use serde::de::DeserializeOwned;
use serde_json::Value;

use outboard_documents::{Document, json};

/// Returns a document as it is after reading it, and as it was written.
pub fn kept<D: Document + DeserializeOwned>(document: &D) -> (Value, Value) {
    let written = json(document).expect("a document");
    let again: D = serde_json::from_str(&written).expect("a document");
    let parsed = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    (parsed(&json(&again).expect("a document")), parsed(&written))
}
