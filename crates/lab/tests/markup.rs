//! Strings and numbers of a file stay text: the page always has the same tags.

mod xml;

use std::sync::LazyLock;

use outboard_catalog::instructions::Architecture;
use outboard_drivers::judge::Verdict;
use outboard_drivers::reach::Consumer;
use outboard_lab::documents::{Report, read};
use outboard_lab::pages::Pages as _;
use proptest::prelude::*;
use serde_json::Value;

const FILES: [&str; 5] = [
    include_str!("data/status.json"),
    include_str!("data/check.json"),
    include_str!("data/tune.json"),
    include_str!("data/bench.json"),
    include_str!("data/prove.json"),
];

/// Strings that select what is reported, so they are not replaced.
const WORDS: [&str; 31] = [
    "schema",
    "verdict",
    "answer",
    "completion",
    "interface",
    "goal",
    "balanced",
    "bus",
    "outboard-status/1",
    "yes",
    "no",
    "accelerator",
    "software",
    "wrapper",
    "cpu-instructions",
    "kernel",
    "own-interrupt",
    "/dev/outboard",
    "hardware",
    "wins",
    "even",
    "loses",
    "unclear",
    "openssl",
    "openssl-without",
    "kernel-software",
    "encrypt",
    "decrypt",
    "interrupts",
    "unverified",
    "AF_ALG",
];

/// Whether it is the name of an enum's value, which is read as such.
fn is_name(text: &str) -> bool {
    let names = Verdict::ALL.map(Verdict::name).into_iter().chain(Consumer::ALL.map(Consumer::name));
    let mut names = names.chain(Architecture::ALL.map(Architecture::name));
    names.any(|name| name == text) || ["exact", "wrong", "unanswered"].contains(&text)
}

/// Replaces each string by a distinct number followed by `more`, so that different strings stay
/// different.
fn replaced(value: &mut Value, more: &str, number: &mut usize) {
    match value {
        Value::String(text)
            if !WORDS.contains(&text.as_str()) && !text.starts_with("outboard-") && !is_name(text) =>
        {
            *number += 1;
            *text = format!("n{number}{more}");
        }
        Value::Array(all) => all.iter_mut().for_each(|one| replaced(one, more, number)),
        Value::Object(all) => all.values_mut().for_each(|one| replaced(one, more, number)),
        _ => {}
    }
}

fn report(more: &str) -> Report {
    let mut report = Report::new(format!("now{more}"));
    let mut number = 0;
    for (file, text) in FILES.iter().enumerate() {
        let mut value: Value = serde_json::from_str(text).unwrap();
        replaced(&mut value, more, &mut number);
        report.add(&format!("{file}{more}"), read(value.to_string().as_bytes()).unwrap()).unwrap();
    }
    report
}

/// Generates letters and markup of HTML, SVG, Markdown, shells, terminals and XML.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<",
        ">",
        "&",
        "\"",
        "'",
        "`",
        "</td>",
        "<td></td>",
        "<script>alert(1)</script>",
        "--><!--",
        "]]>",
        "<![CDATA[",
        "&lt;",
        "&#0;",
        "</style>",
        "</svg>",
        "onload=x",
        "javascript:",
        "|",
        "\\",
        "\n",
        "\r",
        "\t",
        "\0",
        "\u{1b}[2J",
        "\u{202e}",
        "\u{ffff}",
        "é",
        "\u{1f600}",
        "{{",
        "$(id)",
        "http://x.example/",
        "#",
        "*",
        "_",
        "- ",
        "1. ",
    ]);
    let any = any::<char>().prop_map(String::from);
    prop::collection::vec(prop_oneof![pieces.prop_map(String::from), any], 0..12).prop_map(|all| all.concat())
}

/// Backticks in a sentence of a file may create code spans, and nothing else.
fn without_code(tags: Vec<String>) -> Vec<String> {
    tags.into_iter().filter(|tag| tag != "code" && tag != "/code").collect()
}

/// Replaces the numbers with a fraction whose places `is_meant` selects.
fn renumbered(value: &mut Value, is_meant: &mut impl FnMut() -> bool, by: f64) {
    match value {
        Value::Number(number) if number.is_f64() && is_meant() => *value = by.into(),
        Value::Array(all) => all.iter_mut().for_each(|one| renumbered(one, is_meant, by)),
        Value::Object(all) => all.values_mut().for_each(|one| renumbered(one, is_meant, by)),
        _ => {}
    }
}

#[test]
fn no_number_of_a_file_becomes_infinite() {
    for (file, text) in FILES.iter().enumerate() {
        for by in [0.0, 1e30, -1e30, 1e-60, 1e308, -1e308, 1e-320] {
            for (every, first) in [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)] {
                let mut value: Value = serde_json::from_str(text).unwrap();
                let mut places = 0..;
                let mut replaced = false;
                let mut is_meant = || {
                    let is_meant = places.next().is_some_and(|place| place % every == first);
                    replaced |= is_meant;
                    is_meant
                };
                renumbered(&mut value, &mut is_meant, by);
                let part = read(value.to_string().as_bytes());
                let is_figure = by == 0.0 || (1e-60..=1e30).contains(&by.abs());
                assert_eq!(part.is_ok(), is_figure || !replaced, "{file}: {by}: {:?}", part.err());
                let Ok(part) = part else { continue };
                let mut report = Report::new("now".into());
                report.add("file", part).unwrap();
                for page in [report.html(), report.markdown()] {
                    let words = page.split(|c: char| !c.is_ascii_alphanumeric());
                    let bad: Vec<&str> = words.filter(|word| ["inf", "NaN"].contains(word)).collect();
                    assert!(bad.is_empty(), "{file}: {by} at {first} of {every}: {page}");
                }
            }
        }
    }
}

/// The tags of a report with harmless strings.
static PLAIN: LazyLock<Vec<String>> =
    LazyLock::new(|| without_code(xml::skeleton(&report("").html()).unwrap()));

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn strings_stay_text(more in hostile()) {
        let hostile = report(&more);
        let skeleton = without_code(xml::skeleton(&hostile.html()).map_err(TestCaseError::fail)?);
        prop_assert_eq!(&skeleton, &*PLAIN);
        // No HTML may be recognized in Markdown; indented lines are code.
        for line in hostile.markdown().lines().filter(|line| !line.starts_with("    ")) {
            prop_assert!(!line.contains('<') && !line.replace("\\:", "").contains("://"), "{}", line);
            prop_assert!(!line.contains(char::is_control), "{:?}", line);
        }
    }

    #[test]
    fn any_number_can_be_drawn(size in any::<u64>(), speed in any::<f64>(), spread in any::<f64>(), from in any::<Option<u64>>()) {
        prop_assume!(speed.is_finite() && spread.is_finite());
        let mut value: Value = serde_json::from_str(FILES[2]).unwrap();
        let way = &mut value["ciphers"][0]["decrypt"];
        way["from"] = from.into();
        way["points"][0]["bytes"] = size.into();
        way["points"][0]["hardware"]["megabytes_per_second"] = speed.into();
        way["points"][0]["software"]["spread"] = spread.into();
        let mut report = Report::new("now".into());
        let is_figure = |number: f64| number == 0.0 || (1e-60..=1e30).contains(&number.abs());
        let part = read(value.to_string().as_bytes());
        prop_assert_eq!(part.is_ok(), is_figure(speed) && is_figure(spread));
        let Ok(part) = part else { return Ok(()) };
        report.add("tune.json", part).unwrap();
        let page = report.html();
        xml::skeleton(&page).map_err(TestCaseError::fail)?;
        prop_assert!(!page.contains("NaN") && !page.contains("inf "), "{}", page);
    }

    #[test]
    fn any_bytes_are_a_part_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&bytes).is_err());
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error(file in 0..FILES.len(), part in 0.0..1.0_f64) {
        let text = FILES[file].trim_end();
        let cut = (text.len() as f64 * part) as usize;
        prop_assert!(read(&text.as_bytes()[..cut]).is_err());
    }
}
