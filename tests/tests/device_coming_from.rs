//! docs/coming-from.md: each command that takes the place of a guide's step runs, here or in the test
//! that is named for it.

use std::fs;
use std::process::Command;

use outboard_tests::command::{status_and_output, succeeded};
use outboard_tests::machine::ACCELERATOR;
use outboard_tests::skip::skip;
use outboard_tests::tuning::Machine;

const PAGE: &str = include_str!("../../docs/coming-from.md");

/// What a command of the page does in the test.
enum Trial {
    /// It runs with these further arguments, and succeeds.
    Runs(&'static [&'static str]),
    /// It runs with these arguments instead, and succeeds.
    As(&'static [&'static str]),
    /// It runs with these further arguments. Whether it succeeds depends on the machine: on the
    /// speed of software, or on the quality of a generator.
    Answers(&'static [&'static str]),
    /// This test runs it, in a machine that has what it needs.
    RunBy(&'static str),
}

use Trial::{Answers, As, RunBy, Runs};

/// A benchmark of two seconds. In so little time a figure may have no samples.
const BRIEF: &[&str] = &["--for", "2s", "--size", "16K", "--depth", "1"];

/// The commands of the page, without sudo.
const COMMANDS: &[(&str, Trial)] = &[
    ("outboard status", Runs(&[])),
    ("outboard status --reach", Runs(&[])),
    ("outboard status --from FILE", As(&["status", "--from", "/proc/crypto"])),
    ("outboard setup", Answers(&["--yes"])),
    ("outboard ciphers", Runs(&[])),
    ("outboard ciphers --service openvpn", Runs(&[])),
    ("outboard ciphers --service nginx --allow-legacy", Runs(&[])),
    ("outboard catalogue NAME", As(&["catalogue", "virtio"])),
    ("outboard catalogue hifn", Runs(&[])),
    ("outboard catalogue omap", Runs(&[])),
    ("outboard catalogue sa2ul", Runs(&[])),
    ("outboard explain padlock-engine-gone", Runs(&[])),
    ("outboard explain other-tls-library", Runs(&[])),
    ("outboard tune", Answers(&["--ciphers", "AES-128-CBC"])),
    ("outboard enable openssl", Answers(&["--dry-run"])),
    ("outboard disable", As(&["disable", "--all"])),
    (
        "outboard enable apache --restart",
        RunBy("device_apache_sshd::apache_works_with_the_accelerator_and_without_it"),
    ),
    (
        "outboard enable sshd --restart",
        RunBy("device_apache_sshd::sshd_works_with_the_accelerator_and_without_it"),
    ),
    (
        "outboard enable openvpn --restart",
        RunBy("device_openvpn_service::openvpn_works_with_the_accelerator_and_without_it"),
    ),
    (
        "outboard enable disk",
        RunBy("device_kernel_users::a_disk_where_software_wins_is_refused_with_the_numbers"),
    ),
    (
        "outboard enable ipsec",
        RunBy("device_kernel_users::ipsec_and_ktls_get_the_accelerator_until_they_are_disabled"),
    ),
    ("outboard bench", Answers(BRIEF)),
    ("outboard bench AES-128-CBC", Answers(BRIEF)),
    ("outboard bench AES-256-CBC", Answers(BRIEF)),
    ("outboard bench --no-cpu-instructions", Answers(BRIEF)),
    ("outboard bench --kernel 'cbc(aes)'", Answers(&["--for", "4s"])),
    ("outboard bench https", Answers(&["--for", "4s"])),
    ("outboard bench ipsec", Answers(&["--for", "4s"])),
    ("outboard bench disk --cipher aes-cbc-essiv:sha256", Answers(&["--for", "4s", "--megabytes", "4"])),
    ("outboard prove -- COMMAND", As(&["prove", "--", "openssl", "version"])),
    ("outboard watch", Runs(&["--once"])),
    ("outboard rng", Runs(&[])),
    ("outboard rng test", Answers(&["--for", "2s"])),
    ("outboard rng test --blocks 1000", Answers(&[])),
    ("outboard disallow DRIVER", As(&["disallow", "--now", ACCELERATOR])),
];

/// The commands in the last column of each table of a text, and those of indented lines.
fn commands_of(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |text: &str| {
        let command = text.trim().trim_start_matches("sudo ").trim().to_owned();
        if command.starts_with("outboard ") && !all.contains(&command) {
            all.push(command);
        }
    };
    for line in text.lines() {
        if let Some(indented) = line.strip_prefix("    ") {
            add(indented.split('#').next().unwrap_or_default());
        } else {
            let cells = line.trim().trim_matches('|').replace("\\|", "");
            let last =
                if line.starts_with('|') { cells.rsplit('|').next().unwrap_or_default() } else { line };
            last.split('`').skip(1).step_by(2).for_each(&mut add);
        }
    }
    all
}

/// The words of a command; the page quotes one argument.
fn words(command: &str) -> Vec<String> {
    command.split_whitespace().skip(1).map(|word| word.trim_matches('\'').to_owned()).collect()
}

#[test]
fn every_command_of_the_page_has_a_trial_and_every_named_test_exists() {
    let known: Vec<&str> = COMMANDS.iter().map(|(command, _)| *command).collect();
    let page = commands_of(PAGE);
    let missing: Vec<&String> = page.iter().filter(|command| !known.contains(&command.as_str())).collect();
    assert!(missing.is_empty(), "no trial: {missing:?}");
    let gone: Vec<&&str> =
        known.iter().filter(|command| !page.iter().any(|other| other == *command)).collect();
    assert!(gone.is_empty(), "not on the page: {gone:?}");
    let own = std::env::current_exe().expect("an executable");
    let list = Command::new(own).args(["--list", "--format", "terse"]).output().expect("the tests");
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    for (command, trial) in COMMANDS {
        if let RunBy(test) = trial {
            assert!(list.lines().any(|line| line == format!("{test}: test")), "{command}: no test {test}");
        }
    }
}

#[test]
fn the_commands_of_the_page_run() {
    let test = "the_commands_of_the_page_run";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    if !fs::exists("/usr/sbin/nginx").unwrap_or(false) {
        return skip(test, "the nginx command");
    }
    for (command, trial) in COMMANDS.iter().filter(|(_, trial)| !matches!(trial, RunBy(_))) {
        run(&machine, command, trial);
    }
    // What `tune` left.
    let _ = fs::remove_file(outboard_tests::tuning::POLICY);
}

#[track_caller]
fn run(machine: &Machine, command: &str, trial: &Trial) {
    let own = words(command);
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let (arguments, must_succeed) = match trial {
        Runs(more) => ([&own[..], more].concat(), true),
        Answers(more) => ([&own[..], more].concat(), false),
        As(instead) => (instead.to_vec(), true),
        RunBy(_) => ([&own[..], &["--dry-run"]].concat(), false),
    };
    let output = machine.command(&arguments).output().expect("the command runs");
    println!("{command}: {}", output.status);
    if must_succeed {
        succeeded(&output, &arguments);
    }
    // A usage error has the code 2, and a panic 101.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", status_and_output(&output));
}

/// Runs the commands of the section whose heading begins with these words, on another machine.
#[track_caller]
pub(crate) fn run_section(machine: &Machine, heading: &str) -> usize {
    let section = PAGE.split("\n## ").find(|section| section.starts_with(heading)).expect("the section");
    let commands = commands_of(section);
    for command in &commands {
        let trial = COMMANDS.iter().find(|(known, _)| known == command).map(|(_, trial)| trial);
        run(machine, command, trial.expect("a trial"));
    }
    commands.len()
}

#[test]
fn old_commands_answer_as_the_page_says() {
    let test = "old_commands_answer_as_the_page_says";
    let Some(_machine) = Machine::with_accelerator(test) else { return };
    let openssl = |arguments: &[&str]| {
        let output =
            Command::new("openssl").args(arguments).env("OPENSSL_CONF", "").output().expect("openssl");
        status_and_output(&output)
    };
    let is_4 = openssl(&["version"]).contains("OpenSSL 4");
    let listed = openssl(&["engine", "-t", "-c"]);
    let speed =
        openssl(&["speed", "-engine", "devcrypto", "-seconds", "1", "-bytes", "16", "-evp", "aes-128-cbc"]);
    if is_4 {
        assert!(listed.contains("engine") && speed.contains("nknown option"), "{listed}\n{speed}");
    } else {
        // It lists engines without a word about hardware, and has none of this name.
        assert!(!listed.contains("devcrypto"), "{listed}");
        assert!(speed.contains("nvalid engine") || speed.contains("could not load"), "{speed}");
    }
    // "priority does not tell": a driver that runs on the CPU has a higher one than an accelerator.
    let crypto = fs::read_to_string("/proc/crypto").expect("proc is mounted");
    assert!(crypto.contains("priority"), "{crypto}");
}
