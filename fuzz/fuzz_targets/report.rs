//! Files for `outboard report`: real documents with any bytes inserted, and the bytes alone. Every
//! document that is parsed must give a page whose markup is only that of the report.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outboard_documents::json;
use outboard_lab::documents::{Part, Report, read};
use outboard_lab::pages::Pages as _;

#[path = "../../crates/lab/tests/xml/mod.rs"]
mod xml;

const FILES: [&str; 4] = [
    include_str!("../../crates/lab/tests/data/status.json"),
    include_str!("../../crates/lab/tests/data/check.json"),
    include_str!("../../crates/lab/tests/data/tune.json"),
    include_str!("../../crates/lab/tests/data/prove.json"),
];

fuzz_target!(|input: (u8, u16, u8, &[u8])| {
    let (file, at, cut, bytes) = input;
    let whole = FILES[usize::from(file) % FILES.len()].as_bytes();
    let from = usize::from(at) % whole.len();
    let to = (from + usize::from(cut)).min(whole.len());
    let spliced = [&whole[..from], bytes, &whole[to..]].concat();
    for bytes in [bytes, &spliced] {
        let Ok(part) = read(bytes) else { continue };
        let report = match part {
            Part::Report(report) => *report,
            part => {
                let mut report = Report::new("now".into());
                report.add("file.json", part).expect("it is the first");
                report
            }
        };
        xml::skeleton(&report.html()).expect("the page is well-formed");
        report.markdown();
        let again = json(&report).expect("it is JSON");
        assert!(matches!(read(again.as_bytes()), Ok(Part::Report(_))), "the document can be read again");
    }
});
