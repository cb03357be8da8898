//! For each recorded machine the documents of the commands that can be made of a recording say the
//! same.

mod both;

use std::path::Path;
use std::process::Command;

use outboard_tests::verdicts::Documents;
use serde_json::Value;

fn outboard(arguments: &[&str]) -> String {
    let output = Command::new(both::outboard()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn status_and_report_of_each_recorded_machine_agree() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("status.json");
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for kind in ["../inventory/tests/fixtures", "tests/pasted"] {
        for entry in std::fs::read_dir(recorded.join(kind)).unwrap() {
            let path = entry.unwrap().path();
            let status = outboard(&["status", "--json", "--from", path.to_str().unwrap()]);
            std::fs::write(&saved, &status).unwrap();
            let report = outboard(&["report", "--format", "json", "-o", "-", saved.to_str().unwrap()]);
            let json = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
            let documents =
                Documents { status: json(&status), report: Some(json(&report)), ..Documents::default() };
            let contradictions = documents.contradictions();
            assert!(contradictions.is_empty(), "{}: {contradictions:#?}", path.display());
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}
