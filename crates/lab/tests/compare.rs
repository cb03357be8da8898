//! Compares two reports of a machine, before and after a new kernel.

mod xml;

use outboard_lab::documents::{Report, read};
use outboard_lab::pages::compare;
use serde_json::Value;

/// Returns a report of the machine, modified by `change`.
fn report(made: &str, change: impl Fn(&mut [Value; 5])) -> Report {
    let mut parts = [
        include_str!("data/status.json"),
        include_str!("data/check.json"),
        include_str!("data/tune.json"),
        include_str!("data/prove.json"),
        include_str!("data/bench.json"),
    ]
    .map(|text| serde_json::from_str(text).unwrap());
    change(&mut parts);
    let mut report = Report::new(made.into());
    for part in parts {
        report.add("file", read(part.to_string().as_bytes()).unwrap()).unwrap();
    }
    report
}

fn before() -> Report {
    report("2026-11-20T10:00:00Z", |_| {})
}

/// A kernel that removes an interface and a driver, adds another driver, computes wrong results,
/// and is slower in software.
fn after() -> Report {
    report("2026-11-21T10:00:00Z", |[status, check, tune, prove, bench]| {
        status["kernel"]["release"] = "7.4.0-amd64".into();
        let way = &mut status["accelerators"][0]["reach"][0];
        (way["answer"], way["why"]) = ("no".into(), "the outboard module is not loaded".into());
        let drivers = status["drivers"].as_array_mut().unwrap();
        drivers.retain(|driver| driver["name"] != "virtio-pkcs1-rsa");
        let mut ctr =
            drivers.iter().find(|driver| driver["name"] == "virtio_crypto_aes_cbc").unwrap().clone();
        (ctr["name"], ctr["algorithm"]) = ("virtio_crypto_aes_ctr".into(), "ctr(aes)".into());
        drivers.push(ctr);
        check["drivers"][0]["verdict"] = "wrong".into();
        check["drivers"][0]["fault"] = "byte 7 is wrong".into();
        tune["machine"]["kernel"] = "7.4.0-amd64".into();
        tune["goal"] = "cpu".into();
        let mut gone = tune["ciphers"][0].clone();
        gone["name"] = "AES-128-CTR".into();
        let ciphers = tune["ciphers"].as_array_mut().unwrap();
        ciphers.remove(0);
        ciphers.push(gone);
        let cipher = &mut ciphers[0];
        cipher["encrypt"]["from"] = 2880.into();
        cipher["decrypt"]["from"] = Value::Null;
        let largest = cipher["encrypt"]["points"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .max_by_key(|p| p["bytes"].as_u64())
            .unwrap();
        largest["software"]["megabytes_per_second"] = 1.0.into();
        // Below the limit for a reported change.
        let hardware = largest["hardware"]["megabytes_per_second"].as_f64().unwrap();
        largest["hardware"]["megabytes_per_second"] = (hardware * 1.04).into();
        prove["verdict"] = "software".into();
        let rows = bench["rows"].as_array_mut().unwrap();
        // The largest size of one report has a fault now, so the next size is compared.
        rows.retain(|row| row["direction"] == "encrypt");
        let of_driver = |row: &&mut Value| row["evidence"] == "interrupts" && row["depth"] == 1;
        rows.iter_mut().rfind(of_driver).unwrap()["fault"] = "no interrupt came".into();
        for row in rows.iter_mut().filter(of_driver) {
            row["figure"]["megabytes_per_second"] = 0.25.into();
            row["figure"]["spread"] = 0.01.into();
        }
    })
}

#[test]
fn additions_removals_and_changes_are_listed() {
    let comparison = compare(&before(), &after());
    xml::skeleton(&comparison.html()).unwrap();
    insta::assert_snapshot!(comparison.markdown());
    insta::assert_snapshot!("json", comparison.json().unwrap());
}

#[test]
fn an_application_that_became_slower_is_named() {
    let file = |speed: f64| {
        let mut bench: Value = serde_json::from_str(include_str!("data/bench-file.json")).unwrap();
        for run in bench["applications"][0]["runs"].as_array_mut().unwrap() {
            run["figure"]["spread"] = 0.01.into();
            if run["contestant"] == "OpenSSL with outboard" {
                run["figure"]["megabytes_per_second"] = speed.into();
            }
        }
        let mut report = Report::new("2026-11-21T10:00:00Z".into());
        report.add("file", read(bench.to_string().as_bytes()).unwrap()).unwrap();
        report
    };
    let text = compare(&file(100.0), &file(80.0)).markdown();
    assert!(text.contains("1 change: 0 added, 0 removed, 1 changed."), "{text}");
    assert!(
        text.contains("OpenSSL with outboard | ✗ changed, worse | 100 MB/s | 80.0 MB/s | -20 % |"),
        "{text}"
    );
}

#[test]
fn a_digest_that_became_slower_is_named_without_a_direction() {
    let digest = |speed: f64| {
        report("2026-11-21T10:00:00Z", |[.., bench]| {
            let rows = bench["rows"].as_array_mut().unwrap();
            rows.retain(|row| row["direction"] == "encrypt" && row["contestant"] == "OpenSSL");
            for row in rows {
                (row["cipher"], row["direction"]) = ("SHA2-256".into(), Value::Null);
                (row["figure"]["megabytes_per_second"], row["figure"]["spread"]) =
                    (speed.into(), 0.01.into());
            }
        })
    };
    let text = compare(&digest(100.0), &digest(80.0)).markdown();
    assert!(text.contains("SHA2-256, 64 KiB, 1 at once, OpenSSL | "), "{text}");
    assert!(text.contains("| 100 MB/s | 80.0 MB/s | -20 % |"), "{text}");
}

#[test]
fn the_same_twice_is_no_change() {
    let text = compare(&before(), &before()).markdown();
    assert!(text.contains("Nothing that both reports know of has changed."), "{text}");
    assert!(
        !text.contains("changed |") && !text.contains("added |") && !text.contains("removed |"),
        "{text}"
    );
}

#[test]
fn a_part_that_one_report_lacks_is_named_and_not_a_change() {
    let empty = Report::new("2026-11-21T10:00:00Z".into());
    let text = compare(&before(), &empty).markdown();
    assert!(text.contains("Nothing that both reports know of has changed."), "{text}");
    assert!(!text.contains("No change."), "{text}");
    for part in ["status", "check", "measurement", "benchmark", "proof"] {
        assert!(text.contains(&format!("The later report holds no {part}: it was not compared.")), "{text}");
    }
}
