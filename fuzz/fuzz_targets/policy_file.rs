//! The policy file, with any text after its first line or any text at all, and the file of
//! findings.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outboard_policy::{Findings, Tuned, from_text};

fuzz_target!(|text: &str| {
    for finding in Findings::parse(text.to_owned()).all() {
        let again = Findings::parse(finding.line());
        assert_eq!(again.all().collect::<Vec<_>>(), [finding], "what is written is understood");
    }
    let begun = format!("outboard-policy 2\n{text}");
    for (text, before) in [(text, 0), (begun.as_str(), 1)] {
        match Tuned::parse(text.to_owned()) {
            Ok(tuned) => {
                tuned.value("kernel");
                if let Some(row) = tuned.of("AES-128-CBC") {
                    let [encrypt, decrypt] = row.from.map(from_text);
                    let again = format!("outboard-policy 2\nAES-128-CBC {encrypt} {decrypt} {}\n", row.driver);
                    let again = Tuned::parse(again).expect("what is written is understood");
                    assert_eq!(again.of("AES-128-CBC"), Some(row));
                }
                if let Some(row) = tuned.lookahead("AES-128-CTR") {
                    let again = format!("outboard-policy 2\n{}\n", row.line("AES-128-CTR"));
                    let again = Tuned::parse(again).expect("what is written is understood");
                    assert_eq!(again.lookahead("AES-128-CTR"), Some(row));
                }
            }
            Err(line) => assert!(line > before, "{line}"),
        }
    }
});
