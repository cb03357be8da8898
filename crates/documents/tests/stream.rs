//! Streams. In a process of their own: once steps are printed, every document is one line.

use outboard_documents::{Goal, Machine, Progress, json, json_line, print_steps, tune::Tune};

#[test]
fn every_document_of_a_stream_is_one_line() {
    let machine = Machine { kernel: "6.12\u{1b}\n".to_owned(), cpu: "a CPU".to_owned(), cpus: 1 };
    let tune = Tune::new(Goal::Balanced, machine, Vec::new());
    let before = json(&tune).unwrap();
    assert!(before.lines().count() > 5, "{before}");
    print_steps();
    let after = json(&tune).unwrap();
    assert_eq!(after.matches('\n').count(), 1, "{after}");
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&before), value(&after));
    let step = Progress { text: "a\nb".to_owned(), seconds_left: Some(7) };
    let line = json_line(&step).unwrap();
    assert_eq!(line, "{\"schema\":\"outboard-progress/1\",\"text\":\"a\\nb\",\"seconds_left\":7}\n");
}
