//! `outboard rng` with the generator of the machine, and with a simulated one that fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use outboard_tests::command::{failed, on_path, status_and_output, succeeded};
use outboard_tests::evp;
use outboard_tests::hwrng;
use outboard_tests::seeded::Seeded;
use outboard_tests::simulated_rng::{NAME, SimulatedRng, remove_own};
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;
use outboard_tests::udev::Udev;
use serde_json::Value;

const SYSFS: &str = "/sys/class/misc/hw_random";
const AT_BOOT: &str = "/etc/udev/rules.d/60-outboard-rng.rules";

struct Machine {
    outboard: PathBuf,
    generator: SimulatedRng,
}

impl Machine {
    /// With the simulated generator in use.
    fn new(test: &str, parameters: &[&str]) -> Option<Machine> {
        let outboard = on_path("outboard").ok_or_else(|| "the outboard command".to_owned());
        let parts = outboard.and_then(|outboard| match hwrng::missing() {
            Some(missing) => Err(missing),
            None => Ok(Machine { outboard, generator: SimulatedRng::new(parameters)? }),
        });
        parts.map_err(|missing| skip(test, missing)).ok()
    }

    /// `outboard` with OpenSSL configured to use the provider's seed source.
    #[track_caller]
    fn seeded(&self, seeded: &Seeded, arguments: &[&str]) -> (Option<i32>, Value) {
        let mut command = Command::new(&self.outboard);
        let output = command.args(arguments).env("OPENSSL_CONF", &seeded.config).output().expect("it runs");
        let json = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", status_and_output(&output)));
        (output.status.code(), json)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.outboard);
        command.arg("rng").args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command runs")
    }

    /// Exit code and JSON.
    #[track_caller]
    fn answered(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let output = self.run(arguments);
        let json = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", status_and_output(&output)));
        (output.status.code(), json)
    }
}

#[track_caller]
fn attribute(name: &str) -> String {
    let text = fs::read_to_string(Path::new(SYSFS).join(name)).expect("an attribute of hw_random");
    text.trim().to_owned()
}

/// As after a boot: the generator with the most credit.
fn kernel_chooses() {
    fs::write(Path::new(SYSFS).join("rng_current"), "\n").expect("the kernel chooses");
}

#[test]
fn the_generator_of_the_machine_is_listed_passes_and_has_what_is_credited() {
    let test = "the_generator_of_the_machine_is_listed_passes_and_has_what_is_credited";
    let Some(machine) = Machine::new(test, &[]) else { return };
    machine.generator.unload();
    let own = attribute("rng_current");
    let (_, status) = machine.answered(&["--json"]);
    assert_eq!(status["hwrng"]["current"], own.as_str());
    let (code, answer) = machine.answered(&["test", "--blocks", "200", "--json"]);
    assert_eq!((code, &answer["verdict"]), (Some(0), &"pass".into()), "{answer}");
    assert_eq!(answer["source"], format!("/dev/hwrng ({own})"));
    let (code, answer) = machine.answered(&["assess", "--samples", "20000", "--json"]);
    assert_eq!(code, Some(0), "{answer}");
    assert!(answer["min_entropy"].as_f64().is_some_and(|bits| bits > 5.0), "{answer}");
}

#[test]
fn a_selection_is_kept_for_the_next_boot_until_auto() {
    let Some(machine) = Machine::new("a_selection_is_kept_for_the_next_boot_until_auto", &[]) else { return };
    kernel_chooses();
    let rules =
        || fs::read_dir(Path::new(AT_BOOT).parent().expect("a directory")).expect("udev's rules").count();
    let before = rules();
    let select = ["select", NAME];
    let text = succeeded(&machine.run(&select), &select);
    assert_eq!(text, format!("/dev/hwrng is {NAME}, now and after each boot.\n"));
    assert_eq!(attribute("rng_current"), NAME);
    assert!(fs::read_to_string(AT_BOOT).expect("a rule").contains(&format!("rng_current}}=\"{NAME}\"")));
    let auto = ["select", "auto"];
    succeeded(&machine.run(&auto), &auto);
    assert!(!Path::new(AT_BOOT).exists());
    assert_eq!(rules(), before, "nothing else is left there");
    let now = ["select", NAME, "--now"];
    assert_eq!(succeeded(&machine.run(&now), &now), format!("/dev/hwrng is {NAME}.\n"));
    assert!(!Path::new(AT_BOOT).exists());
    let unknown = ["select", "no-such-generator"];
    assert!(failed(&machine.run(&unknown), &unknown, 1).contains(NAME), "the names that can be chosen");
    assert_eq!(attribute("rng_current"), NAME);
}

/// The events of a boot, with the kernel's choice undone by the rule alone. The simulated generator
/// has less credit, so the kernel prefers the machine's own.
#[test]
fn udev_applies_a_selection_with_the_events_of_a_boot() {
    let test = "udev_applies_a_selection_with_the_events_of_a_boot";
    if let Some(missing) = Udev::missing() {
        return skip(test, missing);
    }
    let Some(machine) = Machine::new(test, &["quality=100"]) else { return };
    let load_own = || {
        remove_own();
        kernel_chooses();
        assert_eq!(attribute("rng_current"), NAME, "it is the only one");
        let loaded = Command::new("modprobe").arg("virtio_rng").output().expect("modprobe runs");
        succeeded(&loaded, &["virtio_rng"]);
    };
    let select = ["select", NAME];
    succeeded(&machine.run(&select), &select);
    load_own();
    let own = attribute("rng_current");
    assert_ne!(own, NAME, "without udev the kernel chooses");
    let udev = Udev::start();
    // A built-in driver: udev repeats the event of hw_random at boot.
    udev.repeat_add("/sys/class/misc/hw_random");
    assert_eq!((attribute("rng_current").as_str(), attribute("rng_selected").as_str()), (NAME, "1"));
    // A driver that is loaded later: the event after its probe function.
    load_own();
    wait_until("udev selects the generator", || attribute("rng_current") == NAME);
    // A later choice is kept.
    let now = ["select", own.as_str(), "--now"];
    succeeded(&machine.run(&now), &now);
    udev.repeat_add("/sys/class/misc/hw_random");
    assert_eq!(attribute("rng_current"), own);
    let auto = ["select", "auto"];
    succeeded(&machine.run(&auto), &auto);
    let udev = udev.restart();
    load_own();
    udev.settle();
    assert_eq!(attribute("rng_current"), own);
}

#[test]
fn the_credit_of_a_selected_generator_is_set_and_it_stays_in_use() {
    let test = "the_credit_of_a_selected_generator_is_set_and_it_stays_in_use";
    let Some(machine) = Machine::new(test, &["quality=700"]) else { return };
    assert_eq!(attribute("rng_quality"), "700");
    for quality in ["389", "1024"] {
        let set = ["quality", quality];
        let text = succeeded(&machine.run(&set), &set);
        assert_eq!(text, format!("The kernel credits {quality} of 1024 bits of {NAME}.\n"));
        assert_eq!((attribute("rng_current").as_str(), attribute("rng_quality").as_str()), (NAME, quality));
        let (code, status) = machine.answered(&["--json"]);
        assert_eq!((code, status["hwrng"]["quality"].to_string().as_str()), (Some(0), quality));
    }
    // Some kernels restore the full credit of a generator without any when it is selected.
    let output = machine.run(&["quality", "0"]);
    let is_kept = output.status.success();
    assert_eq!(
        !is_kept,
        status_and_output(&output).contains("select auto leaves the choice"),
        "{}",
        status_and_output(&output)
    );
    assert_eq!((attribute("rng_current").as_str(), attribute("rng_quality") == "0"), (NAME, is_kept));
    let too_much = ["quality", "1025"];
    failed(&machine.run(&too_much), &too_much, 2);
}

#[test]
fn the_credit_of_the_only_generator_can_be_zero_which_is_a_problem() {
    let test = "the_credit_of_the_only_generator_can_be_zero_which_is_a_problem";
    let Some(machine) = Machine::new(test, &["quality=700"]) else { return };
    remove_own();
    let zero = ["quality", "0"];
    assert!(succeeded(&machine.run(&zero), &zero).starts_with("The kernel credits 0 of 1024 bits"));
    let (code, status) = machine.answered(&["--json"]);
    assert_eq!((code, &status["hwrng"]["quality"]), (Some(1), &0.into()));
    assert!(status["problems"].to_string().contains("credits no entropy"), "{status}");
}

#[test]
fn the_kernel_replaces_a_generator_of_its_own_choice_that_has_less_credit() {
    let test = "the_kernel_replaces_a_generator_of_its_own_choice_that_has_less_credit";
    let Some(machine) = Machine::new(test, &["quality=700"]) else { return };
    let auto = ["select", "auto"];
    let own = succeeded(&machine.run(&auto), &auto);
    let set = ["quality", "100"];
    let text = succeeded(&machine.run(&set), &set);
    assert!(own.contains("virtio_rng") && text.contains(&format!("uses {NAME} now")), "{own}{text}");
    assert_eq!(attribute("rng_current"), NAME);
}

/// As reported for the RK3328: each block failed, because only some bits of a register change.
#[test]
fn a_generator_with_fixed_bits_fails_every_block() {
    let test = "a_generator_with_fixed_bits_fails_every_block";
    let Some(machine) = Machine::new(test, &["fixed=0xffffff", "quality=1000"]) else { return };
    let (code, answer) = machine.answered(&["test", "--blocks", "40", "--json"]);
    assert_eq!((code, &answer["verdict"]), (Some(1), &"fail".into()));
    assert_eq!((&answer["successes"], &answer["failures"]), (&0.into(), &40.into()));
    let (code, answer) = machine.answered(&["assess", "--samples", "20000", "--json"]);
    assert_eq!(code, Some(1), "{answer}");
    assert!(answer["min_entropy"].as_f64().is_some_and(|bits| bits < 1.0), "{answer}");
    // Stuck: the continuous health test names it too.
    machine.generator.set("fixed", u32::MAX);
    machine.generator.set("ones", 0);
    let (code, answer) = machine.answered(&["test", "--blocks", "40", "--json"]);
    assert_eq!((code, &answer["failed_tests"]["continuous_run"]), (Some(1), &40.into()));
}

/// 0.38 bits of entropy per bit, where the driver states 0.86.
#[test]
fn a_wrong_credit_is_named_and_corrected() {
    let test = "a_wrong_credit_is_named_and_corrected";
    // -log2(197/256) = 0.378
    let Some(machine) = Machine::new(test, &["ones=197", "quality=880"]) else { return };
    let assess = ["assess", "--samples", "20000", "--json"];
    let (code, answer) = machine.answered(&assess);
    assert_eq!((code, &answer["quality"]), (Some(1), &880.into()), "{answer}");
    let per_bit = answer["min_entropy_per_bit"].as_f64().unwrap();
    assert!((0.2..0.39).contains(&per_bit), "{answer}");
    let advised = answer["advised_quality"].to_string();
    let advice = format!("outboard rng quality {advised}");
    assert!(answer["notes"].as_array().unwrap().iter().any(|note| note.as_str().unwrap().ends_with(&advice)));
    // The next samples differ a little.
    let lower = (advised.parse::<u32>().unwrap() * 9 / 10).to_string();
    let correct = ["quality", lower.as_str()];
    succeeded(&machine.run(&correct), &correct);
    assert_eq!(machine.answered(&assess).0, Some(0));
}

/// A seed of AES-256-CTR-DRBG has 192 bytes at two bits per byte.
#[test]
fn the_seed_source_is_shown_with_its_counters() {
    let test = "the_seed_source_is_shown_with_its_counters";
    let Some(machine) = Machine::new(test, &["quality=1000"]) else { return };
    let Some(seeded) = Seeded::new(test, &[]) else { return };
    let counters = |source: &Value| {
        ["seeds", "bytes", "health_failures", "failures", "unavailable"]
            .map(|name| source[name].as_u64().unwrap_or_else(|| panic!("{name} of {source}")))
    };
    let status = ["rng", "--json"];
    let (code, answer) = machine.seeded(&seeded, &status);
    assert_eq!((code, counters(&answer["seed_source"])), (Some(0), [1, 192, 0, 0, 0]), "{answer}");
    assert_eq!(answer["seed_source"]["has_random_numbers"], true);
    let prove =
        ["prove", "--quiet", "--json", "-", "--", "openssl", "rand", "-hex", "-out", "/dev/null", "9"];
    let (code, proof) = machine.seeded(&seeded, &prove);
    assert_eq!((code, counters(&proof["seed_source"])), (Some(0), [1, 192, 0, 0, 0]), "{proof}");
    // Stuck: the source returns nothing from then on.
    machine.generator.set("fixed", u32::MAX);
    let (code, answer) = machine.seeded(&seeded, &status);
    let [seeds, bytes, health_failures, _, unavailable] = counters(&answer["seed_source"]);
    assert_eq!((code, [seeds, bytes, health_failures, unavailable]), (Some(1), [0, 0, 1, 0]), "{answer}");
    assert_eq!(answer["seed_source"]["has_random_numbers"], false);
    assert!(answer["problems"].to_string().contains("is not random"), "{answer}");
    // Absent: OpenSSL before 4.0 uses seeds of the operating system.
    machine.generator.unload();
    remove_own();
    let (code, answer) = machine.seeded(&seeded, &status);
    let [seeds, bytes, health_failures, _, unavailable] = counters(&answer["seed_source"]);
    assert_eq!((code, [seeds, bytes, health_failures]), (Some(1), [0, 0, 0]), "{answer}");
    assert!(unavailable > 0, "{answer}");
    let has_random_numbers = answer["seed_source"]["has_random_numbers"] == true;
    assert_eq!(has_random_numbers, evp::major_version() < 4, "{answer}");
    assert!(answer["problems"].to_string().contains("no generator is in use: OpenSSL"), "{answer}");
}

/// The reason why neither test proves entropy: AES-CTR of a known key has none.
#[test]
fn the_output_of_aes_ctr_passes_everything() {
    let test = "the_output_of_aes_ctr_passes_everything";
    let Some(machine) = Machine::new(test, &[]) else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let (zeros, output) = (directory.path().join("zeros"), directory.path().join("output"));
    fs::write(&zeros, vec![0; 1_000_000]).expect("a file");
    let key = ["-K", "00", "-iv", "00"];
    let mut encrypt = Command::new("openssl");
    encrypt.args(["enc", "-aes-128-ctr"]).args(key).arg("-in").arg(&zeros).arg("-out").arg(&output);
    succeeded(&encrypt.output().expect("openssl runs"), &["enc"]);
    let output = output.to_str().expect("a path");
    let (code, answer) = machine.answered(&["test", "--file", output, "--json"]);
    assert_eq!((code, &answer["verdict"]), (Some(0), &"pass".into()), "{answer}");
    let assess = ["assess", "--file", output, "--samples", "50000", "--quality", "1024", "--json"];
    let (code, answer) = machine.answered(&assess);
    assert_eq!((code, &answer["is_below_full_entropy"]), (Some(0), &false.into()), "{answer}");
}

#[test]
fn short_reads_are_put_together() {
    let Some(machine) = Machine::new("short_reads_are_put_together", &["most=3"]) else { return };
    let (code, answer) = machine.answered(&["test", "--blocks", "20", "--json"]);
    assert_eq!((code, &answer["verdict"]), (Some(0), &"pass".into()), "{answer}");
    assert_eq!(answer["bits_received"], 8 * (4 + 20 * 2500));
}

#[test]
fn errors_missing_data_and_a_driver_that_sleeps_are_named() {
    let test = "errors_missing_data_and_a_driver_that_sleeps_are_named";
    let Some(machine) = Machine::new(test, &[]) else { return };
    for (parameter, value, words) in [
        ("error", 5, "the generator failed; see dmesg"),
        ("empty", 1, "no byte for 10 s"),
        // The driver sleeps although the device is opened with O_NONBLOCK.
        ("delay_ms", 15_000, "no byte for 10 s"),
    ] {
        machine.generator.set(parameter, value);
        for command in ["test", "assess"] {
            let error = failed(&machine.run(&[command]), &[command], 2);
            assert!(error.contains(words) && error.contains(NAME), "{parameter}: {error}");
        }
        machine.generator.set(parameter, 0);
    }
}

/// Removes the driver while the command reads, and returns its error output.
fn unplugged_while_it_is_read(machine: &Machine) -> String {
    let mut command = machine.command(&["test", "--for", "10m"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    let counts = format!("/proc/{}/io", child.id());
    wait_until("in the middle of its blocks", || {
        let counts = fs::read_to_string(&counts).expect("the command runs until the driver is removed");
        let read = counts.lines().find_map(|line| line.strip_prefix("rchar: "));
        read.is_some_and(|read| read.parse().is_ok_and(|read: u64| read > 100_000))
    });
    machine.generator.unload();
    failed(&child.wait_with_output().expect("it ends"), &["test"], 2)
}

#[test]
fn a_generator_that_disappears_ends_the_test() {
    let Some(machine) = Machine::new("a_generator_that_disappears_ends_the_test", &[]) else { return };
    let other = "changed to virtio_rng";
    let error = unplugged_while_it_is_read(&machine);
    assert!(error.contains(other), "{error}");
    remove_own();
    machine.generator.load(&[]);
    let error = unplugged_while_it_is_read(&machine);
    assert!(error.contains("no generator is in use") || error.contains("changed to none"), "{error}");
    let quality = ["quality", "5"];
    assert!(failed(&machine.run(&quality), &quality, 1).contains("no generator is in use"));
}
