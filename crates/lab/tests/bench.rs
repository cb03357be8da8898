//! `outboard bench` as a command, without an accelerator.

mod both;

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(both::outboard());
    command.arg("bench").args(arguments);
    command
}

fn fails(arguments: &[&str], code: i32, says: &[&str]) {
    let output = bench(arguments).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    says.iter().for_each(|words| assert!(error.contains(words), "{arguments:?}: {words}: {error}"));
}

#[test]
fn an_impossible_measurement_is_refused_with_a_possible_one() {
    fails(&["rot13"], 2, &["'rot13'", "AES-128-CBC", "cbc(aes)"]);
    fails(&["MD5"], 2, &["'MD5'", "AES-128-CBC", "SHA2-256"]);
    fails(&["--size", "100"], 2, &["100 bytes", "multiples of 16"]);
    fails(&["--size", "2M"], 2, &["16 to 1048576"]);
    fails(&["--depth", "65"], 2, &["1 to 64"]);
    fails(&["--threads", "0"], 2, &["CPUs"]);
    fails(&["--for", "soon"], 2, &["90s, 10m or 2h"]);
    fails(&["--interface", "/dev/null"], 2, &["/dev/outboard", "/dev/crypto", "AF_ALG"]);
    fails(&["--direction", "sideways"], 2, &["encrypt", "decrypt", "both"]);
    fails(&["--driver", "no-such-driver"], 1, &["no-such-driver", "outboard status --verbose"]);
}

#[test]
fn a_file_to_show_is_not_read_beyond_the_limit() {
    fails(&["--show", "/dev/zero"], 1, &["/dev/zero", "larger than 16 MiB"]);
}

#[test]
fn a_missing_openssl_is_named_with_its_package() {
    // Root's command does not find programs by PATH, and another user may not enter each directory
    // in which root builds.
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["outboard", "outboard-lab"] {
        fs::copy(both::outboard().with_file_name(name), place.path().join(name)).unwrap();
    }
    let mut command = std::process::Command::new(place.path().join("outboard"));
    command.args(["bench", "file"]);
    // SAFETY: the call has no arguments and cannot fail.
    if unsafe { libc::geteuid() } == 0 {
        command.uid(65534);
    }
    let output = command.env("PATH", "/nowhere").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && error.contains("install the package openssl"), "{error}");
    fails(
        &["file", "--cipher", "AES-128-GCM"],
        2,
        &["openssl enc does not do AES-128-GCM", "CBC, CTR or ECB"],
    );
    fails(&["file", "--megabytes", "0"], 2, &["1..=4096"]);
    fails(&["file", "--module", "/nowhere/outboard.so"], 1, &["/nowhere/outboard.so", "no such file"]);
}

#[test]
fn a_saved_measurement_is_shown_again() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/");
    let output = bench(&["--show", &format!("{data}bench-file.json")]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && text.starts_with("openssl enc, AES-128-CBC, 16 MiB, 1 at once\n"),
        "{text}"
    );
    fails(&["--show", &format!("{data}check.json")], 1, &["check.json", "no answer of outboard bench"]);
    fails(&["--show", "/nowhere.json"], 1, &["/nowhere.json", "No such file"]);
    fails(&["--show", "/nowhere.json", "--kernel"], 2, &["--show", "--kernel"]);
}

/// The selected interface exists on no test machine, so that only OpenSSL is measured.
#[test]
fn openssl_is_measured_with_the_cpus_instructions_and_without() {
    let output = bench(&["--json", "--for", "0", "--size", "16,4K", "--direction", "encrypt"])
        .args(["--no-cpu-instructions", "--interface", "/dev/crypto", "AES-128-CBC"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let answer: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(answer["schema"], "outboard-bench/1");
    assert_eq!(answer["interrupted"], false);
    let rows: Vec<&Value> =
        answer["rows"].as_array().unwrap().iter().filter(|row| row["fault"].is_null()).collect();
    let found: Vec<(&str, u64)> = rows
        .iter()
        .filter(|row| row["contestant"].as_str().unwrap().starts_with("OpenSSL"))
        .map(|row| (row["contestant"].as_str().unwrap(), row["bytes"].as_u64().unwrap()))
        .collect();
    let without = "OpenSSL without CPU instructions";
    assert_eq!(found, [("OpenSSL", 16), (without, 16), ("OpenSSL", 4096), (without, 4096)], "{text}");
    for row in rows {
        let figure = &row["figure"];
        assert!(figure["megabytes_per_second"].as_f64().unwrap() > 0.0, "{row}");
        assert!(figure["samples"].as_u64().unwrap() >= 5, "{row}");
        assert!(row["latency_p50_us"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["evidence"].is_null() && row["depth"] == 1 && row["threads"] == 1, "{row}");
    }
}

#[test]
fn digests_are_measured_once_whatever_the_direction() {
    let output = bench(&["--json", "--for", "0", "--size", "16,1M", "--direction", "decrypt"])
        .args(["--no-cpu-instructions", "--interface", "/dev/outboard", "sha1,SHA2-512"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let answer: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let rows = answer["rows"].as_array().unwrap();
    let of_openssl = rows.iter().filter(|row| row["contestant"].as_str().unwrap().starts_with("OpenSSL"));
    let found: Vec<_> =
        of_openssl.map(|row| (row["cipher"].as_str().unwrap(), row["bytes"].as_u64())).collect();
    let expected = |name| [16, 16, 1 << 20, 1 << 20].map(|bytes| (name, Some(bytes)));
    assert_eq!(found, [expected("SHA1"), expected("SHA2-512")].concat(), "{text}");
    for row in rows.iter().filter(|row| row["fault"].is_null()) {
        assert!(row["direction"].is_null(), "{row}");
        assert!(row["figure"]["megabytes_per_second"].as_f64().unwrap() > 0.0, "{row}");
    }
}

#[test]
fn the_table_has_a_line_for_each_contestant() {
    let output =
        bench(&["--for", "0", "--size", "64", "--interface", "/dev/crypto", "aes-256-ctr"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    for says in
        ["AES-256-CTR encryption, MB/s", "AES-256-CTR decryption, MB/s", "\n  OpenSSL ", "p99 us", "Linux "]
    {
        assert!(text.contains(says), "{says}: {text}");
    }
}

/// Arguments for more figures than fit into the time limit, of OpenSSL only.
fn long(time: &str) -> Vec<String> {
    let sizes: Vec<String> = (1..=1000).map(|blocks| (16 * blocks).to_string()).collect();
    let mut arguments: Vec<String> =
        ["bench", "--json", "--for", time, "--direction", "encrypt"].map(String::from).to_vec();
    arguments.extend(["--no-cpu-instructions", "--interface", "/dev/crypto", "--size"].map(String::from));
    arguments.extend([sizes.join(","), "AES-128-CBC".to_owned()]);
    arguments
}

#[test]
fn the_time_is_a_limit() {
    // On a busy machine nothing may be measured within the shorter time.
    for seconds in [6, 20] {
        let start = Instant::now();
        let output = Command::new(both::outboard()).args(long(&format!("{seconds}s"))).output().unwrap();
        let took = start.elapsed();
        assert!(took < Duration::from_secs(seconds + 14), "{took:?}");
        if String::from_utf8_lossy(&output.stderr).contains("ended before anything was measured") {
            assert_eq!((output.status.code(), seconds), (Some(1), 6));
            continue;
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let answer: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let rows = answer["rows"].as_array().unwrap().len();
        assert!((1..2000).contains(&rows), "{rows}");
        assert_eq!((output.status.code(), &answer["interrupted"]), (Some(0), &Value::Bool(false)));
        assert!(answer["warnings"].to_string().contains("the time of --for ended"), "{}", answer["warnings"]);
        return;
    }
}

/// Whether a process holds a lock: one that measures does, and waits for it while another one does.
fn holds_a_lock(pid: i32) -> bool {
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    // proc_locks(5): a lock that is waited for has "->" before its kind.
    locks.lines().any(|lock| lock.split_whitespace().nth(4) == Some(&pid.to_string()))
}

/// SIGTERM as timeout(1) sends it: to the process, and to its group.
#[test]
fn sigterm_prints_what_was_measured() {
    for seconds in [5, 20] {
        let mut command = std::process::Command::new(both::outboard());
        command.args(long("1h")).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        while !holds_a_lock(pid) {
            assert!(child.try_wait().unwrap().is_none(), "it ended");
            std::thread::sleep(Duration::from_millis(100));
        }
        std::thread::sleep(Duration::from_secs(seconds));
        for target in [pid, -pid] {
            // SAFETY: no pointer; the child has not been waited for, so the numbers are its own.
            unsafe { libc::kill(target, libc::SIGTERM) };
        }
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let answer: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!((output.status.code(), &answer["interrupted"]), (Some(130), &Value::Bool(true)));
        if !answer["rows"].as_array().unwrap().is_empty() {
            return;
        }
    }
    panic!("nothing was measured in 20 s");
}
