//! The reach matrix of `outboard status` against the kernel: each consumer works, and the
//! accelerator raises interrupts exactly where the matrix says that it is reached.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

use outboard_accel::af_alg::AfAlg;
use outboard_accel::cryptodev::Cryptodev;
use outboard_accel::{Accelerator, Algorithm, Direction, Request};
use outboard_tests::bytes::bytes;
use outboard_tests::command::{on_path, said, succeeded};
use outboard_tests::kernel_users::{AMOUNT, Network, send_over_ktls, shell, watched, with_dm_crypt};
use outboard_tests::machine::ACCELERATOR;
use outboard_tests::skip::skip;
use outboard_tests::tuning::Machine;
use serde_json::Value;

/// The answers of the matrix about one driver, by consumer.
type Answers = BTreeMap<String, String>;

fn status(machine: &Machine, arguments: &[&str]) -> Value {
    let output =
        machine.command(&[&["status", "--json"], arguments].concat()).output().expect("the command runs");
    serde_json::from_str(&succeeded(&output, arguments)).expect("JSON")
}

fn answers(machine: &Machine, driver: &str) -> Answers {
    let status = status(machine, &[]);
    let rows = status["reach"].as_array().expect("the matrix");
    let row =
        rows.iter().find(|row| row["driver"] == driver).unwrap_or_else(|| panic!("no {driver}: {rows:?}"));
    let word = |cell: &Value, key: &str| cell[key].as_str().expect("a word").to_owned();
    let cells = row["consumers"].as_array().expect("consumers").iter();
    cells.map(|cell| (word(cell, "consumer"), word(cell, "answer"))).collect()
}

#[track_caller]
fn agrees(answers: &Answers, consumer: &str, interrupts: u64) {
    let answer = answers[consumer].as_str();
    let expected = match answer {
        "yes" => interrupts > 0,
        "no" => interrupts == 0,
        _ => panic!("the matrix does not decide about {consumer}: {answers:?}"),
    };
    assert!(expected, "{consumer}: the matrix says {answer}, and {interrupts} interrupts came: {answers:?}");
    println!("{consumer}: {answer}, {interrupts} interrupts");
}

#[test]
fn programs_reach_the_accelerator_where_the_matrix_says_so() {
    let Some(machine) = Machine::with_accelerator("programs_reach_the_accelerator_where_the_matrix_says_so")
    else {
        return;
    };
    let answers = answers(&machine, ACCELERATOR);
    let text = vec![7; AMOUNT];
    let encrypt = |accelerator: &dyn Accelerator| {
        let mut session = accelerator.open(&[1; 16]).expect("a session");
        session.crypt(&Request::new(Direction::Encrypt, &[2; 16], &text)).expect("a result").len()
    };
    let (interrupts, reached) =
        watched(|| AfAlg::reach(ACCELERATOR, Algorithm::CbcAes).map(|accelerator| encrypt(&accelerator)));
    assert_eq!(reached.is_ok(), answers["AF_ALG"] == "yes", "{:?}", reached.err());
    agrees(&answers, "AF_ALG", interrupts);
    let (interrupts, _) =
        watched(|| Cryptodev::reach(ACCELERATOR, Algorithm::CbcAes).map(|accelerator| encrypt(&accelerator)));
    agrees(&answers, "/dev/crypto", interrupts);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    fs::write(path("plain"), bytes(1, AMOUNT)).expect("a file");
    let key = "42".repeat(16);
    let enc =
        format!("openssl enc -aes-128-cbc -in {} -out {} -K {key} -iv {key}", path("plain"), path("secret"));
    let mut arguments = vec!["prove", "--threshold", "1", "--"];
    arguments.extend(enc.split(' '));
    let (interrupts, output) = watched(|| machine.command(&arguments).output().expect("the command runs"));
    assert!(output.status.success(), "{}", said(&output));
    agrees(&answers, "OpenSSL", interrupts);
}

#[test]
fn ktls_gets_the_accelerator_where_the_matrix_says_so() {
    let test = "ktls_gets_the_accelerator_where_the_matrix_says_so";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    let (interrupts, sent) = watched(send_over_ktls);
    if let Err(missing) = sent {
        return skip(test, missing);
    }
    agrees(&answers(&machine, ACCELERATOR), "kTLS", interrupts);
}

#[test]
fn ipsec_gets_the_accelerator_where_the_matrix_says_so() {
    let test = "ipsec_gets_the_accelerator_where_the_matrix_says_so";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    if on_path("ip").is_none() {
        return skip(test, "the ip command");
    }
    let answers = answers(&machine, ACCELERATOR);
    let network = Network::new();
    let (interrupts, output) = watched(|| network.ping());
    assert!(output.status.success(), "{}", said(&output));
    agrees(&answers, "IPsec", interrupts);
}

#[test]
fn dm_crypt_gets_the_accelerator_where_the_matrix_says_so() {
    let test = "dm_crypt_gets_the_accelerator_where_the_matrix_says_so";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    if on_path("dmsetup").is_none() {
        return skip(test, "the dmsetup command");
    }
    let answers = answers(&machine, ACCELERATOR);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("disk");
    fs::write(&file, vec![0; 1 << 20]).expect("a file");
    let disk = shell(&format!("modprobe -q loop; losetup -f --show {}", file.display()));
    let key = "33".repeat(16);
    let mapping = format!("0 2048 crypt aes-cbc-plain64 {key} 0 {disk} 0");
    let script = "busybox dd if=/dev/zero of=$NODE bs=64k count=8 conv=fsync 2>/dev/null";
    let (interrupts, _) = watched(|| with_dm_crypt(&mapping, script));
    shell(&format!("losetup -d {disk}"));
    agrees(&answers, "dm-crypt", interrupts);
}

#[test]
fn the_selected_generator_is_the_one_that_is_read() {
    let test = "the_selected_generator_is_the_one_that_is_read";
    let Some(machine) = Machine::new(test) else { return };
    let status = status(&machine, &[]);
    let Some(current) = status["hwrng"]["current"].as_str().filter(|_| fs::metadata("/dev/hwrng").is_ok())
    else {
        return skip(test, "a hardware random number generator");
    };
    assert_eq!(answers(&machine, current)["hwrng"], "yes");
    let mut random = [0; 64];
    fs::File::open("/dev/hwrng").and_then(|mut file| file.read_exact(&mut random)).expect("random bytes");
    assert_ne!(random, [0; 64]);
}

#[test]
fn a_bundle_of_the_machine_has_the_same_matrix_and_problems() {
    let Some(machine) = Machine::with_accelerator("a_bundle_of_the_machine_has_the_same_matrix_and_problems")
    else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("bundle.tar.xz").to_str().expect("a plain name").to_owned();
    let output = machine.command(&["bundle", "--output", &path]).output().expect("the command runs");
    assert!(output.status.success(), "{}", said(&output));
    let (live, saved) = (status(&machine, &[]), status(&machine, &["--from", &path]));
    for field in
        ["reach", "problems", "drivers", "algorithms", "nodes", "kernel", "openssl", "cpu", "machine"]
    {
        assert_eq!(live[field], saved[field], "{field}");
    }
}
