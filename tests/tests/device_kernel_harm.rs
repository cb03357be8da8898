//! An accelerator that IPsec gets by its priority: the first finding of `outboard status` names it where it
//! is slower than software, wrong for packets in flight, or keeps them, and `outboard prefer --software`
//! leaves it.

use std::fs;

use outboard_drivers::find::survey;
use outboard_drivers::reach::pick;
use outboard_drivers::root::Root;
use outboard_tests::command::{failed, on_path, status_and_output, succeeded};
use outboard_tests::file_tree::{assert_etc_is, etc_without_lock};
use outboard_tests::kernel_users::{Network, shell};
use outboard_tests::simulated::{self, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::tuning::Machine;
use serde_json::Value;

const DRIVER: &str = "sim-cbc-aes";
const FINDINGS: &str = "/etc/outboard/checked";
const POLICY: &str = "/etc/outboard/policy";

struct Harmed {
    simulated: Simulated,
    machine: Machine,
}

impl Harmed {
    /// The simulation outranks every other driver.
    fn new(test: &str, parameters: &[&str]) -> Option<Harmed> {
        let machine = Machine::new(test)?;
        if on_path("ip").is_none() {
            skip(test, "the ip command".to_owned());
            return None;
        }
        let file = Simulated::find(test)?;
        let _ = fs::remove_file(FINDINGS);
        let all = [&["preset=ideal", "priority=4000"], parameters].concat();
        Some(Harmed { simulated: Simulated::load_with(&file, &all), machine })
    }

    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> String {
        succeeded(&self.machine.command(arguments).output().expect("the command runs"), arguments)
    }

    /// The text of the first problem if it is that of the simulation.
    #[track_caller]
    fn finding(&self) -> Option<String> {
        let status: Value = serde_json::from_str(&self.succeeds(&["status", "--json"])).expect("JSON");
        let is_it =
            |problem: &Value| problem["id"] == "ipsec-accelerator" && problem.to_string().contains("sim-");
        let problems = status["problems"].as_array().expect("problems");
        let at = problems.iter().position(is_it)?;
        assert_eq!(at, 0, "{problems:#?}");
        Some(problems[0]["text"].as_str().expect("a text").to_owned())
    }

    /// `outboard check`, which must fail.
    #[track_caller]
    fn checked(&self) -> String {
        let arguments = ["check", "--for", "20s", DRIVER];
        let output = self.machine.command(&arguments).output().expect("the command runs");
        failed(&output, &arguments, 1);
        status_and_output(&output).to_string()
    }
}

/// Interrupts of the simulation while packets pass a new tunnel.
#[track_caller]
fn pinged() -> u64 {
    let before = simulated::interrupts();
    let output = Network::new().ping();
    assert!(output.status.success(), "{}", status_and_output(&output));
    simulated::interrupts() - before
}

fn selected() -> String {
    let drivers = survey(&Root::live()).expect("/proc/crypto").drivers;
    pick(&drivers, "cbc(aes)", 0).expect("cbc(aes)").driver.name.clone()
}

#[test]
fn a_driver_that_is_slower_for_ipsec_is_measured_named_and_left() {
    let test = "a_driver_that_is_slower_for_ipsec_is_measured_named_and_left";
    let Some(with) = Harmed::new(test, &["bandwidth=200000"]) else { return };
    let _ = fs::remove_file(POLICY);
    let before = etc_without_lock();
    let network = Network::new();
    let text = with.finding().expect("IPsec is in use");
    assert!(text.starts_with("IPsec: the kernel gives it sim-"), "{text}");
    assert!(text.contains("which nobody chose"), "{text}");

    let tuned = with.succeeds(&["tune", "--ciphers", "AES-128-CBC"]);
    assert!(tuned.contains("outboard prefer --software sim-"), "{tuned}");
    let text = with.finding().expect("it is slower");
    assert!(text.contains("measured here: aes128-sha256 by sim-"), "{text}");
    drop(network);
    fs::remove_file(POLICY).expect("tune wrote it");

    assert!(pinged() > 0);
    assert_eq!(selected(), DRIVER);
    let shown = with.succeeds(&["prefer", "--software", "outboard_sim", "--dry-run"]);
    assert!(shown.contains("sim-cbc-aes 4000 last") && selected() == DRIVER, "{shown}");
    let done = with.succeeds(&["prefer", "--software", "outboard_sim"]);
    assert!(done.contains("software is selected before"), "{done}");
    assert_ne!(selected(), DRIVER);
    assert_eq!(pinged(), 0);
    {
        let _network = Network::new();
        assert!(with.finding().is_none(), "IPsec has software");
    }
    let restored = with.succeeds(&["prefer", "--restore"]);
    assert!(restored.contains("sim-cbc-aes: priority 0"), "{restored}");
    with.succeeds(&["undo", "--yes"]);
    assert_eq!(selected(), DRIVER);
    assert!(pinged() > 0);
    assert_etc_is(&before, "undone");
}

#[test]
fn a_driver_that_is_wrong_for_packets_in_flight_is_found_by_them() {
    let test = "a_driver_that_is_wrong_for_packets_in_flight_is_found_by_them";
    // An engine that answers before the next packet comes never has two.
    let Some(with) = Harmed::new(test, &["latency_ns=1000000"]) else { return };
    let right = with.succeeds(&["check", "--for", "20s", DRIVER, "sim-gcm-aes"]);
    for driver in [DRIVER, "sim-gcm-aes"] {
        assert!(right.contains(&format!("{driver}: 2874 packets of IPsec were right")), "{right}");
    }
    // Two in flight exchange their results. Alone, each is right.
    with.simulated.fault(&format!("{DRIVER} swap"));
    let wrong = with.checked();
    assert!(wrong.contains("WRONG") && wrong.contains("packets of IPsec, 64 in flight: "), "{wrong}");
    with.simulated.fault("clear");
    let _network = Network::new();
    let text = with.finding().expect("IPsec is in use");
    assert!(text.contains("sim-cbc-aes: wrong, ") && text.contains("in flight"), "{text}");
    with.succeeds(&["prefer", "--software", "outboard_sim"]);
    assert_ne!(selected(), DRIVER);
    with.succeeds(&["prefer", "outboard_sim", "--undo"]);
    assert_eq!(selected(), DRIVER);
    with.succeeds(&["check", "--forget", DRIVER]);
}

#[test]
fn a_driver_that_keeps_packets_is_left_and_named() {
    let test = "a_driver_that_keeps_packets_is_left_and_named";
    let Some(with) = Harmed::new(test, &[]) else { return };
    // After the kernel's self-tests of the instances that the tunnel needs.
    with.simulated.fault(&format!("{DRIVER} never after=2000"));
    let left = with.checked();
    assert!(left.contains("NO ANSWER") && left.contains("64 packets in flight were lost"), "{left}");
    with.simulated.fault("clear");
    let network = Network::new();
    let text = with.finding().expect("IPsec is in use");
    assert!(text.contains("sim-cbc-aes: no answer, "), "{text}");
    with.succeeds(&["prefer", "--software", "outboard_sim"]);
    // The driver still has the packets, and their namespaces are there.
    assert!(with.simulated.outstanding() > 0);
    with.simulated.let_go();
    shell("for end in /run/outboard-check-*; do umount $end; rm $end; done");
    drop(network);
    assert_eq!(pinged(), 0);
    with.succeeds(&["prefer", "outboard_sim", "--undo"]);
    with.succeeds(&["check", "--forget", DRIVER]);
}
