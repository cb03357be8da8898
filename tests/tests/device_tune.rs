//! `outboard tune`: what it measures, what it writes, and that the provider goes by it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use outboard_tests::bytes::bytes;
use outboard_tests::command::{failed, on_path, said, succeeded};
use outboard_tests::evp::{Context, Direction};
use outboard_tests::machine::{ACCELERATOR, is_allowed, reachable_accelerator};
use outboard_tests::module::module;
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_tests::world::{Order, Way, World};
use outboard_uapi::DEVICE;
use serde_json::Value;

const POLICY: &str = "/etc/outboard/policy";
const CIPHER: &str = "AES-128-CBC";

/// One test at a time: there is one policy, and what is measured wants the machine for itself.
static ALONE: Mutex<()> = Mutex::new(());

/// The command and the provider, on a machine without a policy; afterwards there is none again.
struct Machine {
    outboard: PathBuf,
    module: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

impl Machine {
    fn new(test: &str) -> Option<Machine> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = on_path("outboard").ok_or_else(|| "the outboard command".to_owned());
        let parts = parts.and_then(|outboard| Ok((outboard, module()?)));
        let (outboard, module) = parts.map_err(|missing| skip(test, missing)).ok()?;
        // Where no driver was ever allowed.
        let _ = fs::create_dir("/etc/outboard");
        let _ = fs::remove_file(POLICY);
        Some(Machine { outboard, module, _alone: alone })
    }

    /// The same, where /dev/outboard leads to the accelerator.
    fn with_accelerator(test: &str) -> Option<Machine> {
        let machine = Machine::new(test)?;
        if Path::new(DEVICE).exists() && !is_allowed(ACCELERATOR) {
            // Refused where there is none, as the next line says.
            let _ = machine.command(&["allow", "--now", ACCELERATOR]).output();
        }
        reachable_accelerator().map_err(|missing| skip(test, missing)).ok().map(|_| machine)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.outboard);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn tune(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(&["tune", "--goal", "throughput", "--module"]);
        command.arg(&self.module).args(arguments);
        command
    }

    #[track_caller]
    fn tuned(&self, arguments: &[&str]) -> Value {
        let output = self.tune(&[&["--json"], arguments].concat()).output().expect("the command runs");
        let text = succeeded(&output, arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// What `outboard status` says of the policy.
    #[track_caller]
    fn policy(&self) -> Value {
        let output = self.command(&["status", "--json"]).output().expect("the command runs");
        let status: Value = serde_json::from_str(&succeeded(&output, &["status"])).expect("JSON");
        status["policy"].clone()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_file(POLICY);
    }
}

/// A cipher of the accelerator's for which the policy decides.
fn world(settings: &[(&str, &str)]) -> World {
    World::new(Way::Accelerator, settings, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"))
}

/// Whether a request of so many bytes goes to the accelerator.
#[track_caller]
fn goes_to_hardware(world: &World, direction: Direction, length: usize) -> bool {
    let mut context = Context::keyed(&world.hard(CIPHER), &bytes(1, 16), &[7; 16], direction);
    context.set_padding(false).expect("padding off");
    let before = world.counts().hw_requests;
    let mut output = vec![0; length + 16];
    context.update(&bytes(2, length), &mut output).expect("update");
    world.counts().hw_requests > before
}

/// Replaces what the policy says of the cipher.
fn rewrite(line: &str, with: &str) {
    let text = fs::read_to_string(POLICY).expect("a policy");
    let lines = text.lines().map(|known| if known.starts_with(line) { with } else { known });
    let new: String = lines.flat_map(|line| [line, "\n"]).collect();
    assert_ne!(new, text, "no line begins with {line}");
    fs::write(POLICY, new).expect("the policy's file");
}

#[test]
fn what_was_measured_is_written_and_every_application_goes_by_it() {
    let test = "what_was_measured_is_written_and_every_application_goes_by_it";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    assert_eq!(machine.policy(), Value::Null);
    let answer = machine.tuned(&["--ciphers", CIPHER]);
    assert_eq!(answer["schema"], "outboard-tune/1");
    assert_eq!(answer["written"], POLICY);
    let cipher = &answer["ciphers"][0];
    assert_eq!((&cipher["name"], &cipher["driver"]), (&CIPHER.into(), &ACCELERATOR.into()));
    for direction in ["encrypt", "decrypt"] {
        let points = cipher[direction]["points"].as_array().expect("points");
        assert!((2..=14).contains(&points.len()), "{direction}: {points:?}");
        for point in points {
            let interrupts = point["hardware"]["interrupts_per_request"].as_f64().expect("a number");
            assert!(interrupts > 0.0 && point["refused"].is_null(), "{point}");
            assert!(point["hardware"]["megabytes_per_second"].as_f64().expect("a number") > 0.0, "{point}");
        }
    }
    let about = fs::metadata(POLICY).expect("the policy");
    assert_eq!((about.uid(), about.permissions().mode() & 0o7777), (0, 0o644));
    assert_eq!(machine.policy()["in_force"], true, "{}", machine.policy());

    the_provider_obeys_each_direction();
    what_openssl_cnf_says_wins();
    what_belongs_to_another_kernel_is_not_obeyed(&machine);
    what_anybody_could_have_written_is_not_obeyed(&machine);
}

fn the_provider_obeys_each_direction() {
    rewrite(CIPHER, &format!("{CIPHER} 8192 16384 {ACCELERATOR}"));
    let tuned = world(&[]);
    for (direction, from) in [(Direction::Encrypt, 8192), (Direction::Decrypt, 16384)] {
        assert!(goes_to_hardware(&tuned, direction, from), "{direction:?} {from}");
        assert!(!goes_to_hardware(&tuned, direction, from - 16), "{direction:?} below {from}");
    }
    rewrite(CIPHER, &format!("{CIPHER} never 64 {ACCELERATOR}"));
    let one_way = world(&[]);
    assert!(!goes_to_hardware(&one_way, Direction::Encrypt, 65536));
    assert!(goes_to_hardware(&one_way, Direction::Decrypt, 64));
    rewrite(CIPHER, &format!("{CIPHER} 64 64 some-other-driver"));
    assert!(!goes_to_hardware(&world(&[]), Direction::Encrypt, 1024), "measured with another driver");
    rewrite(CIPHER, &format!("{CIPHER} never never {ACCELERATOR}"));
    let never = world(&[]);
    assert!(never.hard_if_offered(CIPHER).is_none());
    // Not measured, so the default holds.
    assert!(never.hard_if_offered("AES-256-CBC").is_some());
}

fn what_openssl_cnf_says_wins() {
    for settings in [[("THRESHOLDS", "AES-128-CBC:64")], [("THRESHOLDS", "ALL:64")]] {
        assert!(goes_to_hardware(&world(&settings), Direction::Encrypt, 64));
    }
    assert!(world(&[("POLICY", "NONE")]).hard_if_offered(CIPHER).is_some());
    assert!(world(&[("THRESHOLDS", "AES-256-CBC:64")]).hard_if_offered(CIPHER).is_none());
}

fn what_belongs_to_another_kernel_is_not_obeyed(machine: &Machine) {
    rewrite("kernel", "kernel 2.6.32");
    let default = world(&[]);
    assert!(goes_to_hardware(&default, Direction::Encrypt, 4096));
    assert!(!goes_to_hardware(&default, Direction::Encrypt, 4080));
    let policy = machine.policy();
    assert_eq!(policy["in_force"], false, "{policy}");
    assert!(
        policy["problem"].as_str().is_some_and(|why| why.contains("2.6.32") && why.contains("outboard tune"))
    );
}

fn what_anybody_could_have_written_is_not_obeyed(machine: &Machine) {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").expect("proc is mounted");
    rewrite("kernel", &format!("kernel {}", kernel.trim()));
    assert!(world(&[]).hard_if_offered(CIPHER).is_none(), "never again");
    fs::set_permissions(POLICY, fs::Permissions::from_mode(0o666)).expect("its mode");
    assert!(world(&[]).hard_if_offered(CIPHER).is_some());
    assert_eq!(machine.policy()["in_force"], false);
}

#[test]
fn ctrl_c_writes_nothing_and_shows_what_was_measured() {
    let test = "ctrl_c_writes_nothing_and_shows_what_was_measured";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    fs::write(POLICY, "# mine\n").expect("the policy's file");
    let mut child = machine.tune(&[]).spawn().expect("the command runs");
    let mut said_first = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut said_first).expect("the first cipher");
    assert!(said_first.starts_with(CIPHER), "{said_first}");
    let pid = i32::try_from(child.id()).expect("a process number");
    // SAFETY: the child has not been waited for, so its number is its own.
    unsafe { libc::kill(pid, libc::SIGINT) };
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("the end");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{rest}");
    assert!(rest.contains("Interrupted: nothing was written"), "{rest}");
    assert_eq!(fs::read_to_string(POLICY).expect("the policy"), "# mine\n");
    assert!(!Path::new("/etc/outboard/policy.new").exists());
}

/// A file system over /etc/outboard, until dropped.
struct Mounted;

impl Mounted {
    #[track_caller]
    fn new(options: &str) -> Mounted {
        mount(&["mount", "-t", "tmpfs", "-o", options, "tmpfs", "/etc/outboard"]);
        Mounted
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        mount(&["umount", "/etc/outboard"]);
    }
}

#[track_caller]
fn mount(words: &[&str]) {
    let output = Command::new(words[0]).args(&words[1..]).output().expect("the command runs");
    assert!(output.status.success() || thread::panicking(), "{words:?}: {}", said(&output));
}

#[test]
fn where_nothing_can_be_written_the_old_policy_stays_and_the_reason_is_told() {
    let test = "where_nothing_can_be_written_the_old_policy_stays_and_the_reason_is_told";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    let run = |arguments: &[&str]| -> Output { machine.tune(arguments).output().expect("the command runs") };
    {
        let _read_only = Mounted::new("ro");
        let error = failed(&run(&[]), &["tune"], 1);
        assert!(error.contains("mount -o remount,rw") && error.contains(POLICY), "{error}");
        assert!(machine.tuned(&["--dry-run", "--ciphers", CIPHER])["written"].is_null());
    }
    {
        // Room for the old one, and not for a page more.
        let _full = Mounted::new("size=4k");
        fs::write(POLICY, "# mine\n").expect("the policy's file");
        let error = failed(&run(&["--ciphers", CIPHER]), &["tune"], 1);
        assert!(error.contains("make some room"), "{error}");
        assert_eq!(fs::read_to_string(POLICY).expect("the policy"), "# mine\n");
        assert!(!Path::new("/etc/outboard/policy.new").exists());
    }
}

/// One test of many parts, because the simulation takes long to load.
#[test]
fn what_is_chosen_follows_the_hardware() {
    const DRIVER: &str = "sim-ctr-aes";
    let test = "what_is_chosen_follows_the_hardware";
    let Some(machine) = Machine::new(test) else { return };
    if !Path::new(DEVICE).exists() {
        return skip(test, format!("{DEVICE} (insmod outboard.ko)"));
    }
    let Some(file) = Simulated::find(test) else { return };
    let simulated = Simulated::load(&file);
    let allowed = machine.command(&["allow", "--now", DRIVER]).output().expect("the command runs");
    succeeded(&allowed, &["allow"]);
    let ciphers = ["--ciphers", "AES-128-CTR"];

    a_driver_that_is_wrong_once_in_a_thousand_is_found(&machine, &simulated, DRIVER);

    // So slow that no machine's software is slower.
    simulated.takes(Duration::from_millis(20));
    let slow = machine.tuned(&ciphers);
    let cipher = &slow["ciphers"][0];
    assert_eq!((&cipher["driver"], &cipher["encrypt"]["from"]), (&DRIVER.into(), &Value::Null), "{cipher}");
    assert!(cipher["decrypt"]["from"].is_null() && cipher["sixteen_at_once"]["from"].is_null(), "{cipher}");
    let way = Way::Simulated(DRIVER.to_owned());
    let world = World::new(way, &[], Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"));
    assert!(world.hard_if_offered("AES-128-CTR").is_none());
    assert!(world.hard_if_offered("AES-256-CTR").is_some());

    // It answers at once and computes nothing: faster than any software, and wrong, which the provider sees.
    simulated.takes(Duration::ZERO);
    simulated.set("compute", "N");
    let fast = machine.tuned(&ciphers);
    let cipher = &fast["ciphers"][0];
    assert!(cipher["sixteen_at_once"]["from"].is_u64(), "{cipher}");
    assert!(
        cipher["encrypt"]["points"][0]["refused"].as_str().is_some_and(|why| why.contains("in software"))
    );
    assert!(cipher["encrypt"]["from"].is_null(), "{cipher}");

    // The driver computes on the CPU and says nothing of it.
    simulated.set("compute", "Y");
    simulated.set("soft_below", "1000000");
    let pretended = machine.tuned(&[&ciphers[..], &["--dry-run"]].concat());
    let cipher = &pretended["ciphers"][0];
    for direction in ["encrypt", "decrypt"] {
        let point = &cipher[direction]["points"][0];
        assert!(point["refused"].as_str().is_some_and(|why| why.contains("no interrupt")), "{point}");
        assert!(cipher[direction]["from"].is_null());
    }
    let text = checked(&machine, &["--for", "1s", DRIVER], 0);
    assert!(text.contains("exact") && text.contains("no interrupt came"), "{text}");
}

/// What `outboard check` says and how it ends.
#[track_caller]
fn checked(machine: &Machine, arguments: &[&str], code: i32) -> String {
    let output = machine.command(&[&["check"], arguments].concat()).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    said(&output)
}

fn a_driver_that_is_wrong_once_in_a_thousand_is_found(
    machine: &Machine,
    simulated: &Simulated,
    driver: &str,
) {
    let right = checked(machine, &["--for", "1s", driver], 0);
    assert!(right.contains("exact") && right.contains("--seed"), "{right}");
    let json = machine.command(&["check", "--json", "--for", "0", "--seed", "7", driver]).output();
    let answer: Value = serde_json::from_slice(&json.expect("the command runs").stdout).expect("JSON");
    assert_eq!((&answer["schema"], &answer["seed"]), (&"outboard-check/1".into(), &7.into()));
    let found = &answer["drivers"][0];
    assert_eq!((&found["verdict"], &found["selftest"]), (&"exact".into(), &"passed".into()), "{found}");
    assert!(found["interrupts"].as_u64().is_some_and(|count| count > 0), "{found}");
    simulated.fault(&format!("{driver} wrong every=1000"));
    let wrong = checked(machine, &["--for", "60s", driver], 1);
    assert!(wrong.contains("WRONG") && wrong.contains("the result is wrong from byte"), "{wrong}");
    simulated.fault("clear");
    checked(machine, &["no-such-driver"], 1);
}
