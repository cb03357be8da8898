//! Reports of a virtual machine, from documents of its commands reduced to two ciphers, and from
//! fewer documents.

mod xml;

use outboard_documents::json;

use outboard_lab::documents::{Part, Report, read};
use outboard_lab::pages::Pages as _;

const FILES: [(&str, &str); 6] = [
    ("status.json", include_str!("data/status.json")),
    ("check.json", include_str!("data/check.json")),
    ("tune.json", include_str!("data/tune.json")),
    ("bench.json", include_str!("data/bench.json")),
    ("prove.json", include_str!("data/prove.json")),
    ("prove-ctr.json", include_str!("data/prove-ctr.json")),
];

fn report(names: &[&str]) -> Report {
    let mut report = Report::new("2026-11-21T16:20:00Z".into());
    for (name, text) in FILES.iter().filter(|(name, _)| names.contains(name)) {
        report.add(name, read(text.as_bytes()).unwrap()).unwrap();
    }
    report
}

fn whole() -> Report {
    report(&FILES.map(|(name, _)| name))
}

#[test]
fn the_page_answers_all_questions() {
    let html = whole().html();
    xml::skeleton(&html).unwrap();
    insta::assert_snapshot!(html);
}

#[test]
fn markdown_says_the_same() {
    insta::assert_snapshot!(whole().markdown());
}

#[test]
fn a_digest_has_figures_and_no_direction() {
    let mut bench: serde_json::Value = serde_json::from_str(FILES[3].1).unwrap();
    let rows = bench["rows"].as_array_mut().unwrap();
    rows.retain(|row| row["direction"] == "encrypt");
    for row in rows {
        (row["cipher"], row["direction"]) = ("SHA2-256".into(), serde_json::Value::Null);
    }
    let mut report = Report::new("2026-11-21T16:20:00Z".into());
    report.add("bench.json", read(bench.to_string().as_bytes()).unwrap()).unwrap();
    xml::skeleton(&report.html()).unwrap();
    let text = report.markdown();
    for says in ["SHA2-256, 64 KiB: OpenSSL ", "SHA2-256: medians, and", "SHA2-256 of 4 KiB: medians, and"] {
        assert!(text.contains(says), "{says}: {text}");
    }
    assert!(!text.contains("encryption"), "{text}");
    let Ok(Part::Report(again)) = read(json(&report).unwrap().as_bytes()) else { panic!("a report") };
    assert_eq!(again.markdown(), text);
}

#[test]
fn a_missing_document_is_named_with_its_command() {
    let html = report(&[]).html();
    xml::skeleton(&html).unwrap();
    insta::assert_snapshot!(report(&[]).markdown());
    insta::assert_snapshot!("only_a_status", report(&["status.json"]).markdown());
    for (name, _) in FILES {
        let part = report(&[name]).html();
        xml::skeleton(&part).unwrap();
        assert!(part.contains("Not known: "), "{name}");
    }
    assert!(!whole().html().contains("Not known: "));
}

#[test]
fn the_document_can_be_read_again() {
    let written = json(&whole()).unwrap();
    let Ok(Part::Report(again)) = read(written.as_bytes()) else { panic!("{written}") };
    assert_eq!(again.html(), whole().html());
    assert_eq!(json(&*again).unwrap(), written);
    let value: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(value["schema"], "outboard-report/1");
    assert_eq!(value["sources"][0]["schema"], "outboard-status/1");
    insta::assert_snapshot!(json(&report(&["check.json", "prove.json"])).unwrap());
}

#[test]
fn a_report_has_one_status() {
    let mut report = report(&["status.json"]);
    let error = report.add("again.json", read(FILES[0].1.as_bytes()).unwrap()).unwrap_err().to_string();
    assert!(error.contains("status.json is a status already"), "{error}");
    let whole = read(json(&whole()).unwrap().as_bytes()).unwrap();
    let error = report.add("report.json", whole).unwrap_err().to_string();
    assert!(error.contains("give it alone"), "{error}");
}

#[test]
fn a_drivers_faults_are_not_hidden() {
    let wrong = FILES[1]
        .1
        .replace("\"exact\"", "\"wrong\"")
        .replace("\"fault\": null", "\"fault\": \"byte 7 is wrong\"");
    let mut report = report(&["tune.json"]);
    report.add("check.json", read(wrong.as_bytes()).unwrap()).unwrap();
    let text = report.markdown();
    for says in ["1 driver gave wrong results", "✗ wrong", "virtio_crypto_aes_cbc: byte 7 is wrong."] {
        assert!(text.contains(says), "{says}: {text}");
    }
    let silent = FILES[1].1.replace("\"interrupts\": 1309", "\"interrupts\": 0");
    report.add("silent.json", read(silent.as_bytes()).unwrap()).unwrap();
    assert!(report.markdown().contains("no interrupt came"));
}

/// A measurement of a file with openssl enc.
const FILE: &str = include_str!("data/bench-file.json");

#[test]
fn an_application_has_a_table() {
    let mut report = report(&[]);
    report.add("file.json", read(FILE.as_bytes()).unwrap()).unwrap();
    xml::skeleton(&report.html()).unwrap();
    let text = report.markdown();
    let from = text.find("## How fast").unwrap();
    let to = text[from..].find("## Do applications").unwrap();
    insta::assert_snapshot!(text[from..from + to]);
    for says in ["| figures | 2, of them none 0 |", "| samples | 10, of them outliers "] {
        assert!(text.contains(says), "{says}: {text}");
    }
}

#[test]
fn an_invalid_result_is_not_drawn() {
    let mut bench: serde_json::Value = serde_json::from_str(FILES[3].1).unwrap();
    let rows = bench["rows"].as_array_mut().unwrap();
    let driver = rows.iter().find(|row| !row["evidence"].is_null()).unwrap()["contestant"].clone();
    rows.retain(|row| row["contestant"] == driver && row["depth"] == 1 && row["direction"] == "encrypt");
    let last = rows.last_mut().unwrap();
    (last["fault"], last["evidence"]) = ("no interrupt came".into(), "contradicted".into());
    last["figure"]["megabytes_per_second"] = 987_654.0.into();
    let marks = rows.len() - 1;
    let mut report = report(&[]);
    report.add("bench.json", read(bench.to_string().as_bytes()).unwrap()).unwrap();
    let html = report.html();
    xml::skeleton(&html).unwrap();
    assert!(html.contains("Not a figure: AES-128-CBC encryption") && !html.contains("987654"), "{html}");
    assert_eq!(
        html.matches("class=\"mark hardware\"").count(),
        2 * (marks + 1),
        "throughput and CPU time, each with a legend"
    );
    assert!(report.markdown().contains("✗ no: no interrupt came"));
}

#[test]
fn figures_of_another_kernel_are_noted() {
    let mut report = report(&["status.json"]);
    let other = FILES[2].1.replace("7.3.4+deb13-amd64", "6.12.0-amd64");
    report.add("tune.json", read(other.as_bytes()).unwrap()).unwrap();
    assert!(
        report
            .markdown()
            .contains("> This was measured on Linux 6.12.0-amd64, and the status is of Linux 7.3.4")
    );
}

#[test]
fn names_in_commands_are_quoted() {
    let evil = FILES[1].1.replace("virtio_crypto_aes_cbc", "x; rm -rf ~ #");
    let mut report = report(&[]);
    report.add("check.json", read(evil.as_bytes()).unwrap()).unwrap();
    assert!(
        report.markdown().contains("    sudo outboard disallow -- 'x; rm -rf ~ #'\n"),
        "{}",
        report.markdown()
    );
}

fn proved(change: impl FnOnce(&mut serde_json::Value)) -> Report {
    let mut proof: serde_json::Value = serde_json::from_str(FILES[4].1).unwrap();
    change(&mut proof);
    let mut report = report(&["status.json", "check.json"]);
    report.add("prove.json", read(proof.to_string().as_bytes()).unwrap()).unwrap();
    report
}

#[test]
fn a_wrong_result_of_a_proof_is_the_first_answer() {
    let report = proved(|proof| {
        (proof["verdict"], proof["summary"]) = ("wrong".into(), "1 result differed.".into());
        proof["algorithms"][0]["mismatches"] = 1.into();
    });
    let text = report.markdown();
    assert!(text.contains("| Is it correct? | ✗ no | Proofs found 1 wrong result"), "{text}");
    assert!(
        text.contains("✗ wrong: a result differed") && text.contains("-out REMOVED:1-7: 1 result differed."),
        "{text}"
    );
    assert!(!text.contains("✓ proven"), "{text}");
    let text = proved(|proof| proof["verdict"] = "partly".into()).markdown();
    assert!(text.contains("? partly: less than half by hardware"), "{text}");
}

#[test]
fn shares_and_amounts_are_exact_and_readable() {
    let text = proved(|proof| {
        let one = &mut proof["algorithms"][0];
        (one["hardware_percent"], one["software_bytes"]) = (99.99998.into(), 16.into());
    })
    .markdown();
    assert!(text.contains("| 99.9 % | 32.0 MiB |") && text.contains("| 16 B |"), "{text}");
    assert!(!text.contains("100.0 %") && !text.contains("e-"), "{text}");
}

#[test]
fn a_proof_shows_the_time_without_the_provider() {
    let text = proved(|_| {}).markdown();
    assert!(text.contains("| 0 | 8.17 | 12.3 | 5.68 | 12.0 | 8196 |"), "{text}");
    let text = proved(|proof| proof["software"] = serde_json::Value::Null).markdown();
    assert!(
        text.contains("| 0 | 8.17 | - | 5.68 | - | 8196 |") && text.contains("outboard prove --compare"),
        "{text}"
    );
}

#[test]
fn code_in_a_sentence_is_code() {
    let report = proved(|proof| proof["summary"] = "Run `strace -f` on it.".into());
    assert!(report.html().contains(": Run <code>strace -f</code> on it.</p>"));
    assert!(report.markdown().contains(": Run `strace -f` on it.\n"));
}

#[test]
fn every_cell_has_the_name_of_its_column_for_a_narrow_screen() {
    let html = whole().html();
    assert!(html.contains("data-label=\"wrong\">0</td>"), "{html}");
    assert_eq!(html.matches("<td").count(), html.matches(" data-label=\"").count());
}

/// Returns baseline, height and width of each text of a drawing, with the width of a wide font.
fn boxes(svg: &str) -> Vec<(f64, f64, f64, String)> {
    let number = |tag: &str, key: &str| -> f64 {
        let from = tag.find(&format!("{key}=\"")).unwrap() + key.len() + 2;
        tag[from..].split('"').next().unwrap().parse().unwrap()
    };
    let texts = svg.split("<text ").skip(1).map(|text| {
        let (tag, rest) = text.split_once('>').unwrap();
        let words = rest.split('<').next().unwrap().to_owned();
        let width = words.chars().count() as f64 * 7.5;
        let x = match tag {
            tag if tag.contains("\"middle\"") => number(tag, "x") - width / 2.0,
            tag if tag.contains("\"end\"") => number(tag, "x") - width,
            tag => number(tag, "x"),
        };
        (x, x + width, number(tag, "y"), words)
    });
    texts.collect()
}

#[test]
fn no_text_of_a_plot_lies_on_another() {
    let html = whole().html();
    let mut plots = 0;
    for svg in html.split("<svg").skip(1).map(|rest| rest.split("</svg>").next().unwrap()) {
        plots += 1;
        let boxes = boxes(svg);
        for (place, one) in boxes.iter().enumerate() {
            for other in &boxes[place + 1..] {
                let meet = one.0 < other.1 && other.0 < one.1 && (one.2 - other.2).abs() < 13.0;
                assert!(!meet, "{one:?} lies on {other:?}");
            }
        }
    }
    assert!(plots > 4, "{plots}");
}

#[test]
fn spreads_are_drawn() {
    let html = whole().html();
    assert!(html.matches("class=\"bars ").count() > 2, "{html}");
    let calm =
        FILES[2].1.lines().map(|line| if line.contains("\"spread\"") { "\"spread\": 0.0," } else { line });
    let mut report = report(&[]);
    report.add("tune.json", read(calm.collect::<Vec<_>>().join("\n").as_bytes()).unwrap()).unwrap();
    assert!(!report.html().contains("class=\"bars "));
}

#[test]
fn nothing_of_a_measurement_is_lost() {
    let mut tune: serde_json::Value = serde_json::from_str(FILES[2].1).unwrap();
    let figure = tune["ciphers"][0]["encrypt"]["points"][0]["software"].clone();
    tune["ciphers"][0]["pieces"] = serde_json::json!({
        "bytes": 65536, "request": 65536,
        "tried": [{ "best": 16384, "best_figure": figure, "bytes": 65536, "figure": figure, "verdict": "wins" }],
    });
    tune["ciphers"][0]["encrypt"]["always"] = true.into();
    let mut report = report(&[]);
    report.add("tune.json", read(tune.to_string().as_bytes()).unwrap()).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json(&report).unwrap()).unwrap();
    let kept = &json["tunes"][0]["ciphers"][0];
    assert_eq!(kept["pieces"], tune["ciphers"][0]["pieces"]);
    assert_eq!(kept["encrypt"]["always"], true);
}

#[test]
fn look_ahead_has_its_decision_and_curves() {
    let mut tune: serde_json::Value = serde_json::from_str(FILES[2].1).unwrap();
    let curve = tune["ciphers"][0]["encrypt"].clone();
    tune["lookahead"] = serde_json::json!([{
        "name": "AES-256-GCM", "driver": "<ecb>", "direct_from": 8192, "requests": curve, "ahead_percent": 98.5,
        "connections": curve, "sentence": "AES-256-GCM: look-ahead wins.",
    }]);
    let mut with = report(&[]);
    with.add("tune.json", read(tune.to_string().as_bytes()).unwrap()).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json(&with).unwrap()).unwrap();
    assert_eq!(json["tunes"][0]["lookahead"], tune["lookahead"], "nothing is lost");
    let (html, markdown) = (with.html(), with.markdown());
    xml::skeleton(&html).unwrap();
    assert!(html.contains("&lt;ecb&gt;") && !html.contains("<ecb>"), "{html}");
    for text in ["AES-256-GCM: look-ahead wins.", "hardware from 8192 bytes on", "98.5 %"] {
        assert!(markdown.contains(text), "{text}: {markdown}");
    }
    let plots = |html: &str| html.matches("<svg").count();
    let without = plots(&report(&["tune.json"]).html());
    assert_eq!(plots(&html), without + 3, "by size, its CPU time, and by bytes with one key");
}

#[test]
fn a_random_number_generator_has_a_histogram_and_an_image_of_its_bits() {
    let test = serde_json::json!({
        "schema": "outboard-rng-test/1", "made": "2026-11-23T02:00:00Z", "source": "/dev/hwrng (<chip>)",
        "successes": 0, "failures": 40, "expected_failures": 0.032, "verdict": "fail",
        "failed_tests": { "monobit": 40, "poker": 40, "runs": 40, "long_run": 0, "continuous_run": 0 },
    });
    let assessment = serde_json::json!({
        "schema": "outboard-rng-assess/1", "made": "2026-11-23T02:01:00Z", "source": "/dev/hwrng (<chip>)",
        "samples": 1_000_000, "bits": 1, "min_entropy": 0.377, "min_entropy_per_bit": 0.377, "quality": 880,
        "estimates": [{ "estimator": "Markov", "of": "samples", "min_entropy": 0.377 }],
        "health_fault": null, "notes": ["Credited are 880 of 1024 bits, and the output has 386."],
        "histogram": [230_000, 770_000], "first_bits": "f".repeat(4096),
    });
    let mut report = Report::new("2026-11-23T02:02:00Z".into());
    for (name, part) in [("test.json", &test), ("assess.json", &assessment)] {
        report.add(name, read(part.to_string().as_bytes()).unwrap()).unwrap();
    }
    let html = report.html();
    xml::skeleton(&html).unwrap();
    assert!(html.contains("id=\"random\"") && html.contains("/dev/hwrng (&lt;chip&gt;)"), "{html}");
    assert_eq!(html.matches("<svg").count(), 2);
    let text = report.markdown();
    for says in ["Are random numbers good?", "880 of 1024 bits, and the output has 386", "16384 are ones"] {
        assert!(text.contains(says), "{says}: {text}");
    }
    let Ok(Part::Report(again)) = read(json(&report).unwrap().as_bytes()) else { panic!("a report") };
    assert_eq!(again.markdown(), text);
    // Without a generator there is no section.
    assert!(!whole().html().contains("id=\"random\""));
}

fn value(file: usize) -> serde_json::Value {
    serde_json::from_str(FILES[file].1).unwrap()
}

fn with(mut report: Report, name: &str, value: &serde_json::Value) -> Report {
    report.add(name, read(value.to_string().as_bytes()).unwrap()).unwrap();
    report
}

#[test]
fn a_fault_that_was_injected_on_purpose_is_no_fault_of_the_machine() {
    let mut proof = value(4);
    proof["algorithms"][0]["mismatches"] = 3.into();
    let wrong = with(report(&["check.json"]), "wrong.json", &proof).markdown();
    assert!(wrong.contains("Proofs found 3 wrong results"), "{wrong}");
    assert!(wrong.contains("was right, but in use 3 results differed from software's"), "{wrong}");
    proof["injected_faults"] = ["sim-cbc-aes garbage after=100"].into();
    let injected = with(report(&["check.json"]), "wrong.json", &proof).markdown();
    assert!(injected.contains("A fault that was injected on purpose was caught"), "{injected}");
    assert!(injected.contains("had been told to make this fault: sim-cbc-aes garbage"), "{injected}");
    assert!(!injected.contains("Proofs found") && !injected.contains("but in use"), "{injected}");
}

#[test]
fn an_enabled_service_is_switched_on() {
    let mut status = value(0);
    let without = with(report(&[]), "status.json", &status).markdown();
    assert!(!without.contains("switched it on for"), "{without}");
    status["services"] = serde_json::json!([
        { "name": "nginx", "enabled": true, "wins": true },
        { "name": "sshd", "enabled": false, "wins": true },
    ]);
    let text = with(report(&[]), "status.json", &status).markdown();
    assert!(text.contains("for nginx") && text.contains("has switched it on for nginx."), "{text}");
}

#[test]
fn the_cards_know_a_measured_application() {
    let text = with(report(&[]), "file.json", &serde_json::from_str(FILE).unwrap()).markdown();
    let software = "Up to 0.52 times the software's speed: openssl enc, AES-128-CBC";
    assert!(text.contains(software) && !text.contains("Is it faster?: not known"), "{text}");
    assert!(text.contains("% of the software's CPU time: openssl enc, AES-128-CBC"), "{text}");
}

#[test]
fn the_card_counts_points_as_the_tables_do() {
    let tune = value(2);
    let points = |way: &str| {
        tune["ciphers"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(move |one| one[way]["points"].as_array().unwrap().clone())
            .collect::<Vec<_>>()
    };
    let all: Vec<_> = points("encrypt")
        .into_iter()
        .chain(points("decrypt"))
        .filter(|point| point["refused"].is_null())
        .collect();
    let speed = |point: &serde_json::Value, side: &str| point[side]["megabytes_per_second"].as_f64().unwrap();
    let faster = all.iter().filter(|point| speed(point, "hardware") > speed(point, "software")).count();
    let text = report(&["tune.json"]).markdown();
    assert!(
        faster > 0 && text.contains(&format!("at {faster} of {} measured points", all.len())),
        "{faster} of {}: {text}",
        all.len()
    );
}

#[test]
fn look_ahead_is_in_the_summary() {
    let mut tune = value(2);
    let requests = tune["ciphers"][0]["encrypt"].clone();
    tune["ciphers"] = serde_json::json!([]);
    tune["lookahead"] = serde_json::json!([{
        "name": "AES-128-CTR", "driver": "sim-ecb-aes", "direct_from": null, "requests": requests, "ahead_percent": 99.0,
        "connections": null, "sentence": "AES-128-CTR: look-ahead."
    }]);
    tune["lookahead"][0]["requests"]["from"] = 512.into();
    tune["lookahead"][0]["requests"]["undecided"] = false.into();
    let text = with(report(&[]), "tune.json", &tune).markdown();
    assert!(text.contains("Hardware wins by look-ahead for AES-128-CTR"), "{text}");
    assert!(text.contains("times the software's speed: AES-128-CTR by look-ahead, "), "{text}");
    assert!(text.contains("allowed to use sim-ecb-aes"), "{text}");
}

/// A status with two drivers that are allowed, and a policy in force.
fn tuned_status() -> serde_json::Value {
    let mut status = value(0);
    let row = |driver: &str| {
        serde_json::json!({ "driver": driver, "algorithm": "cbc(aes)", "consumers": [
            { "consumer": "OpenSSL", "answer": "yes", "why": "through /dev/outboard: it is allowed" }
        ] })
    };
    status["reach"] = serde_json::json!([row("sim-cbc-aes"), row("sim-ecb-aes")]);
    status["policy"] = serde_json::json!({
        "path": "/etc/outboard/policy", "made": "2026-11-27T01:00:00Z", "goal": "throughput", "in_force": true, "problem": null
    });
    let cipher = |name: &str, direct: serde_json::Value, ahead: serde_json::Value| serde_json::json!({ "cipher": name, "direct": direct, "lookahead": ahead, "no_lookahead": null });
    let direct = |is_measured| serde_json::json!({ "driver": "sim-cbc-aes", "from": [5760, null], "is_measured": is_measured });
    let ahead = serde_json::json!({ "driver": "sim-ecb-aes", "from": 512, "to": null, "start": 4096 });
    status["offload"] = serde_json::json!([
        cipher("AES-128-CBC", direct(true), serde_json::Value::Null),
        cipher("AES-256-CBC", direct(false), serde_json::Value::Null),
        cipher("AES-128-GCM", serde_json::Value::Null, ahead),
    ]);
    status
}

#[test]
fn the_policy_in_force_is_read_where_no_measurement_was_given() {
    let text = with(report(&[]), "status.json", &tuned_status()).markdown();
    assert!(text.contains("By the policy hardware wins for AES-128-CBC and AES-128-GCM"), "{text}");
    assert!(
        text.contains("hardware from 5760 bytes on") && text.contains("from 512 bytes on, by sim-ecb-aes"),
        "{text}"
    );
    let table = text.split("Decisions of the policy").nth(1).unwrap();
    assert!(!table.split("\n## ").next().unwrap().contains("AES-256-CBC"), "not measured: {table}");
}

#[test]
fn all_that_was_switched_on_is_named_with_the_command_that_undoes_it() {
    let text = with(report(&[]), "status.json", &tuned_status()).markdown();
    assert!(text.contains("sudo outboard undo"), "{text}");
    assert!(text.contains("sudo outboard disallow -- sim-cbc-aes sim-ecb-aes"), "{text}");
}
