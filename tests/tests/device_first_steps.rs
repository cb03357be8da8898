//! The commands of README's quick start, in their order, in a machine that systemd booted, with the
//! engine and real clients: each ends as README promises.

use std::fs;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use outboard_tests::command::{status_and_output, succeeded};
use outboard_tests::engine::Engine;
use outboard_tests::file_tree::{assert_same_tree, whole_etc};
use outboard_tests::services::machine;
use outboard_tests::sites::{FILE, sshd};
use outboard_tests::tuning::Machine;

use super::device_services::{NGINX, nginx};

/// README.md.
const README: &str = include_str!("../../README.md");

/// The commands of the quick start, without `sudo outboard` and comments.
fn commands() -> Vec<Vec<&'static str>> {
    let (_, rest) = README.split_once("## Quick start\n").expect("README has a quick start");
    let (section, _) = rest.split_once("\n## ").expect("a section follows");
    let lines = section.lines().filter_map(|line| line.strip_prefix("    sudo outboard "));
    let words = |line: &'static str| line.split('#').next().unwrap_or_default().split_whitespace().collect();
    lines.map(words).collect()
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

#[test]
fn the_commands_of_the_quick_start_end_as_readme_promises() {
    let test = "the_commands_of_the_quick_start_end_as_readme_promises";
    let Some(machine) = machine(test) else { return };
    // It allowed the driver of virtio-crypto.
    succeeded(&run(&machine, &["undo", "--yes"]), &["undo"]);
    let Some(_engine) = Engine::load(test) else { return };
    let (_files, _nginx) = nginx();
    let before = whole_etc();
    let mut done = Vec::new();
    for mut command in commands() {
        let name = command[0];
        // README's reader has a terminal, and answers.
        if ["setup", "undo"].contains(&name) {
            command.push("--yes");
        }
        // A quarter of the time shows the same.
        if let Some(time) = command.iter_mut().find(|word| **word == "60s") {
            *time = "15s";
        }
        let output = match name {
            "prove" => downloads_while(|| run(&machine, &command)),
            _ => run(&machine, &command),
        };
        let text = succeeded(&output, &command);
        let all = status_and_output(&output);
        match name {
            "setup" => {
                assert!(text.contains("nginx: switch on: "), "{all}");
                assert!(text.contains("    outboard enable nginx --restart\n"), "{all}");
                setup_says_why_a_default_client_of_sshd_is_not_served(&machine, &text);
            }
            "enable" => assert!(text.contains("nginx is enabled"), "{all}"),
            "prove" => assert!(all.contains("PROVEN"), "{all}"),
            "undo" => assert!(text.contains("All of it is undone"), "{all}"),
            other => panic!("no promise of {other} is known here"),
        }
        done.push(name);
    }
    assert_eq!(done, ["setup", "enable", "prove", "undo"]);
    assert_same_tree(&whole_etc(), &before, "undone");
}

/// A client of default configuration negotiates ChaCha20-Poly1305 with a server that has it.
fn setup_says_why_a_default_client_of_sshd_is_not_served(machine: &Machine, setup: &str) {
    let advised = setup.lines().find(|line| line.starts_with("sshd: ")).expect("sshd is installed");
    assert!(advised.contains("use another cipher: chacha20-poly1305@openssh.com is not served"), "{advised}");
    let (_files, _sshd) = sshd();
    let enabled = run(machine, &["enable", "sshd", "--restart"]);
    let text = succeeded(&enabled, &["enable", "sshd"]);
    let told = "a peer of default configuration negotiates chacha20-poly1305@openssh.com, which no accelerator serves";
    assert!(text.contains(told) && text.contains("Ciphers ^aes"), "{text}");
    succeeded(&run(machine, &["disable", "sshd", "--restart"]), &["disable", "sshd"]);
}
