//! `outboard prove` as a command, without an accelerator. An invalid module replaces the provider,
//! so that OpenSSL cannot load it and continues; this test program writes the counts of a provider.

use assert_cmd::Command;
use outboard_counters::Table;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("module.so"), "no module").unwrap();
        fs::create_dir(dir.path().join("tmp")).unwrap();
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Returns `outboard prove` with a module and a TMPDIR of its own.
    fn prove(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("outboard").unwrap();
        command.arg("prove").arg("--module").arg(self.path("module.so")).args(arguments);
        command.env("TMPDIR", self.path("tmp")).timeout(Duration::from_secs(300));
        command
    }

    fn left_over(&self) -> usize {
        fs::read_dir(self.path("tmp")).unwrap().count()
    }
}

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn ran(mut command: Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

#[test]
fn the_commands_exit_code_is_proves() {
    let place = Place::new();
    for (script, code, verdict) in [
        ("exit 0", 0, "NOT LOADED: "),
        ("exit 3", 3, "NOT LOADED: "),
        ("exit 125", 125, "NOT LOADED: "),
        ("kill -9 $$", 137, "ENDED BY SIGNAL 9: "),
        ("kill -TERM $$", 143, "ENDED BY SIGNAL 15: "),
    ] {
        let ran = ran(place.prove(&["--", "sh", "-c", script]));
        assert_eq!(ran.code, Some(code), "{script}: {}", ran.err);
        assert!(ran.err.contains(verdict), "{}", ran.err);
    }
    assert_eq!(place.left_over(), 0);
}

#[test]
fn a_command_that_cannot_be_run_gives_the_codes_of_env() {
    let place = Place::new();
    let none = ran(place.prove(&["--", "no-such-command-anywhere"]));
    assert_eq!(none.code, Some(127));
    assert!(none.err.contains("no-such-command-anywhere cannot be run: "), "{}", none.err);
    let plain = ran(place.prove(&["--", "/etc/passwd"]));
    assert_eq!(plain.code, Some(126));
    assert!(plain.err.contains("chmod +x"), "{}", plain.err);
    assert_eq!(place.left_over(), 0);
}

#[test]
fn a_driver_that_is_not_there_is_an_error_and_runs_nothing() {
    let place = Place::new();
    let mark = place.path("mark").display().to_string();
    let ran = ran(place.prove(&["--driver", "no-such-driver", "--", "touch", &mark]));
    assert_eq!(ran.code, Some(125), "{}", ran.err);
    assert!(
        ran.err.contains("--driver no-such-driver: /proc/crypto lists no driver of this name"),
        "{}",
        ran.err
    );
    assert!(!place.path("mark").exists());
    assert_eq!(place.left_over(), 0);
}

#[test]
fn compare_runs_the_command_without_the_provider_too() {
    let place = Place::new();
    let (log, json) = (place.path("log"), place.path("proof.json"));
    let script = format!("echo \"${{OPENSSL_CONF:-none}}\" >> {}", log.display());
    let json = json.display().to_string();
    let mut command = place.prove(&["--compare", "--json", &json, "--", "sh", "-c", &script]);
    command.env_remove("OPENSSL_CONF");
    let ran = ran(command);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("  software    ") && ran.err.contains("without the provider"), "{}", ran.err);
    let text = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() == 2 && lines[0] == "none" && lines[1] != "none", "{text}");
    let proof: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert!(proof["software"]["wall_seconds"].as_f64().unwrap() > 0.0, "{proof}");
    assert_eq!(proof["software"]["exit_code"], 0);
}

#[test]
fn a_usage_error_exits_with_125_and_runs_nothing() {
    let place = Place::new();
    let mark = place.path("mark").display().to_string();
    for (options, message) in [
        (&["--threshold", "1k"][..], "not a number of bytes"),
        (&["--threshold", "RC4:1"], "\"RC4\" is none of"),
        (&["--ciphers", "ALL,AES-128-CBC"], "stands alone"),
        (&["--driver", "a b"], "cannot be a kernel driver's name"),
        (&["--soft-drivers", "3"], "not 0 (accelerators only)"),
        (&["--log-level", "loud"], "possible values: off, error"),
        (&["--require-hardware", "101"], "not a number from 0 to 100"),
        (&["--json", "/nonexistent/proof.json"], "--json /nonexistent/proof.json: cannot be written"),
        (&["--no-such-option"], "unexpected argument"),
    ] {
        let ran = ran(place.prove(&[options, &["--", "touch", &mark]].concat()));
        assert_eq!(ran.code, Some(125), "{options:?}");
        assert!(ran.err.contains(message), "{options:?}: {}", ran.err);
        assert!(!Path::new(&mark).exists(), "{options:?}");
    }
    assert_eq!(ran(place.prove(&[])).code, Some(125));
    assert_eq!(ran(place.prove(&["--help"])).code, Some(0));
}

#[test]
fn a_missing_module_is_told_with_all_places() {
    let place = Place::new();
    let asked = ran(place.prove(&["--module", "/nonexistent/outboard.so", "--", "true"]));
    assert_eq!(asked.code, Some(125));

    // A copy outside any build directory, with an empty MODULESDIR. cp(1) creates it: a file that
    // this process writes is busy (ETXTBSY) as long as a child that another test forked meanwhile
    // has it open.
    let copied =
        Command::new("cp").arg(assert_cmd::cargo::cargo_bin("outboard")).arg(place.path("outboard")).ok();
    assert!(copied.is_ok(), "{copied:?}");
    let mut command = Command::new(place.path("outboard"));
    command.args(["prove", "--", "true"]).env("OPENSSL_MODULES", place.path("tmp"));
    let ran = ran(command);
    assert_eq!(ran.code, Some(125));
    for part in
        ["tmp/outboard.so, ", "../lib/outboard/outboard.so, ", "liboutboard_provider.so; outboard setup"]
    {
        assert!(ran.err.contains(part), "{}", ran.err);
    }
}

#[test]
fn the_configuration_includes_the_users_and_has_the_keys() {
    let place = Place::new();
    let own = place.path("own.cnf");
    fs::write(&own, "openssl_conf = mine\n[mine]\n").unwrap();
    // prove refuses names that /proc/crypto does not list.
    let listed = fs::read_to_string("/proc/crypto").unwrap();
    let names =
        listed.lines().filter_map(|line| Some(line.strip_prefix("driver")?.split_once(':')?.1.trim()));
    let drivers: Vec<&str> = names.filter(|name| !name.contains(['(', ','])).take(2).collect();
    let [first, second] = drivers[..] else { panic!("/proc/crypto lists fewer than two drivers: {listed}") };
    let options = ["--threshold", "4096", "--driver", first, "--driver", second, "--log-level", "debug"];
    let keys = ["--ciphers", "AES-128-CBC", "--soft-drivers", "2", "--"];
    let mut command = place.prove(&[&options[..], &keys[..], &["sh", "-c", "cat $OPENSSL_CONF"]].concat());
    command.env("OPENSSL_CONF", &own);
    let ran = ran(command);
    for line in [
        format!(".include = {}", own.display()),
        "[mine]".into(),
        format!("module = {}", place.path("module.so").display()),
        "THRESHOLDS = ALL:4096".into(),
        format!("DRIVERS = {first},{second}"),
        "LOG_LEVEL = debug".into(),
        "CIPHERS = AES-128-CBC".into(),
        "USE_SOFTDRIVERS = 2".into(),
    ] {
        assert!(ran.out.lines().any(|l| l == line), "{line} in {}", ran.out);
    }
}

#[test]
fn the_users_configuration_can_be_left_out_empty_or_missing() {
    let place = Place::new();
    let show = |options: &[&str], conf: &str| {
        let mut command = place.prove(&[options, &["--", "sh", "-c", "cat $OPENSSL_CONF"]].concat());
        command.env("OPENSSL_CONF", conf);
        ran(command)
    };
    assert!(!show(&["--no-system-config"], "/etc/hostname").out.contains(".include"));
    assert!(!show(&[], "").out.contains(".include"));
    let missing = show(&[], "/nonexistent/openssl.cnf");
    assert!(!missing.out.contains(".include"));
    assert!(missing.err.contains("OPENSSL_CONF = /nonexistent/openssl.cnf is left out"), "{}", missing.err);
    assert_eq!(show(&[], "/dev/zero").code, Some(125));
}

#[test]
fn nothing_but_a_path_is_needed_in_the_environment() {
    let place = Place::new();
    let mut command = Command::cargo_bin("outboard").unwrap();
    command.env_clear().env("TMPDIR", place.path("tmp"));
    command.arg("prove").arg("--module").arg(place.path("module.so")).args(["--", "/bin/sh", "-c", "exit 4"]);
    assert_eq!(ran(command).code, Some(4));
}

#[test]
fn a_tmpdir_that_cannot_be_used_is_named() {
    let place = Place::new();
    for dir in ["/proc", "/nonexistent/tmp"] {
        let mut command = place.prove(&["--", "true"]);
        command.env("TMPDIR", dir);
        let ran = ran(command);
        assert_eq!(ran.code, Some(125));
        assert!(
            ran.err.contains(&format!("no directory can be made in {dir}; point TMPDIR to one")),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_signal_for_prove_goes_to_the_command_and_the_proof_still_comes() {
    let place = Place::new();
    let script = "trap 'exit 5' TERM; echo ready; while :; do sleep 0.1; done";
    let mut prove = std::process::Command::new(assert_cmd::cargo::cargo_bin("outboard"))
        .args(["prove", "--module"])
        .arg(place.path("module.so"))
        .args(["--", "sh", "-c", script])
        .env("TMPDIR", place.path("tmp"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = [0; 6];
    std::io::Read::read_exact(prove.stdout.as_mut().unwrap(), &mut ready).unwrap();
    assert_eq!(place.left_over(), 1);
    let pid = rustix::process::Pid::from_child(&prove);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let started = Instant::now();
    let output = prove.wait_with_output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(200));
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&output.stderr).contains("NOT LOADED"));
    assert_eq!(place.left_over(), 0);
}

#[test]
fn the_command_starts_with_the_signals_as_they_were() {
    let place = Place::new();
    let script = "grep -E '^Sig(Blk|Ign)' /proc/self/status";
    let plain = Command::new("sh").args(["-c", script]).output().unwrap();
    assert_eq!(ran(place.prove(&["--", "sh", "-c", script])).out.as_bytes(), plain.stdout);
}

#[test]
fn processes_left_in_the_background_are_told() {
    let place = Place::new();
    let script = "sleep 5 >/dev/null 2>&1 & exit 0";
    let ran = ran(place.prove(&["--", "sh", "-c", script]));
    assert!(ran.err.contains("left processes running in the background"), "{}", ran.err);
    assert_eq!(place.left_over(), 0);
}

/// The command of `a_claim_without_interrupts`: counts like a provider. Does nothing when run as a
/// test.
#[test]
fn child_that_claims() {
    let Some(conf) = std::env::var_os("OPENSSL_CONF").filter(|_| std::env::var_os("CLAIM").is_some()) else {
        return;
    };
    let text = fs::read_to_string(conf).unwrap();
    let path = text.lines().find_map(|l| l.strip_prefix("COUNTERS = ")).unwrap();
    let table = Table::open(Path::new(path)).unwrap();
    table.row("AES-128-CBC").unwrap().add_hw(4, 65536);
    table.note("a note");
}

#[test]
fn a_claim_without_interrupts_is_an_error_and_quiet_does_not_hide_it() {
    let place = Place::new();
    let me = std::env::current_exe().unwrap().display().to_string();
    let json = place.path("proof.json").display().to_string();
    let options = ["--quiet", "--json", &json, "--", &me, "--exact", "child_that_claims"];
    let mut command = place.prove(&options);
    command.env("CLAIM", "1").env("OPENSSL_CONF", "");
    let ran = ran(command);
    assert_eq!(ran.code, Some(125), "{}", ran.err);
    assert!(ran.err.contains("CONTRADICTED: Bytes were counted as done by hardware, and no"), "{}", ran.err);
    let proof: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(proof["schema"], "outboard-prove/1");
    assert_eq!(proof["verdict"], "contradicted");
    assert_eq!(proof["exit_code"], 0);
    assert_eq!(proof["algorithms"][0]["hardware_bytes"], 65536);
    assert_eq!(proof["notes"][0], "a note");
}

#[test]
fn quiet_says_nothing_and_a_closed_stderr_is_survived() {
    let place = Place::new();
    let quiet = ran(place.prove(&["-q", "--", "echo", "hello"]));
    assert_eq!((quiet.out.as_str(), quiet.err.as_str(), quiet.code), ("hello\n", "", Some(0)));
    let outboard = assert_cmd::cargo::cargo_bin("outboard");
    let script = format!(
        "'{}' prove --module '{}' -- true 2>&-",
        outboard.display(),
        place.path("module.so").display()
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).env("TMPDIR", place.path("tmp"));
    assert_eq!(ran(shell).code, Some(0));
}

#[test]
fn an_unmet_requirement_is_125() {
    let place = Place::new();
    let ran = ran(place.prove(&["-q", "--require-hardware", "50", "--", "true"]));
    assert_eq!(ran.code, Some(125));
    assert!(
        ran.err.contains("FAILED: --require-hardware 50 requires 50 %, confirmed by interrupts"),
        "{}",
        ran.err
    );
}
