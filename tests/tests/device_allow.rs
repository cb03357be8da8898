//! `outboard allow` and `outboard disallow`.

use std::path::PathBuf;
use std::process::{Command, Output};

use outboard_tests::command::{failed, on_path, succeeded};
use outboard_tests::device::reached;
use outboard_tests::machine::{ACCELERATOR, is_allowed};
use outboard_tests::skip::skip;

/// The command, on a machine whose accelerator /dev/outboard can reach.
struct Outboard {
    program: PathBuf,
    _reached: outboard_tests::device::Reached,
}

impl Outboard {
    fn find(test: &str) -> Option<Outboard> {
        let Some(program) = on_path("outboard") else {
            skip(test, "the outboard command");
            return None;
        };
        Some(Outboard { program, _reached: reached(test)? })
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(&self.program).args(arguments).output().expect("the command runs")
    }

    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> String {
        succeeded(&self.run(arguments), arguments)
    }

    #[track_caller]
    fn fails(&self, arguments: &[&str], code: i32) -> String {
        failed(&self.run(arguments), arguments, code)
    }
}

#[test]
fn a_driver_is_checked_allowed_listed_and_disallowed() {
    let test = "a_driver_is_checked_allowed_listed_and_disallowed";
    let Some(outboard) = Outboard::find(test) else { return };
    outboard.succeeds(&["disallow", ACCELERATOR]);
    assert!(!is_allowed(ACCELERATOR));
    assert!(!outboard.succeeds(&["allow", "--list"]).contains(ACCELERATOR));
    assert!(outboard.fails(&["disallow", ACCELERATOR], 1).contains("neither allowed nor saved"));
    for _ in 0..2 {
        let text = outboard.succeeds(&["allow", ACCELERATOR]);
        assert!(text.contains("every result right"), "{text}");
        assert!(is_allowed(ACCELERATOR));
    }
    assert!(outboard.succeeds(&["allow", "--list"]).contains("cbc(aes)"));
    let json = outboard.succeeds(&["allow", "--list", "--json"]);
    assert!(json.contains("outboard-allow/1") && json.contains(ACCELERATOR), "{json}");
}

#[test]
fn what_is_no_accelerator_or_not_there_is_refused() {
    let Some(outboard) = Outboard::find("what_is_no_accelerator_or_not_there_is_refused") else { return };
    let text = outboard.fails(&["allow", "no-such-driver"], 1);
    assert!(text.contains("/proc/crypto"), "{text}");
    let listing = std::fs::read_to_string("/proc/crypto").expect("proc is mounted");
    let software = listing.lines().filter_map(|line| line.strip_prefix("driver")?.split_once(": "));
    let software: Vec<&str> = software
        .map(|(_, name)| name)
        .filter(|name| {
            ["sha1-", "sha256-", "aes-generic", "aes-lib"].iter().any(|start| name.starts_with(start))
        })
        .collect();
    for driver in software {
        outboard.fails(&["allow", driver], 1);
        assert!(!is_allowed(driver));
    }
    outboard.fails(&["allow", "--list", "x"], 2);
}
