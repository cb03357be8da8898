//! A page is read by a parser of the format that accepts nothing else.

use std::collections::{BTreeMap, BTreeSet};

use outboard_counters::Table;
use outboard_drivers::interrupts::{DeviceInterrupts, Snapshot};
use outboard_drivers::root::Root;

use super::*;

/// The series of a page with their values.
fn parse(page: &str) -> BTreeMap<String, f64> {
    assert!(page.ends_with('\n'), "the last line must end with a line feed");
    let (mut series, mut seen) = (BTreeMap::new(), BTreeSet::new());
    let (mut current, mut kind) = ("", "");
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').expect("a text");
            assert!(!help.is_empty() && !help.contains('\\') && seen.insert(name), "{line}: once, with text");
            let header = lines.next().expect("a type").strip_prefix("# TYPE ").expect("a type");
            let (same, word) = header.split_once(' ').unwrap();
            assert_eq!(same, name);
            assert!(["counter", "gauge"].contains(&word), "{header}");
            assert_eq!(name.ends_with("_total"), word == "counter", "{name}");
            (current, kind) = (name, word);
            continue;
        }
        let (key, value) = line.rsplit_once(' ').expect("a value");
        let name = key.split('{').next().unwrap();
        assert_eq!(name, current, "{line}: below its header");
        assert!(name.starts_with("outboard_") && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
        labels(&key[name.len()..]);
        let value: f64 = value.parse().expect("a number");
        assert!(value >= 0.0 && !kind.is_empty());
        assert!(series.insert(key.to_owned(), value).is_none(), "{key} twice");
    }
    series
}

/// Checks `{name="value",...}` with its escapes.
fn labels(text: &str) {
    if text.is_empty() {
        return;
    }
    let mut rest = text.strip_prefix('{').expect("{");
    loop {
        let (name, after) = rest.split_once("=\"").expect("a label");
        assert!(!name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
        let mut characters = after.char_indices();
        let end = loop {
            match characters.next().expect("a closing quote") {
                (_, '\\') => assert!(matches!(characters.next(), Some((_, '\\' | '"' | 'n'))), "{text}"),
                (at, '"') => break at,
                (_, c) => assert!(c != '\n'),
            }
        };
        rest = &after[end + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return assert_eq!(rest, "}"),
        }
    }
}

fn sample() -> Sample {
    let table = Table::private();
    let row = table.row("AES-128-GCM").unwrap();
    row.add_hw(2, 4096);
    row.add_ahead(3, 300);
    row.add_sw(5, 50);
    let driver = DriverSample {
        name: "a\"b\\c\nd".to_owned(),
        algorithm: Some("cbc(aes)".to_owned()),
        requests: Some(7),
        ..DriverSample::default()
    };
    let device = DeviceInterrupts {
        bus: "pci".to_owned(),
        driver: "virtio-pci".to_owned(),
        device: "0000:00:04.0".to_owned(),
        lines: Vec::new(),
        total: 99,
        chip: Some("virtio-crypto"),
        completion: outboard_catalog::families::Completion::OwnInterrupt,
    };
    let root = Root::saved(tempfile::tempdir().unwrap().path()).unwrap();
    Sample {
        module: Some(ModuleSample {
            files: Some(1),
            arena_bytes: Some(1 << 20),
            limits_in_bytes: vec![("max_bytes", 1 << 30)],
            drivers: vec![driver],
            ..ModuleSample::default()
        }),
        interrupts: Ok(Snapshot { devices: vec![device], warnings: Vec::new() }),
        services: vec![
            ServiceSample { unit: "nginx.service".to_owned(), counters: Ok(table) },
            ServiceSample { unit: "x.service".to_owned(), counters: Err("none".to_owned()) },
        ],
        ..Sample::take(&root)
    }
}

#[test]
fn every_series_has_a_header_and_valid_labels() {
    let findings = [("x".to_owned(), FindingState::Wrong)];
    let page = metrics(&sample(), &findings, "0.1.0");
    let series = parse(&page);
    let value = |key: &str| series.get(key).copied();
    assert_eq!(value("outboard_module_loaded"), Some(1.0));
    assert_eq!(value("outboard_module_limit_bytes{parameter=\"max_bytes\"}"), Some(f64::from(1 << 30)));
    let driver = "{driver=\"a\\\"b\\\\c\\nd\",algorithm=\"cbc(aes)\"}";
    assert_eq!(value(&format!("outboard_driver_requests_total{driver}")), Some(7.0));
    assert_eq!(value(&format!("outboard_driver_bytes_total{driver}")), None, "not readable: no sample");
    assert_eq!(value("outboard_driver_finding{driver=\"x\",state=\"wrong\"}"), Some(1.0));
    assert_eq!(value("outboard_driver_finding{driver=\"x\",state=\"exact\"}"), Some(0.0));
    let device = "bus=\"pci\",device=\"0000:00:04.0\",driver=\"virtio-pci\",chip=\"virtio-crypto\"";
    assert_eq!(value(&format!("outboard_accelerator_interrupts_total{{{device}}}")), Some(99.0));
    for (path, requests, bytes) in
        [("direct", 2.0, 4096.0), ("lookahead", 3.0, 300.0), ("software", 5.0, 50.0)]
    {
        let labels = format!("{{unit=\"nginx.service\",algorithm=\"AES-128-GCM\",path=\"{path}\"}}");
        assert_eq!(value(&format!("outboard_service_requests_total{labels}")), Some(requests));
        assert_eq!(value(&format!("outboard_service_bytes_total{labels}")), Some(bytes));
    }
    assert!(!page.contains("\"x.service\""));
}

#[test]
fn a_system_without_anything_has_a_page_too() {
    let root = Root::saved(tempfile::tempdir().unwrap().path()).unwrap();
    let series = parse(&metrics(&Sample::take(&root), &[], "0.1.0"));
    assert_eq!(series.get("outboard_module_loaded"), Some(&0.0));
    assert_eq!(series.len(), 3, "{series:?}");
}
