//! A document as a part of a report.

use serde_json::Value;

use outboard_documents::{Document, Report, json, read};

/// Returns a part as a report stores it, and the document as it was written.
pub fn kept<D: Document>(list: &str, document: &D) -> (Value, Value) {
    let written = json(document).expect("a document");
    let mut report = Report::new("now".to_owned());
    report.add("document", read(written.as_bytes()).expect("a part")).expect("a report");
    let parsed = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let (mut kept, mut written) = (parsed(&json(&report).expect("a report")), parsed(&written));
    // A report lists the schemas of its parts in `sources`.
    written.as_object_mut().expect("an object").remove("schema");
    (kept[list][0].take(), written)
}
