//! Records to /dev/outboard that fail: whatever call fails with whatever error, applications get the
//! bytes, return codes and IVs of OpenSSL's own algorithms.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use outboard_tests::command::{helper, status_and_output};
use outboard_tests::lane::is_full_lane;
use outboard_tests::simulated::{DRIVERS, Reachable, Simulated};
use outboard_tests::skip::skip;

const CASES: [(&str, &str); 10] = [
    ("direct", "AES-128-CBC"),
    ("direct", "AES-192-CTR"),
    ("direct", "AES-256-GCM"),
    ("direct", "AES-128-CCM"),
    ("direct", "AES-128-XTS"),
    ("direct", "DES-EDE3-CBC"),
    ("direct", "HMAC"),
    ("direct", "SHA2-256"),
    ("lookahead", "AES-128-CTR"),
    ("lookahead", "AES-128-GCM"),
];

/// Runs the helper with the simulation allowed, once for each list of arguments. Returns what it
/// printed.
#[track_caller]
fn run_each(test: &str, runs: &[Vec<String>]) -> Vec<String> {
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return Vec::new() };
    let helper = match helper("failing-submissions") {
        Ok(helper) => helper,
        Err(missing) => {
            skip(test, missing);
            return Vec::new();
        }
    };
    simulated.allow(&DRIVERS);
    let run = |arguments: &Vec<String>| {
        let output = Command::new(&helper).args(arguments).output().expect("the helper");
        let text = status_and_output(&output);
        assert!(output.status.success(), "{arguments:?}: {text}");
        println!("{text}");
        text
    };
    runs.iter().map(run).collect()
}

/// The number before a word.
#[track_caller]
fn number_before(text: &str, word: &str) -> u32 {
    let words: Vec<&str> = text.split_whitespace().collect();
    let place = words.iter().position(|other| *other == word).unwrap_or_else(|| panic!("{word}: {text}"));
    words[place - 1].parse().unwrap_or_else(|_| panic!("{word}: {text}"))
}

#[test]
fn any_sequence_of_calls_returns_what_the_default_provider_does_while_submissions_fail() {
    let test = "any_sequence_of_calls_returns_what_the_default_provider_does_while_submissions_fail";
    let fresh = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs() as u32;
    let sequences = if is_full_lane() { 270 } else { 3 };
    let mut runs = Vec::new();
    for (way, algorithm) in CASES {
        for (one_in, seed) in [(15, 1), (40, fresh), (40, 1), (15, fresh)] {
            let numbers = [one_in, sequences, seed].map(|number| number.to_string());
            runs.push([&[way.to_owned(), algorithm.to_owned()][..], &numbers].concat());
        }
        runs.truncate(if is_full_lane() { usize::MAX } else { runs.len() - 2 });
    }
    let texts = run_each(test, &runs);
    let sum = |word| texts.iter().map(|text| number_before(text, word)).sum::<u32>();
    if !texts.is_empty() {
        assert!(sum("failed,") > 20 && sum("requests") > 200 && sum("with") > 10, "{texts:?}");
    }
}

#[test]
fn a_stream_in_counter_mode_continues_at_its_position_when_all_submissions_begin_to_fail() {
    let test = "a_stream_in_counter_mode_continues_at_its_position_when_all_submissions_begin_to_fail";
    for text in run_each(test, &[vec!["stream".to_owned()]]) {
        assert!(number_before(&text, "failed,") >= 3 && number_before(&text, "updates") > 100, "{text}");
    }
}
