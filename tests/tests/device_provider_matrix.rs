//! outboard next to other providers, in every order: OpenSSL's own, Debian's tpm2-openssl and
//! pkcs11-provider, itself a second time, and some that are missing or fail.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use outboard_counters::Table;
use outboard_tests::bytes::bytes;
use outboard_tests::command::{MEMCHECK, command, failed, helper, on_path, status_and_output, succeeded};
use outboard_tests::lane::is_full_lane;
use outboard_tests::machine::{are_interrupts_counted, reachable_accelerator};
use outboard_tests::module::module;
use outboard_tests::providers::{
    AGAIN, BROKEN, OPENSSLS, Providers, packaged, permutations, rotations, with_in_each_place,
};
use outboard_tests::skip::skip;
use outboard_tests::software_tpm::SoftwareTpm;
use outboard_tests::world::OUTBOARD;
use tempfile::TempDir;

/// Where tpm2-openssl looks for its TPM.
const TCTI: &str = "TPM2OPENSSL_TCTI";

const KEY: &str = "-K 00112233445566778899aabbccddeeff -iv f0e0d0c0b0a090807060504030201000";

/// This machine's providers, and what they need.
struct Matrix {
    folder: TempDir,
    providers: Providers,
    helper: PathBuf,
    openssl: PathBuf,
    counters: Table,
    /// The providers of other packages.
    packaged: Vec<&'static str>,
    tpm: Option<SoftwareTpm>,
}

impl Matrix {
    fn new(test: &str) -> Option<Matrix> {
        let parts = || {
            module()?;
            let openssl = on_path("openssl").ok_or("the openssl command")?;
            Ok::<_, String>((helper("provider-orders")?, openssl))
        };
        // Without an accelerator they must work in software.
        let _ = reachable_accelerator().map_err(|missing| skip(test, missing));
        let (helper, openssl) = parts().map_err(|missing| skip(test, missing)).ok()?;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let providers = Providers::in_folder(folder.path()).unwrap_or_else(|error| panic!("{error}"));
        let counters = providers.make_counters();
        let mut packaged = packaged();
        let tpm = packaged.contains(&"tpm2").then(|| SoftwareTpm::start(folder.path()));
        let tpm = tpm.and_then(|tpm| tpm.map_err(|missing| skip(test, missing)).ok());
        packaged.retain(|&name| name != "tpm2" || tpm.is_some());
        fs::write(folder.path().join("plain"), bytes(1, 4096)).expect("a file");
        Some(Matrix { folder, providers, helper, openssl, counters, packaged, tpm })
    }

    /// All providers that this machine has.
    fn all(&self) -> Vec<&'static str> {
        [&OPENSSLS[..], &self.packaged, &[OUTBOARD]].concat()
    }

    fn hardware_requests(&self) -> u64 {
        self.counters.snapshot().into_iter().map(|(_, counts)| counts.hw_requests).sum()
    }

    /// Passes the TPM's settings to a command, and none of the test's other settings.
    fn with_tpm<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        match &self.tpm {
            Some(tpm) => command.env(TCTI, tpm.tcti()),
            None => command.env_remove(TCTI),
        }
    }

    /// Runs the helper with these orders. An accelerator, if any, processes a request in each.
    #[track_caller]
    fn run(&self, how: &str, orders: &[Vec<&str>]) {
        let mut command = Command::new(&self.helper);
        command.arg(self.folder.path()).arg(how).args(orders.iter().map(|order| order.join(",")));
        let output = self.with_tpm(&mut command).output().expect("the helper runs");
        self.assert_all_were_run(&output, orders);
    }

    #[track_caller]
    fn assert_all_were_run(&self, output: &Output, orders: &[Vec<&str>]) {
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().last().unwrap_or("no order");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}, in {last}\n{errors}", output.status);
        assert_eq!(text.lines().count(), orders.len());
    }

    /// Runs `openssl` with an openssl.cnf that activates these providers.
    fn openssl(&self, order: &[&str], arguments: &str) -> Output {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let mut command = command(&self.openssl, &self.providers.config(order, true), &arguments);
        self.with_tpm(&mut command).output().expect("the openssl command runs")
    }

    /// Lists the providers of an order, and uses one cipher and one digest.
    #[track_caller]
    fn commands_work(&self, order: &[&str]) {
        let listed = self.openssl(order, "list -providers");
        let text = succeeded(&listed, order);
        for name in order {
            let is_listed = text.lines().any(|line| line.trim() == *name);
            assert_eq!(
                is_listed,
                !BROKEN.contains(name),
                "{order:?}: {name}: {}",
                status_and_output(&listed)
            );
        }
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let before = self.hardware_requests();
        let encrypt = |out: &str| format!("enc -aes-128-cbc -in {} -out {} {KEY}", path("plain"), path(out));
        self.succeeds_without_errors_of_ours(order, &encrypt("secret"));
        let done = self.hardware_requests() - before;
        assert_eq!(done > 0, self.providers.hardware, "{order:?}: hardware did {done} requests");
        self.succeeds_without_errors_of_ours(&["default"], &encrypt("expected"));
        let read = |name: &str| fs::read(self.folder.path().join(name)).expect("what openssl enc wrote");
        assert!(read("secret") == read("expected"), "{order:?}: the cipher's bytes are wrong");

        let digest = |order| {
            let text =
                self.succeeds_without_errors_of_ours(order, &format!("dgst -sha256 -r {}", path("plain")));
            text.split_whitespace().next().map(str::to_owned)
        };
        assert_eq!(digest(order), digest(&["default"]), "{order:?}: the digest is wrong");
    }

    #[track_caller]
    fn succeeds_without_errors_of_ours(&self, order: &[&str], arguments: &str) -> String {
        let output = self.openssl(order, arguments);
        let text = succeeded(&output, order);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!errors.contains(":outboard:"), "{order:?}: {arguments}: {}", status_and_output(&output));
        text
    }
}

/// Every order of OpenSSL's providers and outboard, and the rotations with packaged providers
/// added. `make test-all` runs every order with each packaged provider; all orders of this
/// machine's providers together would be 5040.
#[test]
fn every_order_in_openssl_cnf_works() {
    let Some(matrix) = Matrix::new("every_order_in_openssl_cnf_works") else { return };
    let mut orders = rotations(&matrix.all());
    let packaged: &[&str] = if is_full_lane() { &matrix.packaged } else { &[] };
    let with = |names: &[&'static str]| permutations(&[&OPENSSLS[..], names, &[OUTBOARD]].concat());
    match packaged {
        [] => orders.extend(with(&[])),
        names => names.iter().for_each(|&name| orders.extend(with(&[name]))),
    }
    let before = matrix.hardware_requests();
    matrix.run("configured", &orders);
    let done = matrix.hardware_requests() - before;
    let wanted = if matrix.providers.hardware { orders.len() as u64 } else { 0 };
    assert!(done >= wanted, "{} orders, {done} requests by hardware", orders.len());
}

#[test]
fn a_neighbour_and_ours_without_the_default_provider_offer_nothing_and_end_well() {
    let test = "a_neighbour_and_ours_without_the_default_provider_offer_nothing_and_end_well";
    let Some(matrix) = Matrix::new(test) else { return };
    let neighbours = matrix.all().into_iter().filter(|name| !["default", OUTBOARD].contains(name));
    let orders: Vec<_> = neighbours.flat_map(|name| permutations(&[name, OUTBOARD])).collect();
    matrix.run("configured", &orders);
    matrix.run("loaded", &orders);
}

#[test]
fn providers_that_are_loaded_by_name_work_in_either_order() {
    let Some(matrix) = Matrix::new("providers_that_are_loaded_by_name_work_in_either_order") else { return };
    matrix.run("loaded", &rotations(&matrix.all()));
}

#[test]
fn ours_can_be_unloaded_and_loaded_again_a_hundred_times() {
    let Some(matrix) = Matrix::new("ours_can_be_unloaded_and_loaded_again_a_hundred_times") else { return };
    let (all, mut last_first) = (matrix.all(), matrix.all());
    last_first.reverse();
    matrix.run("reloaded", &[all, last_first]);
}

#[test]
fn two_sections_for_our_module_work_in_each_place() {
    let Some(matrix) = Matrix::new("two_sections_for_our_module_work_in_each_place") else { return };
    let orders = with_in_each_place(&["legacy", OUTBOARD, "default"], AGAIN);
    matrix.run("configured", &orders);
    matrix.run("loaded", &orders);
    for order in &orders {
        matrix.commands_work(order);
    }
}

#[test]
fn missing_and_failing_neighbours_do_no_harm_in_any_place() {
    let Some(matrix) = Matrix::new("missing_and_failing_neighbours_do_no_harm_in_any_place") else { return };
    for broken in BROKEN {
        let orders = with_in_each_place(&["legacy", OUTBOARD, "default"], broken);
        matrix.run("configured", &orders);
        matrix.run("loaded", &orders);
        for order in &orders {
            matrix.commands_work(order);
        }
    }
}

/// tpm2-openssl's provider fails to start where it finds no TPM.
#[test]
fn a_tpm_provider_without_a_tpm_does_no_harm() {
    let test = "a_tpm_provider_without_a_tpm_does_no_harm";
    let Some(matrix) = Matrix::new(test) else { return };
    if !matrix.packaged.contains(&"tpm2") {
        return skip(test, "tpm2-openssl and swtpm");
    }
    let before = matrix.hardware_requests();
    for order in with_in_each_place(&["legacy", OUTBOARD, "default"], "tpm2") {
        let enc = format!("enc -aes-128-cbc -in {}/plain {KEY}", matrix.folder.path().display());
        for arguments in ["list -providers", &enc, "dgst -sha256 /proc/version"] {
            let words: Vec<&str> = arguments.split(' ').collect();
            let mut command = command(&matrix.openssl, &matrix.providers.config(&order, true), &words);
            let output = command.env(TCTI, "device:/nonexistent").output().expect("the openssl command runs");
            assert!(output.status.success(), "{order:?}: {}", status_and_output(&output));
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(!text.contains("tpm2"), "{order:?}: {}", status_and_output(&output));
            assert_eq!(text.contains("  outboard\n"), arguments.starts_with("list"), "{order:?}: {text}");
        }
    }
    assert!(matrix.hardware_requests() - before >= 4 || !matrix.providers.hardware);
}

#[test]
fn library_contexts_with_different_orders_work_at_the_same_time() {
    let test = "library_contexts_with_different_orders_work_at_the_same_time";
    let Some(matrix) = Matrix::new(test) else { return };
    // swtpm serves one connection at a time.
    let mut all = matrix.all();
    all.retain(|&name| name != "tpm2");
    matrix.run("two-contexts", &[all]);
    matrix.run("two-contexts", &[vec!["legacy", OUTBOARD, "default", AGAIN]]);
}

#[test]
fn the_openssl_command_works_in_each_order_of_two_and_with_ours_in_each_place() {
    let test = "the_openssl_command_works_in_each_order_of_two_and_with_ours_in_each_place";
    let Some(matrix) = Matrix::new(test) else { return };
    for order in rotations(&matrix.all()) {
        matrix.commands_work(&order);
    }
    for name in matrix.all().into_iter().filter(|name| !["default", OUTBOARD].contains(name)) {
        for order in with_in_each_place(&[name, "default"], OUTBOARD) {
            matrix.commands_work(&order);
        }
    }
}

/// Providers of other packages have leaks of their own and are left out.
#[test]
fn valgrind_finds_no_error_and_no_leak() {
    let test = "valgrind_finds_no_error_and_no_leak";
    let Some(matrix) = Matrix::new(test) else { return };
    let Some(valgrind) = on_path("valgrind") else { return skip(test, "valgrind") };
    let mut orders = vec![
        vec!["legacy", OUTBOARD, "default", "base", "null"],
        vec![OUTBOARD, "default", "legacy", AGAIN],
        vec!["missing", "legacy", "refusing", "default", OUTBOARD],
    ];
    // valgrind is slow in an emulated machine.
    let (count, ways) =
        if is_full_lane() { (3, &["configured", "loaded"][..]) } else { (1, &["loaded"][..]) };
    orders.truncate(count);
    for how in ways {
        let mut command = Command::new(&valgrind);
        command
            .args(MEMCHECK)
            .arg(&matrix.helper)
            .arg(matrix.folder.path())
            .arg(how)
            .args(orders.iter().map(|order| order.join(",")));
        let output = command.output().expect("valgrind runs");
        matrix.assert_all_were_run(&output, &orders);
    }
}

/// As in VPN guides: openssl.cnf activates `legacy`, then `default`.
#[test]
fn our_commands_work_with_a_system_that_activates_legacy_first() {
    let test = "our_commands_work_with_a_system_that_activates_legacy_first";
    let Some(matrix) = Matrix::new(test) else { return };
    let Some(outboard) = on_path("outboard") else { return skip(test, "the outboard command") };
    let system = matrix.folder.path().join("system.cnf");
    fs::copy(matrix.providers.config(&["legacy", "default"], true), &system).expect("a copy");
    let module = module().expect("the provider").display().to_string();
    let run = |arguments: &[&str]| {
        let (subcommand, rest) = arguments.split_first().expect("a subcommand");
        let mut command = Command::new(&outboard);
        command.args([subcommand, "--module", &module]).args(rest).env("OPENSSL_CONF", &system);
        command.output().expect("the outboard command runs")
    };

    let arguments = ["ciphers", "--threshold", "1"];
    let ciphers = succeeded(&run(&arguments), &arguments);
    assert!(ciphers.contains("AES-128-CBC"), "{ciphers}");
    let enc = format!("openssl enc -aes-128-cbc -in {}/plain {KEY}", matrix.folder.path().display());
    // Without interrupts of the accelerator's own, hardware cannot be required.
    let is_required = matrix.providers.hardware && are_interrupts_counted();
    let share = if is_required { "99" } else { "0" };
    let arguments = ["prove", "--threshold", "1", "--require-hardware", share, "--", "sh", "-c", &enc];
    assert!(run(&arguments).status.success(), "{}", status_and_output(&run(&arguments)));

    // A command that loads outboard and crashes before it uses an algorithm.
    let crash = "openssl list -providers && kill -SEGV $$";
    let complaint = failed(&run(&["prove", "--", "sh", "-c", crash]), &["prove"], 128 + libc::SIGSEGV);
    assert!(complaint.contains("\nENDED BY SIGNAL 11: Hardware processed nothing"), "{complaint}");
}
