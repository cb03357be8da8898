//! `outboard rng` with recorded bytes, pipes and failing devices.

mod both;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const BLOCK: usize = 2500;

/// Random bytes of SplitMix64.
fn random_bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    (0..length).map(|_| next() as u8).collect()
}

fn file(directory: &TempDir, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join("bytes");
    fs::write(&path, bytes).unwrap();
    path
}

fn outboard(arguments: &[&str]) -> Command {
    let mut command = Command::new(both::outboard());
    command.arg("rng").args(arguments);
    command
}

/// Exit code, standard output as JSON, standard error.
fn answered(command: &mut Command) -> (i32, Value, String) {
    let output = command.output().unwrap();
    let json = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), json, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn good_bytes_pass_the_block_tests_and_the_first_word_and_the_rest_are_not_tested() {
    let directory = TempDir::new().unwrap();
    let path = file(&directory, &random_bytes(1, 4 + 100 * BLOCK + 700));
    let (code, answer, _) = answered(outboard(&["test", "--json", "--file"]).arg(&path));
    assert_eq!(code, 0);
    assert_eq!(answer["schema"], "outboard-rng-test/1");
    assert_eq!(answer["successes"].as_u64().unwrap() + answer["failures"].as_u64().unwrap(), 100);
    assert_eq!(answer["bits_received"], 8 * (4 + 100 * BLOCK + 700));
    assert_eq!(answer["verdict"], "pass");
}

/// The fault reported for the RK3328: every block fails.
#[test]
fn a_generator_that_fails_all_blocks_is_named() {
    let directory = TempDir::new().unwrap();
    // A register of 32 bits that changes only in its low byte.
    let bytes: Vec<u8> = random_bytes(2, 10 * BLOCK).iter().flat_map(|&byte| [byte, 0, 0x80, 0x21]).collect();
    let path = file(&directory, &bytes);
    let (code, answer, _) = answered(outboard(&["test", "--json", "--file"]).arg(&path));
    assert_eq!(code, 1);
    assert_eq!((answer["successes"].clone(), answer["failures"].clone()), (0.into(), 39.into()));
    assert_eq!(answer["verdict"], "fail");
    let text = outboard(&["test", "--file"]).arg(&path).output().unwrap();
    assert!(String::from_utf8(text.stdout).unwrap().contains("FAIL: a good source"));
}

#[test]
fn one_failed_block_of_many_fails_only_with_strict() {
    let directory = TempDir::new().unwrap();
    let mut bytes = random_bytes(3, 4 + 300 * BLOCK);
    bytes[5000..5008].fill(0);
    let path = file(&directory, &bytes);
    let (code, answer, _) = answered(outboard(&["test", "--json", "--file"]).arg(&path));
    assert!(answer["failed_tests"]["long_run"].as_u64().unwrap() >= 1);
    assert_eq!((code, &answer["verdict"]), (0, &"pass".into()));
    assert_eq!(answered(outboard(&["test", "--strict", "--file"]).arg(&path)).0, 1);
}

/// rngtest passes it: no block of it fails.
#[test]
fn a_good_block_that_repeats_is_too_regular() {
    let directory = TempDir::new().unwrap();
    let path = file(&directory, &random_bytes(1, 4 + BLOCK)[4..].repeat(20_001));
    let (code, answer, _) = answered(outboard(&["test", "--json", "--file"]).arg(&path));
    assert_eq!((code, &answer["verdict"]), (1, &"regular".into()));
    assert_eq!(answer["failures"], 0);
    let text = outboard(&["test", "--file"]).arg(&path).output().unwrap();
    assert!(String::from_utf8(text.stdout).unwrap().contains("too regular to be random"));
}

#[test]
fn a_pipe_that_writes_single_bytes_is_read_as_a_file_is() {
    let bytes = random_bytes(4, 4 + 2 * BLOCK);
    let mut child =
        outboard(&["test", "--json", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    bytes.chunks(1).for_each(|byte| pipe.write_all(byte).unwrap());
    drop(pipe);
    let answer: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(answer["successes"].as_u64().unwrap() + answer["failures"].as_u64().unwrap(), 2);
}

/// The largest resident set of a process so far, in KiB (proc(5), VmHWM).
fn peak_memory(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim_end_matches("kB").trim().parse().unwrap()
}

/// 256 MiB that are stored nowhere. The peak is the one after the first 16 MiB, and the address space
/// is limited.
#[test]
fn many_blocks_are_tested_in_constant_memory() {
    const CHUNKS: usize = 256;
    const LIMIT_KIB: u64 = 256 * 1024;
    let chunk = random_bytes(9, 1 << 20);
    let program = Command::new(both::outboard());
    let limited = format!("ulimit -v {LIMIT_KIB} && exec \"$0\" rng test --json -");
    let mut child = Command::new("sh")
        .args(["-c", &limited])
        .arg(program.get_program())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let mut write = |chunks: usize| {
        (0..chunks).for_each(|_| pipe.write_all(&chunk).unwrap());
        peak_memory(child.id())
    };
    let (first, last) = (write(16), write(CHUNKS - 16));
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let blocks = answer["successes"].as_u64().unwrap() + answer["failures"].as_u64().unwrap();
    assert_eq!(blocks as usize, (CHUNKS * chunk.len() - 4) / BLOCK);
    assert!(last <= first + 512 && last < 32 * 1024, "{first} KiB, then {last} KiB");
}

#[test]
fn inputs_that_cannot_be_read_end_with_code_2_and_the_next_step() {
    for (arguments, word) in [
        (["test", "--device", "/nonexistent/hwrng"], "is the name right"),
        (["assess", "--file", "/nonexistent/bytes"], "is the name right"),
        // A device that reports the end of data, as after its driver was removed.
        (["test", "--device", "/dev/null"], "returned end of file"),
    ] {
        let (code, _, error) = answered(&mut outboard(&arguments));
        assert_eq!(code, 2, "{error}");
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn a_device_that_blocks_is_given_up_and_named() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("mute");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    // Opened for reading and writing, so that the pipe has a writer that writes nothing.
    let _writer = fs::File::options().read(true).write(true).open(&path).unwrap();
    let (code, _, error) = answered(outboard(&["test", "--device"]).arg(&path));
    assert_eq!(code, 2);
    assert!(error.contains("no byte for 10 s"), "{error}");
}

#[test]
fn too_few_bytes_are_no_pass() {
    let directory = TempDir::new().unwrap();
    let path = file(&directory, &random_bytes(5, 4 + BLOCK - 1));
    let (code, _, error) = answered(outboard(&["test", "--file"]).arg(&path));
    assert_eq!(code, 1);
    assert!(error.contains("less than the 2504 bytes"), "{error}");
}

/// The fault reported for another chip: 0.38 bits of entropy per bit were measured, 0.86 were
/// documented.
#[test]
fn a_source_of_0_38_bits_per_bit_is_assessed_as_such() {
    let directory = TempDir::new().unwrap();
    // -log2(0.768) = 0.38
    let bits: Vec<u8> = random_bytes(6, 8 * 100_000)
        .chunks(4)
        .map(|four| u8::from(u32::from_le_bytes(four.try_into().unwrap()) < (0.768 * 4_294_967_296.0) as u32))
        .collect();
    let path = file(&directory, &bits);
    // The documented credit is 0.86 of 1024 bits.
    let arguments = ["assess", "--bits", "1", "--quality", "880", "--json", "--file"];
    let (code, answer, _) = answered(outboard(&arguments).arg(&path));
    assert_eq!((code, &answer["quality"]), (1, &880.into()));
    let figure = |name: &str| {
        let rows = answer["estimates"].as_array().unwrap();
        rows.iter().find(|row| row["estimator"] == name).unwrap()["min_entropy"].as_f64().unwrap()
    };
    assert!((0.36..=0.38).contains(&figure("most common value")), "{answer}");
    assert!((0.37..=0.39).contains(&figure("Markov")), "it has no confidence interval: {answer}");
    let least = answer["min_entropy"].as_f64().unwrap();
    // The compression estimate is a low one.
    assert!((0.2..=0.38).contains(&least), "{answer}");
    assert_eq!(answer["advised_quality"].as_f64().unwrap(), (least * 1024.0).floor());
    assert!(answer["notes"][0].as_str().unwrap().contains("at least 1000000"));
    let advice = format!("outboard rng quality {}", answer["advised_quality"]);
    assert!(answer["notes"].as_array().unwrap().iter().any(|note| note.as_str().unwrap().ends_with(&advice)));
    // A credit that the output has is no problem.
    let arguments = ["assess", "--bits", "1", "--quality", "200", "--json", "--file"];
    assert_eq!(answered(outboard(&arguments).arg(&path)).0, 0);
}

#[test]
fn samples_that_do_not_fit_into_their_bits_are_refused() {
    let directory = TempDir::new().unwrap();
    let path = file(&directory, &random_bytes(7, 5000));
    let (code, _, error) = answered(outboard(&["assess", "--bits", "4", "--file"]).arg(&path));
    assert_eq!(code, 1);
    assert!(error.contains("8 bits, but --bits is 4"), "{error}");
}

#[test]
fn the_status_is_json_and_a_name_that_is_not_there_is_refused() {
    let (_, answer, _) = answered(&mut outboard(&["--json"]));
    assert_eq!(answer["schema"], "outboard-rng/1");
    assert!(answer["problems"].is_array() && answer["instructions"].is_array());
    let (code, _, error) = answered(&mut outboard(&["select", "no-such-generator", "--now"]));
    assert_eq!(code, 1);
    assert!(
        error.contains("no-such-generator is not available") || error.contains("CONFIG_HW_RANDOM"),
        "{error}"
    );
}
