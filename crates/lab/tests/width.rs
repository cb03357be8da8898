//! The output of commands on terminals of 40 and of 100 columns, over recorded trees, pasted texts and
//! results: no line is longer than the terminal, except a word that has the line alone, and commands.

mod both;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use outboard_counters::Table;
use outboard_tests::image;
use outboard_tests::terminal_width::{self, shown_on_terminal};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(both::outboard());
    command.args(arguments);
    command
}

fn shown(columns: u16, arguments: &[&str]) -> String {
    shown_on_terminal(columns, &mut command(arguments))
}

#[track_caller]
fn assert_fits(columns: u16, arguments: &[&str]) {
    terminal_width::assert_fits(columns, &mut command(arguments));
}

fn path(relative: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(relative);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn status_of_recorded_trees_fits_the_terminal() {
    for tree in ["armada388-helios4", "rk3588-rock5b", "qat-server", "laptop-aesni", "pc-without-aes", "odd"]
    {
        let tree = path(&format!("inventory/tests/fixtures/{tree}"));
        for columns in [40, 100] {
            assert_fits(columns, &["status", "--from", &tree]);
            assert_fits(columns, &["status", "--verbose", "--from", &tree]);
            assert_fits(columns, &["status", "--reach", "--from", &tree]);
        }
    }
}

#[test]
fn pasted_texts_fit_the_terminal() {
    for text in ["helios4-interrupts", "ti-time-v", "openwrt-dump-info", "pfsense-dashboard", "openwrt-opkg"]
    {
        let text = path(&format!("lab/tests/pasted/{text}.txt"));
        for columns in [40, 100] {
            assert_fits(columns, &["status", "--from", &text]);
        }
    }
    assert_fits(40, &["status", "--from", &path("cli/Cargo.toml")]);
}

#[test]
fn results_and_explanations_fit_the_terminal() {
    for columns in [40, 100] {
        for name in ["bench", "bench-file"] {
            let file = path(&format!("lab/tests/data/{name}.json"));
            assert_fits(columns, &["bench", "--show", &file]);
            assert_fits(columns, &["bench", "--verbose", "--show", &file]);
        }
        assert_fits(columns, &["explain"]);
        assert_fits(columns, &["explain", "slow-aes"]);
        assert_fits(columns, &["explain", "openwrt"]);
        assert_fits(columns, &["catalogue"]);
        assert_fits(columns, &["catalogue", "omap"]);
        assert_fits(columns, &["check", "no-such-driver"]);
    }
}

/// The command of `proofs_fit_the_terminal`: counts like a provider. Does nothing when run as a test.
#[test]
fn child_that_counts() {
    let Some(conf) = std::env::var_os("OPENSSL_CONF").filter(|_| std::env::var_os("COUNT").is_some()) else {
        return;
    };
    let text = std::fs::read_to_string(conf).expect("the configuration");
    let path = text.lines().find_map(|line| line.strip_prefix("COUNTERS = ")).expect("a counters file");
    let table = Table::open(Path::new(path)).expect("a table");
    for algorithm in ["AES-128-CBC", "AES-256-CBC", "DES-EDE3-CBC"] {
        table.row(algorithm).expect("room").add_hw(4, 65536);
    }
    for number in 1..=4 {
        table.note(&format!("reason {number}, of which there are {}", "several long words ".repeat(6)));
    }
}

#[test]
fn proofs_fit_the_terminal() {
    let place = tempfile::tempdir().expect("a directory");
    let module = place.path().join("module.so");
    std::fs::write(&module, "no module").expect("a file");
    let me = std::env::current_exe().expect("a path");
    let prove = |options: &[&str]| {
        let mut prove = command(&["prove"]);
        let script = "\"$0\" --exact child_that_counts >/dev/null 2>&1";
        prove.arg("--module").arg(&module).args(options).args(["--", "sh", "-c", script]).arg(&me);
        prove.env("COUNT", "1").env("OPENSSL_CONF", "");
        prove
    };
    for columns in [40, 100] {
        terminal_width::assert_fits(columns, &mut prove(&[]));
        terminal_width::assert_fits(columns, &mut prove(&["--verbose"]));
    }
    let notes = |options: &[&str]| shown_on_terminal(100, &mut prove(options)).matches("\n  note  ").count();
    assert_eq!([notes(&[]), notes(&["--verbose"])], [2, 4]);
}

#[test]
fn a_service_that_is_enabled_and_disabled_fits_the_terminal() {
    let root = image::with_nginx();
    let root = root.path().to_str().expect("UTF-8");
    for columns in [40, 100] {
        assert_fits(columns, &["enable", "nginx", "--root", root]);
        assert_fits(columns, &["enable", "nginx", "--root", root, "--force", "--dry-run"]);
        assert_fits(columns, &["enable", "nginx", "--root", root, "--force"]);
        assert_fits(columns, &["enable", "--list", "--root", root]);
        assert_fits(columns, &["disable", "nginx", "--root", root]);
    }
}

#[test]
fn status_that_is_not_on_a_terminal_has_lines_of_100_columns() {
    for tree in ["armada388-helios4", "rk3588-rock5b", "odd"] {
        let tree = path(&format!("inventory/tests/fixtures/{tree}"));
        for view in [&[][..], &["--verbose"]] {
            let mut status = command(&["status", "--from", &tree]);
            let output = status.args(view).stdin(Stdio::null()).output().expect("the command runs");
            let text = String::from_utf8(output.stdout).expect("UTF-8");
            // A path may be longer.
            let has_space = |line: &str| line.chars().skip(24).collect::<String>().contains(' ');
            let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 100).collect();
            assert!(!text.is_empty() && !long.iter().any(|line| has_space(line)), "{long:#?}");
        }
    }
}

#[test]
fn no_more_than_two_warnings_and_two_notes_follow_a_result() {
    let place = tempfile::tempdir().expect("a directory");
    let text = std::fs::read_to_string(path("lab/tests/data/bench-file.json")).expect("a document");
    let mut bench: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    bench["warnings"] = ["a", "b", "c", "d", "e", "f", "g", "h"].into();
    bench["notes"] = ["AES-128-CBC: x", "AES-256-CBC: x", "y", "z", "z"].into();
    let file = place.path().join("bench.json");
    std::fs::write(&file, bench.to_string()).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let text = shown(100, &["bench", "--show", file]);
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((count("Warning: "), count("Note: ")), (2, 2), "{text}");
    assert!(text.contains("And 6 more warnings (--verbose)."), "{text}");
    assert!(
        text.contains("Note: AES-128-CBC, AES-256-CBC: x.") && text.contains("And 1 more note (--verbose)."),
        "{text}"
    );
    let text = shown(100, &["bench", "--verbose", "--show", file]);
    assert_eq!(text.lines().filter(|line| line.starts_with("Warning: ")).count(), 8, "{text}");
}
