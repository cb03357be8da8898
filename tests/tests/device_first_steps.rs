//! The commands of README's quick start, in their order, in a machine that systemd booted, with the
//! engine, with the simulation of Marvell's CESA, and with real clients: each ends as README promises.

use std::fs;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use outboard_tests::agreement::assert_commands_agree;
use outboard_tests::command::{status_and_output, succeeded};
use outboard_tests::engine::Engine;
use outboard_tests::file_tree::{assert_same_tree, whole_etc};
use outboard_tests::services::machine;
use outboard_tests::simulated::Simulated;
use outboard_tests::sites::{FILE, sshd};
use outboard_tests::terminal_width::assert_fits;
use outboard_tests::tuning::{Machine, POLICY};

use super::device_services::{NGINX, nginx};

/// The ciphers of the suites that clients prefer.
const SUITES: [&str; 2] = ["AES-128-GCM", "AES-256-GCM"];

/// README.md.
const README: &str = include_str!("../../README.md");

/// The commands of the quick start for root, without `sudo` and comments.
pub fn commands() -> impl Iterator<Item = Vec<&'static str>> {
    let (_, rest) = README.split_once("## Quick start\n").expect("README has a quick start");
    let (section, _) = rest.split_once("\n## ").expect("a section follows");
    let lines = section
        .lines()
        .filter_map(|line| line.strip_prefix("    sudo ").filter(|line| line.starts_with("outboard ")));
    lines.map(|line| line.split('#').next().unwrap_or_default().split_whitespace().collect())
}

/// Works while a client of default configuration downloads.
fn downloads_while(work: impl FnOnce() -> Output) -> Output {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let mut curl = Command::new("curl");
                curl.args(["--insecure", "--silent", "--max-time", "60", "--output", "/tmp/received", NGINX]);
                let output = curl.env("OPENSSL_CONF", "").output().expect("curl");
                succeeded(&output, &[NGINX]);
                assert!(fs::read("/tmp/received").expect("a file") == fs::read(FILE).expect("a file"));
            }
        });
        let output = work();
        is_over.store(true, Ordering::Relaxed);
        output
    })
}

fn run(machine: &Machine, arguments: &[&str]) -> Output {
    machine.command(arguments).output().expect("the command runs")
}

/// What is checked between the commands.
struct Between<'a> {
    /// After `setup`, with its output. Returns the output of a `setup` whose advice is followed.
    after_setup: &'a dyn Fn(&str) -> String,
    /// While nginx is enabled.
    while_enabled: &'a dyn Fn(),
}

/// Runs the commands, and requires what README promises.
fn follow(machine: &Machine, between: &Between) {
    let (_files, _nginx) = nginx();
    let before = whole_etc();
    let mut done = Vec::new();
    for words in commands() {
        let mut command = words[1..].to_vec();
        let name = command[0];
        // README's reader has a terminal, and answers.
        if ["setup", "undo"].contains(&name) {
            command.push("--yes");
        }
        // A part of the time shows the same.
        if let Some(time) = command.iter_mut().find(|word| **word == "60s") {
            *time = "15s";
        }
        let output = match name {
            "prove" => downloads_while(|| run(machine, &command)),
            _ => run(machine, &command),
        };
        let text = succeeded(&output, &command);
        let all = status_and_output(&output);
        match name {
            "setup" => {
                let text = (between.after_setup)(&text);
                // For a failure of what follows.
                println!("{text}\n{}", fs::read_to_string(POLICY).expect("a policy"));
                let (decision, next) = advice(&text, "nginx");
                match decision.strip_prefix("prefer ") {
                    Some(other) => assert!(other.contains("CHACHA20"), "{text}"),
                    None => assert_eq!(next, "outboard enable nginx --restart", "{text}"),
                }
                setup_advises_sshd(machine, &text);
                a_default_client_of_sshd_is_not_served(machine);
            }
            "enable" => {
                assert!(text.contains("nginx is enabled"), "{all}");
                (between.while_enabled)();
            }
            "prove" => assert!(all.contains("PROVEN"), "{all}"),
            "undo" => assert!(text.contains("All of it is undone"), "{all}"),
            other => panic!("no promise of {other} is known here"),
        }
        done.push(name);
    }
    assert_eq!(done, ["setup", "enable", "prove", "undo"]);
    assert_same_tree(&whole_etc(), &before, "undone");
}

/// The decision of `setup` about a service, and the command to type.
fn advice<'a>(setup: &'a str, service: &str) -> (&'a str, &'a str) {
    let row = setup.lines().find_map(|line| line.strip_prefix(service)?.strip_prefix("  "));
    let row = row.unwrap_or_else(|| panic!("{service} is not advised: {setup}")).trim_start();
    let (decision, command) = row.split_once("  ").unwrap_or_else(|| panic!("{row}"));
    (decision, command.trim_start())
}

/// A machine on which outboard has changed nothing: the others allow the driver of virtio-crypto.
fn untouched(test: &str) -> Option<Machine> {
    let machine = machine(test)?;
    succeeded(&run(&machine, &["undo", "--yes"]), &["undo"]);
    Some(machine)
}

#[test]
fn the_commands_of_the_quick_start_end_as_readme_promises() {
    let test = "the_commands_of_the_quick_start_end_as_readme_promises";
    let Some(machine) = untouched(test) else { return };
    let Some(_engine) = Engine::load(test) else { return };
    let while_enabled = || {
        results_fit_the_terminal(&machine);
        let proof = ["--service", "nginx", "--for", "1s"];
        assert_commands_agree(|arguments| machine.command(arguments), &["engine-ecb-aes"], &proof);
    };
    // On a busy host the samples may not decide, and what follows is tested as on a quiet one.
    let after_setup = |text: &str| {
        let policy = fs::read_to_string(POLICY).expect("a policy");
        let wins = |cipher: &str| {
            let mut rows =
                policy.lines().filter_map(|line| line.strip_prefix("lookahead ")?.strip_prefix(cipher));
            rows.any(|row| row.split_whitespace().next().is_some_and(|from| from != "never"))
        };
        let varies = policy.contains("because its samples vary too much to decide");
        if !varies && SUITES.iter().all(|cipher| wins(cipher)) {
            return text.to_owned();
        }
        lookahead_wins("engine-ecb-aes");
        succeeded(&run(&machine, &["setup", "--yes"]), &["setup"])
    };
    follow(&machine, &Between { after_setup: &after_setup, while_enabled: &while_enabled });
}

/// The simulated accelerator computes on the same CPU as nginx, so software may win: then setup and
/// enable must say so, and the rest is done as on a board whose measurement says otherwise.
#[test]
fn they_do_with_the_simulation_of_cesa() {
    let test = "they_do_with_the_simulation_of_cesa";
    let Some(machine) = untouched(test) else { return };
    let Some(file) = Simulated::find(test) else { return };
    let _simulated = Simulated::load_with(&file, &["preset=cesa", "priority=5000"]);
    let after_setup = |text: &str| {
        assert!(text.contains("sim-ecb-aes"), "{text}");
        if advice(text, "nginx").0 != "leave" {
            return text.to_owned();
        }
        let refused = run(&machine, &["enable", "nginx", "--restart"]);
        assert_eq!(refused.status.code(), Some(1), "{}", status_and_output(&refused));
        assert!(status_and_output(&refused).contains("software wins"), "{text}");
        lookahead_wins("sim-ecb-aes");
        succeeded(&run(&machine, &["setup", "--yes"]), &["setup"])
    };
    let while_enabled = || {
        let proof = ["--service", "nginx", "--for", "1s"];
        assert_commands_agree(|arguments| machine.command(arguments), &["sim-ecb-aes"], &proof);
    };
    follow(&machine, &Between { after_setup: &after_setup, while_enabled: &while_enabled });
}

/// Has the policy say that look-ahead wins for the suites that clients prefer.
fn lookahead_wins(driver: &str) {
    let text = fs::read_to_string(POLICY).expect("a policy");
    let others = text.lines().filter(|line| !line.starts_with("lookahead "));
    let rows = SUITES.map(|cipher| format!("lookahead {cipher} 512 {driver} 4096"));
    let new: String = others.chain(rows.iter().map(String::as_str)).flat_map(|line| [line, "\n"]).collect();
    fs::write(POLICY, new).expect("the policy's file");
}

/// On terminals of 40 and of 100 columns.
fn results_fit_the_terminal(machine: &Machine) {
    let key = "-K 00112233445566778899aabbccddeeff -iv f0e0d0c0b0a090807060504030201000";
    let encrypt = format!("prove --verbose -- openssl enc -aes-128-cbc -in {FILE} -out /dev/null {key}");
    let lines = [
        "status",
        "status --verbose",
        "status --reach",
        "setup",
        "setup --verbose",
        "undo",
        "ciphers",
        "ciphers --soft-drivers 1",
        "ciphers --service nginx",
        "ciphers --service sshd",
        "enable --list",
        "enable apache --dry-run",
        "enable sshd --dry-run",
        "enable openvpn --dry-run",
        "check --for 0 engine-ecb-aes",
        "tune --dry-run --ciphers AES-128-CBC",
        "prove --service nginx --for 1s",
        &encrypt,
    ];
    for line in lines {
        for columns in [40, 100] {
            assert_fits(columns, &mut machine.command(&line.split(' ').collect::<Vec<_>>()));
        }
    }
}

/// U5: the next step of status is not what setup says to leave.
fn setup_advises_sshd(machine: &Machine, setup: &str) {
    let (decision, next) = advice(setup, "sshd");
    assert!(decision == "leave" || decision.starts_with("prefer aes"), "{decision}");
    let status = succeeded(&run(machine, &["status"]), &["status"]);
    assert!(next.starts_with("outboard enable") || !status.contains("outboard enable sshd"), "{status}");
}

/// It negotiates ChaCha20-Poly1305 with a server that has it. sshd does not run here yet: without
/// /run/sshd it does not list its ciphers.
fn a_default_client_of_sshd_is_not_served(machine: &Machine) {
    let (_files, _sshd) = sshd();
    let enabled = run(machine, &["enable", "sshd", "--restart", "--aes-required"]);
    let text = succeeded(&enabled, &["enable", "sshd"]);
    let told = "a peer of default configuration negotiates chacha20-poly1305@openssh.com, which no accelerator serves";
    assert!(text.contains(told) && text.contains("Ciphers ^aes"), "{text}");
    succeeded(&run(machine, &["disable", "sshd", "--restart"]), &["disable", "sshd"]);
}
