//! The reach matrix of `outboard status` against the kernel: each consumer works, and the
//! accelerator raises interrupts exactly where the matrix says that it is reached.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

use outboard_accel::af_alg::AfAlg;
use outboard_accel::cryptodev::Cryptodev;
use outboard_accel::{Accelerator, Algorithm, Direction, Request};
use outboard_tests::agreement::assert_commands_agree_about_programs;
use outboard_tests::bytes::bytes;
use outboard_tests::command::{on_path, status_and_output, succeeded};
use outboard_tests::engine::Engine;
use outboard_tests::kernel_users::{AMOUNT, Network, send_over_ktls, shell, watched, with_dm_crypt};
use outboard_tests::machine::{
    ACCELERATOR, cbc_aes_drivers, counts_interrupts, cpu_has_aes, reachable_accelerator,
    reachable_software_driver,
};
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;
use outboard_tests::tuning::Machine;
use outboard_tests::unbound::Unbound;
use serde_json::Value;

/// The driver of counter mode of kmod/engine.
const COUNTER_MODE: &str = "engine-ctr-aes";

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

/// The interrupts since boot of the devices behind a driver.
fn interrupts_of(machine: &Machine, driver: &str) -> u64 {
    let status = status(machine, &[]);
    let accelerators = status["accelerators"].as_array().expect("accelerators").iter();
    let ours =
        accelerators.filter(|one| one["drivers"].as_array().is_some_and(|all| all.contains(&driver.into())));
    let devices: Vec<Value> =
        ours.flat_map(|one| one["devices"].as_array().cloned().unwrap_or_default()).collect();
    assert!(!devices.is_empty(), "no device of {driver}: {status}");
    devices.iter().map(|device| device["interrupts"].as_u64().expect("a number")).sum()
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

fn encrypt(accelerator: &dyn Accelerator) -> usize {
    let text = vec![7; AMOUNT];
    let mut session = accelerator.open(&[1; 16]).expect("a session");
    session.crypt(&Request::new(Direction::Encrypt, &[2; 16], &text)).expect("a result").len()
}

/// Encrypts a file with `openssl enc`; the report of `outboard prove`.
fn encrypt_with_openssl(machine: &Machine) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    fs::write(path("plain"), bytes(1, AMOUNT)).expect("a file");
    let key = "42".repeat(16);
    let enc =
        format!("openssl enc -aes-128-cbc -in {} -out {} -K {key} -iv {key}", path("plain"), path("secret"));
    let mut arguments = vec!["prove", "--threshold", "1", "--json", "-", "--"];
    arguments.extend(enc.split(' '));
    let output = machine.command(&arguments).output().expect("the command runs");
    serde_json::from_str(&succeeded(&output, &arguments)).expect("JSON")
}

/// Writes to a disk of dm-crypt with AES-128-CBC.
fn write_to_encrypted_disk() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("disk");
    fs::write(&file, vec![0; 1 << 20]).expect("a file");
    let disk = shell(&format!("modprobe -q loop; losetup -f --show {}", file.display()));
    let key = "33".repeat(16);
    let mapping = format!("0 2048 crypt aes-cbc-plain64 {key} 0 {disk} 0");
    with_dm_crypt(&mapping, "busybox dd if=/dev/zero of=$NODE bs=64k count=8 conv=fsync 2>/dev/null");
    shell(&format!("losetup -d {disk}"));
}

#[test]
fn programs_reach_the_accelerator_where_the_matrix_says_so() {
    let test = "programs_reach_the_accelerator_where_the_matrix_says_so";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    if !counts_interrupts(test) {
        return;
    }
    let answers = answers(&machine, ACCELERATOR);
    let (interrupts, reached) =
        watched(|| AfAlg::reach(ACCELERATOR, Algorithm::CbcAes).map(|accelerator| encrypt(&accelerator)));
    assert_eq!(reached.is_ok(), answers["AF_ALG"] == "yes", "{:?}", reached.err());
    agrees(&answers, "AF_ALG", interrupts);
    let (interrupts, _) =
        watched(|| Cryptodev::reach(ACCELERATOR, Algorithm::CbcAes).map(|accelerator| encrypt(&accelerator)));
    agrees(&answers, "/dev/crypto", interrupts);
    let (interrupts, _) = watched(|| encrypt_with_openssl(&machine));
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

/// The kernel builds gcm(aes), which kTLS requests, around the driver that it selects for ctr(aes),
/// unless another driver implements gcm(aes) as a whole.
#[test]
fn ktls_gets_an_accelerator_of_counter_mode_where_the_matrix_says_so() {
    let test = "ktls_gets_an_accelerator_of_counter_mode_where_the_matrix_says_so";
    let Some(machine) = Machine::new(test) else { return };
    if !counts_interrupts(test) {
        return;
    }
    let Some(engine) = Engine::load(test) else { return };
    let predicted = answers(&machine, COUNTER_MODE);
    // Outside of the catalogue, so that `watched` does not count its interrupts.
    let before = interrupts_of(&machine, COUNTER_MODE);
    if let Err(missing) = send_over_ktls() {
        return skip(test, missing);
    }
    let interrupts = interrupts_of(&machine, COUNTER_MODE) - before;
    let afterwards = answers(&machine, COUNTER_MODE);
    agrees(&afterwards, "kTLS", interrupts);
    // kTLS made the kernel load the module of AES instructions, if the CPU has them.
    if !cpu_has_aes() {
        assert_eq!(predicted["kTLS"], afterwards["kTLS"], "{predicted:?}");
    }
    drop(engine);
    wait_until("virtio_crypto is back", || cbc_aes_drivers().contains(ACCELERATOR));
}

/// The device without its driver: the matrix has no row for it, the verdict names the device, and
/// each consumer works in software.
#[test]
fn without_the_driver_every_consumer_runs_in_software_and_status_says_why() {
    let test = "without_the_driver_every_consumer_runs_in_software_and_status_says_why";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    let software = reachable_software_driver();
    let Some(device) = Unbound::new(test) else { return };
    let status = status(&machine, &[]);
    let rows = status["reach"].as_array().expect("the matrix");
    assert!(rows.iter().all(|row| row["algorithm"] == "random numbers"), "{rows:?}");
    assert_eq!(status["accelerators"], Value::Array(Vec::new()));
    let unbound = status["unbound_devices"].as_array().expect("devices");
    let ours = unbound.iter().find(|one| one["device"] == device.name());
    let ours = ours.unwrap_or_else(|| panic!("no {}: {unbound:?}", device.name()));
    assert_eq!(
        (&ours["family"], &ours["state"]),
        (&"virtio-crypto".into(), &"probe-failed".into()),
        "{ours}"
    );
    assert_eq!(status["verdict"]["answer"], "no-driver", "{}", status["verdict"]);
    println!("{}", status["verdict"]["text"]);

    assert!(AfAlg::reach(ACCELERATOR, Algorithm::CbcAes).is_err());
    assert!(Cryptodev::reach(ACCELERATOR, Algorithm::CbcAes).is_err());
    let in_software = |consumer: &str, work: &dyn Fn()| {
        let (interrupts, ()) = watched(work);
        assert_eq!(interrupts, 0, "{consumer}");
        println!("{consumer}: in software, no interrupts");
    };
    // Linux 7.2 closed AF_ALG to most software too.
    if let Ok(driver) = &software {
        let reached = AfAlg::reach(driver, Algorithm::CbcAes).expect("it is reached");
        in_software("AF_ALG", &|| assert_eq!(encrypt(&reached), AMOUNT));
    }
    in_software("OpenSSL", &|| {
        let proof = encrypt_with_openssl(&machine);
        assert_ne!(proof["verdict"], "hardware", "{proof}");
    });
    in_software("kTLS", &|| {
        let _ = send_over_ktls().map_err(|missing| skip(test, missing));
    });
    if on_path("ip").is_some() {
        in_software("IPsec", &|| assert!(Network::new().ping().status.success()));
    }
    if on_path("dmsetup").is_some() {
        in_software("dm-crypt", &write_to_encrypted_disk);
    }
    drop(device);
    wait_until("reachable again after bind", || reachable_accelerator().is_ok());
    assert_eq!(answers(&machine, ACCELERATOR)["OpenSSL"], "yes");
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
    assert!(output.status.success(), "{}", status_and_output(&output));
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
    let (interrupts, ()) = watched(write_to_encrypted_disk);
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
fn the_commands_agree_about_the_machine() {
    let Some(machine) = Machine::with_accelerator("the_commands_agree_about_the_machine") else { return };
    assert_commands_agree_about_programs(|arguments| machine.command(arguments), &[ACCELERATOR]);
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
    assert!(output.status.success(), "{}", status_and_output(&output));
    let (live, saved) = (status(&machine, &[]), status(&machine, &["--from", &path]));
    for field in
        ["reach", "problems", "drivers", "algorithms", "nodes", "kernel", "openssl", "cpu", "machine"]
    {
        assert_eq!(live[field], saved[field], "{field}");
    }
}
