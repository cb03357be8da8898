//! `outboard bench https --server`: Apache, which only the machines with systemd have, encrypts by
//! hardware, and nothing of it remains; `--client`: so does curl.

use outboard_tests::machine::ACCELERATOR;
use outboard_tests::processes::process_names;
use outboard_tests::services::{machine, succeeds};
use outboard_tests::tuning::Machine;
use serde_json::Value;

const CIPHER: &str = "AES128-SHA";

#[track_caller]
fn encrypts_by_hardware(machine: &Machine, what: &[&str], shown: &str, process: &str) {
    let arguments = ["--suite", CIPHER, "--megabytes", "2", "--at-once", "1,2", "--for", "0", "--json"];
    let text = succeeds(machine, &[&["bench", "https"][..], what, &arguments].concat());
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    let applications = answer["applications"].as_array().expect("applications");
    let found: Vec<_> = applications.iter().map(|one| one["bytes"].as_u64().expect("a number")).collect();
    assert_eq!(found, [2 << 20, 4 << 20], "{answer}");
    for one in applications {
        let name = one["name"].as_str().expect("a name");
        assert!(name.starts_with(shown), "{name}");
        let [plain, with] = &one["runs"].as_array().expect("runs")[..] else { panic!("two: {one}") };
        assert!(plain["evidence"].is_null() && plain["driver"].is_null(), "{plain}");
        assert_eq!(
            (&with["evidence"], &with["driver"]),
            (&"interrupts".into(), &ACCELERATOR.into()),
            "{with}"
        );
        assert!(with["fault"].is_null() && plain["fault"].is_null(), "{one}");
        assert!(with["hardware_percent"].as_f64() > Some(90.0), "{with}");
        for run in [plain, with] {
            assert_eq!(run["figure"]["samples"], 5, "{run}");
            let time = ["user_percent", "system_percent"].map(|name| run[name].as_f64().expect("a number"));
            assert!(time[0] + time[1] > 0.0, "{what:?} used no CPU time: {run}");
        }
    }
    let left: Vec<_> = process_names().into_iter().filter(|name| name.starts_with(process)).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn apache_and_curl_use_the_accelerator() {
    let Some(machine) = machine("apache_and_curl_use_the_accelerator") else { return };
    encrypts_by_hardware(&machine, &["--server", "apache"], "download from Apache/2.", "apache2");
    encrypts_by_hardware(&machine, &["--client"], "download by curl from nginx/", "nginx");
}
